#!/bin/bash
# offcpu.sh [-n ROUNDS] [-l LIBRARY] - what off-CPU samples cost (docs/CALL-PATHS.md): the CPU time
# of libprof's own threads (setting cpu-writing-ns, the one that writes the profile included) with
# samples, and with PROF_SAMPLE=off. Medians of interleaved rounds. Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
rounds=5 library=$here/build/libprof.so
while getopts n:l: o; do
    case $o in
    n) rounds=$OPTARG ;;
    l) library=$(realpath "$OPTARG") ;;
    *) echo "usage: $0 [-n rounds] [-l libprof.so]" >&2; exit 2 ;;
    esac
done
prof=$(dirname "$library")/prof examples=$(dirname "$library")/examples
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 1
gcc -O2 -pthread "$here/bench/waiting.c" -o waiting || exit 1

once() { # SAMPLE COMMAND...: ms of libprof's threads, ms elapsed
    rm -f p.prof
    PROF_SAMPLE=$1 PROF_OUTPUT=p.prof LD_PRELOAD=$library "${@:2}" >out 2>err ||
        { echo "offcpu: $2: failed" >&2; return 1; }
    "$prof" report --json p.prof |
        jq -r '"\((.settings["cpu-writing-ns"] | tonumber) / 1e6) \(.program.elapsed_ns / 1e6)"'
}
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

table program 'with off-CPU samples, ms' 'without, ms' 'elapsed, ms'
while IFS='|' read -r name command; do
    : >with >without
    for ((i = 0; i < rounds; i++)); do
        once cpu:250 $command >>with && once off $command >>without || exit 1
    done
    row "$name" $(printf '%.2f %.2f %.0f' "$(median <with)" "$(median <without)" \
        "$(cut -d' ' -f2 with | median)")
done <<END
fib-1|$examples/fib -t 1 34
fib-2|$examples/fib -t 2 34
cholesky-2|$examples/cholesky -t 2
waiting-200|./waiting 200 5
END
