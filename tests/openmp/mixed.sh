# mixed.sh - sourced by check.sh. OpenMP in oneTBB tasks in threads; on libomp too, and gcc's code
# on libomp (counted once: by its own interface). mixed.cpp derives the numbers.
mixed() {
    expected='[366,39,44,39]'
    for p in 1 2 4; do
        for i in $(seq "$repeats"); do
            OMP_NUM_THREADS=$p PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$(preload) timeout 60 \
                "$tmp/mixed" ||
                { echo "P=$p: status $?"; return; }
            got=$("$build/prof" report --json "$tmp/p.prof" 2>/dev/null | jq -c '[.program.work_ns,
                .program.span_ns, .program.spawns, ([.sites[].on_span.local_span_ns] | add)]')
            [ "$got" = "$expected" ] || { echo "P=$p: $got, expected $expected"; return; }
        done
    done
    # every path leads from main through the thread and the TBB task to the OpenMP task
    "$build/prof" export -M work "$tmp/p.prof" 2>/dev/null |
        grep -v '^main;tasks;.*region' | grep '_task\]\|task ' | grep region >"$tmp/stray"
    [ ! -s "$tmp/stray" ] || echo "paths: $(cat "$tmp/stray")"
}
mixed_on() { # NAME COMPILER RUNTIME...: what links the OpenMP runtime
    name=$1 cxx=$2
    shift 2
    { $cxx -fopenmp -std=c++17 -O2 -g -I"$here/../../include" -c "$here/mixed.cpp" \
        -o "$tmp/mixed.o" &&
        $cxx "$tmp/mixed.o" -o "$tmp/mixed" "$@" -ltbb -pthread; } 2>"$tmp/err" ||
        { echo "SKIP openmp/mixed-$name: $(head -1 "$tmp/err")"; return; }
    verdict mixed-$name "$(mixed)" tests/openmp/mixed.cpp
}
if wanted mixed; then
    if uses gcc; then
        mixed_on gcc g++ -fopenmp
        omp=$(libomp_of gcc-on-libomp)
        [ -n "$omp" ] && mixed_on gcc-on-libomp g++ "$omp"
    fi
    if uses clang; then mixed_on clang clang++ -fopenmp; fi
fi
