#!/bin/sh
# check.sh BUILD [CASE...] - call paths and samples of running programs: logical paths do not depend
# on the schedule, samples give known answers, and a sampler at 10 kHz disturbs nothing. STRESS=60:
# that long. One PASS or FAIL line a case. What is timed is tried again (tests/cpu.sh): machines are
# noisy.
build=$(cd "$1" && pwd) || exit 1
shift
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
suite=sampling only=$* failures=0
. "$here/../case.sh"
prof=$build/prof so=$build/libprof.so
export PROF_CHECKPOINT=0 LC_ALL=C
cd "$tmp" || exit 1

. "$here/../cpu.sh"
trap 'rm -rf "$tmp" "$cpu_tmp"' EXIT
. "$here/../probe.sh"
no_tbb=$(missing_tbb)
wanted() {
    wants "$1" || return
    [ -n "$no_tbb" ] || return 0
    case $1 in                  # programs of oneTBB
    whatif-ordered | whatif-in-team | whatif-not-in-team) ;;
    paths-* | expected-paths-* | late | idleness-* | bystander | crowd | span | fed | blocked* | \
        waits | waits-frame-pointers | waits-unoptimised | whatif-* | deep | grow | stacks | \
        below | stripped | bound | source-* | stress*)
        echo "SKIP sampling/$1: $no_tbb"
        return 1 ;;
    esac
}
# Runs CASE if it is asked for: COMMAND, again where others have the processors.
case_patiently() { # CASE COMMAND...
    ! wanted "$1" || result "$1" "$(shift; patiently "$@")"
}
# Runs COMMAND under libprof, for a minute at most.
profiled() { # PROFILE [SETTING=VALUE...] COMMAND...
    timeout 60 env LD_PRELOAD="$so" PROF_OUTPUT="$@" || echo "status $?"
}
# What CHECK, of checks.jq, finds wrong with what prof report says of PROFILE.
checked() { # PROFILE CHECK [OPTIONS...]: jq's
    profile=$1 check=$2
    shift 2
    "$prof" report --json --paths "$profile" 2>/dev/null |
        jq -r -L "$here" "$@" "include \"checks\"; $check" || echo "jq: status $?"
}
text_of() { COLUMNS=2000 "$prof" report --full "$1" 2>/dev/null; } # PROFILE: with unbroken lines
build() { # PROGRAM COMPILER OPTIONS...: compiles PROGRAM; OPTIONS name its source
    program=$1
    shift
    "$@" -O2 -g -o "$program" 2>>gcc.log
}
{ [ -n "$no_tbb" ] || { build known g++ -std=c++17 "$here/known.cpp" -ltbb -pthread &&
    build stress g++ -std=c++17 "$here/stress.cpp" -ltbb -pthread -ldl &&
    build bound g++ -std=c++17 "$here/bound.cpp" -ltbb &&
    build whatif g++ -std=c++17 "$here/whatif.cpp" -ltbb; }; } &&
    build binding gcc "$here/../integration/bound.c" -pthread &&
    build threads gcc "$here/threads.c" -pthread &&
    build signals gcc "$here/signals.c" -pthread &&
    build handlers gcc "$here/handlers.c" -pthread &&
    build asleep gcc "$here/asleep.c" -pthread &&
    build phases gcc "$here/phases.c" -pthread &&
    build halves gcc "$here/halves.c" -pthread &&
    build ended gcc "$here/ended.c" -pthread &&
    build alone gcc "$here/alone.c" -pthread &&
    build brief gcc "$here/brief.c" -pthread &&
    build kinds gcc "$here/kinds.c" -pthread &&
    build alone-region gcc -fopenmp "$here/alone.c" &&
    build openmp gcc -fopenmp "$here/openmp.c" &&
    build gaps gcc -fopenmp "$here/gaps.c" ||
    { echo "FAIL sampling: $(cat gcc.log)"; exit 1; }

