#!/bin/sh
# predict.sh BUILD [CASE...] - the dag that is recorded for prof predict, under the virtual clock.
# The dag of every construct (TBB's, flow graphs' and OpenMP's) has the program's work, whatever has
# been contracted: nothing, small subtrees, or all that a tiny budget asks for. If the dag is not
# approximate, it has the span, too, and a greedy schedule on as many workers as tasks takes just
# that time, by the arcs, because the times of waits do not count then. While there is room, no
# dependence makes the dag approximate. For programs with a known T_P, prof predicts that. PASS or
# FAIL, one line a case.
#   CHECK_DAGS="4m,5 4"     of the three settings of PROF_DAG and number of workers, these (so in
#                           the gate)
build=$(cd "$1" && pwd)
shift
suite=programs only=$* failures=0
. "$(dirname "$0")/../case.sh"
[ "$CHECK" != gate ] || CHECK_DAGS='4m,5 4'
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PROF_CLOCK=virtual PROF_CHECKPOINT=0 OMP_WAIT_POLICY=passive OMP_DYNAMIC=false \
    OMP_CANCELLATION=true

# Some runtimes refuse some cases, with or without libprof: prints "refused" then, else what went
# wrong. libomp 19 hangs (124) in some runs, where a detached task is cancelled.
refused() { # STATUS PROGRAM ARGUMENTS...
    expected=$1 tries=1
    [ "$1" = 124 ] && tries=20
    shift
    while [ $tries -gt 0 ]; do
        tries=$((tries - 1))
        timeout 20 "$@" >/dev/null 2>&1
        [ $? = "$expected" ] && { echo refused; return 1; }
    done
    echo "exit status $expected of $*"
    return 1
}

record() { # DAG PROGRAM ARGUMENTS...
    rm -f "$tmp/p.prof"
    dag=$1
    shift
    PROF_DAG=$dag PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 \
        "$@" >"$tmp/out" 2>&1 || refused $? "$@" || return
    [ -f "$tmp/p.prof" ] || echo "no profile of $*"
}

same() { # DAG
    "$build/prof" predict --json -P 1,4,1024 "$tmp/p.prof" 2>"$tmp/err" |
        jq -r --arg dag "$1" '.work_ns as $w | .span_ns as $s |
        [.dag.approximate[].name] as $names |
        ($names - ["edges between tasks", "paths of a pipeline'\''s items or of a loop'\''s chunks",
        "dependences between tasks"]) as $not |
        ("dependences for which there was no room (PROF_DAG)" | IN($names[])) as $full |
        (if .dag.work_ns != $w then "the dag has work \(.dag.work_ns) for \($w)" else empty end),
        (if $not == [] and .dag.span_ns != $s then "the dag has span \(.dag.span_ns) for \($s)"
            else empty end),
        (if $dag != "8k" and ($full | not) and $names != $not then "approximate: \($names)"
            else empty end),
        (.predictions[0] | if [.time_ns, .greedy_time_ns] != [$w, $w]
            then "T_1 is \(.time_ns), \(.greedy_time_ns) for \($w)" else empty end),
        (.predictions[] | if $not == [] and (.greedy_time_ns < ([$s, $w / .processors] | max))
            then "T_\(.processors) is \(.greedy_time_ns), span \($s), work \($w)" else empty end),
        (.dag as $d | .predictions[] |
            if .greedy_time_ns > $d.simulated_work_ns / .processors + $d.simulated_span_ns
            then "T_\(.processors) is \(.greedy_time_ns), above Graham'\''s bound" else empty end),
        (if $names == [] and .dag.simulated_span_ns != ([$s, .dag.span_ns] | max)
            and (.dag.coarse | not)
            then "the simulated dag has span \(.dag.simulated_span_ns) for \($s)" else empty end),
        (if $names == [] and .dag.simulated_tasks <= 1024 and .predictions[2].greedy_time_ns != $s
            then "without end of workers it takes \(.predictions[2].greedy_time_ns), span \($s)"
                else empty end)' 2>&1
    head -1 "$tmp/err"
}

