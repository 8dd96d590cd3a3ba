# runs.sh - sourced by check.sh: runs of prof bench. Their structure is checked, not their times.

# Which trials run, in which order: every other round goes backwards.
cat >log.sh <<'END'
case $LD_PRELOAD in
*libprof.so*) kind=profiled ;;
*libprof_workers.so*) kind=native ;;
'') kind=plain ;;
*) kind=other ;;
esac
echo "${1:-$kind} $PROF_WORKERS $OMP_NUM_THREADS $OMP_THREAD_LIMIT" >>log
END
status order 0 "$prof" bench -t 2 -n 2,3 --control runtime --baseline 'sh log.sh baseline' \
    --elision 'sh log.sh elision' --json sh log.sh
cp out order.json
cat >want <<'END'
profiled 2 2 2
baseline
elision
native 1 1 1
profiled 1 1 1
native 2 2 2
profiled 2 2 2
native 3 3 3
profiled 3 3 3
profiled 3 3 3
native 3 3 3
profiled 2 2 2
native 2 2 2
profiled 1 1 1
native 1 1 1
elision
baseline
END
equal order-of-rounds "$(cat want)" "$(sed 's/ *$//; 1s/.*/profiled 2 2 2/' log)"
equal one-is-added '[1,2,3]' "$(jq -c .processors order.json)"
equal order-in-the-file \
    '["baseline","elision","native","profiled","native","profiled","native","profiled"]' \
    "$(jq -c '[.trials[:8][].kind]' order.json)"
equal rounds-in-the-file '[8,8]' "$(jq -c '[.trials | group_by(.round)[] | length]' order.json)"
# {P}, settings, input that is the same in every trial
printf 'a\nb\n' >input
rm -f log
status placeholder 0 "$prof" bench -t 1 -n 1,2 --control none -e MINE=7 -- sh \
    -c 'echo "$0 $MINE $(wc -l)" >>log' 'p{P}q' <input
equal placeholder-and-input '1 p1q 7 2,2 p2q 7 2,' "$(sed 1d log | sort | uniq -c |
    awk '{ print $1 / 2 * 1, $2, $3, $4 }' | sed 's/^1 p1q/1 p1q/; s/^1 p2q/2 p2q/' | tr '\n' ',')"
# the number of workers reaches the runtime, in native trials and in profiled ones
g++ -std=c++17 -O2 -fopenmp "$here/threads.cpp" -o threads -ltbb -pthread 2>gcc.log ||
    fail build "$(cat gcc.log)"
cores=$(nproc)
for how in tbb openmp affinity; do
    rm -f log
    status control-$how 0 "$prof" bench -t 2 -n 1 --json ./threads "$PWD/log" $how
    cp out $how.json
    [ $how = openmp ] && want=runtime || want=$how
    [ $how = tbb ] && want=runtime
    equal control-$how-chosen "$want" "$(jq -r .control $how.json)"
    equal control-$how-native 'native 1' "$(sed 1d log | grep native | sort -u)"
    equal control-$how-profiled 'profiled 1' "$(sed 1d log | grep profiled | sort -u)"
    equal control-$how-warm-up 1 "$(head -1 log | grep -c "^profiled [0-9]*$")"
done
if [ "$cores" -ge 2 ]; then
    for how in tbb openmp affinity; do
        rm -f log
        status two-$how 0 "$prof" bench -t 3 -n 2 --json ./threads "$PWD/log" $how
        equal two-$how-threads 'native 1,native 2,profiled 1,profiled 2,' \
            "$(sed 1d log | sort -u | tr '\n' ',')"
    done
else
    echo "SKIP scaling/two: one core"
fi
equal threads-of-one 1 "$(jq .derived.points[0].threads tbb.json)"
idle_of_one() { # of two trials
    "$prof" bench -t 2 -n 1 --json ./threads "$PWD/log" tbb 2>/dev/null |
        jq -r '.derived.points[0] |
        if .idle.mean_ns < 0.2 * .profiled.mean_ns then empty
        else "\(.idle.mean_ns) ns idle of \(.profiled.mean_ns)" end' 2>&1
}
result idle-of-one "$(patiently idle_of_one)"

