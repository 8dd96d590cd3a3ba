#!/bin/bash
# start.sh [-n RUNS] [LIBRARY...]
# What a process pays that does nothing: the CPU time of /bin/true, natively and with each
# libprof.so. And what a fork costs whose child exits at once: the CPU time of both. Medians of
# interleaved runs. Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
runs=500
while getopts n: o; do
    case $o in
    n) runs=$OPTARG ;;
    *) echo "usage: $0 [-n runs] [libprof.so...]"
        exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- "$here/build/libprof.so"
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
gcc -O2 -o "$dir/start" "$here/bench/start.c" || exit 1
ways=(PATH=/bin) names=(natively)
for library in "$@"; do
    preload=LD_PRELOAD=$(realpath "$library"),PROF_OUTPUT=$dir/p.prof
    ways+=("$preload" "$preload,PROF_DISABLE=1")
    names+=("$library" "$library, PROF_DISABLE=1")
done
"$dir/start" "$runs" "${ways[@]}" >"$dir/us" 2>"$dir/err" || exit 1
table way 'CPU, us' 'more than natively, us'
i=0
native=$(head -1 "$dir/us")
while read -r us; do
    row "${names[i]}" "$us" $((us - native))
    i=$((i + 1))
done <"$dir/us"
echo
gcc -O2 -o "$dir/forks" "$here/bench/forks.c" || exit 1
for i in 1 2 3 4 5; do
    "$dir/forks" 500 >>"$dir/forks.0"
    n=0
    for library in "$@"; do
        n=$((n + 1))
        LD_PRELOAD=$(realpath "$library") PROF_OUTPUT=$dir/p.prof "$dir/forks" 500 \
            >>"$dir/forks.$n"
    done
done
median() { sort -g "$1" | sed -n 3p; }
table way 'CPU of a fork, us' 'more than natively, us'
native=$(median "$dir/forks.0")
row natively "$native" 0
n=0
for library in "$@"; do
    n=$((n + 1))
    us=$(median "$dir/forks.$n")
    row "$library" "$us" "$(awk -v a="$us" -v b="$native" 'BEGIN { printf "%.1f", a - b }')"
done
