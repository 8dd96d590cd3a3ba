# contended.sh - sourced by check.sh. A strand that waits inside libgomp for a lock of the runtime:
# its wait is neither work nor on the critical path, and the processor time has a row all the same.
contended() {
    OMP_NUM_THREADS=2 PROF_CLOCK=tsc PROF_OUTPUT=$tmp/p.prof \
        LD_PRELOAD=$(preload "$tmp/contended.so") timeout 60 "$tmp/contended" >"$tmp/out" 2>&1 ||
        echo "status $?"
    "$build/prof" report --json "$tmp/p.prof" 2>&1 | jq -r '.ledger as $l | 200000000 as $spun |
        (if .program.work_ns > 0.3 * $spun then "work \(.program.work_ns) ns" else empty end),
        (if .program.span_ns > 0.3 * $spun then "span \(.program.span_ns) ns" else empty end),
        (if $l.overhead_between_strands_ns < 0.9 * $spun
         then "overhead \($l.overhead_between_strands_ns) ns" else empty end)' 2>&1 | tr '\n' ' '
}
if wanted contended && uses gcc; then
    if cc -O2 -shared -fPIC "$here/contended.c" -o "$tmp/contended.so" -ldl &&
        gcc -O2 -fopenmp "$here/contended_tasks.c" -o "$tmp/contended"; then
        verdict gcc/contended "$(patiently contended)" tests/openmp/contended.c
    else
        verdict gcc/contended 'not built' tests/openmp/contended.c
    fi
fi
