#!/bin/bash
# memory.sh [-l LIBRARY] [-n ITERATIONS] - what libprof keeps of a live task, next to what the
# runtime keeps: peaks of the resident size, of many tasks less those of few. And does its memory
# depend on live tasks alone? The resident size of a program that enqueues and spawns millions,
# phase by phase, and of a loop of ITERATIONS tasks (10^8) second by second, with and without it.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
library=$here/build/libprof.so iterations=100000000
while getopts l:n: o; do
    case $o in l) library=$(realpath "$OPTARG") ;; n) iterations=$OPTARG ;; *) exit 2 ;; esac
done
examples=$(dirname "$library")/examples
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
export PROF_OUTPUT=$dir/memory.prof

peak() { # PRELOAD COMMAND...: bytes
    python3 -c 'import os, resource, subprocess, sys
subprocess.run(sys.argv[2:], env=dict(os.environ, LD_PRELOAD=sys.argv[1]), check=True,
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}
live() { # NAME FEW MANY COMMAND...: a line, from its run with the argument FEW, and with MANY
    local name=$1 few=$2 many=$3 tasks=$4
    shift 4
    row "$name" $(echo $(peak '' "$@" $few) $(peak '' "$@" $many) $(peak "$library" "$@" $few) \
        $(peak "$library" "$@" $many) $tasks |
        awk '{ printf "%.0f %.0f", ($2 - $1) / $5, ($4 - $3 - $2 + $1) / $5 }')
}
g++ -std=c++17 -O2 "$here/bench/own_cost_tbb.cc" -o "$dir/tbb" -ltbb || exit 1
table 'live tasks' 'the runtime, bytes a task' 'libprof, bytes a task'
live 'tbb, of one group' '100000 0 1' '1100000 0 1' 1000000 "$dir/tbb" group_many
live 'libgomp, depend' '400 2' '1200 2' 320000 "$examples/openmp/wavefront" -t 1
live 'libomp, depend: addresses alone' '400 2' '1200 2' 320000 \
    "$examples/openmp/wavefront-libomp" -t 1
echo

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