# tests/cpu.sh itself: if others use the processors, `patiently` sees them, and skips a case that is
# wrong; if nobody else does, such a case fails
always_wrong() { sleep 0.5; echo "it is wrong"; }
spin() { timeout "$1" sh -c 'while :; do :; done'; } # SECONDS
# A processor has two endless loops. idle_again ends them.
busy() { # SECONDS
    loops=
    for i in $(seq $(($(nproc) * 2))); do spin "$1" & loops="$loops $!"; done
}
idle_again() { kill $loops; wait $loops 2>/dev/null; }
loaded() {
    busy 20
    suite=x result x "$(patiently always_wrong)" |
        grep -qx "SKIP x/x: this machine is too busy ([0-9]* % of it were others')" ||
        echo "others are not seen"
    idle_again
}
wanted load-is-seen && result load-is-seen "$(loaded 2>/dev/null)"
# no share of others reaches 1000 %, so `patiently` takes any machine for a quiet one
quiet_is_red() {
    CPU_OTHERS=1000
    suite=x result x "$(patiently always_wrong)" | grep -qx 'FAIL x/x: it is wrong *' ||
        echo 'what is wrong three times is not'
}
wanted quiet-is-red && result quiet-is-red "$(quiet_is_red)"
# A quota takes the processors, too, and no other program is to be seen.
throttled() { # GROUP
    sh -c 'echo $$ >"$0/cgroup.procs"
        . "$1/../cpu.sh"
        suite=x
        . "$1/../case.sh"
        wrong() { timeout 1 sh -c "while :; do :; done"; echo wrong; }
        CPU_TRIES=1
        suite=x result x "$(patiently wrong)"' "$1" "$here" | grep -q '^SKIP x/x: ' ||
        echo 'it is not seen'
}
if wanted throttled-is-seen; then
    group=
    for at in /sys/fs/cgroup /sys/fs/cgroup/cpu; do
        mkdir "$at/libprof-$$" 2>/dev/null || continue
        if [ -w "$at/libprof-$$/cpu.max" ] && echo '20000 100000' >"$at/libprof-$$/cpu.max" ||
            [ -w "$at/libprof-$$/cpu.cfs_quota_us" ] &&
            echo 20000 >"$at/libprof-$$/cpu.cfs_quota_us"; then group=$at/libprof-$$
        else rmdir "$at/libprof-$$"; fi
    done
    if [ -n "$group" ]; then
        result throttled-is-seen "$(throttled "$group")"
        rmdir "$group"
    else
        echo 'SKIP sampling/throttled-is-seen: no quotas of processors here'
    fi
fi
own_is_no_other() {
    cpu_now >from
    spin 1
    cpu_now >to
    paste -d ' ' from to | awk '$4 - $1 < 0.01 { print "one'\''s own child has " $4 - $1 " s" }'
}
wanted own-is-no-other && result own-is-no-other "$(own_is_no_other)"

# ---- logical call paths on any schedule ----
# Under the virtual clock, without samples, each path has exact costs: the same on 1, 2 and 4
# workers.
paths_of() { # CASE P METRIC
    profiled p.prof PROF_SAMPLE=off PROF_CLOCK=virtual PROF_BURDEN=7 \
        "$build/programs/constructs" "$1" "$2" >/dev/null 2>&1
    "$prof" export -M "$3" p.prof 2>&1 | sort
}
same_paths() { # CASE
    for p in 1 2 4 2 4; do
        for metric in work span; do
            paths_of "$1" $p $metric >got
            cmp -s $metric got || { echo "P=$p $metric:"; diff $metric got; }
        done
    done
}
for case in fib_one fib_two fib_invoke quicksort mm pfor_nested pfor_in_group_in_pfor \
    group_nested_order exception suspend arena_execute arena_enqueue arena_full \
    threads_with_loops threads_tree random_3 random_7 feeder deterministic_reduce_50 \
    pipeline_even_4 pipeline_nested_4 pipeline_in_pipeline_4 pipeline_suspend; do
    wanted "paths-$case" || continue
    for metric in work span; do paths_of $case 1 $metric >$metric; done
    result "paths-$case" "$(same_paths $case)"
done
# Where the dag itself depends on the schedule, at least the paths are the same.
names_of() { paths_of "$1" "$2" work | sed 's/ [0-9]*$//'; } # CASE P
same_names() { for p in 1 2 4 2 4; do names_of "$1" $p | diff names -; done; } # CASE
for case in pfor_auto pfor_static pfor_affinity for_each sort std_par_for_each; do
    wanted "paths-$case" || continue
    names_of $case 1 >names
    result "paths-$case" "$(same_names $case)"
done

# ---- the paths that a person expects, with samples at their ends ----
inside='outer;outer::{lambda};middle;middle::{lambda};inner;burn_leaf'
printf '%s\n' "main;$inside" "main;paths::{lambda};in_arena;in_arena::{lambda};$inside" | sort >want
# a leaf without what it calls to read its clock, and where main was inlined into `paths`
leaves() {
    grep burn_leaf | sed 's/ [0-9]*$//
        s/;__vdso.*//; s/;clock_gettime.*//; s/;__.*gettime.*//; s/;ns$//
        s/main;paths;/main;/g' | sort -u
}
expected_paths() { # P
    profiled p.prof PROF_SAMPLE=1000 ./known paths $1
    "$prof" export -M work p.prof 2>/dev/null | leaves | diff want - | sed "s/^/P=$1: /"
}
for p in 1 2 4; do case_patiently expected-paths-$p expected_paths $p; done

# ---- late samples ----
# The timer goes off at the kernel's tick, at which the thread must run: where others want the
# processors, or where the rate is above that of ticks, it is late, and one sample stands for
# several. The text states it from where three samples are as precise as two on time. (By the rate,
# for a kernel of short ticks is on time beside any load.)
says_late() { # PROFILE SAID: `late` or `on_time`
    text_of "$1" | grep -q 'Many samples came late' && said=late || said=on_time
    [ $said = "$2" ] || echo "the text says $said"
}
late() {
    profiled l.prof PROF_SAMPLE=10000 ./known span
    checked l.prof late
    says_late l.prof "$(checked l.prof late_or_on_time)"
    profiled n.prof ./known span
    says_late n.prof "$(checked n.prof late_or_on_time)"
}
case_patiently late late

