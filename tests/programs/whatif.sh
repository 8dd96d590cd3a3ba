#!/bin/sh
# whatif.sh BUILD [REPEATS] [CASE...] - what-if scenarios on 1, 2, 4, 8 workers, under the virtual clock, against a serial walk
# by definition: the work and span of every scenario, and that there are no others. PASS or FAIL, one line a case.
build=$(cd "$1" && pwd) repeats=${2:-3}
shift; [ $# -gt 0 ] && shift
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
program=$build/programs/whatif
export PROF_CLOCK=virtual PROF_CHECKPOINT=0

check_one() { # CASE P
    rm -f "$tmp/p.prof"
    PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 "$program" "$1" "$2" >"$tmp/out" 2>&1 ||
        { echo "exit status $? $(head -c 200 "$tmp/out")"; return; }
    [ -s "$tmp/out" ] && { grep -v ^TBB "$tmp/out" | head -c 200; }
    "$build/prof" report --json "$tmp/p.prof" >"$tmp/p.json" 2>"$tmp/err" || { echo "no report: $(cat "$tmp/err")"; return; }
    jq -r '.whatif.scenarios[] | "\(.work_ns) \(.span_ns) \(.name)"' "$tmp/p.json" | sort -u >"$tmp/is"
    diff "$tmp/expect" "$tmp/is" >"$tmp/diff" || { echo "scenarios: $(head -4 "$tmp/diff" | tr '\n' ' ')"; return; }
    jq -r '.notes[] | select(.kind == "loss") | "loss \(.name) \(.count)"' "$tmp/p.json"
}

status=0
for case in ${*:-$("$program" --list)}; do
    "$program" --expect "$case" | sort -u >"$tmp/expect" && PROF_WHATIF=$("$program" --spec "$case") ||
        { echo "FAIL program/whatif_$case: no expectation"; status=1; continue; }
    export PROF_WHATIF
    wrong=
    for p in 1 2 4 8; do
        i=0
        while [ $i -lt "$repeats" ] && [ -z "$wrong" ]; do
            wrong=$(check_one "$case" $p)
            [ -n "$wrong" ] && wrong="P=$p: $wrong"
            i=$((i + 1))
        done
    done
    if [ -n "$wrong" ]; then
        echo "FAIL program/whatif_$case: $wrong"
        status=1
    else
        echo "PASS program/whatif_$case"
    fi
done
exit $status
