#!/bin/sh
# check.sh BUILD [REPEATS] [CASE...] - every construct on 1, 2, 4, 8 workers, under the virtual
# clock, against its expectations (constructs/, flow/: the totals; sites/: every measurement of
# every site). verify.jq compares. PASS or FAIL, one line a case; FAIL names the source file and the
# line of the case.
#   CHECK_WORKERS="1 4"     on so many workers
build=$(cd "$1" && pwd) repeats=${2:-3}
here=$(cd "$(dirname "$0")" && pwd)
shift; [ $# -gt 0 ] && shift
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PROF_BURDEN=7 PROF_CLOCK=virtual PROF_CHECKPOINT=0

check_one() { # CASE P
    rm -f "$tmp/p.prof" "$tmp/observed"
    EXPECT_OBSERVED=$tmp/observed PROF_WHATIF=$whatif PROF_OUTPUT=$tmp/p.prof \
        LD_PRELOAD=$build/libprof.so timeout 60 "$program" "$1" "$2" >"$tmp/out" 2>&1 ||
        { echo "exit status $? $(head -c 200 "$tmp/out")"; return; }
    if [ -s "$tmp/out" ]; then # TBB itself may warn: the same without us
        "$program" "$1" "$2" >"$tmp/native" 2>&1
        cmp -s "$tmp/out" "$tmp/native" || { echo "wrote: $(head -c 200 "$tmp/out")"; return; }
    fi
    "$build/prof" report --json "$tmp/p.prof" >"$tmp/p.json" 2>"$tmp/err" ||
        { echo "no report: $(cat "$tmp/err")"; return; }
    cp "$tmp/expect" "$tmp/expected"
    [ -f "$tmp/observed" ] && cat "$tmp/observed" >>"$tmp/expected" # what only the run can tell
    case $program in
    */flow) grep -q '^span\|^honest' "$tmp/expected" || { echo 'no span is expected'; return; } ;;
    esac
    # in real time only what does not depend on it, and sums, whose terms are rounded to ns
    [ "$PROF_CLOCK" = virtual ] || {
        grep '^spawns\|^syncs\|^invocations\|^exact' "$tmp/expected" >"$tmp/counts"
        mv "$tmp/counts" "$tmp/expected"
    }
    jq -r -f "$here/verify.jq" --rawfile expect "$tmp/expected" --arg clock "$PROF_CLOCK" \
        "$tmp/p.json" 2>&1
}

# The clock that people use, which takes the short ways through the engine. Where threads were
# preempted, they may have waited for each other, and their span is not called exact: tried again.
in_real_time() { # CASE P
    for try in 1 2 3; do
        found=$(PROF_CLOCK=tsc check_one "$1" "$2")
        case $found in 'exact false'*) ;; *) break ;; esac
    done
    echo "${found:+real time: $found}"
}

status=0
for case in ${*:-$(for p in constructs flow sites; do "$build/programs/$p" --list; done)}; do
    case $case in
    sites_*) program=$build/programs/sites ;;
    flow_*) program=$build/programs/flow ;;
    *) program=$build/programs/constructs ;;
    esac
    "$program" --expect "$case" >"$tmp/expect" ||
        { echo "FAIL program/$case: no expectation"; status=1; continue; }
    wrong=
    for p in ${CHECK_WORKERS:-1 2 4 8}; do
        i=0
        while [ $i -lt "$repeats" ] && [ -z "$wrong" ]; do
            i=$((i + 1))
            whatif= # the last time with a scenario in which everything costs what it costs
            [ $i -eq "$repeats" ] && whatif=nothing=1
            wrong=$(check_one "$case" $p)
            [ -n "$wrong" ] && wrong="P=$p: $wrong"
        done
    done
    whatif=
    for p in 1 4; do
        [ -z "$wrong" ] && wrong=$(in_real_time "$case" $p) && wrong=${wrong:+"P=$p, $wrong"}
    done
    if [ -n "$wrong" ]; then
        echo "FAIL program/$case: $wrong ($("$program" --where "$case"))"
        echo "     again: PROF_BURDEN=7 PROF_CLOCK=virtual LD_PRELOAD=$build/libprof.so" \
            "$program $case P"
        status=1
    else
        echo "PASS program/$case"
    fi
done
exit $status
