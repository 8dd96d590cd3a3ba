#!/bin/bash
# clock.sh [-b BUILD] [SECONDS] - what a reading of each clock costs, and how right it is
# (clock_bench.c, docs/CLOCKS.md).
here=$(cd "$(dirname "$0")/.." && pwd)
build=$here/build
[ "$1" = -b ] && build=$(cd "$2" && pwd) && shift 2
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
objects=$(find "$build/obj/arch" "$build/obj/preload/base" "$build/obj/preload/clock" -name '*.o')
gcc -std=gnu11 -O2 -I"$here" -I"$here/preload" -I"$here/preload/clock" -I"$here/preload/base" \
    "$here/bench/clock_bench.c" $objects -fno-lto -o "$dir/bench" -pthread &&
    "$dir/bench" "${1:-3}"