# ---- known answers ----
# The program prints a line for each of its phases, NAME WALL TASKS: how long the phase took, and
# how long its tasks took, summed. These lines are in the file `walls`; `phases` makes JSON of them.
# The workers' time in a phase, less TASKS, is idle. TASKS is elapsed time: while the kernel
# preempts a task, its worker is not idle.
phases() {
    jq -nR '[inputs | split(" ") | { (.[0]): (.[1:] | map(tonumber)) }] | add |
        map_values({ wall: .[0], tasks: .[1] })' walls
}
samples_are() { # PROFILE FUNCTION NS KEY
    checked "$1" "samples_are(\"$2\"; $3; \"$4\")"
}
# By how many samples the report says that the idle time is split.
split_by() { # PROFILE
    them='The split of the idle time rests on \(at least \)\{0,1\}\([0-9]*\) of them'
    text_of "$1" | sed -n "s/.*$them.*: a share of 50 % is [+]- [0-9.]* points.*/\2/p"
}
idleness() { # P
    profiled i.prof ./known idleness $1 >walls
    samples_are i.prof burn_alone 600000000 samples
    samples_are i.prof burn_together $((300000000 * $1)) samples
    # 600 ms at 250 Hz, and what the later ones of burn_together took alone
    split_by i.prof | awk -v p="$1" '{ n = $1 }
        END { if (n < 100 || n >= 200 + 75 * p) print "said to be split by " n " samples" }'
    checked i.prof "idleness($1; \$phase)" --argjson phase "$(phases)"
}
for p in 2 4; do case_patiently idleness-$p idleness $p; done
bystander() {
    profiled i.prof ./known bystander 2 >walls
    checked i.prof 'bystander($phase)' --argjson phase "$(phases)"
}
case_patiently bystander bystander
# Twelve threads on two slots: the table is of the threads' time, and still closes, with no row
# below nothing.
crowd() {
    profiled i.prof ./known crowd 2
    "$prof" report --full i.prof 2>/dev/null |
        sed -n "/^Where the time went (all threads' time)/,/^\$/p" >table
    grep -q 'There were more threads than worker slots: [0-9.]* times' table ||
        echo "not said: $(cat table)"
    awk '/^ *-?[0-9.]+ +-?[0-9.]+ (ns|us|ms|s) / {
            sum += $1; if ($1 < 0) print "below nothing: " $0
            n += !/idle: ready/ }       # there if a worker has waited for a processor
        END { if (n != 7 || sum < 99.6 || sum > 100.4) print n " rows, " sum " %" }' table
}
case_patiently crowd crowd
# A thread that waits in pthread_join is none of the threads that worked at once.
threads() {
    profiled i.prof ./threads >walls
    checked i.prof 'threads($own)' --argjson own "$(jq -nR \
        '[inputs | split(" ") | { (.[0]): (.[1] | tonumber) }] | add' walls)"
}
case_patiently threads threads
# Who had the processors. The kernel's count of others is that of cpu.sh. Two loops have more than
# half a processor beside a program of one or two threads. On a quiet machine nobody has: each of
# the two CPU counters may be a tick off at either end.
others_are() { # CONDITION
    jq -r "$1"' | if . then empty else "not so: '"$1"'" end' others
}
others() {
    profiled o.prof ./halves >/dev/null
    "$prof" report --json o.prof 2>/dev/null | jq '.processors | del(.cpus)' >others
}
others_busy() {
    spin 20 & one=$!
    spin 20 & two=$!
    others
    kill $one $two
    wait $one $two 2>/dev/null
    others_are '.known and .others_ns > 0.5 * .wall_ns' 2>&1
}
others_quiet() {
    others
    others_are '.known and .others_ns < 0.02 * .allowed * .wall_ns + 2 * .allowed * .unit_ns'
    others_are '.own_ns > 0.9 * .wall_ns'
    others_are '(.busy_ns + .steal_ns + .idle_allowed_ns) / (.allowed * .wall_ns) |
        . > 0.9 and . < 1.1'
}
wanted others-busy && result others-busy "$(others_busy 2>&1)"
wanted others-quiet && result others-quiet "$(CPU_OTHERS=2; patiently others_quiet)"
# The masks of threads that have ended, as the sampling thread last saw them.
bound_joined() {
    profiled b.prof ./binding joined
    "$prof" report --json b.prof 2>/dev/null | jq .processors >others
    others_are '.threads_allowed == 1 and ([.cpus[] | .threads] | max) == 2'
}
case_patiently bound-joined bound_joined
# The threads of a runtime share a processor, and the others idle: they are not used.
bound() {
    profiled b.prof ./bound
    "$prof" report --json b.prof 2>/dev/null | jq .processors >others
    others_are '.threads_allowed == 1 and .used == 1'
    others_are '.allowed == 1 or .idle_unused_ns > 0.8 * (.allowed - 1) * .wall_ns'
    [ "$(nproc)" = 1 ] ||
        text_of b.prof | grep -q '^ *Processors .*, of which its threads may use 1;' ||
        echo "the text does not say it"
}
case_patiently bound bound
span() {
    profiled s.prof ./known span
    samples_are s.prof burn_first 300000000 samples_on_span
    samples_are s.prof burn_second 700000000 samples_on_span
    samples_are s.prof burn_off_path 600000000 samples
    checked s.prof span
}
case_patiently span span
# A strand that runs when another thread ends the process counts with what it has done, although the
# other thread's strand is its child.
ended() {
    timeout 60 env LD_PRELOAD="$so" PROF_OUTPUT=q.prof ./ended >cpu 2>/dev/null
    checked q.prof 'ended($cpu)' --argjson cpu "$(cat cpu)"
}
case_patiently ended ended
# Each item of a loop feeds the next one: the samples of all of them are on the critical path.
fed() {
    profiled d.prof ./known fed
    checked d.prof fed
}
case_patiently fed fed
# Threads wait for their turn: what they do before it is on the critical path only once.
turns() {
    profiled o.prof PROF_SAMPLE=1000 ./openmp in_turns
    checked o.prof turns
}
case_patiently turns turns
# Of many equal strands, the longest is one that a sample struck, if samples are rare.
short_strands() {
    profiled r.prof PROF_SAMPLE=task-clock:4000 ./openmp in_rounds
    checked r.prof short_strands
}
case_patiently short-strands short_strands

