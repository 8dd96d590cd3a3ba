# idle.sh - sourced by check.sh. A thread that waits in the runtime until it ends, or the process
# does, is idle for as long as the other thread of its team works. A thread that spins, and loses
# the processor meanwhile, is not idle.
one_idle() { # WHAT POLICY
    OMP_WAIT_POLICY=$2 PROF_CLOCK=tsc PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$(preload "$late") \
        timeout 60 "$tmp/idle" $1 >"$tmp/out" 2>&1 || echo "status $?"
    "$build/prof" report --json "$tmp/p.prof" 2>&1 | jq -r --rawfile own "$tmp/out" '
        ($own | tonumber) as $own | .ledger | (.search_ns + .sleep_ns) as $idle |
        .overhead_between_strands_ns as $overhead |
        if $idle < 0.9 * $own or $overhead > 0.1 * $own
        then "\($idle) ns idle, \($overhead) of overhead, for \($own) of waiting"
            else empty end' 2>&1
}
idle() { # COMPILER
    late=$(libomp_of $1)
    ${1%-on-libomp} -O2 -g -fopenmp "$here/idle.c" -o "$tmp/idle" 2>"$tmp/err" ||
        { echo "SKIP openmp/$1/idle: $(head -1 "$tmp/err")"; return; }
    for what in one fewer again copy depend if0 copied loops doacross; do
        # libomp 14 gives gcc's code something else
        [ -z "$late" ] || [ $what != copied ] || continue
        if [ -n "$late" ] && [ $what = depend ] &&
            ! readelf -W --dyn-syms "$late" | grep -q ' GOMP_taskwait_depend'; then
            echo "SKIP openmp/$1/idle-depend: this libomp has no GOMP_taskwait_depend"
            continue
        fi
        for policy in active passive; do
            verdict $1/idle-$what-$policy "$(patiently one_idle $what $policy)" tests/openmp/idle.c
        done
    done
}
if wanted idle; then
    for compiler in $compilers; do idle $compiler; done
    if uses gcc && [ -n "$(libomp_of gcc-on-libomp)" ]; then idle gcc-on-libomp; fi
fi
