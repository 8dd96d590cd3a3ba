#!/bin/sh
# whatif.sh BUILD [PAIRS] - what-if against what was obtained. Each program has a part that is serial, and an argument that makes it
# parallel for real. From the changed program: how parallel the part became, F (its region's work / span), and the program's
# parallelism. From the unchanged one: its parallelism in the scenario part=F. Interleaved pairs, medians.
build=$(cd "$1" && pwd) pairs=${2:-9}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
profile() { # NAME SPEC COMMAND...
    name=$1 spec=$2
    shift 2
    PROF_WHATIF=$spec PROF_OUTPUT=$name.prof PROF_QUIET=1 LD_PRELOAD=$build/libprof.so "$@" >/dev/null 2>&1 && "$build/prof" report --json "$name.prof" 2>/dev/null >"$name.json"
}
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
printf '%-12s %-14s %8s %10s %10s %10s %8s\n' program part F before predicted obtained error
compare() { # PROGRAM PART BEFORE-ARGUMENTS CHANGED-ARGUMENTS
    rm -f predicted obtained factor before
    i=0
    while [ $i -lt "$pairs" ]; do
        i=$((i + 1))
        profile new '' "$build/examples/$1" $4 || continue
        f=$(jq --arg part "$2" '.regions[] | select(.name == $part) | [.work_ns / .span_ns * 20 | round / 20, 1] | max' new.json)
        profile old "$2=$f" "$build/examples/$1" $3 || continue
        jq .program.parallelism new.json >>obtained
        jq .program.parallelism old.json >>before
        jq '[.whatif.scenarios[] | select(.limit | not)][0].parallelism_made_parallel' old.json >>predicted
        echo "$f" >>factor
    done
    p=$(median <predicted) o=$(median <obtained)
    printf '%-12s %-14s %8.2f %10.2f %10.2f %10.2f %7.1f%%\n' "$1" "$2" "$(median <factor)" "$(median <before)" "$p" "$o" \
        "$(awk -v p="$p" -v o="$o" 'BEGIN { print 100 * (p / o - 1) }')"
}
compare tree_sum create_tree '2000000 20000' '2000000 20000 20000'
compare cholesky copy_matrix '3000 30000' '3000 30000 3'
