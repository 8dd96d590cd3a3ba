# twins.sh - sourced by check.sh. One random program on both runtimes, alone and with three threads:
# the same work and span, and the same share of each way to create tasks in the span.
twin() { # CASE
    : >"$tmp/out"
    for compiler in gcc clang; do
        program=$build/openmp/constructs-$compiler
        for p in 1 3; do
            rm -f "$tmp/p.prof"
            OMP_NUM_THREADS=$p PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$(preload) \
                timeout 60 "$program" $1 >>"$tmp/out" 2>&1 || echo "status $?" >>"$tmp/out"
            "$build/prof" report --json "$tmp/p.prof" 2>&1 |
                jq -c '[.program.work_ns, .program.span_ns,
                    (.sites | map(select(.construct == "task" or .construct == "taskloop")) |
                     group_by(.function) |
                     map([.[0].function, (map(.on_span.local_span_ns) | add)] | select(.[1] > 0)))
                    ]' >>"$tmp/out" 2>&1
        done
    done
    [ "$(wc -l <"$tmp/out")" = 4 ] && [ "$(sort -u "$tmp/out" | wc -l)" = 1 ] &&
        grep -q '^\[[1-9][0-9]*,[1-9][0-9]*,\[\["' "$tmp/out" || sort -u "$tmp/out" | head -c 600
}
if wanted twins && uses gcc && uses clang && [ -x "$build/openmp/constructs-gcc" ] &&
    [ -x "$build/openmp/constructs-clang" ]; then
    for case in dep_ties $(seq -f twin_%g 1 20); do
        program=$build/openmp/constructs-clang
        skipped=$("$program" --expect $case | sed -n 's/^skip //p')
        if [ -n "$skipped" ]; then
            echo "SKIP openmp/twins/$case: clang: $skipped"
        else
            verdict "twins/$case" "$(twin $case)" "$(where $case)"
        fi
    done
fi
