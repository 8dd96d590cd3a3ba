#!/bin/sh
# demo.sh BUILD [bundled] - `make demo`: finds the line to change in a small program, then profiles
# a real program. That is mgb (Debian's mathicgb), which computes Groebner bases with oneTBB;
# Debian's lacks the names of some functions. It is left out where it cannot be installed, and with
# "bundled". It prints what it runs, after $. The profiles stay in BUILD/demo, where the commands
# that the reports name work.
mkdir -p "$1/demo" && cd "$1/demo" || exit 1
PATH=${PWD%/*}:$PATH
export PATH
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# The call with the largest share of the span, of the function of the program's largest finding.
line_to_change() { # PROGRAM
    name=$(sed -n "s/.*[.] \([^ ]*\) ($1\.cpp:.*/\1/p" "$dir/report" | head -1)
    [ -z "$name" ] || COLUMNS=130 prof annotate --source "$1.cpp" "$1.prof" \
        2>/dev/null | awk -v call=" $name(" -v file="$1.cpp" '
            index($0, call) && $1 ~ /^[0-9.]+$/ && $2 ~ /^[0-9.]+$/ && $1 > most {
                most = $1
                text = $0
                sub(/^[0-9. ]* /, "", text)
                n = split(substr($0, 1, length($0) - length(text)), margin)
                found = file ":" margin[n] "\n    " text
            }
            END { if (found) print "The line to change: " found }'
}

echo "\$ cd $1/demo; PATH=${PWD%/*}:\$PATH"
echo '$ prof run -o similar.prof -- ../examples/similar -t 2'
prof run -o similar.prof --report-to "$dir/report" -- ../examples/similar -t 2 || exit 1
cat "$dir/report"
echo
line_to_change similar
echo 'docs/WALKTHROUGH.md goes on from here.'

name=hkatsura11-101
input=$(find /usr/share/doc/mathicgb/examples -name "$name.ideal" 2>/dev/null | head -1)
if [ "$2" = bundled ] || ! command -v mgb >/dev/null || [ -z "$input" ]; then
    exit
fi
echo
echo "A real program, of Debian's package mathicgb:"
echo "\$ cp $input ."
cp "$input" . || exit 1
set -- mgb gb $name -threadCount 2 -reducer 26 -outputResult on
echo "\$ $*"
"$@" >/dev/null 2>&1 && mv $name.gb "$dir/plain.gb" || exit 1
echo "\$ prof run -o mgb.prof -- $*"
prof run -o mgb.prof --report-to "$dir/report" -- "$@" >/dev/null 2>&1 || exit 1
cat "$dir/report"
if cmp "$dir/plain.gb" $name.gb; then
    echo
    echo "The result of the profiled run is byte-identical to that of a run without libprof."
fi
