#!/bin/sh
# run.sh BUILD [PART[/CASE]...] - tests of prof's post-mortem side on profiles that gen_profile
# writes: all parts, or those that are named. One line a case. Needs gcc, g++, jq, binutils, protoc,
# callgrind_annotate; valgrind, gnuplot, pprof and clang are used where they are.
#
# PART.sh runs in a shell and a folder of its own, with the functions of helpers.sh and the tools
# ./gen and ./damage. So no part needs another, and each does alone what it does among all. A new
# part is a word of this list.
parts='totals csv text hostile whatif errors paths predict damage memcheck exports corpus matrix
    terminal opening comfort sites annotate elsewhere elements locked diff requirements merge
    ranks timeline ledger teams executed spins findings certain doubt standstill output widths
    launch watch brief first processors'
build=$(cd "$1" && pwd) || exit 1
shift
# shellcheck disable=SC2086  # a list
known=" $(echo $parts) "
for part; do
    case $known in
    *" ${part%%/*} "*) ;;
    *) echo "run.sh: $part: no such part; the parts are${known% }" >&2; exit 2 ;;
    esac
done
suite=report only=$*
. "$(dirname "$0")/../case.sh"
here=$(cd "$(dirname "$0")" && pwd)
include=$here/../../include
prof=$build/prof
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools=$work/tools
mkdir "$tools" && cd "$tools" || exit 1
unset PROF_SYMBOLS DEBUGINFOD_URLS COLUMNS NO_COLOR PROF_OUTPUT PROF_CLOCK PROF_BURDEN LD_PRELOAD
export LC_ALL=C TZ=UTC
failed=0 part=tools

. "$here/helpers.sh"
build_tool gen "$here"/gen_profile/*.c
build_tool damage "$here/damage.c"
for file in "$here"/*.sh; do
    part=${file##*/} part=${part%.sh}
    case "$known run check helpers " in
    *" $part "*) ;;
    *) fail "$part" 'run.sh does not list this part' ;;
    esac
done
any=$failed
for part in $parts; do
    wants "$part" || continue
    tmp=$work/$part
    rm -rf "$tmp"
    (
        failed=0
        mkdir "$tmp" && cp gen damage "$tmp" && cd "$tmp" || exit 2
        . "$here/$part.sh"
        exit $failed
    )
    code=$?
    [ $code -le 1 ] || fail "$part" "ended with status $code"
    [ $code = 0 ] || any=1
    rm -rf "$tmp"
done
exit $any
