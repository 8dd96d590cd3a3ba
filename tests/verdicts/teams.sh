# teams.sh - sourced by check.sh: what ran in a team of one thread, no other could share.
alone() { # PROGRAM MODE WORK: of the regions in teams of one, as a part of the work
    run "$1" "$2"
    says "[.sites[].teams_of_one.work_ns] | add > $3 * $(jq .program.work_ns p.json)" \
        "teams of one: $(jq -c '[.sites[] | [.function, .line, .teams_of_one]]' p.json)"
    finds nested
}

clause() { # PROGRAM: the other region has a team; with one worker, no team could be larger
    alone "$1" clause 0.6
    says '[.sites[] | select(.construct | startswith("parallel")) | .teams_of_one.executions] |
        sort == [0, 1]' "executions $(jq -c '[.sites[].teams_of_one]' p.json)"
    OMP_NUM_THREADS=1 run "$1" clause
    says '[.sites[].teams_of_one.executions] | add == 0' "with one thread: $(jq -c \
        '[.sites[].teams_of_one]' p.json)"
    says '[.findings[] | select(.id == "nested")] == []' 'with one thread'
}

for cc in gcc clang; do
    [ -x openmp-$cc ] || continue
    result teams-clause-$cc "$(patiently clause ./openmp-$cc)"
    result teams-inner-$cc "$(patiently alone ./openmp-$cc inner 0.9)"
done
