#!/bin/sh
# mgb.sh BUILD - a real program that nobody here wrote: mathicgb's mgb (Debian package mathicgb)
# computes a Groebner basis on two threads of oneTBB, with and without libprof; what it writes must
# be the same polynomials. Their order is that in which its threads finished rows of one matrix: two
# early ones changed places in 2 of some 260 runs, each polynomial the same byte by byte. Status 77:
# mgb is not installed.
build=$(cd "$1" && pwd) || exit 1
ideal=hkatsura11-101
input=/usr/share/doc/mathicgb/examples/hkatsura-101/$ideal/$ideal.ideal
command -v mgb >/dev/null && { [ -r $input ] || [ -r $input.gz ]; } || exit 77
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

for run in native profiled; do
    mkdir "$tmp/$run"
    if [ -r $input ]; then cp $input "$tmp/$run/"; else gunzip \
        -c $input.gz >"$tmp/$run/$ideal.ideal"; fi
done
set -- mgb gb $ideal -threadCount 2 -reducer 26 -outputResult on
(cd "$tmp/native" && "$@" >"$tmp/native.log" 2>&1) || { echo "mgb fails without libprof"; exit 1; }
(cd "$tmp/profiled" && "$build/prof" run --no-report -o "$tmp/mgb.prof" -- \
    "$@" >"$tmp/profiled.log" 2>&1)
status=$?
[ $status = 0 ] || { echo "status $status under libprof: $(tail -3 "$tmp/profiled.log")"; exit 1; }
for run in native profiled; do
    LC_ALL=C sort "$tmp/$run/$ideal.gb" >"$tmp/$run.sorted"
done
cmp "$tmp/native.sorted" "$tmp/profiled.sorted" || {      # which of them is wrong?
    kept=$(mktemp -d) && cp "$tmp/native.sorted" "$tmp/profiled.sorted" "$kept"
    (cd "$tmp/native" && "$@" >/dev/null 2>&1; LC_ALL=C sort "$ideal.gb" >"$tmp/again.sorted")
    for run in native profiled; do
        cmp -s "$tmp/again.sorted" "$kept/$run.sorted" &&
            echo "without libprof again: as $run; both are in $kept"
    done
    exit 1
}
"$build/prof" report --json "$tmp/mgb.prof" |
    jq -e '.program | .tasks > 10000 and .span_ns > 0 and .span_ns <= .work_ns' >/dev/null ||
    { echo "an implausible profile"; exit 1; }
