#!/bin/bash
# outliers.sh [-b BUILD] [RUNS] - the parallelism of programs whose true one is known
# (outliers.cpp), as measured and without outliers, on 1, 2 and 4 workers. Medians of RUNS, the
# least and the largest. Of the tasks alone: work and span of main's own strand, the program's
# start, are taken off. The second table has a tree whose longest path is 12 nodes of 10 us, which
# one process repeats 1 to 100 times.
#   OUTLIERS='loop tree'    the programs of the first table
here=$(cd "$(dirname "$0")/.." && pwd)
build=$here/build
[ "$1" = -b ] && build=$(realpath "$2") && shift 2
. "$here/bench/print_table.sh"
runs=${1:-5}
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
g++ -O2 "$here/bench/outliers.cpp" -o "$dir/outliers" -ltbb || exit 1
steps=$("$dir/outliers")

# PARALLELISM as measured, and typical
run() # WORKERS WHAT [ROUNDS]
{
    PROF_OUTPUT="$dir/p" LD_PRELOAD="$build/libprof.so" \
        "$dir/outliers" "$1" "$2" "$steps" $3 >"$dir/out" 2>"$dir/err"
    "$build/prof" report --json "$dir/p" 2>>"$dir/err" | jq -r '
        (.sites[] | select(.outside_tasks)) as $main |
        (.program.work_ns - $main.local_work_ns) as $work |
        $main.on_span.local_span_ns as $before |
        [$work / (.program.span_ns - $before), $work / (.program.span_typical_ns - $before)] |
        map(. * 10 | round / 10) | join(" ")'
}

column()
{
    awk -v c="$1" '{ print $c }' "$dir/runs" | sort -n |
        awk '{ v[NR] = $1 } END { printf "%s (%s - %s)", v[int((NR + 1) / 2)], v[1], v[NR] }'
}

table tasks workers 'without overhead' 'as measured' 'no outliers'
for what in ${OUTLIERS-loop tree spawns uniform exponential modes one sort}; do
    for workers in 1 2 4; do
        : >"$dir/runs"
        for _ in $(seq "$runs"); do
            run "$workers" "$what" >>"$dir/runs"
        done
        true=$("$dir/outliers" "$workers" "$what" "$steps")
        row "$what" "$workers" "$true" "$(column 1)" "$(column 2)"
    done
done

echo
table rounds workers 'without overhead' 'as measured' 'no outliers'
for rounds in 1 3 10 30 100; do
    for workers in 1 2; do
        : >"$dir/runs"
        for _ in $(seq "$runs"); do
            run "$workers" nodes "$rounds" >>"$dir/runs"
        done
        row "$rounds" "$workers" "$("$dir/outliers" "$workers" nodes "$steps" 1)" "$(column 1)" \
            "$(column 2)"
    done
done
