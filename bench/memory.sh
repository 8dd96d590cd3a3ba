#!/bin/bash
# memory.sh [-l LIBRARY] - does libprof's memory depend on live tasks alone? The resident size of a program
# that enqueues and spawns millions, phase by phase, and of a loop of 10^8 tasks second by second,
# with and without it.
here=$(cd "$(dirname "$0")/.." && pwd)
library=$here/build/libprof.so
[ "$1" = -l ] && library=$(realpath "$2")
examples=$(dirname "$library")/examples
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
export PROF_OUTPUT=$dir/memory.prof

echo "10^6 enqueues from a thread, and 10^6 children before one wait, five times each:"
"$examples/storm" -t 2 >"$dir/native" 2>/dev/null
LD_PRELOAD=$library "$examples/storm" -t 2 >"$dir/preloaded" 2>/dev/null
paste -d' ' "$dir/native" "$dir/preloaded" | awk '{ printf "  %-12s native %8s KiB   preloaded %8s KiB\n", $1 " " $2, $3, $7 }'

echo "parallel_for over 10^8 with grain 1, preloaded, once a second:"
LD_PRELOAD=$library "$examples/pfor" -t 2 100000000 >/dev/null 2>&1 &
pid=$!
while sleep 1 && kill -0 $pid 2>/dev/null; do
    awk '/VmRSS/ { printf "  %s KiB", $2 }' /proc/$pid/status 2>/dev/null
done
echo
wait $pid
