# predict.sh - a part of run.sh: prof predict on dags that gen_profile writes.
profiles basic

predicted() { # NAME FILTER EXPECTED FILE [OPTIONS]
    name=$1 filter=$2 expected=$3 file=$4
    shift 4
    equal "$name" "$expected" "$("$prof" predict --json "$@" "$file" 2>&1 | jq -c "$filter" 2>&1)"
}

# Of many predictions, what FILTER has against the first that is wrong.
wrong_of() { # COUNT FILTER <JSON: a document each
    jq -rn --argjson count "$1" "[inputs] | if length != \$count then \"\(length) answers\"
        else to_entries[] | (.key + 1) as \$seed | .value | [$2] | select(length > 0) |
        \"seed \(\$seed): \" + first end" 2>&1 | head -1
}
# Random dags. The recorded dag has the work and span of a naive walk. For a greedy scheduler, T_1 =
# T1, T_inf = span, and max(T1/P, T_inf) <= T_P <= T1/P + T_inf. Work stealing is above the lower
# one of these bounds.
bounds='(.predictions[] | .processors as $p | ([$w / $p, $s] | max) as $least |
    if $p == 1 and [.time_ns, .greedy_time_ns] != [$w, $w]
    then "T_1 is \(.time_ns), \(.greedy_time_ns) for \($w)"
    elif .greedy_time_ns < $least or .greedy_time_ns > $w / $p + $s
        then "greedy T_\($p) is \(.greedy_time_ns), T1 \($w), span \($s)"
    elif .least_time_ns < $least or .impossible
        then "T_\($p) is \(.least_time_ns), T1 \($w), span \($s)"
    else empty end)'
for seed in $(seq 60); do
    ./gen dag $seed $((seed * seed)) >dag.prof
    "$prof" predict --json -P 1,2,3,7,64,1024 dag.prof 2>&1
done >random.json
result predict-random "$(wrong_of 60 '.work_ns as $w | .span_ns as $s |
    (if [.dag.work_ns, .dag.span_ns] != [$w, $s]
    then "the dag has \([.dag.work_ns, .dag.span_ns]) for \([$w, $s])" else empty end), '"$bounds" \
    <random.json)"
# As many workers as tasks: nobody ever waits for one.
for seed in $(seq 101 140); do
    ./gen dag $seed 100 >dag.prof
    "$prof" predict --json -P 1024 dag.prof 2>&1
done >unlimited.json
result predict-unlimited "$(wrong_of 40 'if .predictions[0].greedy_time_ns == .span_ns
    or .dag.simulated_tasks > 1024 then empty
    else "+ 100: \(.predictions[0].greedy_time_ns) for \(.span_ns)" end' <unlimited.json)"
# Random dags with arcs: the same. With as many workers as tasks, the time is the span, by the arcs
# alone.
for seed in $(seq 80); do
    ./gen dag-arcs $seed $((seed * 6)) >dag.prof
    "$prof" predict --json -P 1,2,3,7,64,1024 dag.prof 2>&1
done >arcs.json
result predict-random-arcs "$(wrong_of 80 '.work_ns as $w | .span_ns as $s |
    (if .dag.work_ns != $w then "the dag has \(.dag.work_ns) for \($w)" else empty end),
    (.predictions[] | select(.processors == 1024 and .greedy_time_ns != $s) |
        "T_1024 is \(.greedy_time_ns), span \($s)"), '"$bounds" <arcs.json)"
./gen dag-after >after.prof
predicted predict-after '[.dag.dependences, (.predictions[] | .time_ns, .greedy_time_ns)]' \
    '[3,350,350,250,250,150,150]' after.prof -P 1,2,3
"$prof" predict after.prof >after.txt 2>err
has predict-says-dependences '3 dependences that are no joins' after.txt
has_not predict-not-approximate 'approximate: ' after.txt
./gen dag-unsure >unsure.prof
COLUMNS=900 "$prof" predict unsure.prof >unsure.txt 2>err
equal predict-outliers-once 1 "$(grep -c 'strands are simulated as long as they were' unsure.txt)"
has predict-not-exact 'the span is not exact (prof report names why): .* may be lower or higher' \
    unsure.txt
# what libprof itself may have taken is no time of the runtime's, and stated
for between in 5 14; do
    ./gen dag-own ${between}000000 >own.prof
    COLUMNS=900 "$prof" predict own.prof >own-$between.txt 2>err
done
has predict-own 'work and span are estimates: 60 % of the samples in strands are libprof.s' \
    own-5.txt
# nor does it show whether the program is faster or slower than that
has predict-own-direction 'the program may be faster or slower than predicted' own-5.txt
has_not predict-own-claims 'is faster than predicted' own-5.txt
has predict-dispatch-unknown \
    'dispatch of a task not known, and taken for 0: this run.s 556 us a task between' own-5.txt
