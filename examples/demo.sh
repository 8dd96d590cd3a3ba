#!/bin/sh
# demo.sh BUILD - `make demo`: profiles a real program and shows where its critical path is.
# The program is mgb (Debian's mathicgb), which computes Groebner bases with oneTBB; where it cannot
# be installed, examples/quicksort.
build=$(cd "$1" && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
name=hkatsura11-101
input=$(find /usr/share/doc/mathicgb/examples -name "$name.ideal" 2>/dev/null | head -1)

if ! command -v mgb >/dev/null || [ -z "$input" ]; then
    echo "mathicgb is not available: profiling the bundled quicksort instead"
    make -s "$build/examples/quicksort" && cd "$dir" &&
        "$build/prof" run -- "$build/examples/quicksort"
    exit
fi

mkdir "$dir/plain" "$dir/profiled"
cp "$input" "$dir/plain" && cp "$input" "$dir/profiled"
set -- mgb gb $name -threadCount 2 -reducer 26 -outputResult on
echo "\$ $*"
(cd "$dir/plain" && "$@" >/dev/null 2>&1) || exit 1
echo "\$ prof run -- $*"
(cd "$dir/profiled" && "$build/prof" run -o "$dir/mgb.prof" --report-to "$dir/report" -- \
    "$@" >/dev/null 2>&1) || exit 1
cat "$dir/report"
if cmp "$dir/plain/$name.gb" "$dir/profiled/$name.gb"; then
    echo
    echo "The result of the profiled run is byte-identical to that of a run without libprof."
fi
