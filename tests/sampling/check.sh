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
only=" $* "
failures=0
prof=$build/prof so=$build/libprof.so
export PROF_CHECKPOINT=0 LC_ALL=C
cd "$tmp" || exit 1

. "$here/../cpu.sh"
trap 'rm -rf "$tmp" "$cpu_tmp"' EXIT
result() { case_of "sampling/$1" "$2" || failures=1; } # NAME DETAIL
wanted() { [ "$only" = "  " ] || case $only in *" $1 "*) true ;; *) false ;; esac; }
g++ -std=c++17 -O2 -g "$here/known.cpp" -o known -ltbb -pthread 2>gcc.log && g++ -std=c++17 -O2 -g "$here/stress.cpp" -o stress -ltbb -pthread -ldl 2>>gcc.log &&
    g++ -std=c++17 -O2 -g "$here/whatif.cpp" -o whatif -ltbb 2>>gcc.log && gcc -O2 -g "$here/threads.c" -o threads -pthread 2>>gcc.log && gcc -O2 -g "$here/signals.c" -o signals -pthread 2>>gcc.log &&
    gcc -O2 -g "$here/handlers.c" -o handlers -pthread 2>>gcc.log && gcc -O2 -g "$here/asleep.c" -o asleep -pthread 2>>gcc.log && gcc -O2 -g -fopenmp "$here/openmp.c" -o openmp 2>>gcc.log || { echo "FAIL sampling: $(cat gcc.log)"; exit 1; }

# the tests themselves: others on the processors are seen; what is wrong without them is said
always_wrong() { sleep 0.5; echo "it is wrong"; }
loaded() {
    for i in $(seq $(($(nproc) * 2))); do timeout 20 sh -c 'while :; do :; done' & loops="$loops $!"; done
    case_of x "$(patiently always_wrong)" | grep -qx "SKIP x: this machine is too busy ([0-9]* % of it were others')" || echo "others are not seen"
    kill $loops
    wait $loops 2>/dev/null
}
wanted load-is-seen && result load-is-seen "$(loaded 2>/dev/null)"
# as if nobody were there, however it is
wanted quiet-is-red && result quiet-is-red "$(CPU_OTHERS=1000; case_of x "$(patiently always_wrong)" | grep -qx 'FAIL x: it is wrong *' || echo 'what is wrong three times is not')"
wanted own-is-no-other && result own-is-no-other "$(cpu_now >from; timeout 1 sh -c 'while :; do :; done'; cpu_now >to
    echo "$(cat from to)" | tr '\n' ' ' | awk '{ if ($4 - $1 < 0.01) print "one'"'"'s own child has " $4 - $1 " s" }')"

# ---- logical call paths on any schedule ----
# Under the virtual clock, without samples, each path has exact costs: the same on 1, 2 and 4
# workers.
paths_of() { # CASE P METRIC
    PROF_SAMPLE=off PROF_CLOCK=virtual PROF_BURDEN=7 PROF_OUTPUT=p.prof LD_PRELOAD=$so timeout 60 "$build/programs/constructs" "$1" "$2" >/dev/null 2>&1
    "$prof" export -M "$3" p.prof 2>&1 | sort
}
for case in fib_one fib_two fib_invoke quicksort mm pfor_nested pfor_in_group_in_pfor group_nested_order exception suspend arena_execute arena_enqueue \
    arena_full threads_with_loops threads_tree random_3 random_7 feeder deterministic_reduce_50 pipeline_even_4 pipeline_nested_4 pipeline_in_pipeline_4 pipeline_suspend; do
    wanted "paths-$case" || continue
    paths_of $case 1 work >work; paths_of $case 1 span >span
    result "paths-$case" "$(for p in 1 2 4 2 4; do
        for metric in work span; do paths_of $case $p $metric >got; cmp -s $metric got || { echo "P=$p $metric:"; diff $metric got; }; done
    done)"
done
# Where the dag itself depends on the schedule, at least the paths are the same.
for case in pfor_auto pfor_static pfor_affinity for_each sort std_par_for_each; do
    wanted "paths-$case" || continue
    paths_of $case 1 work | sed 's/ [0-9]*$//' >names
    result "paths-$case" "$(for p in 1 2 4 2 4; do paths_of $case $p work | sed 's/ [0-9]*$//' >got; cmp -s names got || diff names got; done)"
done

