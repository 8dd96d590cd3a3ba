# beside.sh - sourced by check.sh: what a region's threads do beside the chunks and tasks that it
# hands out has other figures than these.
rules() { # PROGRAM: the chunks are 25 of 2 ms; a thread's half of the static loop is none of them
    run "$1" rules
    says '.sites[] | select(.construct | startswith("parallel")) | .handed_out |
        .chunks >= 25 and .work_ns > 30e6 and .work_ns < 100e6 and .longest_ns < 20e6' \
        "chunks $(jq -c '[.sites[].handed_out]' p.json)"
    says '[.functions[].verdict // "" | select(test("2[0-9] tasks, longest"))] == []' \
        "verdicts $(verdicts)"
}

creates() { # PROGRAM
    run "$1" creates
    tr -s '\n ' ' ' <words | grep -q 'parallelism of their own code, without the tasks in them' ||
        echo "the words: $(cat words)"
}

for cc in gcc clang; do
    [ -x openmp-$cc ] || continue
    result beside-rules-$cc "$(patiently rules ./openmp-$cc)"
    result beside-creates-$cc "$(patiently creates ./openmp-$cc)"
done
