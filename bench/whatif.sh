#!/bin/sh
# whatif.sh BUILD [ROUNDS] [PROGRAM...] - what-if against what was obtained. Each program has parts
# that an argument makes parallel, or faster, for real. How much: from the parts' own times, F =
# work / span of the region in the changed program where it was made parallel, F = its work in the
# unchanged program / in the changed one where it was made faster. Predicted: the parallelism of the
# unchanged program in the scenario part=F, all parts at once. Obtained: of the changed program.
# Interleaved runs, medians. A scenario says what changes of the dag, not what it does to the memory
# system, so on one worker the error is what-if's own; on two the work's inflation is in it. "work"
# and "span" say which of the two terms of parallelism differs from its prediction. tree_sum is also
# run with TBB's allocator: glibc's malloc grows the second thread's heap by 4 KiB and a call of
# mprotect at a time.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/print_table.sh"
build=$(cd "$1" && pwd) rounds=${2:-9} allocator=
shift; [ $# -gt 0 ] && shift
programs=$*
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
profile() { # NAME SPEC COMMAND...
    name=$1 spec=$2
    shift 2
    PROF_WHATIF=$spec PROF_OUTPUT=$name.prof PROF_QUIET=1 \
        LD_PRELOAD=$build/libprof.so${allocator:+:$allocator} "$@" >/dev/null 2>&1 &&
        "$build/prof" report --json "$name.prof" 2>/dev/null >"$name.json"
}
median() { sort -g "$1" |
    awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
error() { awk -v p="$(median "$1.predicted")" -v o="$(median "$1.obtained")" \
    'BEGIN { printf "%.1f%%", 100 * (p / o - 1) }'; }
table program parts P F before predicted obtained error 'of it work' span
compare() { # parallel|faster PROGRAM PARTS WORKERS BEFORE-ARGUMENTS CHANGED-ARGUMENTS
    case " $programs " in "  " | *" $2 "*) ;; *) return ;; esac
    rm -f -- *.predicted *.obtained f.* before
    i=0
    while [ $i -lt "$rounds" ]; do
        i=$((i + 1))
        profile new '' "$build/examples/$2" -t $4 $6 &&
            profile plain '' "$build/examples/$2" -t $4 $5 || continue
        spec=
        for part in $3; do
            f=$(jq -rs --arg part "$part" --arg how $1 '[.[].regions[] | select(.name == $part)] |
                (if $how == "parallel" then .[0].work_ns / .[0].span_ns
                else .[1].work_ns / .[0].work_ns end) * 100 | round / 100 | [., 1] |
                    max' new.json plain.json)
            echo "$f" >>"f.$part"
            spec=$spec${spec:+&}$part=$f
        done
        profile old "$spec" "$build/examples/$2" -t $4 $5 || continue
        jq .program.parallelism old.json >>before
        jq -r --arg how $1 '.program.work_ns as $t1 | [.whatif.scenarios[] | select(.limit | not)] |
            max_by(.terms | length) |
            (if $how == "parallel" then $t1 else .work_ns end) as $work |
            "parallelism \($work / .span_ns)", "work \($work)", "span \(.span_ns)"' \
            old.json >figures
        while read -r what value; do
            echo "$value" >>"$what.predicted"
            jq ".program.$what$([ $what = parallelism ] || echo _ns)" new.json >>"$what.obtained"
        done <figures
    done
    f=$(for part in $3; do printf '%.2f ' "$(median "f.$part")"; done)
    row "$2${allocator:+ (TBB allocator)}" "$3" $4 "${f% }" \
        $(printf '%.2f %.2f %.2f' "$(median before)" "$(median parallelism.predicted)" \
        "$(median parallelism.obtained)") "$(error parallelism)" "$(error work)" "$(error span)"
}
for p in 1 2; do
    compare parallel tree_sum 'create_tree free_tree' $p '2000000 20000' '2000000 20000 20000'
    allocator=libtbbmalloc_proxy.so.2
    compare parallel tree_sum 'create_tree free_tree' $p '2000000 20000' '2000000 20000 20000'
    allocator=
    compare parallel cholesky copy_matrix $p '3000 30000' '3000 30000 3'
    compare faster quicksort partition $p 10000000 '10000000 fast'
    compare parallel openmp/sparselu times $p '20 96 phases' '20 96 phases 16'
done