# ---- the paths that a person expects, with samples at their ends ----
expected_paths() {
    PROF_SAMPLE=1000 PROF_OUTPUT=p.prof LD_PRELOAD=$so timeout 60 ./known paths $1 || echo "status $?"
    "$prof" export -M work p.prof 2>/dev/null | grep burn_leaf | sed 's/ [0-9]*$//; s/;__vdso.*//; s/;clock_gettime.*//; s/;__.*gettime.*//; s/;ns$//' | sort -u >got
    printf '%s\n' 'main;outer;outer::{lambda};middle;middle::{lambda};inner;burn_leaf' \
        'main;paths::{lambda};in_arena;in_arena::{lambda};outer;outer::{lambda};middle;middle::{lambda};inner;burn_leaf' | sort >want
    sed 's/main;paths;/main;/g' got | sort -u | diff want - | sed "s/^/P=$1: /"
}
for p in 1 2 4; do wanted expected-paths-$p && result expected-paths-$p "$(patiently expected_paths $p)"; done

# ---- late samples ----
# Where others want the processors the timer goes off late, and one sample stands for several: it says no more than one.
late() {
    for i in $(seq $(($(nproc) * 2))); do timeout 60 sh -c 'while :; do :; done' & loops="$loops $!"; done
    PROF_OUTPUT=l.prof LD_PRELOAD=$so timeout 60 ./known span || echo "status $?"
    kill $loops
    wait $loops 2>/dev/null
    "$prof" report --json l.prof 2>/dev/null | jq -r '.sampling |
        if .samples_on_span < 200 then "\(.samples_on_span) samples" else empty end,
        if .equal_samples_on_span > 0.8 * .samples_on_span then "\(.samples_on_span) samples say as much as \(.equal_samples_on_span)" else empty end,
        if .equal_samples > 0.8 * .samples then "\(.samples) samples say as much as \(.equal_samples)" else empty end'
    COLUMNS=200 "$prof" report l.prof 2>/dev/null | grep -q 'Many samples came late' || echo "not said"
}
wanted late && result late "$(late 2>/dev/null)"

