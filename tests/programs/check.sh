#!/bin/sh
# check.sh BUILD [CASE...] - every construct on 1, 2, 4, 8 workers, under the virtual
# clock, against its expectations (constructs/, flow/: the totals; sites/: every measurement of
# every site). verify.jq compares. PASS or FAIL, one line a case; FAIL names the source file and the
# line of the case.
# Then those of whatif.sh and of predict.sh.
#   CHECK_REPEATS=2         how often on each number of workers (in the gate once)
#   CHECK_CONSTRUCTS_ALONE=1    the constructs, nothing else
#   CHECK_WORKERS="1 4"     on so many workers
#   CHECK_REAL="1 4"        on so many in real time, too; none on an emulator, whose threads wait
#                           for its translator
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift
suite=programs only=$* failures=0
. "$here/../case.sh"
. "$here/../probe.sh"
no_tbb=$(missing_tbb)
[ -z "$no_tbb" ] || { echo "SKIP programs: $no_tbb"; exit 0; }
repeats=${CHECK_REPEATS:-2} real=${CHECK_REAL-1 4}
[ "$CHECK" != gate ] || repeats=1 real=
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PROF_BURDEN=7 PROF_CLOCK=virtual PROF_CHECKPOINT=0

# Runs CASE into RUN.prof, and adds what is expected of it to the expectations.
record() { # CASE P RUN
    EXPECT_OBSERVED=$3.observed PROF_WHATIF=$whatif PROF_OUTPUT=$3.prof \
        LD_PRELOAD=$build/libprof.so timeout 60 "$program" "$1" "$2" >"$tmp/out" 2>&1 ||
        { echo "exit status $? $(head -c 200 "$tmp/out")"; return; }
    if [ -s "$tmp/out" ]; then # TBB itself may warn: the same without us
        "$program" "$1" "$2" >"$tmp/native" 2>&1
        cmp -s "$tmp/out" "$tmp/native" || { echo "wrote: $(head -c 200 "$tmp/out")"; return; }
    fi
    expected=$expectation
    [ -f "$3.observed" ] && expected="$expected
$(cat "$3.observed")" # what only the run can tell
    case $program in
    */flow) case "
$expected" in *"
span"* | *"
honest"*) ;; *) echo 'no span is expected'; return ;; esac ;;
    esac
    # in real time only what does not depend on it, and sums, whose terms are rounded to ns
    [ "$PROF_CLOCK" = virtual ] ||
        expected=$(echo "$expected" | grep '^spawns\|^syncs\|^invocations\|^exact')
    printf '%s\n--\n' "$expected" >>"$tmp/expected"
}

# What is wrong with the first of these profiles that is not as expected; LABELS: a line each.
compare() { # LABELS PROFILE...
    labels=$1
    shift
    "$build/prof" report --json "$@" >"$tmp/p.json" 2>"$tmp/err" ||
        { echo "no report: $(cat "$tmp/err")"; return; }
    jq -r -f "$here/verify.jq" --rawfile expect "$tmp/expected" --arg labels "$labels" \
        "$tmp/p.json" 2>&1
}

# The clock that people use, which takes the short ways through the engine. Where threads were
# preempted, they may have waited for each other, and their span is not called exact: tried again.
again_in_real_time() { # CASE P
    for try in 1 2 3; do
        rm -f "$tmp"/run.* "$tmp/expected"
        found=$(export PROF_CLOCK=tsc; record "$1" "$2" "$tmp/run.1")
        [ -z "$found" ] && found=$(compare "P=$2, real time: " "$tmp/run.1.prof")
        case $found in *': exact false'*) ;; *) break ;; esac
    done
    echo "$found"
}

cases=
for p in constructs flow sites; do
    cases="$cases $("$build/programs/$p" --list)" || result "$p" "its list ends with status $?"
done
for case in $cases; do
    wants "$case" || continue
    case $case in
    sites_*) program=$build/programs/sites ;;
    flow_*) program=$build/programs/flow ;;
    *) program=$build/programs/constructs ;;
    esac
    "$program" --expect "$case" >"$tmp/expect" ||
        { result "$case" 'no expectation'; continue; }
    wrong= labels= profiles= n=0 expectation=$(cat "$tmp/expect")
    rm -f "$tmp"/run.* "$tmp/expected"
    one_run() { # P LABEL
        n=$((n + 1))
        wrong=$(record "$case" "$1" "$tmp/run.$n")
        [ -n "$wrong" ] && wrong="$2$wrong"
        profiles="$profiles $tmp/run.$n.prof" labels="$labels$2
"
    }
    for p in ${CHECK_WORKERS:-1 2 4 8}; do
        i=0
        while [ $i -lt "$repeats" ] && [ -z "$wrong" ]; do
            i=$((i + 1))
            whatif= # the last time with a scenario in which everything costs what it costs
            case $repeats/$p in 1/[14]) ;; *) [ $i -lt "$repeats" ] || whatif=nothing=1 ;; esac
            one_run $p "P=$p: "
        done
    done
    whatif=
    for p in $real; do
        export PROF_CLOCK=tsc
        [ -n "$wrong" ] || one_run $p "P=$p, real time: "
        export PROF_CLOCK=virtual
    done
    # shellcheck disable=SC2086  # a list
    [ -z "$wrong" ] && wrong=$(compare "$labels" $profiles)
    case $wrong in
    *'real time: exact false'*) wrong=$(again_in_real_time "$case" 1)
        [ -n "$wrong" ] || wrong=$(again_in_real_time "$case" 4) ;;
    esac
    result "$case" "${wrong:+$wrong ($("$program" --where "$case"))}"
    if [ -n "$wrong" ]; then
        echo "     again: PROF_BURDEN=7 PROF_CLOCK=virtual LD_PRELOAD=$build/libprof.so" \
            "$program $case P"
    fi
done
[ -z "$CHECK_CONSTRUCTS_ALONE" ] || exit $failures
unset PROF_BURDEN
export CHECK_REPEATS=$repeats
for more in whatif predict; do
    sh "$here/$more.sh" "$build" "$@"
    case $? in
    0) ;;
    1) failures=1 ;;
    *) exit 2 ;;                # it did not reach its end
    esac
done
exit $failures