has predict-dispatch-known "dispatch of a task 1.00 ms, this run's mean" own-14.txt
# strands had 350 ms of work and were off the CPU for 1 s, for 400 ms of that in a lock
cat >locks.c <<'END'
int lock_word;
int pthread_mutex_lock(void *m) { return lock_word += m != 0; }
END
gcc -shared -nostdlib -fPIC -O1 -Wl,--build-id=none locks.c -o libc.so.locks
./gen dag-locked "$PWD/libc.so.locks" "0x$(nm libc.so.locks |
    awk '$3 == "pthread_mutex_lock" { print $1 }')" >locked.prof
equal predict-locked-json '[350000000,1000000000,400000000,0,1350000000]' \
    "$("$prof" predict --json locked.prof 2>err |
    jq -c '[.work_ns, .blocked_ns, .locked_ns, .slept_ns, .strands_ns]')"
COLUMNS=900 "$prof" predict locked.prof >locked.txt 2>err
# libprof took off more than is left
OWN=400000000,1000000 ./gen dag-own 20000000 >taken.prof
COLUMNS=400 "$prof" predict -P 2 taken.prof >taken.txt 2>err
has predict-taken 'work and span are estimates: libprof took 400 ms of its own cost' taken.txt
has predict-taken-header 'parallelism [0-9.]* (all estimated)$' taken.txt
has predict-taken-columns ' -* about -*$' taken.txt
for steals in 1 6; do
    STOLEN=$steals ./gen dag-own 20000000 >steals-$steals.prof
    COLUMNS=400 "$prof" predict -P 2 steals-$steals.prof >steals-$steals.txt 2>err
done
has predict-few-steals '! the steal latency is that of 1 steal in this run: too few to show' \
    steals-1.txt
has_not predict-enough-steals 'too few to show' steals-6.txt
has predict-locked 'locks and other threads, 30 % of the strands. time (400.000 ms), are not' \
    locked.txt
has predict-locked-rest 'strands were off the CPU for 600.000 ms more; samples do not show why' \
    locked.txt
./gen dag-circle >circle.prof
status predict-circle 2 "$prof" predict circle.prof
has predict-circle-says 'circle.prof: damaged: strands of the dag wait for one another' err
./gen dag 7 3000 >dag.prof
equal predict-same-again "$("$prof" predict dag.prof)" "$("$prof" predict dag.prof)"
"$prof" predict --tasks 1 --json dag.prof >few.json 2>err
equal predict-coarse-work '[true,true]' \
    "$(jq -c '[.predictions[0].time_ns == .work_ns, .dag.coarse]' few.json)"
./gen dag-wait >wait.prof
predicted predict-wait '[.dag.span_ns, (.predictions[] | .time_ns, .greedy_time_ns)]' \
    '[100,210,210,110,110,100,100]' wait.prof -P 1,2,3
./gen dag-wrong >wrong.prof
predicted predict-impossible '[.predictions[].impossible]' '[false,true]' wrong.prof -P 1,2
"$prof" predict -P 1,2 wrong.prof >wrong.txt 2>err
has predict-says-impossible 'P = 2: a speedup above the upper bound is impossible' wrong.txt
./gen dag-buried >buried.prof
predicted predict-buried '[.dag.span_ns, (.predictions[] | .time_ns, .greedy_time_ns)]' \
    '[37,37,37,37,37]' buried.prof -P 1,2
has_not predict-hostile-note "$(printf '[\001-\010\013-\037\177]')" \
    "$("$prof" predict wait.prof >wait.txt; echo wait.txt)"
has predict-says-approximate 'approximate: ' wait.txt
has_not predict-possible impossible wait.txt
predicted predict-json-note '.dag.approximate[0].count' 1 wait.prof
equal predict-csv 12 "$("$prof" predict --csv dag.prof | grep -c '')"
equal predict-csv-columns 1 "$("$prof" predict --csv dag.prof | awk -F, '{ print NF }' | sort -u |
    grep -c '')"
for width in 80 100 160; do
    equal predict-width-$width 0 "$(COLUMNS=$width "$prof" predict dag.prof wait.prof 2>/dev/null |
        awk -v w=$width 'length > w' | grep -c '')"
done
status predict-none 2 "$prof" predict basic.prof
has predict-none-says 'no dag in it' err
for options in '-P 0' '-P 1025' '-P 1,,2' '-P 2,' '-P x' '-n 0' '-n 1x' '--tasks -1' \
    'dag.prof dag.prof'; do
    status "predict $options" 2 "$prof" predict $options dag.prof
    equal "predict $options says" 1 "$(grep -c '' err)"
done
for what in arc-from arc-to arc-task arc-top arc-start arc-alone loop shared beyond orphan kind \
    top cost span none many headless empty; do
    ./gen bad dag-$what >bad.prof
    status predict-bad-$what 2 "$prof" predict bad.prof
    has predict-bad-$what-says 'damaged: the dag' err
done