# Ten tasks sleep 30 ms each, main 100 ms: blocked time hangs where they sleep, and is no work. What
# the kernel took the CPU away for is told beside it: the program says how long that was. Main's own
# is also what it was off the CPU before and after.
blocked() {
    profiled b.prof ./known blocked >off
    "$prof" export -M blocked b.prof 2>/dev/null | awk '
        FNR == NR { off[$1] = $2 / 1e6; next }
        { ms = $NF / 1e6 }
        /;sleepers;/ { tasks += ms }
        !/;sleepers;|;phase</ { own += ms }
        /;nap;/ { nap += ms }
        END {
            if (off["tasks"] < 300 || off["own"] < 100)
                print "the program says " off["tasks"] " and " off["own"] " ms"
            if (tasks < 0.97 * off["tasks"] || tasks > 1.03 * off["tasks"] + 5)
                print "sleepers blocked " tasks " ms for " off["tasks"]
            if (nap < 360 || nap > tasks + own)
                print "nap has " nap " ms of " tasks " and " own
            if (own < 0.97 * off["own"] || own > 1.03 * off["own"] + off["before"] + 10)
                print "main blocked " own " ms for " off["own"]
        }' off -
    checked b.prof paths_add_up
}
# It is found as what it is, and nothing of the kind in a program that only computes.
blocked_found() {
    profiled b.prof ./known blocked >off
    checked b.prof 'found("nap"; ["sleep"])'
    profiled b.prof ./known span >off
    checked b.prof 'found_none(["sleep", "io", "wait"])'
}
# Four threads on one CPU wait for it, and for nothing else: no other program is to blame.
preempted() {
    cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
    profiled b.prof taskset -c $cpu ./threads >walls
    checked b.prof had_no_cpu
    checked b.prof 'found_none(["other_programs", "affinity", "wait", "sleep"])'
    profiled c.prof taskset -c $cpu ./threads >walls
    "$prof" merge --as runs -o two.prof b.prof c.prof 2>err || echo "merge: $(cat err)"
    for f in b c two; do checked $f.prof .ledger.run_delay_ns; done | tr '\n' ' ' |
        awk '$1 + $2 != $3 { print "of two runs " $3 " for " $1 " and " $2 }'
}
# Threads that live for a few samples, if any, have their whole count.
preempted_briefly() {
    cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
    profiled b.prof taskset -c $cpu ./brief >delay
    checked b.prof "had_delay_in_all($(cat delay))"
}
# The main thread computes by itself beside three others, on one CPU: what it waits for the CPU, by
# the kernel's count, is found before the first sample, too, and after the last. The thread between
# may have waited as long for each ms that it computed, and some.
alone() {
    cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//') others=
    for i in 1 2 3; do
        taskset -c $cpu sh -c 'while :; do :; done' &
        others="$others $!"
    done
    for parts in 'alone 300 0' 'alone 0 300' 'alone-region 300 0'; do
        profiled a.prof taskset -c $cpu ./$parts >delay
        checked a.prof "had_delay($(cat delay))"
    done
    kill $others
    wait $others 2>/dev/null
}
if [ -r /proc/self/schedstat ]; then
    case_patiently preempted preempted
    case_patiently alone alone
    case_patiently preempted-briefly preempted_briefly
else
    echo 'SKIP sampling/preempted: this kernel does not count how long a thread is ready'
