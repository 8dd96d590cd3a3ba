#!/bin/bash
# record.sh [-l LIBRARY] [-n ROUNDS] [N] - what recording the dag costs (PROF_DAG, docs/PREDICT.md):
# fib(N) without a cutoff on one thread, preloaded without and with it. CPU time, medians of
# interleaved rounds. Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
library=$here/build/libprof.so rounds=5
while getopts l:n: o; do
    case $o in l) library=$(realpath "$OPTARG") ;; n) rounds=$OPTARG ;; *) exit 2 ;; esac
done
shift $((OPTIND - 1))
prof=$(dirname "$library")/prof fib=$(dirname "$library")/examples/fib
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
once() { # BYTES: CPU ms, work ms, tasks
    rm -f "$dir/p.prof"
    PROF_DAG=$1 PROF_OUTPUT=$dir/p.prof LD_PRELOAD=$library "$fib" -t 1 \
        "${2:-32}" >"$dir/out" 2>&1 || exit 1
    "$prof" report --json "$dir/p.prof" |
        jq -r '.program | "\(.cpu_ns / 1e6) \(.work_ns / 1e6) \(.tasks)"'
}
median() { sort -g | awk '{ v[NR] = $1 } END { printf "%.0f", v[int((NR + 1) / 2)] }'; }
table PROF_DAG tasks 'CPU, ms' 'work in the profile, ms' 'profile, bytes'
for ((i = 0; i < rounds; i++)); do
    for bytes in 0 64m; do
        once $bytes "$1" >>"$dir/$bytes"
        wc -c <"$dir/p.prof" >"$dir/$bytes.size"
    done
done
for bytes in 0 64m; do
    row $bytes "$(tail -1 "$dir/$bytes" | cut -d' ' -f3)" \
        "$(cut -d' ' -f1 "$dir/$bytes" | median)" "$(cut -d' ' -f2 "$dir/$bytes" | median)" \
        "$(cat "$dir/$bytes.size")"
done