check() { # NAME PROGRAM CASE P [P of OMP]
    name=$1 program=$2 case=$3 wrong= ran=
    wants "predict_$name" || return 0
    for how in "4m,0 1" "4m,5 4" "8k 2"; do
        [ -n "$wrong" ] && break
        printf '%s\n' "${CHECK_DAGS:-$how}" | grep -qxF "$how" || continue
        p=${how#* }
        export OMP_NUM_THREADS=$p
        # OpenMP's cases name those that would wait for ever on so many threads
        [ "${4-none}" = "" ] && "$program" --expect "$case" | grep -q ^skip && continue
        wrong=$(record "${how% *}" "$program" "$case" ${4:-$p})
        [ "$wrong" = refused ] && { wrong=; continue; }
        ran=1
        [ -n "$wrong" ] || wrong=$(same "${how% *}")
        [ -n "$wrong" ] && wrong="PROF_DAG=${how% *} P=$p: $wrong"
    done
    if [ -n "$wrong" ]; then
        wrong="$wrong ($("$program" --where "$case"))"
    elif [ -z "$ran" ]; then
        wrong='SKIP its runtime refuses it'
    fi
    result "predict_$name" "$wrong"
}

list=$("$build/programs/constructs" --list) || exit 2
for case in $list; do
    # memory stays the same: the case's own check, with other settings
    [ "$case" = pipeline_many ] && continue
    check "$case" "$build/programs/constructs" "$case"
done
list=$("$build/programs/flow" --list) || exit 2
for case in $list; do
    case $case in flow_many | flow_made_anew) continue ;; esac         # as pipeline_many
    check "$case" "$build/programs/flow" "$case"
done
for compiler in gcc clang; do
    program=$build/openmp/constructs-$compiler
    [ -x "$program" ] || continue
    list=$("$program" --list) || exit 2
    for case in $list; do
        check "$compiler-$case" "$program" "$case" ""
    done
done

list=$("$build/programs/schedules" --list) || exit 2
for case in $list; do
    wants "predict_schedule_$case" || continue
    "$build/programs/schedules" --expect "$case" >"$tmp/expect"
    wrong=
    for how in "4m,0 1" "4m,0 4" "16m 2"; do
        [ -n "$wrong" ] && break
        wrong=$(record "${how% *}" "$build/programs/schedules" "$case" "${how#* }")
        [ -n "$wrong" ] || wrong=$("$build/prof" predict --json -P "$(cut -d' ' -f1 "$tmp/expect" |
            paste -sd,)" "$tmp/p.prof" 2>&1 |
            jq -r --rawfile expect "$tmp/expect" '.work_ns as $w | .span_ns as $s |
                ([$expect | split("\n")[] | select(. != "") | split(" ") |
                { key: .[0], value: .[1] }] | from_entries) as $e |
                (if [.dag.work_ns, .dag.span_ns] != [$w, $s]
                then "the dag has \(.dag.work_ns) \(.dag.span_ns) for \($w) \($s)" else empty end),
                (.predictions[] | $e["\(.processors)"] as $t |
                    ([$s, $w / .processors] | max) as $least |
                    if $t != "-" and .greedy_time_ns != ($t | tonumber)
                    then "T_\(.processors) is \(.greedy_time_ns), expected \($t)"
                    elif .greedy_time_ns < $least or .greedy_time_ns > $w / .processors + $s
                        then "T_\(.processors) \(.greedy_time_ns) is out of bounds"
                    elif .least_time_ns < $least or .time_ns > $w / .processors + 2 * $s
                        then "T_\(.processors) of work stealing is \(.time_ns)"
                    else empty end)' 2>&1)
        [ -n "$wrong" ] && wrong="PROF_DAG=$how: $wrong"
    done
    result "predict_schedule_$case" "${wrong:+$wrong (tests/programs/schedules.cpp)}"
done

