#!/bin/sh
# check.sh BUILD [REPEATS] [CASE...] - every construct on 1, 2, 4, 8 workers, under the virtual clock,
# against its expectations (constructs, flow: the totals; sites: every measurement of every site); also:
# the on-span locals sum to the span. PASS or FAIL, one line a case.
#   CHECK_WORKERS="1 4"     on so many workers
build=$(cd "$1" && pwd) repeats=${2:-3}
shift; [ $# -gt 0 ] && shift
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PROF_BURDEN=7 PROF_CLOCK=virtual PROF_CHECKPOINT=0

check_one() { # CASE P
    rm -f "$tmp/p.prof" "$tmp/observed"
    EXPECT_OBSERVED=$tmp/observed PROF_WHATIF=$whatif PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 "$program" "$1" "$2" >"$tmp/out" 2>&1 ||
        { echo "exit status $? $(head -c 200 "$tmp/out")"; return; }
    if [ -s "$tmp/out" ]; then # TBB itself may warn: the same without us
        "$program" "$1" "$2" >"$tmp/native" 2>&1
        cmp -s "$tmp/out" "$tmp/native" || { echo "wrote: $(head -c 200 "$tmp/out")"; return; }
    fi
    "$build/prof" report --json "$tmp/p.prof" >"$tmp/p.json" 2>"$tmp/err" || { echo "no report: $(cat "$tmp/err")"; return; }
    cp "$tmp/expect" "$tmp/expected"
    [ -f "$tmp/observed" ] && cat "$tmp/observed" >>"$tmp/expected" # what only the run can tell
    case $program in
    */flow) grep -q '^span\|^honest' "$tmp/expected" || { echo 'no span is expected'; return; } ;;
    esac
    # in real time only what does not depend on it, and sums, whose terms are rounded to ns
    [ "$PROF_CLOCK" = virtual ] || { grep '^spawns\|^syncs\|^invocations\|^exact' "$tmp/expected" >"$tmp/counts"; mv "$tmp/counts" "$tmp/expected"; }
    jq -r --rawfile expect "$tmp/expected" --arg clock "$PROF_CLOCK" '
        (if $clock == "virtual" then 0 else (.sites | length) end) as $rounding | def differ($a; $b): $a - $b | fabs > $rounding;
        .program as $p | .regions as $r | .sites as $sites |
        ([.sites[].on_span.local_span_ns] | add) as $sum |
        ([.sites[].local_work_ns] | add) as $worksum |
        ([.sites[] | select(.construct != "") | .invocations] | add) as $invoked |
        ([$expect | split("\n")[] | select(. != "") | split(" ")] | map(
            if .[0] == "work" and $p.work_ns != (.[1]|tonumber) then "work \($p.work_ns) for \(.[1])"
            elif .[0] == "span" and $p.span_ns != (.[1]|tonumber) then "span \($p.span_ns) for \(.[1])"
            elif .[0] == "span_max" and $p.span_ns > (.[1]|tonumber) then "span \($p.span_ns) above \(.[1])"
            elif .[0] == "span_min" and $p.span_ns < (.[1]|tonumber) then "span \($p.span_ns) below \(.[1])"
            elif .[0] == "burdened_span" and $p.burdened_span_ns != (.[1]|tonumber) then "burdened \($p.burdened_span_ns) for \(.[1])"
            elif .[0] == "spawns" and $p.spawns != (.[1]|tonumber) then "spawns \($p.spawns) for \(.[1])"
            elif .[0] == "syncs" and $p.syncs != (.[1]|tonumber) then "syncs \($p.syncs) for \(.[1])"
            elif .[0] == "invocations" and $invoked != (.[1]|tonumber) then "invocations \($invoked) for \(.[1])"
            elif .[0] == "exact" and $p.exact != (.[1] == "1") then "exact \($p.exact) for \(.[1])"
            elif .[0] == "honest" and ($p.span_ns > (.[1]|tonumber) or ($p.exact and $p.span_ns != (.[1]|tonumber))) then
                "span \($p.span_ns) for \(.[1]), exact \($p.exact)"
            elif .[0] == "region" then . as $e | ($r[] | select(.name == $e[1])) as $g |
                if [$g.count, $g.work_ns, $g.span_ns] == ($e[2:] | map(tonumber)) then empty
                else "region \($e[1]) \($g.count) \($g.work_ns) \($g.span_ns) for \($e[2:])" end
            elif .[0] == "site" then (.[1:] | map(tonumber)) as $e |
                ([$sites[] | select((.line // 0) == $e[0])] | if length != 1 then {} else .[0] end) as $s |
                ([($s, $s.on_span) | (.invocations // .count), .local_work_ns, .local_span_ns, (.top_call_site, .top_caller | .count, .work_ns, .span_ns)]) as $is |
                if $is == $e[1:] then empty else "site \($e[0]): \($is) for \($e[1:])" end
            else empty end)) as $wrong |
        ($wrong + (if differ($sum; $p.span_ns) then ["on-span locals sum to \($sum), span \($p.span_ns)"] else [] end)
                + (if differ($worksum; $p.work_ns) then ["local works sum to \($worksum), work \($p.work_ns)"] else [] end)
                + [.whatif // empty | .scenarios[] | select([.work_ns, .span_ns] != [$p.work_ns, $p.span_ns]) | "\(.name) has work \(.work_ns), span \(.span_ns)"]
                + [.notes[] | select(.kind == "loss") | "loss \(.name) \(.count)"]) | join("; ")' "$tmp/p.json" 2>&1
}

status=0
for case in ${*:-$("$build/programs/constructs" --list; "$build/programs/flow" --list; "$build/programs/sites" --list)}; do
    case $case in sites_*) program=$build/programs/sites ;; flow_*) program=$build/programs/flow ;; *) program=$build/programs/constructs ;; esac
    "$program" --expect "$case" >"$tmp/expect" || { echo "FAIL program/$case: no expectation"; status=1; continue; }
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
    for p in 1 4; do # the clock that people use, which takes the short ways through the engine
        [ -z "$wrong" ] && whatif= && wrong=$(PROF_CLOCK=tsc check_one "$case" $p) && wrong=${wrong:+"P=$p, real time: $wrong"}
    done
    if [ -n "$wrong" ]; then
        echo "FAIL program/$case: $wrong"
        echo "     again: PROF_BURDEN=7 PROF_CLOCK=virtual LD_PRELOAD=$build/libprof.so $program $case P"
        status=1
    else
        echo "PASS program/$case"
    fi
done
exit $status
