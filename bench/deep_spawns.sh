#!/bin/bash
# deep_spawns.sh [-l LIBRARY] - what a spawn costs far below its task's entry (docs/CALL-PATHS.md):
# a function that calls itself and creates a task each time. Least of three runs. Nothing is
# asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
library=$here/build/libprof.so
[ "$1" = -l ] && library=$(realpath "$2")
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
gcc -O2 -g -fopenmp "$here/bench/deep_spawns.c" -o "$dir/deep" || exit 1
once() { PROF_OUTPUT=$dir/p.prof LD_PRELOAD=$1 "$dir/deep" "$2" "$3" 2>&1 >"$dir/out" |
    sed 's/ .*//' | head -1; }
least() { for i in 1 2 3; do once "$@"; done | sort -g | head -1; }
table frames rounds 'native, ms' 'preloaded, ms'
for what in '2000 5' '10000 1'; do
    row $what "$(least '' $what)" "$(least "$library" $what)"
done