# -o: files, no rest; what is shown is what is saved
rm -rf kept && mkdir kept
status output 0 "$prof" bench -t 2 -n 1,2 -o kept/b "$build/examples/cilksort" a parallel 20
equal output-files 'b.gnuplot b.json b.p1.prof b.p2.prof' \
    "$(ls -A kept | tr '\n' ' ' | sed 's/ $//')"
has output-said 'wrote kept/b.json, kept/b.gnuplot' err
"$prof" bench --from kept/b.json >again
equal output-again 0 "$(cmp out again >/dev/null; echo $?)"
equal output-profile '[1,2]' "$("$prof" report --json kept/b.p1.prof kept/b.p2.prof 2>/dev/null |
    jq -c '[.[].program.workers]')"
equal output-trials '[4,4]' "$(jq -c '[.trials | group_by(.kind)[] | length]' kept/b.json)"
# the findings are those of the kept profile
status output-serial 0 "$prof" bench -t 2 -n 1,2 -o kept/s "$build/examples/causes" serial
short='[.[] | [.id, .place, (.gain_ns, .gain_low_ns, .gain_high_ns, .worker_ns | floor)]]'
"$prof" report --json kept/s.p2.prof 2>/dev/null | jq -c ".findings | $short" >report.findings
equal output-findings "$(cat report.findings)" "$(jq -c ".derived.findings | $short" kept/s.json)"
has output-serial-found '\["serial",' report.findings
# the kept profile is that of the run nearest to the mean of all runs, the third to fifth here
cat >uneven.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include "libprof.h"
static void *spend(void *cost) { libprof_cost(*(long *)cost); return 0; }
int main(int argc, char **argv)
{
    static long costs[] = { 1, 100, 200, 900, 900, 900 };       /* the first run does not count */
    int n = 0;
    pthread_t t;
    FILE *f = fopen(argv[argc - 1], "a+");
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    fputc('x', f);
    fclose(f);
    pthread_create(&t, 0, spend, &costs[n % 6]);
    return pthread_join(t, 0);
}
END
gcc -O1 -I"$here/../../include" uneven.c -o uneven -pthread
status output-uneven 0 "$prof" bench -t 5 -n 1 -e PROF_CLOCK=virtual -o kept/u -- ./uneven \
    "$PWD/uneven.runs"
equal output-nearest 900 "$("$prof" report --json kept/u.p1.prof | jq .program.work_ns)"
equal output-one-kept 'u.gnuplot u.json u.p1.prof ' "$(cd kept && ls -A | grep '^u' | tr '\n' ' ')"
status output-nowhere 2 "$prof" bench -t 1 -n 1 -o nowhere/b true
mkdir scratch
TMPDIR=$PWD/scratch status nothing-left 0 "$prof" bench -t 1 -n 1 ./threads "$PWD/log"
equal nothing-left-behind '' "$(ls -A scratch)"
# a directory whose name PROF_OUTPUT would take for something else, and a program that goes
# elsewhere
mkdir 'a%p b'
TMPDIR="$PWD/a%p b" status odd-directory 0 "$prof" bench -t 1 -n 1 --json sh \
    -c 'cd /; exec "$0" "$1"' "$PWD/threads" "$PWD/log"
equal odd-directory-profile true "$(jq -c '[.trials[] | select(.kind == "profiled") |
    has("profile")] | all' out)"

# exact bounds: the virtual clock's work and span do not depend on the schedule
status virtual 0 "$prof" bench -t 1 -n 1,2 -e PROF_CLOCK=virtual -e PROF_BURDEN=7 --json -- \
    "$build/programs/constructs" fib_one '{P}'
cp out virtual.json
PROF_CLOCK=virtual PROF_BURDEN=7 "$prof" run --no-report -o v.prof -- "$build/programs/constructs" \
    fib_one 2 >/dev/null 2>&1