fi
# A prediction states first that tasks slept, and the source has a column of the time off the CPU.
slept() {
    profiled b.prof PROF_DAG=16m ./known blocked >off
    "$prof" predict b.prof 2>/dev/null | sed -n '1,/work stealing/p' |
        tr -s '\n ' ' ' | grep -q '! Samples found strands asleep for [0-9]* % of their time' ||
        echo "predict: $("$prof" predict b.prof 2>&1 | head -5)"
    "$prof" annotate b.prof 2>/dev/null >source.txt
    grep -q '% blkd' source.txt || echo "annotate: $(grep '% span' source.txt)"
}
case_patiently blocked-slept slept
case_patiently blocked-found blocked_found
case_patiently blocked blocked
# While a program waits for input others idle: that is the fault of what waits, as long as it takes,
# and of what computes alone. With frame pointers, too, which the kernel does not tell.
waits() { # FLAGS
    g++ -std=c++17 -g $1 "$here/blocked.cpp" -o blocked -ltbb || return
    profiled b.prof ./blocked >walls
    read -r loaded computed <walls
    checked b.prof "waits($loaded; $computed)"
    checked b.prof 'found("load"; ["io"])'
    "$prof" export -M blocked b.prof >b.paths
    grep -q '^main;load;.*read[; ]' b.paths || echo "no path to read: $(cat b.paths)"
}
case_patiently waits waits -O2
case_patiently waits-frame-pointers waits '-O2 -fno-omit-frame-pointer'
case_patiently waits-unoptimised waits -O0
# Off-CPU samples that come late, or find a strand that was not there at the last one, tell as much.
asleep() { # MODE PATH SHARE
    profiled b.prof ./asleep $1 >slept
    "$prof" export -M blocked b.prof >b.paths
    awk -v path="^main;$2;" -v share=$3 'FNR == NR { slept = $1 } $0 ~ path { ns += $NF }
        END { if (ns < share * slept || ns > 1.05 * slept + 2e7)
            print path " has " ns " ns of " slept }' slept b.paths
}
while read -r mode path share; do
    case_patiently asleep-$mode asleep $mode "$path" $share </dev/null
done <<'END'
many (sleeper|waker);nap 0.97
brief creator;sleeper;nap 0.75
coroutine \\[unknown\\];.*;nap 0.95
altstack \\[unknown\\];.*;nap 0.95
stale small;among_words;variable;usleep 0.95
small small;variable;usleep 0.95
END
# What threads wait for: most of the time off the CPU has a kind, and a place in the program.
kinds() { # MODE KIND FUNCTION
    profiled k.prof ./kinds $1
    checked k.prof "waits_are(\"$2\")"
    "$prof" export -M blocked k.prof >k.paths
    awk -v place=";$3[; ]" '!/^main;usleep/ { all += $NF } /\[blocked\]/ { rest += $NF }
        $0 ~ place { ns += $NF }
        END { if (ns < 0.8 * (all - rest)) print place " has " ns " ns of " all " less " rest }' \
        k.paths
}
while read -r mode kind place; do
    case_patiently kinds-$mode kinds $mode $kind $place </dev/null
done <<'END'
handed futex take_item
naps sleep nap_here
reads io read_here
END
# Two threads that compute share a CPU with two loops, and are preempted. One that is handed items
# there, with no loops, waits for each: what comes after that is no preemption.
why_ready() {
    cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//') others=
    for i in 1 2; do
        taskset -c $cpu sh -c 'while :; do :; done' &
        others="$others $!"
    done
    profiled k.prof taskset -c $cpu ./kinds computes
    kill $others
    wait $others 2>/dev/null
    checked k.prof was_preempted
    profiled k.prof ./kinds naps
    checked k.prof was_woken
}
[ ! -r /proc/self/schedstat ] || case_patiently why-ready why_ready

# ---- intervals of idle time ----
gaps() { # MODE
    profiled g.prof OMP_NUM_THREADS=2 OMP_WAIT_POLICY=active ./gaps "$1" >/dev/null
    checked g.prof "gaps_$1"
}
case_patiently gaps-short gaps short
case_patiently gaps-long gaps long
# Between short regions, samples show more of libprof than its calibrated events do; and all rows of
# the ledger are the worker time, with samples and without.
own_between() {
    for setting in 1000 off; do
        profiled own.$setting.prof PROF_SAMPLE=$setting OMP_NUM_THREADS=2 OMP_WAIT_POLICY=active \
            ./gaps short >/dev/null
        "$prof" report --json own.$setting.prof 2>/dev/null >own.$setting.json
        jq -r '.ledger | (.work_ns + .overhead_in_strands_ns + .overhead_between_strands_ns +
            .search_ns + .sleep_ns + .blocked_ns + .own_ns + .without_thread_ns) / .total_ns |
            select(. < 0.97 or . > 1.03) | "rows are \(.) of the time"' own.$setting.json
    done
    jq -rs '[.[].ledger | .own_ns / .total_ns] | select(.[0] < 1.5 * .[1]) |
        "libprof: \(.[0]) of the time by samples, \(.[1]) by events"' own.1000.json own.off.json
}
case_patiently own-between own_between

