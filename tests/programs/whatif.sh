#!/bin/sh
# whatif.sh BUILD [CASE...] - what-if scenarios on 1, 2, 4, 8 workers, under the virtual
# clock, against a serial walk by definition: the work and span of every scenario, and that there
# are no others. A region around each construct's case. PASS or FAIL, one line a case.
build=$(cd "$1" && pwd) repeats=${CHECK_REPEATS:-2}
shift
suite=programs only=$* failures=0
. "$(dirname "$0")/../case.sh"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
program=$build/programs/whatif trees=$build/programs/whatif graphs=$build/programs/whatif_flow
export PROF_CLOCK=virtual PROF_CHECKPOINT=0

check_one() { # CASE P
    rm -f "$tmp/p.prof"
    PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 "$program" "$1" \
        "$2" >"$tmp/out" 2>&1 ||
        { echo "exit status $? $(head -c 200 "$tmp/out")"; return; }
    [ -s "$tmp/out" ] && { grep -v ^TBB "$tmp/out" | head -c 200; }
    "$build/prof" report --json "$tmp/p.prof" >"$tmp/p.json" 2>"$tmp/err" || {
        echo "no report: $(cat "$tmp/err")"; return; }
    jq -r '.whatif.scenarios[] | "\(.work_ns) \(.span_ns) \(.name)"' "$tmp/p.json" |
        sort -u >"$tmp/is"
    diff "$tmp/expect" "$tmp/is" >"$tmp/diff" || {
        echo "scenarios: $(head -4 "$tmp/diff" | tr '\n' ' ')"; return; }
    jq -r '.notes[] | select(.kind == "loss") | "loss \(.name) \(.count)"' "$tmp/p.json"
}

list=$("$trees" --list) && flows=$("$graphs" --list) || exit 2
for case in $list $(echo "$flows" | sed 's/^/flow_/'); do
    wants "whatif_$case" || continue
    name=$case
    case $case in
    flow_*) program=$graphs case=${case#flow_} ;;
    *) program=$trees ;;
    esac
    "$program" --expect "$case" | sort -u >"$tmp/expect" &&
        PROF_WHATIF=$("$program" --spec "$case") ||
        { result "whatif_$name" 'no expectation'; continue; }
    export PROF_WHATIF
    wrong=
    for p in 1 2 4 8; do
        i=0
        while [ $i -lt "$repeats" ] && [ -z "$wrong" ]; do
            wrong=$(check_one "$case" $p)
            [ -n "$wrong" ] && wrong="P=$p: $wrong"
            i=$((i + 1))
        done
        # the same changes, slower for real
        PROF_WHATIF= PROF_DELAY=$("$program" --delays "$case") PROF_OUTPUT=$tmp/p.prof \
            LD_PRELOAD=$build/libprof.so "$program" "$case" $p >"$tmp/out" 2>&1 || wrong="status $?"
        got=$("$build/prof" report --json "$tmp/p.prof" 2>/dev/null |
            jq -r '"\(.program.work_ns) \(.program.span_ns)"') want=$("$program" --delayed "$case")
        [ -z "$wrong" ] && [ "$got" != "$want" ] && wrong="P=$p, delayed: $got for $want"
    done
    result "whatif_$name" "${wrong:+$wrong (tests/programs/${program##*/}.cpp)}"
done
program=$trees

# A region around all that a construct does: twice as fast, whatever the construct is.
around() { # PROGRAM CASE
    for p in 1 4; do
        CASE_REGION=all PROF_WHATIF=all=2x PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so \
            timeout 60 "$build/programs/$1" "$2" $p >"$tmp/out" 2>&1 || echo "status $?"
        "$build/prof" report --json "$tmp/p.prof" | jq -r --arg p $p '
            def of(name): .whatif.scenarios[] | select(.name == name) | [.work_ns, .span_ns];
            [[.program.work_ns, .program.span_ns] | map(. / 2 | round)] + [of("all 2x")] +
            [[0, 0], of("all at no cost")] | select(.[0] != .[1] or .[2] != .[3]) |
            "P=\($p): \(map(tostring) | join(" "))"'
    done
}
for part in constructs flow sites; do
    list=$("$build/programs/$part" --list) || exit 2
    for case in $list; do
        case $case in *many*) continue ;; esac          # of large size
        ! wants "whatif_around_$case" || result "whatif_around_$case" "$(around $part "$case")"
    done
done

# prof whatif finds the plan: pairs where nothing helps alone, then the best of what is left, and
# stops at the target.
plan() { # CASE WANTED OPTIONS...
    case=$1 wanted=$2
    shift 2
    wants "whatif_plan_$case" || return 0
    got=$("$build/prof" whatif --json "$@" -- "$program" "$case" 2 2>/dev/null |
        jq -c '[.reached,
        (.steps[] | [(.added | join("+")), (.span_ns | round), (.parallelism_made_parallel * 1000 |
            round)])]')
    result "whatif_plan_$case" "$([ "$got" = "$wanted" ] || echo "$got for $wanted")"
}
cd "$tmp" || exit 1
unset PROF_WHATIF
plan together '[false,["left+right",1600,10500]]' -x 10 -t 100 -f left -f right -f never
plan tree_sum '[true,["create_tree",2850,3046],["serial_tree_sum",600,14467]]' -x 16 -t 12 \
    -f serial_tree_sum -f create_tree
# A name that the run did not meet is reported.
if wants whatif_unseen; then
    "$build/prof" whatif -f create_tree -f creat_tree -- "$program" tree_sum 2 >out 2>err
    got=$(grep -c '^prof: --function creat_tree: there is neither code nor a region of that name$' \
        err) other=$(grep -c 'function create_tree:' err)
    result whatif_unseen "$([ "$got $other" = '1 0' ] || echo "$got $other $(head -2 err)")"
fi
# The measurement with a delay agrees with the scenario's prediction.
for case in tree_sum quicksort; do
    wants "whatif_validate_$case" || continue
    names=$("$program" --delays $case | tr ';' '\n' | sed 's/=.*/ /; s/^/-f /' | tr -d '\n')
    got=$("$build/prof" whatif --json --validate=4 -n 2 -t 1 $names -- \
        "$program" $case 2 2>/dev/null |
        jq -r '[.validation[] |
        select(.span_predicted_ns != .span_measured_ns or .work_predicted_ns != .work_measured_ns
        or .span_measured_ns <= .span_before_ns)], (.validation | length) | tostring' | tr '\n' ' ')
    result "whatif_validate_$case" "$([ "${got% [12] }" = '[]' ] || echo "no agreement: $got")"
done
# After an interrupt it prints what it has found so far, and leaves no file.
if wants whatif_interrupted; then
    mkdir scratch
    TMPDIR=$tmp/scratch "$build/prof" whatif --json -f left -f right -- sh \
        -c 'echo x >>calls; [ $(grep -c x calls) = 1 ] || exec sleep 30
        exec "$0" together 2' "$program" >out 2>err &
    pid=$!
    until [ "$(grep -c x calls 2>/dev/null)" = 2 ] || ! kill -0 $pid 2>/dev/null; do
        sleep 0.02; done
    kill $pid
    wait $pid
    got="$? $(jq -c '[.interrupted, .reached, .steps]' out) $(ls -A scratch)"
    said=$(grep -c '^prof: interrupted: the output is what was found before$' err)
    result whatif_interrupted "$([ "$got$said" = '143 [true,false,[]] 1' ] ||
        echo "$got$said $(head -2 err)")"
fi
exit $failures
