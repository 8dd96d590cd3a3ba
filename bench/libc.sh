#!/bin/bash
# libc.sh - what a copy and a fill cost by libprof's own functions (preload/base/libc.c) and by
# libc's.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
gcc -std=gnu11 -O2 -I"$here" -I"$here/preload" -fPIC -ffreestanding -fno-builtin \
    -fno-tree-loop-distribute-patterns \
    -c "$here/preload/base/libc.c" -o "$dir/own.o" &&
    objcopy --redefine-sym memcpy=own_memcpy --redefine-sym memset=own_memset "$dir/own.o" \
    "$dir/renamed.o" &&
    objcopy --globalize-symbol=own_memcpy --globalize-symbol=own_memset -K own_memcpy \
    -K own_memset "$dir/renamed.o" &&
    gcc -O2 -fno-builtin "$here/bench/libc.c" "$dir/renamed.o" -o "$dir/bench" || exit 1
table bytes 'memcpy, ns' "libc's" 'memset, ns' "libc's"
"$dir/bench" | while read -r line; do row $line; done