equal virtual-bounds "$("$prof" report --json v.prof | jq -c '.program.speedup[0] |
    [(.lower * 1e12 | floor), .upper]')" \
    "$(jq -c '.derived.points[1] | [(.lower * 1e12 | floor), .upper]' virtual.json)"
equal virtual-estimates-nothing '["one_worker",null]' "$(jq -c '.derived |
    [.baseline, .points[1].inflation_scheduling_ns]' virtual.json)"

# Built-in causes by the virtual clock: every figure has a closed form, whatever the machine is
# (tests/scaling/virtual.cpp)
g++ -std=c++17 -O2 -I"$here/../../include" "$here/virtual.cpp" -o virtual -ltbb -ldl 2>gcc.log ||
    fail build "$(cat gcc.log)"
# CAUSE T_1 SERIAL GROWN OPTIONS...: T_P = SERIAL + (T_1 - SERIAL + GROWN) / P, I_P = (P - 1)
# SERIAL, F_P = GROWN, a jq expression of $p
declared() {
    cause=$1 one=$2 serial=$3 grown=$4
    shift 4
    status virtual-$cause 0 "$prof" bench -n 1,2,4,8 -t 2 --copies -e PROF_CLOCK=virtual --json \
        "$@" -- ./virtual $cause '{P}' '{COPIES}'
    cp out $cause.json
    equal virtual-$cause-figures \
        "$(jq -nc --argjson one "$one" --argjson serial "$serial" "[1, 2, 4, 8 | . as \$p |
            ($grown) as \$f | "'
            [$serial + ($one - $serial + $f) / $p, ($p - 1) * $serial, $f, 0]]')" \
        "$(jq -c '[.derived.points[] |
        [.native.mean_ns, .idle.mean_ns, .inflation_ns, .inflation_error_ns]]' $cause.json)"
}
declared memory 3360000 0 'if $p > 2 then 840 * 3000 * ($p / 2 - 1) else 0 end'
equal virtual-memory-copies 3.25 "$(jq .derived.copies_slowdown memory.json)"
# P T_s / W_P, and what is missing to P T_s / T_1
equal virtual-memory-curves '[[1,1,0],[2,2,0],[4,2285,1714],[8,2461,5538]]' \
    "$(jq -c '[.derived.points[] | [.p, .curves.inflation_specific, .gap_c] | if .[0] < 3 then .
    else [.[0], (.[1:][] * 1000 | floor)] end]' memory.json)"
declared sharing 3360000 0 '840 * 3000 * ($p * $p - 1)'
equal virtual-sharing-copies 1 "$(jq .derived.copies_slowdown sharing.json)"
declared serial 1340000 500000 0
# by Amdahl's law 50 of 134 whatever P is, without a spread
equal virtual-serial-fraction '[null,[373134,0],[373134,0],[373134,0]]' \
    "$(jq -c '[.derived.points[] | if .p == 1 then .serial_fraction else
    [(.serial_fraction * 1e6 + 1e-3 | floor), .serial_fraction_half_interval] end]' serial.json)"
declared tasking 1176000 0 0 --elision './virtual elision 1 1'
equal virtual-tasking-efficiency '[7142,7142]' "$(jq -c '[.derived.points[0, 3].efficiency |
    . * 10000 | floor]' tasking.json)"
declared all 4196000 500000 'if $p > 2 then 840 * 3000 * ($p / 2 - 1) else 0 end' --baseline \
    './virtual baseline 1 1'
equal virtual-all-gap-a 3680 "$(jq '.derived.points[2].curves.maximal * 1000 | round' all.json)"
equal virtual-findings null "$(jq -c .derived.findings memory.json)"
"$prof" bench --from memory.json >out
has virtual-said 'clock is virtual: costs are what the program declares' out
has_not virtual-machine 'Native trials are' out
equal virtual-again true "$("$prof" bench --from memory.json --json | jq .virtual)"
# the address of the inflation
"$prof" bench -n 1,8 -t 1 -e PROF_CLOCK=virtual -o virtual-kept -- ./virtual memory '{P}' \
    1 >/dev/null 2>&1