# ---- the timeline ----
timeline() {
    profiled t.prof ./phases >phases.txt
    checked t.prof 'timeline($phase)' --argjson phase "[$(sed 's/ /,/g; s/.*/[&]/' phases.txt |
        paste -sd ,)]"
}
case_patiently timeline timeline
. "$here/ready.sh"
# Samples have times: what CHECK, of checks.jq, finds wrong with the data of the page of PROFILE.
page_checked() { # PROFILE CHECK [OPTIONS...]: jq's
    page=$1 check=$2
    shift 2
    "$prof" view -o - "$page" 2>err | sed -n 's/.* id="profile">\(.*\)<\/script>$/\1/p' |
        jq -r -L "$here" "$@" "include \"checks\"; $check" || echo "jq: status $?"
}
timed() {
    profiled t.prof ./halves >halves.txt
    page_checked t.prof 'timed($half)' --argjson half "$(tail -1 halves.txt)"
}
# The times of a child of fork are its own, and its parent's samples are none of its.
timed_fork() {
    rm -f t.prof t.prof.*
    profiled t.prof ./halves fork >halves.txt
    page_checked t.prof 'timed_first($half)' --argjson half "$(head -1 halves.txt)"
    page_checked "$(echo t.prof.*)" 'timed_second($half)' --argjson half "$(tail -1 halves.txt)"
}
if "$prof" view -o - known 2>&1 | grep -q 'built without its page'; then
    echo 'SKIP sampling/timed: this prof has no page'
else
    case_patiently timed timed
    case_patiently timed-fork timed_fork
fi

# ---- the end ----
# The process waits at its end for a checkpoint: that is libprof's time, and no wait of the program.
ending() {
    PROF_CHECKPOINT=1 PROF_OUTPUT=e.prof LD_PRELOAD="$so $tmp/slow.so" timeout 60 ./ending ||
        echo "status $?"
    "$prof" report --json e.prof >e.json 2>err
    jq -e '.ledger | .own_ns > 5e8 and .blocked_ns < 4e8' e.json >/dev/null ||
        jq -c '.ledger | [.own_ns, .blocked_ns, .sleep_ns]' e.json
    ! COLUMNS=900 "$prof" report e.prof 2>err | grep 'GI_exit\|slept, or waited'
}
if build ending gcc "$here/ending.c" -pthread &&
    build slow.so gcc -DSLOW -shared -fPIC "$here/ending.c" -ldl; then
    case_patiently ending ending
else
    result ending "$(head -3 gcc.log)"
fi

# ---- what if ----
# The span of scenario NAME is that share of the program's.
what_if_of() { # PROGRAM MODE SPEC {NAME SHARE}...
    "$prof" run --no-report -o w.prof -e PROF_SAMPLE=1000 --whatif "$3" -- "$1" $2 \
        >out 2>err || echo "status $?"
    grep -v '^prof: wrote' err
    checked w.prof some_scenarios
    shift 3
    shares "$@"
}
what_if() { what_if_of ./whatif "$@"; }
shares() { # {NAME SHARE}...
    while [ $# -gt 0 ]; do
        checked w.prof "scenario(\"$1\"; $2)"
        shift 2
    done
}
case_patiently whatif-small what_if small 'second=3x;first=inf' \
    'second 3x' 0.5 'first at no cost' 0.75 'second 3x, first at no cost' 0.25
case_patiently whatif-kinds what_if kinds 'aside=inf;first=inf' \
    'aside at no cost' 1 'first at no cost' 0.75
case_patiently whatif-ordered what_if_of ./openmp in_order 'outside=inf;inside=4x' \
    'outside at no cost' 1 'inside 4x' 0.25
case_patiently whatif-unlike what_if unlike 'first=10x;second=10x;first=10x&second=2x' \
    'first 10x' 1 'second 10x' 1 'first 10x, second 2x' 0.5
case_patiently whatif-filters what_if filters 'second=10x;first=inf' \
    'second 10x' 0.1 'first at no cost' 1
case_patiently whatif-inlined what_if inlined 'inlined=2x;second=4x' \
    'inlined 2x' 0.7 'second 4x' 0.7 'inlined 2x, second 4x' 0.4
case_patiently whatif-spawner what_if spawner 'spawner=10x;second@whatif.cpp=2x' \
    'spawner 10x' 0.55 'second@whatif.cpp 2x' 0.5
own() {
    # what it costs is what the program says; how fast the same loop is in two places is the
    # compiler's
    what_if own 'main@own=3x;call=2x'
    awk '/^own/ { own = $2 } /^call/ { call = $2 } END { all = own + call
        print (own / 3 + call) / all, (own + call / 2) / all, (own / 3 + call / 2) / all
        }' out >want
    read -r a b c <want
    shares 'main@own 3x' "$a" 'call 2x' "$b" 'main@own 3x, call 2x' "$c"
}
case_patiently whatif-own own
line_of() { grep -n "$1" "$here/whatif.cpp" | cut -d: -f1; } # PATTERN
body=@whatif.cpp:$(line_of 'first(us); second')
call=second@whatif.cpp:$(line_of '^__attribute__.* void second')
case_patiently whatif-line what_if small "$body=2x;$call=3x" "$body 2x" 0.5 "$call 3x" 0.5
# A rate above the kernel's tick gives late samples: each stands for several and has no more
# information than one. Those behind a scenario, and behind its margin, are at most all samples,
# each with the weight 1.
whatif_late() {
    what_if small 'second=3x' 'second 3x' 0.5
    "$prof" report --json w.prof 2>/dev/null | jq -r '.sampling.equal_samples as $all |
        ([.whatif.candidates[].samples] | add) as $n | .whatif.scenarios[0].margin as $margin |
        select($n > 1.2 * $all or $margin < 0.9 / ($all | sqrt)) |
        "\($n) of \($all) samples, margin \($margin)"'
}
case_patiently whatif-late whatif_late
# Two lambdas of one function are two candidates, and each is the code of one.
lambdas() {
    a="lambdas::{lambda}@whatif.cpp:$(line_of '// FIRST')"
    b="lambdas::{lambda}@whatif.cpp:$(line_of '// SECOND')"
    what_if lambdas "$a=3x;$b=2x" "$a 3x" 0.5 "$b 2x" 0.875
    "$prof" whatif --json w.prof 2>err | jq -r --arg a "$a" --arg b "$b" '.work_ns as $all |
        [.candidates[] | select(.name | test("lambda"))] |
        select(map(.name) != [$a, $b] or .[0].span_ns < 2 * .[1].span_ns) | tojson'
    "$prof" whatif --json -f 'lambdas::{lambda}' w.prof 2>err | jq -r '.candidates | length |
        select(. != 2) | "\(.) of that name"'
    "$prof" whatif w.prof 2>err |
        grep -q "  *lambdas, lambda at whatif.cpp:$(line_of '// FIRST')\$" ||
        echo "the table: $("$prof" whatif w.prof)"
}
case_patiently whatif-lambdas lambdas
plan() { # MODE FILTER: what FILTER finds wrong with the plan of these functions
    timeout 300 "$prof" whatif --json -f first -f second -f aside -- ./whatif "$1" 2>err |
        jq -r "$2" || echo "status $?"
}
# The deepest function that dominates is a candidate, and not those around it.
deepest() {
    profiled deepest.prof PROF_SAMPLE=1000 ./whatif serial
    "$prof" whatif --json deepest.prof 2>err | jq -r '[.candidates[].name] |
        select(index("first") == null or index("serial") != null or index("main") != null) | tojson'
}
case_patiently whatif-deepest deepest
# Two changes that help only together are one step, and the first.
case_patiently whatif-tied plan tied '.steps[0] | select((.added | sort) != ["first", "second"] or
    .saved < 0.3 or (.alone | max) > 0.15) | tojson'
