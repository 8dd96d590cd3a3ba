# late.sh - sourced by check.sh. An untied task whose earlier parts return late: libomp reports no
# end to the thread of its last part.
late() {
    whatif= spawns=1
    cc -O2 -shared -fPIC "$here/late.c" -o "$tmp/late.so" -ldl || { echo "not built"; return; }
    no_runs
    for p in 2 4 8; do
        export OMP_NUM_THREADS=$p
        "$program" --expect fib_untied >"$tmp/expect"
        for _ in $(seq "$repeats"); do
            [ -n "$wrong" ] || one_run "$program" fib_untied "$tmp/late.so" "P=$p: "
        done
    done
    compare_runs
    echo "$wrong"
}
program=$build/openmp/constructs-clang
if wanted late && uses clang && [ -x "$program" ]; then
    verdict clang/late "$(late)" tests/openmp/late.c
fi
