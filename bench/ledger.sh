#!/bin/bash
# ledger.sh [-l LIBRARY] [NAME...] - does the ledger close? Of each example on two threads: the
# rows' sum beside worker slots x elapsed time, and the rows that are on the CPU beside the kernel's
# CPU time, less the two times that no row has. Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
library=$here/build/libprof.so
[ "$1" = -l ] && library=$(realpath "$2") && shift 2
prof=$(dirname "$library")/prof examples=$(dirname "$library")/examples
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
table program 'on the CPU, ms' 'by the kernel, ms' difference
for name in fib quicksort mm cholesky pfor tree_sum stencil cilksort openmp/sparselu \
    openmp/strassen openmp/wavefront openmp/sparselu-libomp; do
    [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "$name" && continue
    [ -x "$examples/$name" ] || continue
    rm -f "$dir/p.prof"
    OMP_NUM_THREADS=2 PROF_OUTPUT=$dir/p.prof LD_PRELOAD=$library "$examples/$name" \
        -t 2 >"$dir/out" 2>&1 || { echo "ledger: $name failed" >&2; continue; }
    "$prof" report --json "$dir/p.prof" |
        jq -r --arg name "$name" '.ledger |
        (.kernel_cpu_ns - .cpu_before_libprof_ns - .cpu_of_start_and_end_ns) as $k |
        "\($name) \(.on_cpu_ns / 1e6) \($k / 1e6) \(100 * (.on_cpu_ns / $k - 1))"' |
        awk '{ printf "| %s | %.1f | %.1f | %+.2f %% |\n", $1, $2, $3, $4 }'
done