# Without tasks the program is as serial when it is faster.
case_patiently whatif-serial plan serial '.steps | select(.[0].added != ["first"] or
    any(.[]; .parallelism_made_faster != 1) or any(.[]; .parallelism_made_parallel < 1)) | tojson'
# Functions that run in parts which only their names tell apart count by the mean, and are named.
mixed() {
    what_if mixed 'first=inf;second=inf'
    "$prof" report --json w.prof 2>/dev/null | jq -r '.whatif.candidates | map(.mixed_with) |
        select(. != [[1], [0]]) | tojson'
    text_of w.prof | grep -q 'first and second run in parts of strands that libprof cannot dist' ||
        echo "not said: $(text_of w.prof | grep 'what if' -A9)"
}
case_patiently whatif-mixed mixed
# Parts with a sample in each function have both, and samples of their own are enough.
apart() {
    for mode in unlike kinds; do
        what_if $mode 'first=inf;second=inf'
        "$prof" report --json w.prof 2>/dev/null | jq -r '.whatif.candidates |
            map(.mixed_with) | select(. != [[], []]) | tojson'
    done
}
case_patiently whatif-apart apart

# 20,000 frames are too many for one path: it is cut, says so, and still begins and ends where it
# should.
deep() {
    profiled d.prof PROF_SAMPLE=1000 ./known deep
    "$prof" export -M work --physical d.prof 2>/dev/null | grep -q '^.*deep.*burn_leaf' ||
        echo "no path to burn_leaf"
    checked d.prof deep
}
case_patiently deep deep
# A program goes on where a walk takes longer than the time between two samples.
grow() {
    profiled d.prof PROF_SAMPLE=task-clock:10000 ./known grow
    [ ! -s d.prof ] || checked d.prof grow
}
case_patiently grow grow

# A walk stays inside the memory of a stack that the program made, and finds its way back from a
# signal's.
stacks() {
    profiled k.prof PROF_SAMPLE=1000 ./known stacks
    "$prof" export -M work k.prof 2>/dev/null | sed -n 's/;__GI_raise.*;handles/;...;handles/
        s/;\(burn_first\|burn_second\).*/;\1/p' | sort -u >got
    grep -q '^main;.*;\[unknown\];coroutine;burn_first$' got ||
        echo "no path of the coroutine: $(cat got)"
    grep -q '^main;.*;interrupted;.*;handles;burn_second$' got ||
        echo "no path of the handler: $(cat got)"
}
case_patiently stacks stacks

# A spawn far below its task's entry does not walk the stack each time.
below() {
    profiled d.prof ./known below
    said=$(checked d.prof '.settings["spawn-paths"]')
    case $said in *', 0 of them not kept'*) ;; *) echo "spawn paths: $said" ;; esac
}
case_patiently below below

