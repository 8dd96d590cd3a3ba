#!/bin/sh
# check.sh BUILD [PROGRAM/SUITE::TEST...] - the unit tests, with Criterion. One line a test; a crash
# of a program's runner is a failure, too.
build=$(cd "$1" && pwd) || exit 1
shift
suite=unit only=$* failures=0
. "$(dirname "$0")/../case.sh"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
for program in "$build"/unit/test_*; do
    name=$(basename "$program")
    case $name in *.d) continue ;; esac
    { [ -x "$program" ] && wants "$name"; } || continue
    filter='*' not=
    for case in $only; do
        case $case in "$name"/*::*) filter=${case#*/} ;; esac
    done
    for case in $case_beyond; do
        case $case in "$name"/*) not="$not|${case#*/}" ;; esac
    done
    case "$not|" in *"|$filter|"*) continue ;; esac
    [ "$filter" != '*' ] || [ -z "$not" ] || filter="!(${not#|})"
    filter=$(echo "$filter" | sed 's,::,/,g')
    "$program" --tap --jobs 2 --filter "$filter" 2>/dev/null >"$tmp/tap"
    code=$?
    # (a test that the filter leaves out "was skipped", too)
    sed -n "/ # SKIP test was skipped/d
        / # SKIP /s|^ok - \([^ ]*\) *# SKIP \(.*\)|SKIP unit/$name/\1: \2|p
        s|^ok - \([^ ]*\).*|PASS unit/$name/\1|p
        s|^not ok - \([^ ]*\) *\(.*\)|FAIL unit/$name/\1: \2|p
        s/^  /     | /p" "$tmp/tap" >"$tmp/lines"
    grep -q . "$tmp/lines" || echo "FAIL unit/$name: no result (status $code)" >"$tmp/lines"
    [ $code = 0 ] || grep -q ^FAIL "$tmp/lines" ||
        echo "FAIL unit/$name: status $code" >>"$tmp/lines"
    cat "$tmp/lines"
    ! grep -q ^FAIL "$tmp/lines" || failures=1
done
exit $failures
