#!/bin/bash
# memory.sh [-l LIBRARY] [-n ITERATIONS] - does libprof's memory depend on live tasks alone? The
# resident size of a program that enqueues and spawns millions, phase by phase, and of a loop of
# ITERATIONS tasks (10^8) second by second, with and without it.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
library=$here/build/libprof.so iterations=100000000
while getopts l:n: o; do
    case $o in l) library=$(realpath "$OPTARG") ;; n) iterations=$OPTARG ;; *) exit 2 ;; esac
done
examples=$(dirname "$library")/examples
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
export PROF_OUTPUT=$dir/memory.prof

table 'tasks' 'native, KiB' 'preloaded, KiB'
"$examples/storm" -t 2 >"$dir/native" 2>/dev/null
LD_PRELOAD=$library "$examples/storm" -t 2 >"$dir/preloaded" 2>/dev/null
paste -d' ' "$dir/native" "$dir/preloaded" |
    awk '{ sub(/:$/, "", $2); printf "| %s %s | %s | %s |\n", $1, $2, $3, $7 }'

LD_PRELOAD=$library "$examples/pfor" -t 2 $iterations >/dev/null 2>&1 &
pid=$!
for ((second = 1; ; second++)); do
    sleep 1 && kill -0 $pid 2>/dev/null || break
    row "parallel_for, grain 1, second $second" '' \
        "$(awk '/VmRSS/ { print $2 }' /proc/$pid/status 2>/dev/null)"
done
wait $pid