# A stripped program has no names; its functions are still told apart, by the unwind tables.
stripped() {
    strip known -o bare
    profiled b.prof ./bare span
    checked b.prof stripped
}
case_patiently stripped stripped

# ---- sources ----
one_line() { # PATTERN: on stderr
    [ "$(wc -l <err)" = 1 ] && grep -q "$1" err || echo "stderr: $(cat err)"
}
source_() { # SETTING SOURCE [LINE]
    profiled c.prof PROF_SAMPLE=$1 ./known span 2>err
    checked c.prof "source_is(\"$2\")"
    if [ -n "$3" ]; then one_line "$3"; else cat err; fi
}
wanted source-off && result source-off "$(source_ off '')"
case_patiently source-rate source_ 100 'thread CPU timer'
case_patiently source-task-clock source_ task-clock:1000 task-clock
case_patiently source-bad source_ cpu:0 'thread CPU timer' 'PROF_SAMPLE=cpu:0 is not'
case_patiently source-unknown source_ bogus:5 'thread CPU timer' \
    'PROF_SAMPLE: bogus: .*using cpu:250'
# Threads without a timer have no samples: said at once, and in the profile.
denied() {
    profiled l.prof prlimit --sigpending=0:0 ./known span 2>err
    one_line 'PROF_SAMPLE: .*not sampled'
    "$prof" report l.prof 2>/dev/null | grep -q 'LOST: samples (2)' ||
        echo "the report does not say it"
}
wanted source-denied && result source-denied "$(denied)"
# The same by a filter of system calls, which the CPU clocks do not pass either: no nonsense, and
# two lines.
filtered() {
    profiled l.prof ./known filtered >used 2>err
    [ "$(wc -l <err)" = 2 ] && grep -q 'PROF_SAMPLE: .*not sampled' err &&
        grep -q 'PROF_CLOCK=tsc: .*preemption counts as work' err || echo "stderr: $(cat err)"
    checked l.prof "filtered($(sed -n 's/^used //p' used))"
}
case_patiently source-filtered filtered

# ---- what limits a region is named as what it is ----
found() { # WHAT FUNCTION IDS
    profiled v.prof PROF_SAMPLE=1000 ./openmp "$1"
    checked v.prof "found(\"$2\"; $3)"
}
case_patiently found-single found single alone '["imbalance", "serial"]'
case_patiently found-critical found critical critical '["contention"]'
case_patiently found-uneven found uneven uneven '["imbalance"]'
case_patiently found-serial found serial serial '["serial"]'
# A run of 100 ms is closed against the kernel, too: what the process needed before and beside it is
# known.
short_ledger() {
    profiled v.prof ./openmp short
    checked v.prof short_ledger
}
case_patiently short-ledger short_ledger

# ---- what a program asks its runtime for is its own time ----
polling() { # PROGRAM
    profiled v.prof PROF_SAMPLE=1000 "$1" polls
    checked v.prof polling
}
case_patiently polling polling ./openmp
if clang -O1 -g -fopenmp "$here/openmp.c" -o openmp-clang 2>clang.log; then
    case_patiently polling-clang polling ./openmp-clang
else
    echo "SKIP sampling/polling-clang: no clang with OpenMP"
fi

# ---- the application comes first ----
signals() {
    timeout 60 ./signals >native         # timeout changes what is ignored: the same for both
    profiled g.prof PROF_RUN=1 ./signals >got 2>err
    cmp -s native got || diff native got
    cat err
    checked g.prof sampled_with_signals_blocked
}
case_patiently signals signals
# Handlers that leave by longjmp, over ours or beside it, do not end a thread's samples.
jumps() {
    profiled h.prof PROF_SAMPLE=1000 ./handlers jump
    samples_are h.prof burn_after 600000000 samples
}
case_patiently jumps jumps
# A program that waits for every signal there is gets none of ours. One that handles ours has it as
# without us.
handlers() { # MODE SAMPLE
    timeout 60 ./handlers "$1" >native || echo "status $?"
    profiled h.prof PROF_SAMPLE=$2 ./handlers "$1" >got
    diff native got | head -3
}
wanted waits-for-all && result waits-for-all "$(handlers all task-clock:4000)"
wanted own-handler && result own-handler "$(handlers own 1000)"
stress() { # SAMPLE
    seconds=${STRESS:-4}
    library=$(ls /usr/lib/x86_64-linux-gnu/libcriterion.so.* /lib/x86_64-linux-gnu/libm.so.6 \
        2>/dev/null | head -1)
    PROF_SAMPLE=$1 PROF_OUTPUT=t.prof LD_PRELOAD=$so timeout -s ABRT $((seconds * 5 + 30)) \
        ./stress $seconds "$library" >got 2>err || echo "status $?"
    # perf_event's signals may interrupt what blocks, the CPU timer's do not
    [ "$1" = task-clock:4000 ] || [ "$(cat got)" = 'interrupted 0' ] || cat got
    cat err
    checked t.prof 'wrong(.sampling.samples < 1000; "only \(.sampling.samples) samples")'
}
case_patiently stress stress 10000
case_patiently stress-perf stress task-clock:4000
exit $failures
