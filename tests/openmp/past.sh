# past.sh - sourced by check.sh. Dependences that come past libprof's entry points (past.c) give the
# same figures.
past() { # CASE
    for before in '' "$tmp/past.so:"; do
        OMP_NUM_THREADS=2 PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$before$(preload) \
            timeout 60 "$program" $1 || echo "status $?"
        "$build/prof" report --json "$tmp/p.prof" |
            jq -c '[.program | .work_ns, .span_ns, .tasks, .exact]'
    done >"$tmp/out" 2>&1
    [ "$(wc -l <"$tmp/out")" = 2 ] && [ "$(sort -u "$tmp/out" | wc -l)" = 1 ] ||
        tr '\n' ' ' <"$tmp/out"
}
program=$build/openmp/constructs-clang
if wanted past && uses clang && [ -x "$program" ]; then
    if gcc -O1 -fPIC -shared "$here/past.c" -o "$tmp/past.so" -ldl; then
        list=$("$program" --list) || exit 2
        for case in $(echo "$list" | grep '^dep'); do
            "$program" --expect $case | grep -q '^skip\|^named' ||
                verdict clang/past-$case "$(past $case)" tests/openmp/past.c
        done
    else
        verdict clang/past 'it does not compile' tests/openmp/past.c
    fi
fi