of_dag() { ! wants "predict_$1" || result "predict_$1" "$2"; } # NAME WRONG
# The budget bounds the records (192 bytes each, and those that two threads have not added up yet).
# Work and span are complete.
wrong=$(record 64k,0 "$build/programs/schedules" many 2)
[ -n "$wrong" ] || wrong=$("$build/prof" predict --json -P 1 "$tmp/p.prof" 2>&1 | jq -r '
    if [.dag.work_ns, .dag.span_ns, .dag.tasks] != [.work_ns, .span_ns, 100000]
        then "\(.dag) for \(.work_ns), \(.span_ns)"
    elif .dag.records > 600 then "\(.dag.records) records in 64 KiB" else empty end' 2>&1)
of_dag budget "$wrong"
# These fail by themselves when their memory grows: by 2 MiB from the 50000th item of a pipeline to
# its last, ...
for case in "constructs pipeline_many" "flow flow_many" "flow flow_made_anew"; do
    wants "predict_memory_${case#* }" || continue
    wrong=$(record 64k,0 "$build/programs/${case% *}" "${case#* }" 2)
    [ -n "$wrong" ] || wrong=$(same 8k)
    result "predict_memory_${case#* }" "$wrong"
done
# Subtrees that enclose all their arcs are contracted at any time, as the joins of a reduction are.
wrong=$(record 4m,1000000 "$build/programs/constructs" reduce 2)
[ -n "$wrong" ] || wrong=$(same 4m)
[ -n "$wrong" ] || wrong=$("$build/prof" predict --json -P 1 "$tmp/p.prof" 2>&1 |
    jq -r 'if .dag.records > 8 then "\(.dag.records) records" else empty end' 2>&1)
of_dag enclosed "$wrong"
wrong=
for setting in x 1g 10m, 10m,x -1 99999999999999999999; do
    record "$setting" "$build/programs/schedules" equal 2 >/dev/null
    [ "$(grep -c "PROF_DAG=$setting is not" "$tmp/out")" = 1 ] &&
        [ "$(grep -c '' "$tmp/out")" = 1 ] || wrong="$wrong $setting: $(head -2 "$tmp/out")"
    "$build/prof" predict "$tmp/p.prof" >/dev/null 2>&1 &&
        wrong="$wrong $setting: a dag all the same"
done
of_dag setting "$wrong"
"$build/prof" run --dag=2m --no-report -o "$tmp/run.prof" -- "$build/programs/schedules" equal \
    2 >/dev/null 2>"$tmp/err"
wrong=$("$build/prof" predict --json -P 4 "$tmp/run.prof" 2>&1 |
    jq -r 'if .predictions[0].greedy_time_ns != 400 then "\(.predictions)" else empty end' 2>&1)
of_dag run "$wrong"
# A loop's chunks in their order keep two workers busy. The simulated worker takes its newest chunk.
printf '%s\n' '#include "libprof.h"' 'int main(void) {' \
    '_Pragma("omp parallel for ordered schedule(dynamic, 1) num_threads(2)")' \
    'for (int i = 0; i < 400; i++) { libprof_cost(60);' '_Pragma("omp ordered")' \
    'libprof_cost(40); } return 0; }' >"$tmp/ordered.c"
if ! gcc -O1 -fopenmp -I"$(dirname "$0")/../../include" "$tmp/ordered.c" -o "$tmp/ordered" -ldl \
    2>"$tmp/err"; then
    of_dag order "$(head -1 "$tmp/err")"
else
    wrong=$(record 4m,0 "$tmp/ordered")
    "$build/prof" predict -P 2 "$tmp/p.prof" 2>&1 | tr -s '\n ' ' ' >"$tmp/out"
    grep -q 'P = 2: by dependences that are no joins, T_P depends on which task' "$tmp/out" ||
        wrong="$wrong no word on the order: $(cat "$tmp/out")"
    record 4m,0 "$build/programs/schedules" equal 2 >/dev/null
    ! "$build/prof" predict -P 2 "$tmp/p.prof" 2>&1 | grep -q 'that are no joins, T_P' ||
        wrong="$wrong a word on the order of equal tasks"
    of_dag order "$wrong"
fi
# The order of tasks decides where the last is the longest: the simulated worker takes the newest.
order() { # NAME WORDS LINE...: a program of these lines, of which predict has the WORDS
    name=$1 words=$2
    shift 2
    printf '%s\n' '#include <libprof.h>' 'int main(void) {' "$@" 'return 0; }' >"$tmp/last.c"
    wrong=$(gcc -O1 -fopenmp -I"$(dirname "$0")/../../include" "$tmp/last.c" -o "$tmp/last" -ldl \
        2>&1 | head -1)
    [ -n "$wrong" ] || wrong=$(record 4m,0 "$tmp/last")
    "$build/prof" predict -P 2 "$tmp/p.prof" 2>&1 | tr -s '\n ' ' ' >"$tmp/out"
    grep -q "P = 2: T_P depends on which task a worker takes next.*$words" "$tmp/out" ||
        wrong="$wrong no word on the order: $(cat "$tmp/out")"
    of_dag "$name" "$wrong"
}
order order-last "as a loop's chunks" \
    '_Pragma("omp parallel for schedule(dynamic, 1) num_threads(2)")' \
    'for (int i = 0; i < 200; i++) libprof_cost(i == 199 ? 20000 : 100);'
order order-tasks "libgomp's idle threads take tasks, may come nearer" \
    '_Pragma("omp parallel num_threads(2)")' '_Pragma("omp single")' \
    'for (int i = 0; i < 41; i++)' '_Pragma("omp task firstprivate(i)")' \
    'libprof_cost(i == 40 ? 4000 : 100);'
wrong=$(PROF_OUTPUT=$tmp/none.prof LD_PRELOAD=$build/libprof.so "$build/programs/schedules" equal \
    2 2>&1
    "$build/prof" predict "$tmp/none.prof" 2>&1 >/dev/null | grep -q 'no dag in it' ||
        echo "not said")
of_dag none "$wrong"
exit $failures
