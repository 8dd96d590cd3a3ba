# alone.sh - sourced by check.sh. All constructs on one thread, in real time: a team of one, and a
# call, have short ways of their own (engine_turn_pause, engine_return_call), which need quick
# readings of the clock.
alone() { # COMPILER
    export OMP_NUM_THREADS=1 PROF_CLOCK=tsc
    no_runs
    for case in $("$program" --list); do
        spawns=${CHECK_SPAWNS:-1} whatif=
        case $1/$case in clang/taskloop_*) spawns=0 ;; esac # as in check.sh
        case $case in cancel_*) export OMP_CANCELLATION=true ;; *) unset OMP_CANCELLATION ;; esac
        "$program" --expect "$case" >"$tmp/expect" || { echo "$case: no expectation"; return; }
        grep -q ^skip "$tmp/expect" && continue
        timeout 20 "$program" "$case" >/dev/null 2>&1 || continue   # check.sh skips it
        [ -n "$wrong" ] || one_run "$program" "$case" '' "$case: "
    done
    compare_runs
    echo "$wrong"
}
for compiler in $compilers; do
    program=$build/openmp/constructs-$compiler
    if wanted alone && [ -x "$program" ]; then
        verdict "$compiler/alone" "$(alone "$compiler")" tests/openmp/alone.sh
    fi
done
