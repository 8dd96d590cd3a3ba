#!/bin/bash
# names.sh [-b BUILD] [-n ROUNDS] [MODULE] - how long prof report takes for 100,000 contexts, by the
# number of distinct places in MODULE's code (an ELF file with debug information; libtbb unless
# given). Elapsed, medians, files in the page cache. Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
build=$here/build rounds=5
while getopts b:n: o; do
    case $o in b) build=$(realpath "$OPTARG") ;; n) rounds=$OPTARG ;; *) exit 2 ;; esac
done
shift $((OPTIND - 1))
module=$(realpath "${1:-$(ls /usr/lib/*/libtbb.so.12 | head -1)}")
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
gcc -O1 -I"$here/include" "$here"/tests/report/gen_profile/*.c -o "$dir/gen" || exit 1
set -- $(readelf -SW "$module" | sed 's/^ *\[ *[0-9]*\]//' | awk '$1 == ".text" { print $3, $5 }')
start=$((16#$1)) end=$((16#$1 + 16#$2))
table "places in $(basename "$module")" 'prof report, s'
for places in 0 100 1000 10000; do
    if [ $places = 0 ]; then "$dir/gen" large >"$dir/p.prof"; else "$dir/gen" large "$module" 0 \
        $start $end $places >"$dir/p.prof"; fi || exit 1
    for ((i = 0; i <= rounds; i++)); do
        at=$(date +%s%N)
        "$build/prof" report "$dir/p.prof" >"$dir/out" 2>&1 || { cat "$dir/out" >&2; exit 1; }
        echo "$at $(date +%s%N)" | awk '{ print ($2 - $1) / 1e9 }'
    done | tail -n +2 | sort -g | awk -v places=$places \
        '{ v[NR] = $1 }
        END { printf "| %s | %.2f |\n", places ? places : "none known", v[int((NR + 1) / 2)] }'
done