equal virtual-address '[3360000,10920000]' \
    "$("$prof" diff --json virtual-kept.p1.prof virtual-kept.p8.prof |
    jq -c '[.functions[] | select(.function == "[parallel_for]") | .self.work_ns | .a, .b]' 2>&1)"
status virtual-nothing 0 "$prof" bench -n 1,2 -t 1 -e PROF_CLOCK=virtual --baseline true --json -- \
    ./virtual memory '{P}' 1
has virtual-nothing-line 'prof: a trial (baseline, P = 1) declared no costs' err
equal virtual-nothing-left-out '["one_worker"]' "$(jq -c '[.derived.baseline]' out)"

# T_1^P: one worker, P in the arguments
rm -f log
status one-worker 0 "$prof" bench -t 1 -n 1,2 --control runtime --work-by-p --json sh \
    -c 'echo "$PROF_WORKERS $0" >>log' 'p{P}'
equal one-worker-trials '1 p1,1 p1,2 p2,2 p2,1 p2,' "$(sed 1d log | tr '\n' ',')"
equal one-worker-kinds '["native","profiled","native","profiled","one_worker"]' \
    "$(jq -c '[.trials[].kind]' out)"
status one-worker-uncontrolled 0 "$prof" bench -t 1 -n 1,2 --control none --work-by-p --json true
has one-worker-uncontrolled-line 'work-by-p is left out' err

# programs that fail
status failing-status 0 "$prof" bench -t 2 -n 1,2 --json sh -c 'echo why >&2; exit 3'
has failing-status-line 'prof: a trial (profiled, P = 2) ended with exit status 3: why' err
equal failing-status-said '["status"]' "$(jq -c '[.derived.words[] | select(.cause == "status") |
    .cause]' out)"
if [ "$cores" -ge 2 ]; then
    status failing-at-2 1 "$prof" bench -t 2 -n 1,2 --control none --json sh \
        -c '[ "$0" = 1 ] || kill -SEGV $$' '{P}'
    has failing-at-2-line 'prof: a trial (profiled, P = 2) ended with signal 11' err
fi
status crashing 1 "$prof" bench -t 2 -n 1 sh -c 'kill -SEGV $$'
has crashing-line 'prof: a trial (profiled, P = 1) ended with signal 11' err
rm -f calls
status crashing-sometimes 0 "$prof" bench -t 2 -n 1 --json sh \
    -c 'echo x >>calls; [ "$(grep -c x calls)" != 2 ] || kill -SEGV $$'
equal crashing-sometimes-said '["failed"]' \
    "$(jq -c '[.derived.words[] | select(.cause == "failed") | .cause]' out)"
equal crashing-sometimes-kept '[{"signal":11}]' \
    "$(jq -c '[.trials[] | select(.signal) | {signal}]' out)"
status elision-differs 0 "$prof" bench -t 1 -n 1 --elision 'echo 2' --json sh -c 'echo 1'
equal elision-differs-said 1 "$(jq -r '.derived.words[] | select(.cause == "output") | .text' out |
    grep -c "elision's output is another")"
status elision-same 0 "$prof" bench -t 1 -n 1 --elision 'echo 1' --json sh -c 'echo 1'
equal elision-same-quiet 0 "$(jq -r '.derived.words[].text' out | grep -c "output is another")"
# interrupted by a person: what there is is shown, nothing is left
rm -f calls
TMPDIR=$PWD/scratch "$prof" bench -t 50 -n 1 --json sh \
    -c 'echo x >>calls; [ "$(grep -c x calls)" != 6 ] || kill -INT $$' >out 2>err
