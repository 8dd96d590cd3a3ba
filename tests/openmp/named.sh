# named.sh - sourced by check.sh. The report names what libprof does not see in full. The case
# states the expected figures on two threads, and the name (cases.h: named).
named() { # CASE WORK CONSTRUCT
    rm -f "$tmp/p.prof" "$tmp/out"
    OMP_NUM_THREADS=2 PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$(preload) \
        timeout 60 "$program" $1 >"$tmp/out" 2>&1 || echo "status $?" >>"$tmp/out"
    [ -s "$tmp/out" ] || "$build/prof" report --json "$tmp/p.prof" 2>&1 |
        jq -c '.program | [.work_ns, .exact, .lower_bound_constructs]' >"$tmp/out" 2>&1
    [ "$(cat "$tmp/out")" = "[$2,false,[\"$3\"]]" ] ||
        echo "$(head -c 200 "$tmp/out"), expected [$2,false,[\"$3\"]]"
}
for compiler in $compilers; do
    program=$build/openmp/constructs-$compiler
    [ -x "$program" ] || continue
    list=$("$program" --list) || exit 2
    for case in $list; do
        wants "$compiler/$case" || continue
        expected=$(OMP_NUM_THREADS=2 "$program" --expect $case | sed -n 's/^named //p')
        [ -z "$expected" ] ||
            verdict "$compiler/$case-is-named" "$(named $case ${expected%% *} "${expected#* }")" \
            "$(where $case)"
    done
done
