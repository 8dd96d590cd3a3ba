#!/bin/bash
# own-cost.sh [-n PAIRS] [-l LIBRARY] [-s SIZES] [-t THREADS] [RUNTIME-NAME...]
# How much of libprof's own time is in the work that it reports. Each row is a construct whose tasks
# have bodies of a fixed number of instructions, which natively take about SIZES ns.
#
# Native is the CPU time of the construct, with the runtime's part. Work is the profile's; the
# runtime between strands is no part of it. Work + runtime adds what the ledger has of that
# (overhead_between_strands_ns, search_ns), which makes it the same thing as the native time. From
# each, that of a run of eight tasks is taken off: what the program needs to start and to end. The
# figures are minima of interleaved pairs, for what else runs on the machine only makes them longer.
# Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
pairs=5 library=$here/build/libprof.so sizes='300 1000 10000' counts='1 2'
while getopts n:l:s:t: o; do
    case $o in
    n) pairs=$OPTARG ;;
    l) library=$(realpath "$OPTARG") ;;
    s) sizes=$OPTARG ;;
    t) counts=$OPTARG ;;
    *) echo "usage: $0 [-n pairs] [-l libprof.so] [-s 'ns...'] [-t 'threads...'] [runtime-name...]"
        exit 2 ;;
    esac
done
shift $((OPTIND - 1))
prof=$(dirname "$library")/prof
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 1
export PROF_OUTPUT=$dir/p.prof OMP_DYNAMIC=false
least() { sort -g "$1" | head -1; }
profile() { # TASKS: work, the runtime between strands and span, of the profile
    LD_PRELOAD=$library ./$runtime "$name" $1 $steps $threads >/dev/null &&
        "$prof" report --json p.prof |
        jq -r '[.program.work_ns, (.ledger | .overhead_between_strands_ns + .search_ns),
            .program.span_ns] | join(" ")'
}
command -v g++ >/dev/null && g++ -std=c++17 -O2 "$here/bench/own_cost_tbb.cc" -o tbb -ltbb
command -v gcc >/dev/null && gcc -O2 -fopenmp "$here/bench/own_cost.c" -o libgomp
command -v clang >/dev/null && clang -O2 -fopenmp "$here/bench/own_cost.c" -o libomp
for ((i = 0; i < 15; i++)); do ./libgomp calls 1 10000000 1; done >spin || exit 1
spin=$(least spin)      # ns of 10^7 steps
table runtime construct threads 'body, ns' 'native, ns a task' 'work, ns' 'work / native' \
    '(work + runtime) / native' \
    'span, ns'
for runtime in tbb libgomp libomp; do
    [ -x $runtime ] || continue
    for name in $(./$runtime | grep -v calls); do
        [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "$runtime-$name" && continue
        for threads in $counts; do
            for size in $sizes; do
                steps=$(awk "BEGIN { printf \"%d\", $size / $spin * 1e7 }")
                n=$((20000000 / size))      # 20 ms
                [ $n -gt 50000 ] && n=50000
                : >native >work >both >span
                profile 8 >none && ./$runtime "$name" 8 $steps $threads >one || exit 1
                for ((i = 0; i < pairs; i++)); do
                    profile 8 >>none && ./$runtime "$name" 8 $steps $threads >>one || exit 1
                    cpu=$(./$runtime "$name" $n $steps $threads) && found=$(profile $n) || exit 1
                    echo "$cpu $found $(least none) $(least one) $n" |
                        awk '{ n = $9 - 8; c = ($1 - $8) / n; w = ($2 - $5) / n; r = ($3 - $6) / n
                               print c >>"native"; print w >>"work"; print w + r >>"both"
                               print $4 / n >>"span" }'
                done
                row $runtime $name $threads $size $(echo \
                    "$(least native) $(least work) $(least both) $(least span)" |
                    awk '{ printf "%.0f %.0f %.2f %.2f %.0f", $1, $2, $2 / $1, $3 / $1, $4 }')
            done
        done
    done
done