equal interrupted-status 130 $?
equal interrupted-rest '[4,true]' "$(jq -c '[(.trials | length), .interrupted]' out)"
equal interrupted-leaves-nothing '' "$(ls -A scratch)"
rm -f calls
TMPDIR=$PWD/scratch "$prof" bench -t 50 -n 1 --json sh -c 'echo x >>calls; sleep 0.05' >out 2>err &
pid=$!
until [ "$(grep -c x calls 2>/dev/null)" -ge 6 ] 2>/dev/null || ! kill -0 $pid; do sleep 0.02; done
kill $pid
wait $pid
equal terminated-status 130 $?
equal terminated-said true "$(jq -c .interrupted out)"
equal terminated-leaves-nothing '' "$(ls -A scratch)"
# progress is for terminals
status no-progress 0 "$prof" bench -t 1 -n 1 --json true
equal no-progress-quiet '' "$(cat err)"
script -qec "'$prof' bench -t 2 -n 1 --json true >/dev/null" /dev/null >typed 2>&1
has progress '\[4/4\] native, P = 1, about .* left' typed
# copies: P processes at once, of one worker each
if [ "$cores" -ge 2 ]; then
    rm -f log
    status copies 0 "$prof" bench -t 1 -n 1,2 --copies --control runtime --json sh \
        -c 'echo "$PROF_WORKERS $0" >>log' 'p{P}'
    equal copies-trials '[["copies",2],["copies",2]]' \
        "$(jq -c '[.trials[] | select(.kind == "copies") | [.kind, .p]]' out)"
    equal copies-workers '1 p1' "$(tail -2 log | sort -u)"
    rm -f log
    status copies-input 0 "$prof" bench -t 1 -n 1,2 --copies --json sh \
        -c 'wc -c >>log; sleep 0.1' <input
    equal copies-input-whole 4 "$(sort -u log)"
fi

data_of() { # PAGE: the JSON in it
    sed -n 's/.*<script type="application\/json" id="profile">\(.*\)<\/script>.*/\1/p
        s/.*id="profile"[^>]*>\({.*}\)<.*/\1/p' "$1" | head -1
}
# prof view --bench: the trials in the page, and nothing said on its console
if "$prof" view kept/b.p2.prof --bench kept/b.json -o b.html 2>err; then
    equal view-data "$(jq -c '[.derived.points[].speedup * 1000 | floor]' kept/b.json)" \
        "$(data_of b.html | jq -c '[.bench.points[].speedup * 1000 | floor]')"
    "$prof" bench --from given.json --json >hostile.json
    "$prof" view kept/b.p2.prof --bench hostile.json -o hostile.html 2>err
    browser=$(command -v chromium || command -v chromium-browser)
    for page in b hostile; do
        if [ -z "$browser" ]; then echo "SKIP scaling/view-$page: no chromium"; continue; fi
        timeout 300 "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr \
            --virtual-time-budget=10000 --dump-dom "file://$tmp/$page.html" 2>log |
            perl -0pe 's/<script.*?<\/script>//sg' >dom
        equal view-$page-console '' "$(grep CONSOLE log | grep -v favicon | head -2)"
        has view-$page-words 'times as fast as\|faster or slower with' dom
        has view-$page-numbers 'inflation-specific' dom
        has_not view-$page-hidden 'id="scaling"[^>]*hidden' dom
        has_not view-$page-undefined 'NaN\|undefined' dom
    done
    "$prof" view kept/b.p2.prof -o plain.html 2>err
    [ -z "$browser" ] || timeout 300 "$browser" --headless --no-sandbox --disable-gpu \
        --virtual-time-budget=10000 --dump-dom "file://$tmp/plain.html" 2>log >dom
    [ -z "$browser" ] || has view-without 'id="scaling"[^>]*hidden' dom
    status view-bad-bench 2 "$prof" view kept/b.p2.prof --bench other.json -o bad.html
    has view-bad-bench-line 'other.json: not what prof bench' err
else
    echo "SKIP scaling/view: $(head -1 err)"
fi

# the examples do the same work in all their forms
for s in a b c d; do
    for mode in parallel baseline elision; do "$build/examples/cilksort" $s $mode \
        1 2>/dev/null; done | sort -u >sorted
    equal cilksort-$s "1 sorted" "$(grep -c '' sorted) $(grep -o 'sorted$' sorted)"