# ---- known answers ----
# FUNCTION's samples are what its CPU time makes them; the timer is regular, so the interval is
# narrow.
samples_are() { # FUNCTION NS JSON KEY
    jq -r --arg f "$1" --argjson ns "$2" --arg key "$4" '
        ([.functions[] | select(.function == $f) | .all[$key]] | add // 0) as $n | ($ns / .sampling.period_ns) as $want |
        if ($n - $want | fabs) > 3.3 * ($want | sqrt) + 1 then "\($f): \($n) \($key) for \($want)" else empty end' "$3"
}
# NAME WALL TASKS in `walls`: how long a phase of the program took, and its tasks, summed. What the
# workers had beyond that they were idle; a task that the kernel preempts keeps its worker from
# idling as long as it takes.
phases() { jq -nR '[inputs | split(" ") | { (.[0]): { wall: (.[1] | tonumber), tasks: (.[2] | tonumber) } }] | add' walls; }
idleness() { # P
    PROF_OUTPUT=i.prof LD_PRELOAD=$so timeout 60 ./known idleness $1 >walls || echo "status $?"
    "$prof" report --json i.prof >i.json || echo "report: status $?"
    samples_are burn_alone 600000000 i.json samples
    samples_are burn_together $((300000000 * $1)) i.json samples
    # 600 ms at 250 Hz, and what the later ones of burn_together took alone
    "$prof" report i.prof 2>/dev/null | sed -n 's/.*The idle time is split by \(at least \)\{0,1\}\([0-9]*\) of them.*, a half of it [+]- [0-9.]* points.*/\2/p' >split
    awk -v p="$1" '{ n = $1 } END { if (n < 100 || n >= 200 + 75 * p) print "said to be split by " n " samples" }' split
    # While one works the others idle: that is burn_alone's fault, as long as it took, and
    # burn_together's only where some of its tasks end later than others. Before and after that the
    # program was one strand.
    jq -r --argjson p "$1" --argjson phase "$(phases)" '
        def of(n): $phase[n] | .wall * $p - .tasks;
        ([.functions[] | select(.function == "burn_alone") | .all.idleness_ns] | add // 0) as $alone |
        ([.functions[] | .self.idleness_ns] | add) as $all |
        (.ledger | .search_ns + .sleep_ns) as $idle | (of("alone") + of("together")) as $want |
        ($want + of("warm") + ($p - 1) * (.program.elapsed_ns - ([$phase[].wall] | add))) as $most |
        (of("alone") / $want) as $share |
        (if ($alone / $all - $share | fabs) > 0.1 then "burn_alone has \($alone / $all) of the idleness for \($share)" else empty end),
        (if $idle < 0.97 * $want or $idle > 1.03 * $most then "idle \($idle) for \($want) to \($most)" else empty end)' i.json || echo "jq: status $?"
}
for p in 2 4; do wanted idleness-$p && result idleness-$p "$(patiently idleness $p)"; done
# A thread that waits and is no worker neither works nor idles.
bystander() {
    PROF_OUTPUT=i.prof LD_PRELOAD=$so timeout 60 ./known bystander 2 >walls || echo "status $?"
    "$prof" report --json i.prof >i.json || echo "report: status $?"
    jq -r --argjson phase "$(phases)" '
        ([.functions[] | select(.function == "burn_alone") | .all.idleness_ns] | add // 0) as $alone | $phase.alone.wall as $wall |
        (.program.elapsed_ns - ([$phase[].wall] | add) + ([$phase[] | 2 * .wall - .tasks] | add)) as $want |
        (if ($alone - $wall | fabs) > 0.1 * $wall then "burn_alone has \($alone) ns of idleness for \($wall)" else empty end),
        (if (.program.idle_ns - $want | fabs) > 0.03 * $want then "idle \(.program.idle_ns) for \($want)" else empty end)' i.json || echo "jq: status $?"
}
wanted bystander && result bystander "$(patiently bystander)"
# Twelve threads on two slots: the table is of the threads' time, and still closes, with no row
# below nothing.
crowd() {
    PROF_OUTPUT=i.prof LD_PRELOAD=$so timeout 60 ./known crowd 2 || echo "status $?"
    "$prof" report i.prof 2>/dev/null | sed -n "/^Where the time went (all threads' time)/,/^\$/p" >table
    grep -q 'There were more threads than worker slots: [0-9.]* times' table || echo "not said: $(cat table)"
    awk '/^ *-?[0-9.]+ +-?[0-9.]+ (ns|us|ms|s) / { n++; sum += $1; if ($1 < 0) print "below nothing: " $0 }
        END { if (n != 7 || sum < 99.6 || sum > 100.4) print n " rows, " sum " %" }' table
}
wanted crowd && result crowd "$(patiently crowd)"
# Without a runtime P is how many threads worked at once; who waits in pthread_join is none of them.
threads() {
    PROF_OUTPUT=i.prof LD_PRELOAD=$so timeout 60 ./threads >walls || echo "status $?"
    "$prof" report --json i.prof 2>/dev/null | jq -r --argjson alone "$(sed -n 's/^alone //p' walls)" --argjson together "$(sed -n 's/^together //p' walls)" \
        --argjson threads "$(sed -n 's/^threads //p' walls)" '
        def idleness(f): [.functions[] | select(.function == f) | .all.idleness_ns] | add // 0;
        (3 * $alone + 4 * $together - $threads) as $want | (.ledger | .search_ns + .sleep_ns + .without_thread_ns) as $idle |
        if .program.workers != 4 then "\(.program.workers) workers for 4" else empty end,
        if ($idle - $want | fabs) > 0.05 * $want then "idle \($idle) for \($want)" else empty end,
        if (.program.idle_ns - $idle | fabs) > 0.05 * $idle then "idle \(.program.idle_ns) beside \($idle)" else empty end,
        if .ledger.extra_threads_ns < -0.01 * $idle then "\(.ledger.extra_threads_ns) ns of threads too many" else empty end,
        if idleness("serial") < 2 * idleness("shorter") or idleness("longer") < 2 * idleness("shorter") then
            "idleness: serial \(idleness("serial")), longer \(idleness("longer")), shorter \(idleness("shorter"))" else empty end'
}
wanted threads && result threads "$(patiently threads)"
span() {
    PROF_OUTPUT=s.prof LD_PRELOAD=$so timeout 60 ./known span || echo "status $?"
    "$prof" report --json s.prof >s.json 2>/dev/null
    samples_are burn_first 300000000 s.json samples_on_span
    samples_are burn_second 700000000 s.json samples_on_span
    samples_are burn_off_path 600000000 s.json samples
    jq -r '([.functions[] | select(.function == "burn_off_path") | .all.samples_on_span] | add // 0) as $off |
        if $off > 0 then "\($off) samples of burn_off_path on the critical path" else empty end,
        ([.functions[].self.span_ns] | add) as $sum | if ($sum - .program.span_ns | fabs) > 100 then "span \($sum) for \(.program.span_ns)" else empty end,
        (.ledger.on_cpu_ns / .ledger.kernel_cpu_ns - 1) as $gap | if ($gap | fabs) > 0.03 then "ledger: on the CPU \($gap) beside the kernel" else empty end' s.json
}
wanted span && result span "$(patiently span)"

# Ten tasks sleep 30 ms each, main 100 ms: blocked time hangs where they sleep, and is no work. What
# the kernel took the CPU away for is told beside it: the program says how long that was. Main's own
# is also what it was off the CPU before and after.
blocked() {
    PROF_OUTPUT=b.prof LD_PRELOAD=$so timeout 60 ./known blocked >off || echo "status $?"
    "$prof" export -M blocked b.prof 2>/dev/null | awk '
        FNR == NR { off[$1] = $2 / 1e6; next }
        / / { ms = $NF / 1e6 } /;sleepers;/ { tasks += ms } !/;sleepers;|;phase</ { own += ms } /;nap;/ { nap += ms }
        END {
            if (off["tasks"] < 300 || off["own"] < 100) print "the program says " off["tasks"] " and " off["own"] " ms"
            if (tasks < 0.97 * off["tasks"] || tasks > 1.03 * off["tasks"] + 5) print "sleepers blocked " tasks " ms for " off["tasks"]
            if (nap < 360 || nap > tasks + own) print "nap has " nap " ms of " tasks " and " own
            if (own < 0.97 * off["own"] || own > 1.03 * off["own"] + off["before"] + 10) print "main blocked " own " ms for " off["own"]
        }' off -
    "$prof" report --json --paths b.prof >b.json || echo "report: status $?"
    jq -r '
        ([.paths[].self.blocked_ns] | add) as $all | if ($all - .ledger.blocked_ns | fabs) > 1000 then "\($all) of \(.ledger.blocked_ns) blocked" else empty end,
        ([.paths[].self.own_ns] | add) as $own | if $own != .program.own_ns then "\($own) of \(.program.own_ns) own" else empty end' b.json || echo "jq: status $?"
}
# What the first screen says of it: nothing parallel explains that time.
blocked_words() {
    PROF_OUTPUT=b.prof LD_PRELOAD=$so timeout 60 ./known blocked >off || echo "status $?"
    COLUMNS=2000 "$prof" report b.prof 2>/dev/null | sed -n '/^What limits it/,/^1) /p' >words
    grep -q 'Strands were off the CPU for [0-9.]* [a-z]*s, [0-9]* % of the worker time, [0-9]* % of that \(in tasks of task_group at sleepers\|outside every task\)' words ||
        echo "not said: $(cat words)"
    PROF_OUTPUT=b.prof LD_PRELOAD=$so timeout 60 ./known span >off || echo "status $?"
    "$prof" report --json b.prof 2>/dev/null | jq -r '.ledger | .blocked_ns / .total_ns' >share
    COLUMNS=2000 "$prof" report b.prof 2>/dev/null >words
    awk '$1 >= 0.1 { exit 1 }' share || return 0       # others had the CPUs
    ! grep 'Strands were off the CPU' words
}
# Four threads on one CPU wait for it, and for nothing else.
preempted() {
    cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
    PROF_OUTPUT=b.prof LD_PRELOAD=$so timeout 60 taskset -c $cpu ./threads >walls || echo "status $?"
    "$prof" report --json b.prof | jq -r '.ledger | .run_delay_ns / .blocked_ns | if . < 0.7 or . > 1 then "had no CPU for \(.) of the time off it" else empty end'
    COLUMNS=2000 "$prof" report b.prof | grep -q '[:r] [0-9a-z. ]*they could have run, but other threads and programs had the processors' ||
        echo "not said: $("$prof" report b.prof | head -20)"
    PROF_OUTPUT=c.prof LD_PRELOAD=$so timeout 60 taskset -c $cpu ./threads >walls || echo "status $?"
    "$prof" merge --as runs -o two.prof b.prof c.prof 2>err || echo "merge: $(cat err)"
    for f in b c two; do "$prof" report --json $f.prof | jq .ledger.run_delay_ns; done | tr '\n' ' ' | awk '$1 + $2 != $3 { print "of two runs " $3 " for " $1 " and " $2 }'
}
wanted preempted && result preempted "$(patiently preempted)"
wanted blocked-words && result blocked-words "$(patiently blocked_words)"
wanted blocked && result blocked "$(patiently blocked)"
# While a program waits for input others idle: that is the fault of what waits, as long as it takes,
# and of what computes alone. With frame pointers, too, which the kernel does not tell.
waits() { # FLAGS
    g++ -std=c++17 -g $1 "$here/blocked.cpp" -o blocked -ltbb || return
    PROF_OUTPUT=b.prof LD_PRELOAD=$so timeout 60 ./blocked >walls || echo "status $?"
    read -r loaded computed <walls
    "$prof" report --json b.prof | jq -r --argjson loaded "$loaded" --argjson computed "$computed" '
        def of(f; key): [.functions[] | select(.function == f) | .all[key]] | add // 0;
        of("load"; "blocked_ns") as $blocked | of("load"; "idleness_ns") as $waits | of("compute"; "idleness_ns") as $alone |
        ($waits / ($waits + $alone + 1)) as $share | ($loaded / ($loaded + $computed)) as $want |
        (if ($blocked / $loaded - 1 | fabs) > 0.1 then "load blocked \($blocked) ns for \($loaded)" else empty end),
        (if .ledger.run_delay_ns + $blocked > 1.05 * .ledger.blocked_ns then "\(.ledger.run_delay_ns) ns without a CPU, of \(.ledger.blocked_ns)" else empty end),
        (if ($share - $want | fabs) > 0.1 then "load has \($share) of the idleness for \($want)" else empty end),
        (if $waits + $alone < 0.8 * .ledger.sleep_ns then "\($waits) and \($alone) of \(.ledger.sleep_ns) idle" else empty end),
        (.ledger.on_cpu_ns / .ledger.kernel_cpu_ns - 1 | if fabs > 0.03 then "ledger: on the CPU \(.) beside the kernel" else empty end)' || echo "jq: status $?"
    COLUMNS=2000 "$prof" report b.prof | grep -q 'The largest part of it, [0-9.]* m*s, was in load (blocked.cpp:[0-9]*) and' || echo "not said: $("$prof" report b.prof | head -20)"
    "$prof" export -M blocked b.prof | grep -q '^main;load;.*read ' || echo "no path to read: $("$prof" export -M blocked b.prof)"
}
wanted waits && result waits "$(patiently waits -O2)"
wanted waits-frame-pointers && result waits-frame-pointers "$(patiently waits '-O2 -fno-omit-frame-pointer')"
wanted waits-unoptimised && result waits-unoptimised "$(patiently waits -O0)"
# Looks that take long, or find somebody who was not there at the last one, tell as much.
asleep() { # MODE PATH SHARE
    PROF_OUTPUT=b.prof LD_PRELOAD=$so timeout 60 ./asleep $1 >slept || echo "status $?"
    "$prof" export -M blocked b.prof >b.paths
    awk -v path="^main;$2;" -v share=$3 'FNR == NR { slept = $1 } $0 ~ path { ns += $NF }
        END { if (ns < share * slept || ns > 1.05 * slept + 2e7) print path " has " ns " ns of " slept }' slept b.paths
}
wanted asleep-many && result asleep-many "$(patiently asleep many '(sleeper|waker);nap' 0.97)"
wanted asleep-brief && result asleep-brief "$(patiently asleep brief 'creator;sleeper;nap' 0.75)"
wanted asleep-coroutine && result asleep-coroutine "$(patiently asleep coroutine '\\[unknown\\];.*;nap' 0.95)"
wanted asleep-altstack && result asleep-altstack "$(patiently asleep altstack '\\[unknown\\];.*;nap' 0.95)"
wanted asleep-stale && result asleep-stale "$(patiently asleep stale 'small;among_words;variable;usleep' 0.95)"
wanted asleep-small && result asleep-small "$(patiently asleep small 'small;variable;usleep' 0.95)"

# ---- what if ----
# MODE SPEC { NAME SHARE }...: the span of scenario NAME is that share of the program's, within 5
# points.
what_if() {
    "$prof" run --no-report -o w.prof -e PROF_SAMPLE=1000 --whatif "$2" -- ./whatif $1 >out 2>err || echo "status $?"
    grep -v '^prof: wrote' err
    "$prof" report --json w.prof >w.json 2>/dev/null
    jq -r 'if (.whatif.scenarios | length) == 0 then "no scenarios" else empty end' w.json
    shift 2
    shares "$@"
}
shares() {
    while [ $# -gt 0 ]; do
        jq -r --arg n "$1" --argjson share "$2" '(.whatif.scenarios[] | select(.name == $n)) as $s | ($s.span_ns / .program.span_ns) as $is |
            if ($is - $share | fabs) > 0.05 then "\($n): \($is) of the span for \($share)" else empty end' w.json
        shift 2
    done
}
wanted whatif-small && result whatif-small "$(patiently what_if small 'second=3x;first=inf' 'second 3x' 0.5 'first at no cost' 0.75 'second 3x, first at no cost' 0.25)"
wanted whatif-unlike && result whatif-unlike "$(patiently what_if unlike 'first=10x;second=10x;first=10x&second=2x' 'first 10x' 1 'second 10x' 1 'first 10x, second 2x' 0.5)"
wanted whatif-inlined && result whatif-inlined "$(patiently what_if inlined 'inlined=2x;second=4x' 'inlined 2x' 0.7 'second 4x' 0.7 'inlined 2x, second 4x' 0.4)"
wanted whatif-spawner && result whatif-spawner "$(patiently what_if spawner 'spawner=10x;second@whatif.cpp=2x' 'spawner 10x' 0.55 'second@whatif.cpp 2x' 0.5)"
own() {
    # what it costs is what the program says; how fast the same loop is in two places is the
    # compiler's
    what_if own 'main@own=3x;call=2x'
    awk '/^own/ { own = $2 } /^call/ { call = $2 } END { all = own + call; print (own / 3 + call) / all, (own + call / 2) / all, (own / 3 + call / 2) / all }' out >want
    read -r a b c <want
    shares 'main@own 3x' "$a" 'call 2x' "$b" 'main@own 3x, call 2x' "$c"
}
wanted whatif-own && result whatif-own "$(patiently own)"
body=$(grep -n 'first(us); second' "$here/whatif.cpp" | cut -d: -f1) call=$(grep -n '^__attribute__.* void second' "$here/whatif.cpp" | cut -d: -f1)
wanted whatif-line && result whatif-line "$(patiently what_if small "@whatif.cpp:$body=2x;second@whatif.cpp:$call=3x" "@whatif.cpp:$body 2x" 0.5 "second@whatif.cpp:$call 3x" 0.5)"

# 20,000 frames are too many for one path: it is cut, says so, and still begins and ends where it
# should.
deep() {
    PROF_SAMPLE=1000 PROF_OUTPUT=d.prof LD_PRELOAD=$so timeout 60 ./known deep || echo "status $?"
    "$prof" export -M work --physical d.prof 2>/dev/null | grep -q '^.*deep.*burn_leaf' || echo "no path to burn_leaf"
    "$prof" report --json d.prof 2>/dev/null | jq -r 'if .sampling.samples < 20 then "only \(.sampling.samples) samples" else empty end,
        (.functions[] | select(.function == "deep") | .all.work_ns / 1e6) as $ms | if $ms < 150 then "deep has \($ms) ms" else empty end'
}
wanted deep && result deep "$(patiently deep)"

# A walk stays inside the memory of a stack that the program made, and finds its way back from a
# signal's.
stacks() {
    timeout 60 env PROF_SAMPLE=1000 PROF_OUTPUT=k.prof LD_PRELOAD=$so ./known stacks || echo "status $?"
    "$prof" export -M work k.prof 2>/dev/null | grep -E 'burn_(first|second)' | sed 's/;burn_first.*/;burn_first/; s/;burn_second.*/;burn_second/; s/;__GI_raise.*;handles/;...;handles/' | sort -u >got
    grep -q '^main;.*;\[unknown\];coroutine;burn_first$' got || echo "no path of the coroutine: $(cat got)"
    grep -q '^main;.*;interrupted;.*;handles;burn_second$' got || echo "no path of the handler: $(cat got)"
}
wanted stacks && result stacks "$(patiently stacks)"

# A spawn far below its task's entry does not walk the stack each time.
below() {
    timeout 60 env PROF_OUTPUT=d.prof LD_PRELOAD=$so ./known below || echo "status $?"
    said=$("$prof" report --json d.prof 2>&1 | jq -r '.settings["spawn-paths"]')
    case $said in *', 0 of them not kept'*) ;; *) echo "spawn paths: $said" ;; esac
}
wanted below && result below "$(patiently below)"

# A stripped program has no names; its functions are still told apart, by the unwind tables.
stripped() {
    strip known -o bare
    PROF_OUTPUT=b.prof LD_PRELOAD=$so timeout 60 ./bare span || echo "status $?"
    "$prof" report --json b.prof 2>/dev/null | jq -r '[.functions[] | select(.self.samples_on_span > 30 and (.function | startswith("bare+0x"))) | .self.samples_on_span] | sort as $n |
        if ($n | length) != 2 or $n[1] < 1.5 * $n[0] or $n[1] > 3.6 * $n[0] then "functions with \($n) samples on the critical path" else empty end'
}
wanted stripped && result stripped "$(patiently stripped)"

# ---- sources ----
source_() { # SETTING SOURCE [LINE]
    PROF_SAMPLE=$1 PROF_OUTPUT=c.prof LD_PRELOAD=$so timeout 60 ./known span 2>err
    "$prof" report --json c.prof 2>/dev/null | jq -r --arg s "$2" 'if .sampling.source != $s then "source \(.sampling.source)" else empty end,
        if $s != "" and .sampling.samples == 0 then "no samples" else empty end'
    if [ -n "$3" ]; then [ "$(wc -l <err)" = 1 ] && grep -q "$3" err || echo "stderr: $(cat err)"; else cat err; fi
}
wanted source-off && result source-off "$(source_ off '')"
wanted source-rate && result source-rate "$(patiently source_ 100 'thread CPU timer')"
wanted source-task-clock && result source-task-clock "$(patiently source_ task-clock:1000 task-clock)"
wanted source-bad && result source-bad "$(patiently source_ cpu:0 'thread CPU timer' 'PROF_SAMPLE=cpu:0 is not')"
wanted source-unknown && result source-unknown "$(patiently source_ bogus:5 'thread CPU timer' 'PROF_SAMPLE: bogus: .*using cpu:250')"
# Threads without a timer have no samples: said at once, and in the profile.
denied() {
    timeout 60 prlimit --sigpending=0:0 env PROF_OUTPUT=l.prof LD_PRELOAD=$so ./known span 2>err || echo "status $?"
    [ "$(wc -l <err)" = 1 ] && grep -q 'PROF_SAMPLE: .*not sampled' err || echo "stderr: $(cat err)"
    "$prof" report l.prof 2>/dev/null | grep -q 'LOST: samples (2)' || echo "the report does not say it"
}
wanted source-denied && result source-denied "$(denied)"
# The same by a filter of system calls, which the CPU clocks do not pass either: no nonsense, and
# two lines.
filtered() {
    timeout 60 env PROF_OUTPUT=l.prof LD_PRELOAD=$so ./known filtered >used 2>err || echo "status $?"
    [ "$(wc -l <err)" = 2 ] && grep -q 'PROF_SAMPLE: .*not sampled' err && grep -q 'PROF_CLOCK=tsc: .*preemption counts as work' err || echo "stderr: $(cat err)"
    "$prof" report --json l.prof 2>/dev/null | jq -r --argjson used "$(sed -n 's/^used //p' used)" '
        if .program.work_ns < 0.9 * $used then "work \(.program.work_ns) for \($used)" else empty end,
        if (.ledger.kernel_cpu_ns // 0) > 100 * $used then "the kernel counted \(.ledger.kernel_cpu_ns)" else empty end'
}
wanted source-filtered && result source-filtered "$(patiently filtered)"

# ---- what limits a region is named as what it is ----
verdict() { # WHAT FUNCTION EXPECTED
    PROF_SAMPLE=1000 PROF_OUTPUT=v.prof LD_PRELOAD=$so timeout 60 ./openmp "$1" || echo "status $?"
    "$prof" report --json v.prof 2>/dev/null | jq -r --arg f "$2" --arg want "$3" '[.functions[] | select(.function == $f) | .verdict] as $said |
        if $said != [$want] then "\($f): \($said) for \($want)" else empty end'
}
wanted verdict-single && result verdict-single "$(patiently verdict single alone "one thread's share of a region on the critical path: balance it")"
wanted verdict-critical && result verdict-critical "$(patiently verdict critical inside 'runs while others wait for a critical section or lock: shorten it')"
wanted verdict-uneven && result verdict-uneven "$(patiently verdict uneven uneven "one thread's share of a region on the critical path: balance it")"
wanted verdict-serial && result verdict-serial "$(patiently verdict serial serial 'serial on the critical path: parallelise')"
# Nobody is told of a loop that is not there, nor that a loop allows no more than its threads made
# of it.
region_words() {
    PROF_OUTPUT=v.prof LD_PRELOAD=$so timeout 60 ./openmp single || echo "status $?"
    COLUMNS=2000 "$prof" report v.prof >words 2>/dev/null
    grep -q 'What a thread executes by itself there is one strand: a block of its own (single, master), its share of a static loop' words || echo 'what a strand is there is not said'
    grep -q 'If there are loops in them, they may be more parallel than that' words || echo 'what loops allow is not said'
    grep -q 'not what the loops allow' words && echo 'a loop that is not there is'
}
wanted region-words && result region-words "$(patiently region_words)"
# A run of 100 ms is closed against the kernel, too: what the process needed before and beside it is
# known.
short_ledger() {
    PROF_OUTPUT=v.prof LD_PRELOAD=$so timeout 60 ./openmp short || echo "status $?"
    "$prof" report --json v.prof 2>/dev/null | jq -r '.ledger | (.on_cpu_ns / (.kernel_cpu_ns - .cpu_before_libprof_ns - .cpu_of_start_and_end_ns) - 1) as $gap |
        if ($gap | fabs) > 0.01 then "on the CPU \($gap) beside the kernel" else empty end,
        if .cpu_before_libprof_ns <= 0 or .cpu_of_start_and_end_ns <= 0 then "before: \(.cpu_before_libprof_ns), start: \(.cpu_of_start_and_end_ns)" else empty end'
    "$prof" report --json v.prof 2>/dev/null | jq -r 'if (.ledger | .search_ns + .sleep_ns + .without_thread_ns | round) != .program.idle_ns then "idle: \(.program.idle_ns)" else empty end'
}
wanted short-ledger && result short-ledger "$(patiently short_ledger)"

# ---- the application comes first ----
signals() {
    timeout 60 ./signals >native         # timeout changes what is ignored: the same for both
    timeout 60 env PROF_RUN=1 PROF_OUTPUT=g.prof LD_PRELOAD=$so ./signals >got 2>err || echo "status $?"
    cmp -s native got || diff native got
    cat err
    "$prof" report --json g.prof 2>/dev/null | jq -r 'if ([.functions[] | select(.function == "burn_masked") | .all.samples] | add // 0) < 30
        then "a thread that blocks all signals is not sampled" else empty end'
}
wanted signals && result signals "$(patiently signals)"
# Handlers that leave by longjmp, over ours or beside it, do not end a thread's samples.
jumps() {
    PROF_SAMPLE=1000 PROF_OUTPUT=h.prof LD_PRELOAD=$so timeout 60 ./handlers jump || echo "status $?"
    "$prof" report --json h.prof >h.json 2>/dev/null
    samples_are burn_after 600000000 h.json samples
}
wanted jumps && result jumps "$(patiently jumps)"
# Who waits for every signal there is gets none of ours; who handles ours has it as without us.
handlers() { # MODE SAMPLE
    timeout 60 ./handlers "$1" >native || echo "status $?"
    PROF_SAMPLE=$2 PROF_OUTPUT=h.prof LD_PRELOAD=$so timeout 60 ./handlers "$1" >got || echo "status $?"
    diff native got | head -3
}
wanted waits-for-all && result waits-for-all "$(handlers all task-clock:4000)"
wanted own-handler && result own-handler "$(handlers own 1000)"
stress() {
    library=$(ls /usr/lib/x86_64-linux-gnu/libcriterion.so.* /lib/x86_64-linux-gnu/libm.so.6 2>/dev/null | head -1)
    PROF_SAMPLE=$1 PROF_OUTPUT=t.prof LD_PRELOAD=$so timeout -s ABRT $((${STRESS:-4} * 5 + 30)) ./stress ${STRESS:-4} "$library" >got 2>err || echo "status $?"
    # perf_event's signals may interrupt what blocks, the CPU timer's do not
    [ "$1" = task-clock:4000 ] || [ "$(cat got)" = 'interrupted 0' ] || cat got
    cat err
    "$prof" report --json t.prof 2>/dev/null | jq -r 'if .sampling.samples < 1000 then "only \(.sampling.samples) samples" else empty end'
}
wanted stress && result stress "$(patiently stress 10000)"
wanted stress-perf && result stress-perf "$(patiently stress task-clock:4000)"
exit $failures
