#!/bin/bash
# papers.sh [-l LIBRARY] [NAME...] - work and span of the papers' programs, beside what the papers
# say: Cilkprof (figures 2, 7, 10), TaskProf (figure 3), Cilkview (section 5). One run each on two
# workers. Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
library=$here/build/libprof.so
[ "$1" = -l ] && library=$(realpath "$2") && shift 2
prof=$(dirname "$library")/prof examples=$(dirname "$library")/examples
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT

table program 'work, ms' 'span, ms' parallelism 'burdened parallelism' 'the paper'
while IFS='|' read -r name command paper; do
    [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "$name" && continue
    rm -f "$dir/p.prof"
    PROF_BURDEN=cilkview PROF_OUTPUT=$dir/p.prof LD_PRELOAD=$library \
        $examples/$command >"$dir/out" 2>&1 || { echo "papers: $command failed" >&2; continue; }
    row "$name" $("$prof" report --json "$dir/p.prof" |
        jq -r '.program |
        "\(.work_ns / 1e6) \(.span_ns / 1e6) \(.parallelism) \(.burdened_parallelism)"' |
        awk '{ printf "%.1f %.2f %.2f %.2f", $1, $2, $3, $4 }') "$paper"
done <<'END'
fib-two|fib -t 2 30 two|work 450 ms, of its own instrumentation 7.36 times
quicksort|quicksort -t 2|791 ms, 142 ms, 5.6
mm|mm -t 2 512|the multiplication: 187 ms, 0.80 ms, 233
tree_sum|tree_sum -t 2|serial creation limits it
stencil-inner|stencil -t 2 inner|119, burdened 0.87
stencil-outer|stencil -t 2 outer|ample, but short of memory bandwidth
stencil-oblivious|stencil -t 2 oblivious|ample
END