done
for c in scales serial grain memory cache sharing lock; do
    equal causes-$c "$c done" "$("$build/examples/causes" $c 2>/dev/null)"
done
# quicksort's fast partitions swap the same elements: the same tasks, and regions
for mode in '' fast; do
    PROF_OUTPUT=$PWD/q$mode.prof PROF_QUIET=1 PROF_CLOCK=virtual LD_PRELOAD=$build/libprof.so \
        "$build/examples/quicksort" -t 2 1000000 $mode 2>/dev/null >q$mode
    "$prof" report --json q$mode.prof 2>/dev/null |
        jq -c '[.program.tasks, (.regions[] | [.name, .count])]' >>q$mode
done
equal quicksort-fast "$(cat q)" "$(cat qfast)"
has quicksort-fast-regions '1000000 numbers sorted' qfast
for base in 0 1000; do "$build/examples/tree_sum" -t 2 100000 1000 $base 2>/dev/null; done | sort \
    -u >sums
equal tree_sum-in-parallel 1 "$(grep -c 'correct' sums)"
status documented 0 grep -q 'Xr prof-bench 1' "$here/../../docs/man/prof.1"
for option in $("$prof" help bench | grep -o -e '--[a-z][a-z-]*' | sort -u); do
    grep -q "\\\\-$(echo "${option#--}" | sed 's/-/.*-/g')" "$here/../../docs/man/prof-bench.1" ||
        echo "$option"
done >missing
equal documented-options '' "$(cat missing)"
# every word of the JSON for a cause is explained
for cause in $(grep -ho 'MARK_[A-Z]*, "[a-z_]*"\|^    warn_of(f, [a-z_]*, "[a-z_]*"' \
    "$here"/../../report/bench/*.c | grep -o '"[a-z_]*"' | tr -d '"' | sort -u); do
    grep -q "\`$cause\`" "$here/../../docs/SCALING.md" || echo "$cause"
done >missing
equal documented-causes '' "$(cat missing)"

# ---- bench/instructions.sh: figures that no load of the machine changes ----
if command -v valgrind >/dev/null; then
    count() { # NAME...: its instructions and readings a construct
        bash "$here/../../bench/instructions.sh" -n 300 -l "$build/libprof.so" "$@" 2>err |
            awk -F ' *[|] *' '$3 ~ /^(task|lock)/ { print $3, $6, $7 }'
    }
    count libgomp-task libgomp-task_if0 libgomp-task_depend libgomp-lock >first
    count libgomp-task >second
    # instructions differ by which task took longest: a hundredth; readings never
    awk 'NR == FNR { n[$1] = $2; r[$1] = $3; next }
        { print ($2 > 0.99 * n[$1] && $2 < 1.01 * n[$1] && $3 == r[$1] ? "same" : $0) }
    ' first second >two
    equal instructions-repeat same "$(cat two err)"
    # more readings than these had no effect (dag/own_overhead.h)
    awk '{ most = 3 + ($1 == "task_if0") + 2.4 * ($1 == "task_depend")
           print $1, ($1 == "lock" || ($3 > 0 && $3 < most + 0.2) ? "few" : $3)
         }' first >readings
    # a lock that is free needs no reading at all (gomp_wait.c)
    equal instructions-readings-lock 0.00 \
        "$(awk '$1 == "lock" { printf "%.2f", $3 < 0 ? -$3 : $3 }' first)"
    equal instructions-readings 'lock few task few task_depend few task_if0 few' \
        "$(echo $(sort readings))"
    # what every process pays, one that does nothing, too: the loader alone executes 130,000
    LD_PRELOAD=$build/libprof.so PROF_OUTPUT=$PWD/none.prof valgrind --tool=callgrind \
        --callgrind-out-file=/dev/null /bin/true 2>err
    equal instructions-start few "$(awk '/Collected/ { gsub(",", "", $4)
        print ($4 > 130000 && $4 < 1600000 ? "few" : $4) }' err)"
else
    echo "SKIP scaling/instructions: no valgrind"
fi
