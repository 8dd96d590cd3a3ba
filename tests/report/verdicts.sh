# verdicts.sh - a part of run.sh: the costliest finding comes first, with its share and its reason.
# A verdict on grain depends on the number, the mean and the longest of the tasks. A verdict on
# idleness needs a ledger whose idle time is not for lack of a processor.

tells() { # NAME VERDICT KEY=VALUE...: of the function that the tasks execute
    name=$1 expected=$2
    shift 2
    grain "$name" "$@"
    json "verdict-$name" '.functions[] | select(.function | startswith("app+0x402")) |
        .verdict' "\"$expected\"" "$name.prof"
}

enough='parallelism is enough here: make its work less'
waiting='parallelism is enough here, unless waits on the CPU forbid it: make its work less'

# ---- what costs most comes first ----
# fib without a cutoff: 2 x 1000 ms, of which the program's own code has 70
grain fib
limits limits-fib '[["overhead","small_tasks"],["libprof",""],["idleness","small_tasks"]]' fib.prof
json limits-fib-share '.limits[0] | [.ns, (.share * 1000 | round)]' '[1630000000,815]' fib.prof
json limits-fib-site '.limits[0].site | [.construct, .function]' '["task_group","app+0x400fff"]' \
    fib.prof
has_words limits-fib-first fib.txt \
    '^  Of the time of its 2 workers, 82 % was overhead of the runtime, 8 % was libprof' \
    'itself, 6 % was idle; 4 % the program.s own work.$'
has_words limits-fib-words fib.txt \
    'The runtime took 1.630 s, 82 % of the worker time: overhead of tasking.' \
    '8,000,000 tasks have 8.9 ns (+- 2.0 ns) of the program.s own code each on average, and the' \
    'runtime took 204 ns for each of them, as measured with libprof (18.8 ns or more of that may' \
    'be libprof.s own)[.]'
has_words limits-fib-then fib.txt \
    'Parallelism 500.5 is ample for 2 workers (ten times as much, or more):' \
    'it is not what keeps this run from being faster'
json limits-fib-json '.limits[0].text | startswith("The runtime took 1.630 s")' true fib.prof
"$prof" whatif fib.prof >fib.whatif 2>/dev/null
has limits-fib-candidates 'each spread over 16 workers' fib.whatif
has whatif-ledger 'Of the time of its 2 workers, 82 % was overhead of the runtime' fib.whatif
equal whatif-ledger-json overhead "$("$prof" whatif --json fib.prof 2>/dev/null |
    jq -r '.limits[0].what')"
# each other cost can be the largest
grain costly work=300 own=900 dispatch=200 sleep=500 blocked=100 longest=10 span=1
limits limits-libprof '[["libprof",""],["idleness",""],["overhead",""],["blocked",""]]' costly.prof
grain off work=500 span=5 blocked=1400 sleep=100 longest=10 delay=1350000000
limits limits-blocked '[["blocked","preempted"],["idleness","preempted"]]' off.prof
has limits-in-step \
    'could have run for 1.350 s more, .* in step with the kernel.s tick, and +- is too small' \
    off.txt
grain narrow
limits limits-span '[["span",""]]' narrow.prof
has limits-span-overview 'up to 29 % was idle for lack of parallelism' narrow.txt
has limits-span-words 'This explains up to 400.000 ms of idle time, 29 % of the worker time' \
    narrow.txt
grain thin tasks=5 work=900 span=300 sleep=400 elapsed=700 root=100 longest=300
has limits-thin-words \
    'Too little parallelism (2.50) explains up to 400.000 ms of idle time, 29 % of the worker' \
    thin.txt
grain busy
limits limits-none '[]' busy.prof
has limits-none-words 'Of the time of its 2 workers, nothing but 100 % the program.s own work' \
    busy.txt
./gen dag 1 50 >virtual.prof
json limits-virtual .limits '[]' virtual.prof
# The warning of short strands depends on the program's own code in them. Here it is 200 ms in
# 4,000,000 tasks, while the runtime's share of the work goes from 50 to 95 %.
for inside in 50 60 70 80 90 95; do
    grain short tasks=4000000 work=$((20000 / (100 - inside))) inside=$inside span=1
    json short-strand-$inside '.program |
        [.strand_is_short, (.own_code_per_task_ns | round | . > 40 and . < 65)]' \
        '[true,true]' short.prof
done
# 2 s of the program's own code in 1,000,000 tasks: no short strands, although the runtime took
# another 2 s inside them
grain long tasks=1000000 work=4000 elapsed=2500 inside=50 span=1
json long-strand .program.strand_is_short false long.prof

# ---- idle with ample parallelism: the report says why ----
grain taskloop
limits limits-taskloop '[["idleness","undeferred"]]' taskloop.prof
has_words limits-taskloop-words taskloop.txt \
    'and parallelism does not explain it: one thread executed 700 of the 700 tasks of' \
    'taskloop at .*libgomp: 64 for each thread'
# tasks that others have stolen were deferred
grain stolen construct=taskloop tasks=700 invocations=1 work=1000 span=2 sleep=990 longest=3 \
    threads=1 busiest=100 steals=700
limits limits-stolen '[["idleness","one_thread"]]' stolen.prof
json threads-taskloop '.sites[] | select(.construct == "taskloop") |
    [.threads, .busiest_thread_tasks, (.busiest_thread_share * 100 | round), (.mean_task_ns / 1000 |
    round), .longest_task_ns]' '[1,700,100,1431,3000000]' taskloop.prof
# the call of a taskloop is none of its tasks: libgomp counts it, the source has three
grain numbered tasks=4 invocations=1 on=1 construct=taskloop work=900 span=310 longest=310 threads=2
json tasks-taskloop '.sites[] | select(.construct == "taskloop") |
    [.tasks, .tasks_of_mean, .mean_task_ns]' '[4,3,300000000]' numbered.prof
json tasks-times-mean '[.sites[] | select(.tasks > 0) |
    .tasks_of_mean * .mean_task_ns - .local_work_ns | fabs < 1] | all' true numbered.prof
has tasks-taskloop-row ' 3  *300 ms .* taskloop' numbered.txt
grain alone tasks=100 work=1000 span=10 sleep=990 longest=12 threads=1 busiest=100
limits limits-alone '[["idleness","one_thread"]]' alone.prof
grain both tasks=100 work=1000 span=10 sleep=990 longest=12 threads=2 busiest=55
limits limits-not-alone '[["idleness",""]]' both.prof
grain few tasks=12 work=1000 span=49 on=1 sleep=990 longest=90 threads=2
limits limits-few '[["idleness","few_tasks"]]' few.prof
# two fifths of the idle time, a worker had no CPU: the others may have waited for its tasks
grain few-busy tasks=12 work=1000 span=49 on=1 sleep=990 longest=90 threads=2 ready=400000000 \
    delay=400000000
limits limits-few-busy '[["idleness","preempted"]]' few-busy.prof
has limits-few-busy-words 'The others may have waited for them' few-busy.txt
# with one task at a time, workers with processors would idle as well
grain serial-busy tasks=12 work=1000 span=1000 on=1 elapsed=2000 sleep=2990 longest=90 threads=2 \
    ready=1800000000 delay=1800000000
limits limits-serial-busy '[["idleness","preempted"],["span",""]]' serial-busy.prof
"$prof" report serial-busy.prof >serial-busy.txt 2>/dev/null
has_not limits-serial-busy-action 'run it again' serial-busy.txt
grain absent tasks=1000 work=1000 span=9 absent=990 longest=1
limits limits-absent '[["idleness","absent"]]' absent.prof
# nor are tasks that exclude each other, which the span does not have
grain excluding construct=taskloop tasks=700 invocations=1 work=1000 span=2 sleep=990 longest=3 \
    threads=1 busiest=100 flags=1
limits limits-excluding '[["idleness","one_thread"]]' excluding.prof
# others' load is no reason for fewer threads
grain lone work=500 span=500 blocked=1400 longest=10 delay=1350000000 workers=1 elapsed=2000
"$prof" report lone.prof >lone.txt 2>/dev/null
has limits-lone 'Do first: run it again where nothing else needs the processors[.]$' lone.txt
# a region's unequal parts are its low parallelism
grain lopsided construct='parallel for' runtime=openmp flags=4 tasks=2 on=1 threads=2 work=1120 \
    span=1000 longest=1000 elapsed=1900 sleep=2600 root=1
has lopsided 'Too little parallelism (1.12) explains up to' lopsided.txt
has lopsided-rest 'Workers were idle for ' lopsided.txt
has_not lopsided-twice 'are unequal' lopsided.txt
has_not lopsided-explained 'parallelism does not explain' lopsided.txt
# threads that come and go
grain churn construct=pthread_create tasks=1000 work=1000 span=9 absent=990 longest=1
limits limits-churn '[["idleness","absent"]]' churn.prof
has limits-churn-words \
    'slots had no thread: the program started 1,000 threads for 2 slots, of 1.00 ms of work each' \
    churn.txt
# workers that others kept from the processors have a row, and the sentence names that reason
grain ready tasks=1000 work=1000 span=9 sleep=990 longest=1 delay=0 ready=700000000
limits limits-ready '[["idleness","preempted"]]' ready.prof
has limits-ready-words \
    'for 700 ms of it, workers could have run, but other threads and programs had the processors' \
    ready.txt
has limits-ready-row '^ *35.0 *700 ms *idle: ready, others had the processors *estimated$' ready.txt
has limits-ready-rest '^ *14.5 *290 ms *idle: asleep *the rest off the CPU$' ready.txt
json limits-ready-json '.ledger | [.sleep_ns, .sleep_run_delay_ns]' \
    '[990000000,700000000]' ready.prof
has_not limits-not-in-step 'in step' ready.txt
# 2 workers need 900 ms at least, 600 ms of it idle, although others had the processors, too
grain taken tasks=3 work=1200 span=900 sleep=720 longest=900 delay=0 ready=720000000
has limits-taken 'Too little parallelism (1.33) explains 601.000 ms to 720.000 ms of idle time' \
    taken.txt
has limits-taken-rest 'Workers were idle for another 119.000 ms' taken.txt
grain clocked work=500 span=5 blocked=1400 sleep=100 longest=10 delay=1350000000 source=task-clock
has_not limits-no-tick 'in step' clocked.txt
has_not limits-not-ready 'idle: ready' both.txt
json limits-not-ready-json .ledger.sleep_run_delay_ns null both.prof
# strands that live between two off-CPU samples: neither the kernel's count nor a sample has them
grain brief work=500 span=5 blocked=1400 sleep=100 longest=10 delay=100000000
has limits-brief \
    'For at least 100.000 ms they could have run, .* The cause of the rest is unknown' \
    brief.txt
# strands were off the CPU for 1.4 s; for 1 s, the kernel counted, they could have run. No off-CPU
# sample shows what the other 0.4 s were, so the report names no wait
grain partly work=500 span=5 blocked=1400 sleep=100 longest=10 delay=1000000000
has limits-partly \
    'For at least 1.000 s they could have run, .* The cause of the rest is unknown' \
    partly.txt
has_not limits-partly-waits 'Strands waited' partly.txt
grain stolen tasks=1000000 on=9 work=1000 span=9 sleep=990 longest=1
limits limits-tiny '[["idleness","small_tasks"]]' stolen.prof
# one thread executed nearly all tasks, and others had the processors for most of the idle time:
# that comes first
grain alone-ready tasks=403 work=1000 span=9 sleep=990 longest=3 threads=2 busiest=99 delay=0 \
    ready=900000000
limits limits-alone-ready '[["idleness","preempted"]]' alone-ready.prof
# less than half of the idle time: what the ledger has comes first, and the rest is not known
grain partly-ready tasks=1000 work=1000 span=9 sleep=990 longest=1 delay=0 ready=400000000
limits limits-partly-ready '[["idleness",""]]' partly-ready.prof
has_words limits-partly-ready-words partly-ready.txt \
    'for 400 ms of it, workers could have run, but other threads and programs had the' \
    'processors. This profile does not show what else kept tasks from the idle workers'
# of 400 ms of idle time, parallelism does not explain 200, nor the 300 in which workers had no CPU
grain part-above work=1000 span=199 root=1 sleep=400 elapsed=700 longest=1 delay=0 ready=300000000
limits limits-no-part-above '[["idleness","preempted"],["span",""]]' part-above.prof
has limits-part-above 'for 300 ms of it, workers could have run, but other' part-above.txt
has limits-part-below 'Too little parallelism .* explains 100.000 ms to 200.000 ms of idle' \
    part-above.txt
has limits-part-range 'idle for 400.000 ms, 29 %.*, 200 ms to 300 ms of it beside what too' \
    part-above.txt
# Strands of a region are no tasks at a time. Where parallelism is below the workers, few of them
# are no other reason than that.
grain few-chunks tasks=5 invocations=1 on=1 construct=parallel flags=4 threads=2 workers=8 \
    work=74 span=56 root=1 sleep=725 elapsed=100 longest=37
limits limits-few-chunks '[["span",""],["idleness",""]]' few-chunks.prof
# an old profile has no threads
grain old tasks=700 invocations=1 construct=taskloop work=1000 span=2 sleep=990
limits limits-old '[["idleness",""]]' old.prof
json limits-old-null '.sites[] | select(.construct == "taskloop") | [.threads, .longest_task_ns]' \
    '[null,null]' old.prof

# ---- what is outside every task ----
critical='of the critical path is code outside every task'
outside() { # NAME WORDS KEY=VALUE...
    name=$1 expected=$2
    shift 2
    grain "$name" "$@"
    has "outside-$name" "$expected" "$name.txt"
    has_not "outside-$name-claims-no-more" 'critical path is the program.s own code' "$name.txt"
}
outside unhit \
    "90.0 % $critical. No sample hit it: it is the program's, or the runtime's start and end" \
    work=1000 span=0.1 root=0.9
outside hit \
    "$critical, between the parallel constructs .*: 100 % of its 80 samples hit the program" \
    work=1000 span=20 root=80
outside started "$critical, .*: 25 % of its 80 samples hit the program, the others the runtime" \
    work=1000 span=20 root=80 started=75
# one thread without a task is serial, in sentences as in figures (ZERO: tasks, spawns)
ZERO=56,64 ./gen run 100 0 1 >serial.prof
COLUMNS=900 "$prof" report --full serial.prof >serial.txt 2>/dev/null
has outside-no-task 'No tasks were seen: what libprof saw is serial, so its parallelism is 1' \
    serial.txt
has_not outside-no-task-says 'nothing to say about its parallelism' serial.txt
json outside-no-task-json '[.program.parallelism, .functions[0].verdict]' \
    '[1,"serial on the critical path: parallelise"]' serial.prof

# ---- barriers ----
grain barriers tasks=88367 invocations=1 construct=parallel flags=4 workers=1 threads=1 work=30 \
    span=30 dispatch=960 longest=0.01
limits limits-barriers '[["overhead","barriers"]]' barriers.prof
has limits-barriers-words 'barriers in inner loops at app+0x400fff' barriers.txt
has_not limits-barriers-serial 'It is serial' barriers.txt
json verdict-barriers '.functions[] | select(.function | startswith("app+0x402")) | .verdict' \
    '"barriers in inner loops: 88,366"' barriers.prof
# of two threads that wait there for each other
grain barriers-idle tasks=803 invocations=1 on=1 construct=parallel flags=4 threads=2 busiest=98 \
    work=10 span=9 sleep=1900 longest=1
limits limits-barriers-idle '[["idleness","barriers"]]' barriers-idle.prof
has limits-barriers-idle-words \
    "its threads wait for each other at the barriers in inner loops at app+0x400fff" \
    barriers-idle.txt
# A loop in the region was handed out in chunks: no barriers. But each barrier gives all threads a
# strand, so as many for each are barriers, whatever the chunks are.
handed='tasks=20003 invocations=1 on=1 construct=parallel flags=4 threads=2 work=350 span=300'
grain handed $handed busiest=52 handed=20000 sleep=1500 longest=0.1
limits limits-handed '[["idleness",""],["span",""]]' handed.prof
has_not limits-handed-words 'barriers in inner loops' handed.txt
grain handed-barriers $handed busiest=50 handed=20000 sleep=1500 longest=0.1
has limits-handed-barriers 'barriers in inner loops at app+0x400fff' handed-barriers.txt
# a team has one task for each thread: no fewer at a time than there are workers, and nobody waits
# for longer than until the longest ends
grain team tasks=60 invocations=20 on=20 construct=parallel flags=4 threads=2 work=300 span=160 \
    sleep=1600 longest=8
limits limits-team '[["idleness",""]]' team.prof
# one worker has no load to balance
grain single work=30 span=10 root=0 workers=1 threads=1
has limits-one-worker \
    'Parallelism 3.00 keeps one worker busy, but bounds more workers: with this run.s' single.txt
grain regions tasks=88367 invocations=88367 construct=parallel flags=4 workers=1 threads=1 \
    work=30 span=30 dispatch=960 longest=0.01
limits limits-regions '[["overhead","small_tasks"]]' regions.prof

# ---- grain ----
tells coarse 'too coarse for P: about 3.0 tasks at a time, of 300 ms' tasks=3 work=900 span=300 \
    sleep=1000 root=10 longest=310
tells uneven 'imbalanced: 8 tasks, longest 1.9 x the mean' tasks=8 work=1000 span=238 sleep=700 \
    longest=238
tells one-long 'imbalanced: 4,000 tasks, longest 800.0 x the mean' tasks=4000 work=1000 span=200 \
    sleep=700 longest=200
tells small "$enough" tasks=4100000 on=9 work=1000 span=50 sleep=900 longest=0.001
tells fine-8us "$enough" tasks=124832 on=9 work=1000 span=50 sleep=900 \
    longest=0.01
tells alone 'one thread executed 700 of 700 tasks' tasks=700 work=1000 span=200 sleep=900 \
    longest=2 threads=1 busiest=100
# no task is too long where there is ample parallelism, and no worker idle
tells long-ample "$enough" tasks=200 on=1 work=1000 span=20 longest=10 elapsed=520
has limits-most-words 'Of the time of its 2 workers, 96 % was the program.s own work' long-ample.txt
# each thread that the program starts executes nothing but itself, though all have one record
grain one-by-one construct=pthread_create tasks=1000 invocations=1000 on=1000 work=500 span=475 \
    sleep=1400 longest=1 threads=1 busiest=100
has_not limits-one-by-one 'one thread executed' one-by-one.txt
# as many tasks as keep three quarters of the time for the program are not coarse
tells coarse-69 "$enough" tasks=69 on=1 work=6900 span=100 workers=8 longest=100 \
    sleep=1000 root=10
tells coarse-31 'too coarse for P: about 31 tasks at a time, of 100 ms' tasks=31 on=1 work=3100 \
    span=100 workers=8 longest=100 sleep=1000 root=10
# A region counts its executions and its threads' strands as tasks. Those that gave all their work
# to chunks are empty: they are neither in the number of tasks nor in their mean.
equal='flags=4 invocations=1 on=1 threads=2 work=160 root=0 sleep=100'
for construct in 'parallel' 'parallel for'; do
    tells "equal-$construct" 'parallelism of its own 3.90: shorten its part of the critical path' \
        construct="$construct" $equal tasks=7 handed=4 span=41 longest=41
    json "equal-mean-$construct" '[.sites[] | select(.tasks == 7) | .mean_task_ns]' '[40000000]' \
        "equal-$construct.prof"
    # in the combined construct, no thread executes anything but its chunks
    case $construct in *for) split=': split that iteration' ;; *) split= ;; esac
    tells "unequal-$construct" "imbalanced: 8 tasks, longest 2.5 x the mean$split" \
        construct="$construct" $equal tasks=11 handed=8 span=50 longest=50
done
grain static construct=parallel $equal tasks=3 span=80 longest=80
json static-mean '[.sites[] | select(.tasks == 3) | .mean_task_ns]' '[80000000]' static.prof
grain chunked construct=parallel flags=4 invocations=1 on=1 threads=2 work=160 span=90 tasks=7 \
    handed=4 longest=40
has chunked-words 'Chunks of one iteration do not divide further' chunked.txt
has static-words 'If these regions have loops, the loops may be more parallel than that' static.txt
# Too few samples hit the critical path. The exact costs of its tasks show that it may be long.
few='too few samples on the critical path: run longer, or with PROF_SAMPLE=task-clock:1000'
verdict_of() { # NAME FUNCTION VERDICT: in NAME.prof
    json "verdict-$1-$2" "[.functions[] | select(.function | startswith(\"$2\")) | .verdict]" \
        "[\"$3\"]" "$1.prof"
}
tells hit-never "$few" tasks=60 on=1 work=400 span=240 hits=0 longest=10 recursive=1
tells hit-thrice "$few" tasks=60 on=1 work=400 span=240 hits=3 beside=1 longest=10 recursive=1
tells hit-ample "$enough" tasks=4000 on=9 work=1000 span=1 hits=0 longest=1
# no sample splits the path of a loop that is ample: it is not one at a time
tells unhit-loop "$enough" construct=parallel_for tasks=60 on=1 work=60 span=1 \
    hits=0 root=0 longest=1
verdict_of unhit-loop '[parallel_for]' ''
grain unhit-serial construct=parallel_for tasks=60 on=1 work=60 span=60 hits=0 root=0 longest=1
verdict_of unhit-serial '[parallel_for]' "one at a time on the critical path: parallelise or \
shorten it"
# a verdict of fewer than five samples is none
tells three-samples '' tasks=3 on=1 work=3 span=1 longest=1
tells four-samples '' tasks=400 on=1 work=4 span=0.01 longest=0.01
tells five-samples "$enough" tasks=400 on=1 work=5 span=0.01 longest=0.01
tells four-serial '' tasks=4 on=4 work=4 span=4 root=0.01 longest=1
tells four-fine '' tasks=1000000 work=4 inside=50 span=0.01 root=0.01 longest=0.01
# the threads of a region wait for their turn: balance is no matter
share="one thread's part of a region, on the critical path: split it (a loop: balance it)"
turns_region='construct=parallel flags=4 invocations=1 on=1 threads=2 work=400 root=0'
told='in a region whose threads wait for their turn: shorten what is in order'
tells doacross "$told" $turns_region tasks=3 span=390 longest=200 turns=300 sleep=300
# no sample shows that it is on the critical path, but other code has less work than that is long
tells ordered-unhit "$told" $turns_region tasks=43 handed=40 span=240 hits=0 longest=10 turns=300
# a sample of the last turn shows no more
tells ordered-hit "$told" $turns_region tasks=43 handed=40 span=240 hits=1 longest=10 turns=300
# it may have none of it
see='in a region whose threads wait for their turn: see what is in order'
grain order-bound $turns_region tasks=43 handed=40 span=200 longest=10 turns=300
has order-bound-words 'the order of a loop.s blocks, or the longest of them, limit par' \
    order-bound.txt
grain order-team $turns_region tasks=3 span=200 longest=200 turns=300
has order-team-words 'the teams of threads, or the order of a loop.s blocks, limit' order-team.txt
has order-team-gain 'if it is the order, a larger team gains nothing' order-team.txt
# samples do not follow the path from turn to turn: none of them on it is no lack of samples
grain order-samples $turns_region tasks=43 handed=40 span=200 hits=0 longest=10 turns=300
grain order-hit-samples $turns_region tasks=43 handed=40 span=200 hits=1 longest=10 turns=300
grain no-order-samples tasks=43 on=40 work=400 span=200 hits=0 longest=10 root=0
for kind in order-samples order-hit-samples no-order-samples; do
    COLUMNS=300 "$prof" report $kind.prof 2>/dev/null | tr -s '\n ' ' ' >$kind.txt
    COLUMNS=300 "$prof" report --full $kind.prof 2>/dev/null | tr -s '\n ' ' ' >$kind-full.txt
done
# the region is on it
has order-hit-region 'wait for their turn: shorten what is in order' order-hit-samples.txt
has order-hit-samples-words 'Samples do not follow the order of a loop' order-hit-samples.txt
has order-full-words 'Samples do not follow the order of a loop' order-samples-full.txt
has_not order-full-advice 'run longer' order-samples-full.txt
has_not order-hit-split 'critical path: a share' order-hit-samples-full.txt
has no-order-full-words 'None of them hit the critical path' no-order-samples-full.txt
has order-samples-words 'Samples do not follow the order of a loop' order-samples.txt
has_not order-samples-advice 'run longer' order-samples.txt
has no-order-samples-words 'samples, none on the critical path' no-order-samples.txt
grain team-bound $turns_region tasks=2 span=200 longest=200
has_not team-bound-words 'or the order of a loop' team-bound.txt
has doacross-words 'their turn in the order of a loop .*: smaller chunks do not change' doacross.txt
has_not doacross-chunks 'small chunks (schedule' doacross.txt
tells turns-few "$share" $turns_region \
    tasks=3 span=390 longest=200 turns=30 sleep=300
# tasks that wait for a section do not scale, whether idle workers show it or not
locked='tasks=50 on=1 work=500 span=10 hits=0 longest=10 elapsed=500'
told='its tasks wait for a critical section or lock: shorten the time inside'
tells locked "$told" $locked locked=400
tells locked-little "$enough" $locked locked=40
# Waits for locks that no agent sees: off-CPU samples find the tasks in a mutex of libc's. Not in a
# condition variable's, and not for a twentieth of the time.
cat >locks.c <<'END'
int lock_word;
int sched_yield(void) { return lock_word++; }
int pthread_spin_lock(void *m) { return lock_word += m == 0; }
int pthread_mutex_lock(void *m) { return lock_word += m != 0; }
int pthread_cond_wait(void *c, void *m) { return lock_word -= c != m; }
END
gcc -shared -nostdlib -fPIC -O1 -Wl,--build-id=none locks.c -o libc.so.locks
libc_at() { nm libc.so.locks | awk -v name="$1" '$3 == name { print "0x" $1 }'; }
libc="libc=$PWD/libc.so.locks yield=$(libc_at sched_yield) lock=$(libc_at pthread_mutex_lock)"
spun="libc=$PWD/libc.so.locks yield=$(libc_at pthread_spin_lock)"
mutex="$libc tasks=400 on=1 work=400 span=6 longest=1 blocked=300"
tells mutex "$told" $mutex waited=8
# which of the tasks' functions the lock protects is not known; but who takes it
"$prof" report mutex.prof 2>/dev/null | tr -s '\n ' ' ' >mutex.words
has mutex-first 'Change first: what runs inside the lock that app+0x402000 takes[.] Off-CPU samp' \
    mutex.words
"$prof" whatif mutex.prof 2>/dev/null | tr -s '\n ' ' ' >mutex.whatif
has mutex-whatif 'Scenarios do not shorten waits: strands were off the CPU for .* Parallelism is' \
    mutex.whatif
has mutex-whatif-lock 'Change first: what runs inside the lock that app+0x402000 takes[.] Off-CPU' \
    mutex.whatif
# Off-CPU samples in the program's own code found it without a CPU; those in libc's, in a wait.
grain preempted-main $libc tasks=40 on=1 work=10 span=1.4 blocked=100 outside=300 slept=30 \
    waited=4 longest=0.3 elapsed=230 delay=290000000
has preempted-main 'The largest part .* was in app+0x402000 and what it' preempted-main.txt
# the system's code that waits for it is none to change
grain lock-row $libc tasks=42 on=1 work=450 span=61 longest=20 blocked=180 waited=9 elapsed=325 \
    delay=0
"$prof" report lock-row.prof 2>/dev/null | tr -s '\n ' ' ' >lock-row.words
has lock-row-first 'Change first: what runs inside the lock that app+0x402000 takes' lock-row.words
has_not mutex-no-function 'Change first: app' mutex.words
tells mutex-threads "$told" $libc construct=pthread_create tasks=2 on=1 work=400 span=210 \
    longest=205 blocked=300 waited=8 sleep=200
tells mutex-little "$enough" $mutex waited=2
tells mutex-of-condition "$enough" $mutex waited=8 \
    condition=$(libc_at pthread_cond_wait)
# a lock that spins instead
tells spins "$told" $spun tasks=400 on=1 work=400 span=6 longest=1 yielded=100
# a thread that yields waits, and perhaps not for a lock
yields='its tasks yield or spin while they wait for others: see what they wait for'
tells yields "$yields" $libc tasks=400 on=1 work=400 span=6 longest=1 yielded=100
verdict_of yields sched_yield 'yields while it waits: see which code its caller waits for'
json limits-yields '[.limits[] | select(.what == "spinning") |
    [.ns, .certainty, (.share * 1000 | round)]]' '[[100000000,"estimated",50]]' yields.prof
has limits-yields-words \
    '25 % of the work is in sched_yield, .* loop that only waits, most of it at app.0x40' yields.txt
has limits-yields-overview '5 % was waiting on the CPU .* 15 % the program.s own work' yields.txt
# a function of libc's is none of the program's
"$prof" report yields.prof 2>/dev/null >yields.brief
has yields-whose 'sched_yield (libc.so.locks) ' yields.brief
has yields-whose-full 'sched_yield  *libc.so.locks  *yields while' yields.txt
has_not yields-program 'app+0x402000 (' yields.brief
tells yields-little "$waiting" $libc tasks=400 on=1 work=400 span=6 longest=1 \
    yielded=12
tells yields-once "$enough" $libc tasks=400 on=1 work=400 span=6 longest=1 yielded=1
limits limits-yields-little '[]' yields-little.prof
# chunks that divide are no limit of the loops alone, if their threads wait for each other
grain yields-chunks $libc tasks=40 on=1 work=400 span=60 longest=20 divided=1 yielded=8
has_words yields-chunks yields-chunks.txt 'their iterations allow about [0-9]* (estimated, as if' \
    'those of a chunk cost the same), if none waits for another[.] The cut limits it to' \
    '[0-9.]*[.]' \
    '2 % of the work is in sched_yield, a spinning lock or a loop that only waits'
has_not yields-chunks-ample 'that is ample' yields-chunks.txt
grain calm-chunks $libc tasks=40 on=1 work=400 span=60 longest=20 divided=1
has calm-chunks-ample 'that is ample' calm-chunks.txt
has_not calm-chunks-no-wait 'sched_yield' calm-chunks.txt
# A region may be even as a whole, and this function one thread's: then it has not enough.
part="runtime=openmp construct=parallel flags=4 tasks=2 on=1 threads=2 work=400 longest=200"
tells even-shared "$enough" $part span=200 root=0 elapsed=200
tells even-alone '' $part span=200 root=0 elapsed=200 aside=190
tells yields-longest "$yields" $libc tasks=400 on=1 work=400 span=120 longest=100 yielded=100
has yields-no-bound 'contain time in which threads waited on the CPU, so this bounds no' \
    yields-longest.txt
has_not yields-no-bound-none 'no number of cores' yields-longest.txt
has_not yields-little-bound 'bounds no speedup' yields-little.txt
verdict_of yields-longest sched_yield \
    'yields while it waits: see which code its caller waits for'
# what one task can hold may be in one; what is certain is that something else takes longer
aside() { # NAME VERDICT KEY=VALUE...: of what tasks do off the critical path
    name=$1 expected=$2
    shift 2
    grain "$name" "$@"
    verdict_of "$name" app+0x406 "$expected"
}
aside in-one 'off the critical path, beside something longer' tasks=2 on=1 work=380 \
    span=200 longest=200 aside=180
# a part of it is on the path: it is off the path only if that part is small
aside astray '' tasks=2 on=1 work=380 span=200 longest=200 aside=180 hits=184 astray=16
aside hardly-astray 'off the critical path, beside something longer' tasks=2 on=1 work=380 \
    span=200 longest=200 aside=180 hits=196 astray=4
aside in-several "$enough" tasks=200 on=1 work=1000 span=20 longest=200 \
    aside=180
aside out-of-order "$see" $turns_region tasks=43 handed=40 span=240 longest=10 turns=300 aside=150
# Tasks whose parts of the path are short because they are parallel are beside nothing.
alone="work=260 longest=0.5 root=700 elapsed=1000 sleep=700"
tells loop-alone "$enough" construct=parallel_for tasks=800 handed=800 on=6 on-work=260 span=3 \
    $alone
tells loop-beside 'off the critical path, beside something longer' construct=parallel_for \
    tasks=800 handed=800 on=6 on-work=0 span=0 $alone
tells tasks-alone '' tasks=800 on=6 span=3 $alone
# Threads of one site are unequal parts of one thing only if they have one start function, and each
# has work of its own.
thread='construct=pthread_create tasks=2 on=1 sleep=300'
tells threads-uneven 'imbalanced: 2 tasks, longest 1.5 x the mean' $thread work=400 span=300 \
    longest=300
tells threads-one 'one at a time on the critical path: parallelise or shorten it' $thread \
    work=400 span=398 longest=400
divided="as the program's threads divided it: see their number and shares"
tells threads-unlike "parallelism of its own 1.50, $divided" $thread work=300 span=200 \
    longest=300 beside=100
# threads waited for each other: then it may be on the path that the dag does not show
aside in-turns '' construct=pthread_create tasks=2 on=1 work=380 span=200 longest=200 aside=180 \
    elapsed=420 blocked=400 waited=38 delay=2000000
has in-turns-unsure 'LOWER BOUND' in-turns.txt
# a thread that has not ended
tells unended "$few" construct=pthread_create tasks=0 spawns=1 invocations=0 on=1 work=160 \
    span=160 hits=0 root=0.5
verdict_of unended '[pthread_create]' 'on the critical path: limits larger machines'
has unended-words 'pthread_create at .*, none of which had ended when this profile was written' \
    unended.txt
has unended-hits 'Whether they hit the critical path is not known, because the task there' \
    unended.txt
# not too coarse, and not serial, at any parallelism above 1.05
tells parallel-58 "$enough" tasks=6000 on=60 work=1000 span=17 elapsed=600 \
    workers=8 absent=3000 longest=0.2
# what does not keep the workers busy does not scale, whoever had the processors meanwhile
tells too-little 'parallelism of its own 3.00: shorten its part of the critical path' tasks=4000 \
    on=9 work=900 span=300 sleep=300 longest=0.3
tells too-little-preempted 'parallelism of its own 3.00: shorten its part of the critical path' \
    tasks=4000 on=9 work=900 span=300 sleep=300 blocked=800 longest=0.3 delay=790000000
tells chain 'serial on the critical path: parallelise' tasks=100 on=100 work=1000 span=1000 \
    sleep=900 longest=11
# a serial filter of a pipeline: each of its tasks after the other, whether workers idle or not
turns='one at a time on the critical path: parallelise or shorten it'
tells filter "$turns" tasks=60 on=1 work=1000 span=997 longest=20
tells filter-idle "$turns" tasks=60 on=1 work=1000 span=997 longest=20 sleep=900
tells filter-preempted "$turns" tasks=60 on=1 work=1000 span=997 longest=20 sleep=900 \
    ready=800000000
tells filter-coarse "$turns" tasks=60 on=1 work=1000 span=997 longest=20 sleep=6000 workers=8
tells filter-uneven "$turns" tasks=60 on=1 work=1000 span=997 longest=120
tells filter-loop "$turns" tasks=60 on=1 work=1000 span=997 longest=20 divided=1
# the nodes of a flow graph have no frame of the program above their tasks
tells flow-unlimited "$enough" rootless=1 tasks=100 on=1 work=400 span=4 \
    longest=4.1 root=0
tells flow-serial 'serial on the critical path: parallelise' rootless=1 tasks=100 on=100 work=200 \
    span=200 longest=2.1 root=0
# the agent marks the bodies of serial filters, which share their tasks with parallel ones
told='serial filter: one item at a time; make it cheaper, or parallel'
tells serial-filter "$told" filter=1 construct=parallel_pipeline tasks=100 on=1 work=100 \
    beside=100 span=60 longest=5
json serial-filter-rows '[.sites[].construct, .waits[]?.construct] | sort' \
    '["","parallel_pipeline"]' serial-filter.prof
# a loop that did not keep the workers busy does not scale as it was cut
tells cut-narrow 'parallelism of its own 1.33: cut its loop into smaller chunks' \
    construct=parallel_for tasks=60 on=1 work=1000 span=750 longest=20 divided=1
# one that kept them busy does, if the runtime cut it. A taskloop with num_tasks(3) stays 3 tasks
tells cut-by-runtime "$enough" grain=0 \
    construct=parallel_for tasks=60 on=1 work=1000 span=350 longest=20 divided=1
tells cut-by-program 'parallelism of its own 2.90: cut its loop into smaller chunks' \
    construct=taskloop invocations=1 tasks=4 on=1 work=900 span=310 longest=310 divided=1 grain=4
# A recursion: the first task is longer than the rest by nature. Its step is on the critical path,
# and serial, unless there is ample parallelism.
tells recursion 'serial on the critical path: parallelise' tasks=119557 on=17 work=1000 span=170 \
    longest=90 sleep=700 recursive=1
tells recursion-busy 'serial on the critical path: parallelise' tasks=119557 on=17 work=1000 \
    span=170 longest=90 recursive=1
# the leaves of a recursion are equal: they are no step of it
tells recursion-leaves "$enough" tasks=1440 on=16 work=256 span=17 longest=0.3 \
    recursive=1 sleep=100
tells recursion-ample "$enough" tasks=10945 on=17 work=1000 span=20 longest=9 \
    sleep=700 recursive=1
tells recursion-short "$enough" tasks=20 on=1 work=1000 span=20 longest=90 \
    recursive=1
tells flat-siblings 'imbalanced: 119,557 tasks, longest 10760.1 x the mean' tasks=119557 on=17 \
    work=1000 span=170 longest=90
# what one thread does in a region whose others execute tasks
tells single 'serial on the critical path: parallelise' construct=parallel tasks=5 on=1 \
    invocations=1 work=1000 span=800 longest=790 threads=2 busiest=98 sleep=700
# others had the processors
tells preempted "$enough" tasks=3 work=900 span=100 sleep=300 blocked=800 \
    root=10 longest=310 delay=790000000
# they waited for something else, as for a lock: whether the function scales is not known
waits='tasks=4000 on=1 work=1000 span=20 longest=1 blocked=300 waited=25'
tells waits 'off the CPU inside its strands: shorten or overlap the wait' $waits delay=0
tells waits-little "$enough" tasks=4000 on=1 work=1000 span=20 longest=1 \
    blocked=300 waited=5 delay=0
tells waits-for-cpu "$enough" $waits delay=290000000
tells waits-unknown "$enough" $waits
# three samples may be chance
tells waits-thrice "$enough" tasks=4000 on=1 work=100 span=2 root=0 longest=1 blocked=30 waited=3 \
    delay=0
# what lacked a CPU is not what waited: samples found that in the system's code
tells waits-found 'off the CPU inside its strands: shorten or overlap the wait' $libc tasks=4000 \
    on=1 work=1000 span=20 longest=1 blocked=300 waited=25 delay=60000000 \
    condition=$(libc_at pthread_cond_wait)
tells waits-preempted "$enough" tasks=4000 on=1 work=1000 span=20 longest=1 blocked=300 waited=25 \
    delay=60000000
# No sample found main wait, and the tasks that it spawned are not its strands. How long all code
# outside tasks is on the critical path depends on no sample.
unfound='tasks=2560 on=20 construct=parallel_for work=155 span=2.4 root=33 blocked=175 elapsed=300
    delay=105904895 sleep=100 hits=60 longest=0.1 in-main=1 started=10'
grain waits-unfound $unfound
verdict_of waits-unfound app+0x401 'serial on the critical path: parallelise'
grain waits-of-tasks $unfound $libc waited=7 delay=0 condition=$(libc_at pthread_cond_wait)
verdict_of waits-of-tasks app+0x401 'serial on the critical path: parallelise'
# uneven tasks are, whoever had the processors
tells uneven-preempted 'imbalanced: 400 tasks, longest 80.0 x the mean' tasks=400 work=1000 \
    span=200 sleep=300 blocked=800 longest=200 delay=790000000
# the serial part of a step, beside a loop that has tasks
grain steps tasks=6000 on=60 work=600 span=12 root=240 sleep=250 elapsed=550 idle=main longest=0.2
json verdict-steps '[.functions[] | select(.self.samples > 0) | [.function[0:9], .verdict]] |
    sort' \
    '[["app+0x402","parallelism is enough here: make its work less"],
    ["app+0x403","serial on the critical path: parallelise"]]' steps.prof
tells fine 'fine-grained: coarsen' tasks=1000000 work=1000 inside=50 span=10 longest=0.01
# What main spawns is fine-grained, and main itself is serial: the verdict is on one of the two, and
# the sentence has the share of that.
both='construct=parallel_for on=3 span=0.1 longest=0.01 in-main=1 hits=0'
grain both-fine $both tasks=6000000 work=140 root=14 split=110 elapsed=540 blocked=298 \
    delay=126000000 dispatch=150
verdict_of both-fine app+0x401 'fine-grained: coarsen'
"$prof" report both-fine.prof 2>/dev/null | tr -s '\n ' ' ' >both-fine.words
has both-fine-first 'Change first: app+0x401000, 100 % of the overhead in strands. Verdict: fine' \
    both-fine.words
grain both-serial $both tasks=100000 work=300 root=300 split=80 elapsed=500 sleep=300 idle=main
verdict_of both-serial app+0x401 'serial on the critical path: parallelise'
"$prof" report both-serial.prof 2>/dev/null | tr -s '\n ' ' ' >both-serial.words
has both-serial-first 'Change first: app+0x401000, 100 % .* of the critical path. Verdict: serial' \
    both-serial.words
# overhead of tasks of 10 ms does not come from the grain
tells long-overhead 'overhead, though its tasks are long: fewer calls of the runtime' tasks=100 \
    work=1000 inside=50 span=10 longest=12

# chunks of a loop are as long as they were cut: no imbalance, unless somebody waited for them
loop='tasks=29 on=1 construct=parallel_for work=1000 span=128 longest=128 divided=1'
tells chunks "$enough" $loop elapsed=500 sleep=0
tells chunks-idle 'uneven chunks: 29, longest 3.7 x the mean: cut smaller ones' $loop sleep=900
# 200 steps of 8 equal chunks: one is long by an interrupt, but the steps are as short as can be
steps='tasks=1600 on=200 construct=parallel_for divided=1 work=256 root=160 sleep=200 longest=0.56'
tells chunks-equal "$enough" $steps span=40
# in most steps a chunk is long
tells chunks-one-long 'uneven chunks: 1,600, longest 3.5 x the mean: cut smaller ones' $steps \
    span=160
# one so long that one of its iterations may be; the first chunk of a guided loop always is
long="tasks=29 on=1 construct=parallel_for work=1000 span=400 longest=400 divided=1 sleep=900"
long="$long grain=0"
tells chunks-long \
    'uneven chunks: 29, longest 11.6 x the mean: perhaps one iteration: divide it' $long
has chunks-long-words 'chunk took 400 ms, 19 times the mean of the others of its loop' \
    chunks-long.txt
tells chunks-sized \
    'uneven chunks: 29, longest 11.6 x the mean: perhaps one iteration: divide it' $long \
    runtime=openmp sized=1
tells chunks-guided 'uneven chunks: 29, longest 11.6 x the mean: cut smaller ones' $long \
    runtime=openmp
has_not chunks-guided-words 'one chunk took' chunks-guided.txt
# one of few: the mean contains it. The last chunk of equal iterations may be far shorter
few='on=1 invocations=1 construct=parallel_for divided=1 root=0.1 sleep=500'
few_chunks() { # NAME TASKS WORK LONGEST [KEY=VALUE...]: says whether one is called long
    name=chunks-few-$1 tasks=$2 work=$3 longest=$4
    shift 4
    grain $name "$@" $few tasks=$tasks work=$work span=$longest longest=$longest grain=$tasks
    grep -o 'But one chunk took [0-9]* ms, [0-9]* times the mean of the others' $name.txt ||
        echo none
}
equal chunks-few-long 'But one chunk took 624 ms, 24 times the mean of the others' \
    "$(few_chunks long 4 702 624)"
equal chunks-few-openmp 'But one chunk took 624 ms, 24 times the mean of the others' \
    "$(few_chunks openmp 4 702 624 runtime=openmp grain=0 sized=1)"
has_not chunks-few-not-ample 'which is ample' chunks-few-long.txt
equal chunks-few-last none "$(few_chunks last 2 700 650)"
equal chunks-few-last-of-three none "$(few_chunks last-of-three 3 700 345)"
equal chunks-few-by-runtime none "$(few_chunks by-runtime 4 702 624 grain=0)"
tells tasks-as-long 'imbalanced: 29 tasks, longest 3.7 x the mean' construct=task_group $loop
# a task of a reduction has the joins that its thread executes: whether these or the ranges make it
# longer, no task's length shows
longer='longest of 64 tasks 5.6 x the mean, perhaps by its joins'
for construct in parallel_reduce parallel_deterministic_reduce parallel_scan; do
    tells joins-$construct \
        "$longer: then a cheaper join, or fewer parts" \
        tasks=64 on=1 construct=$construct work=1000 span=200 longest=87.5 sleep=700
    tells joins-cut-$construct \
        "$longer: then a cheaper join, or fewer parts" \
        tasks=64 on=1 construct=$construct work=1000 span=200 longest=87.5 sleep=700 divided=1
done
# a loop of two threads with equal shares, in a region that something else makes uneven
region='construct=parallel flags=4 tasks=2 on=1 invocations=1 longest=510'
tells region-balanced "$enough" $region work=1000 span=505 beside=400
tells region-balanced-idle "$enough" $region work=1000 span=505 beside=400 \
    idle=tasks sleep=300
# the same in a team of two on four workers
tells region-small-team 'parallelism of its own 1.98: a larger team, or less of the critical path' \
    $region work=1000 span=505 beside=400 workers=4
# Its parts are equal, though more workers idle beside it.
grain team-of-two $region runtime=openmp work=1000 span=505 workers=4 sleep=2500
limits limits-team-of-two '[["idleness",""],["span",""]]' team-of-two.prof
tells region-uneven "$share" $region \
    work=1000 span=650 beside=400
# In a team of one nothing shows whether it is a loop. What takes less than another thread's part of
# the region makes nothing faster.
tells region-alone '' construct=parallel flags=4 tasks=1 on=1 invocations=1 work=400 span=400 \
    longest=400 workers=1 threads=1
aside beside-share "off the critical path, beside a longer share of its region" construct=parallel \
    flags=4 tasks=2 on=1 invocations=1 work=400 span=300 longest=300 aside=100
# an uneven region is no region that scales, whoever had the processors
tells region-preempted "$share" \
    construct=parallel flags=4 tasks=2 on=1 invocations=1 work=1000 span=750 longest=750 \
    sleep=300 blocked=800 delay=790000000

# ---- no part is larger than its whole ----
grain gone tasks=100 work=100 span=11 absent=800 sleep=10 elapsed=500 longest=1
has gone-of-all \
    'explain it: for 800 ms of [a-z ]*, there was no second worker: threads started late' \
    gone.txt
grain nothing tasks=100000 work=1000 span=11 blocked=300 sleep=200 longest=0.01 delay=0
has_not nothing-zero 'for 0.0 ns' nothing.txt
has_words nothing-unknown nothing.txt 'Either they slept, or waited for locks, condition' \
    'variables, barriers, input or output, or other threads and programs had the processors:' \
    'too few off-CPU samples'

# ---- how surely figures are known ----
# Of the span of the program, of the site, of what is outside of tasks.
certain() { # NAME EXPECTED KEY=VALUE...
    name=$1 expected=$2
    shift 2
    grain "$name" "$@"
    json "certain-$name" \
    '[.program.certainty.span_ns, .program.certainty.parallelism, (.sites |
    sort_by(.outside_tasks)[].certainty.span_ns)]' "$expected" "$name.prof"
}
certain groups '["exact","exact","exact","exact"]' tasks=9
certain cut '["as executed","as executed","as executed","as executed"]' $loop
json certain-cut-exact '.program | [.exact, .as_executed_constructs]' '[false,["parallel_for"]]' \
    cut.prof
# a grain size of the program's is the same on any number of workers; old profiles do not say
certain by-grain '["exact","exact","exact","exact"]' $loop grain=29
json certain-by-grain-exact '[.program | .exact, .as_executed_constructs,
    (.chunks | .by_runtime, .by_program)] + [.sites[] | .chunks | .by_runtime, .by_program]' \
    '[true,[],0,29,0,29,0,0]' by-grain.prof
has by-grain-words 'Parallelism is 7.76 as the program cut its loops; their iterations' by-grain.txt
has by-grain-limit 'is the limit of this cut, not of the loops' by-grain.txt
has by-grain-bounds 'lower and upper hold for the loops as the program cut them' by-grain.txt
certain by-both '["as executed","as executed","as executed","as executed"]' $loop grain=28
json certain-cut-unsaid '[.program.chunks, .sites[0].chunks | .by_runtime, .by_program]' \
    '[null,null,null,null]' cut.prof
for with in by-both cut; do
    cp by-grain.prof again.prof
    "$prof" merge --as runs -o merged-grain.prof by-grain.prof again.prof $with.prof 2>/dev/null
    json certain-merged-$with '[.program.exact, (.program.chunks | .by_runtime, .by_program)] +
        [.sites[] | select(.construct == "parallel_for") | .certainty.span_ns]' \
        "[false,$([ $with = cut ] && echo null,null || echo 1,86),\"as executed\"]" \
        merged-grain.prof
done
# their size is the program's, too, but threads decide on what follows them
certain by-size '["as executed","as executed","as executed","as executed"]' $loop grain=0 sized=1
has by-size-words 'Parallelism is 7.76 as the program cut its loops; their iterations' by-size.txt
"$prof" merge --as runs -o merged-sized.prof by-size.prof by-grain.prof 2>/dev/null
"$prof" merge --as runs -o merged-unsized.prof by-size.prof by-both.prof 2>/dev/null
for sums in by-size=29,0,29 merged-sized=29,29,29 merged-unsized=30,28,0; do
    json certain-${sums%=*} '.program.chunks | [.by_runtime, .by_program, .sized_by_program]' \
        "[${sums#*=}]" ${sums%=*}.prof
done
json certain-groups-exact '.program | [.exact, .as_executed_constructs]' '[true,[]]' groups.prof
equal certain-cut-csv 0 "$("$prof" report --csv --totals cut.prof 2>/dev/null | tail -1 |
    tr -d '\r' | cut -d, -f20)"
certain hidden '["lower bound","upper bound","exact","lower bound"]' tasks=9 note=1
certain flagged '["lower bound","upper bound","lower bound","lower bound"]' tasks=9 note=1 flags=1
certain either '["not exact","not exact","exact","not exact"]' tasks=9 note=5
has certain-either-says \
    'span is NOT EXACT: two groups (1). Parallelism and speedup may be lower or higher' either.txt
has certain-hidden-says 'span is a LOWER BOUND: two groups (1)' hidden.txt
# every form names the same certainty
caveats() { # NAME LOWER UPPER: of NAME.prof, in small letters and in capitals
    "$prof" export --format callgrind "$1.prof" >caveat.callgrind 2>/dev/null
    "$prof" export --format gnuplot "$1.prof" >caveat.gnuplot 2>/dev/null
    "$prof" export --format pprof -o caveat.pprof "$1.prof" 2>/dev/null
    "$prof" annotate "$1.prof" >caveat.annotate 2>/dev/null
    "$prof" diff "$1.prof" "$1.prof" >caveat.diff 2>/dev/null
    has "caveat-$1-callgrind" "Note: the span is $2\$" caveat.callgrind
    has "caveat-$1-gnuplot" "(the span is $2)" caveat.gnuplot
    has "caveat-$1-pprof" "\"the span is $2\"" \
        "$(pprof_text caveat.pprof >caveat.proto; echo caveat.proto)"
    has "caveat-$1-annotate" "span [0-9.]* [a-z]* ($3)" caveat.annotate
    has "caveat-$1-diff" "The span of A is $3\\." caveat.diff
}
caveats hidden 'a lower bound' 'a LOWER BOUND'
caveats either 'not exact' 'NOT EXACT'
has certain-hidden-mark '(outside every task)  *\*$' hidden.txt
certain invoked '["as executed","as executed","exact","as executed"]' construct=parallel_invoke \
    tasks=9 divided=1
grain steals tasks=20 work=1000 span=9 burden=400 edges=4 longest=60
has steals-long \
    'parallelism is only [0-9.]*. A steal takes 400 ms, though tasks are not small: 50.0 ms' \
    steals.txt
grain steals tasks=1000000 work=1000 span=9 burden=0.1 edges=400 longest=1
# of one steal, nothing shows what a steal takes; nor does a setting
grain few-steals tasks=20 work=1000 span=9 burden=400 edges=4 longest=60 stolen=1
has_not steals-few 'With the cost of steals' few-steals.txt
has_words steals-few-bound few-steals.txt \
    '! lower rests on what a steal takes, 400 ms by 1 steal of this run: too few to show it'
grain six-steals tasks=20 work=1000 span=9 burden=400 edges=4 longest=60 stolen=6
has steals-enough 'With the cost of steals' six-steals.txt
has_not steals-enough-bound 'too few to show it' six-steals.txt
grain set-steals tasks=20 work=1000 span=9 burden=400 edges=4 longest=60 stolen=0 source-of-burden=1
has steals-set 'A steal takes 400 ms by the setting PROF_BURDEN, though tasks' set-steals.txt
has steals-fine 'A steal takes 100 us, and a task has only 1.00 us of the program.s own code: too' \
    steals.txt
has certain-cut-mark 'parallel_for +$' cut.txt
json certain-paths \
    '[.functions[] | select(.self.samples > 0) | .self | [.certainty, .work_margin_ns > 0]] |
    unique' '[["sampled",true]]' groups.prof
json certain-ledger \
    '[.ledger | .certainty as $c | keys[] |
    select(endswith("_ns") and (test("total|extra|cpu") | not)) | $c[.]] |
    map(select(. == null))' '[]' groups.prof
json certain-program '.program as $p | $p.certainty | keys - ($p | keys)' '[]' groups.prof
json certain-limits '[.limits[] | .certainty | . != null] | all' true taskloop.prof

# ---- never below 1 ----
grain below work=264 span=412 root=1 longest=10
json parallelism-least '[(.program.parallelism), (.functions[].parallelism), (.sites[].parallelism),
    (.program.speedup[].lower)] | map(select(. != null and . < 1))' '[]' below.prof
json speedup-least '[.program.speedup[].lower] | min' 1 narrow.prof
equal csv-least 1 "$("$prof" report --csv --totals below.prof 2>/dev/null | sed -n 2p |
    cut -d, -f8)"

# ---- outliers ----
noisy='tasks=3000 on=1 work=30000 root=0 span=100 longest=100 workers=40'
grain noisy $noisy typical=10 outliers=30
json outliers-program '.program | [.parallelism, .parallelism_typical, .span_typical_ns,
    .certainty.span_typical_ns, .certainty.parallelism_typical,
    (.speedup | last | [.upper, .upper_typical])]' \
    '[300,3000,10000000,"estimated","estimated",[300,1024]]' noisy.prof
json outliers-site '.sites[] | select(.construct == "task_group") | .outliers' \
    '{"count":30,"of_strands":3000,"excess_ns":3000000,"longest_ns":500000}' noisy.prof
has_words outliers-site-words noisy.txt \
    '30 of 3,000 strands of task_group at app.0x400fff took at least 1.5 times' \
    'as long as comparable strands, up to 500.000 us. Together they took about 3.000 ms more'
has outliers-words 'it would be about 10.000 ms, and parallelism about 3,000' noisy.txt
has outliers-verdict \
    'Parallelism is 300.0 as measured, but about 3,000.*: ample for 40 workers' noisy.txt
has outliers-line '^  Same, no outliers *3,000 (estimated)$' noisy.txt
has_not outliers-no-bound 'no number of cores' noisy.txt
grain few $noisy typical=80 outliers=30
has outliers-few \
    'Parallelism is 300.0 as measured, and about 375 .*: less than ten times its 40' few.txt
has_not outliers-few-no-bound 'no number of cores' few.txt
# a measured span is no bound where the typical one allows more
grain same $noisy typical=96 outliers=30
has outliers-bound 'no number of cores makes it more than 312.5 times' same.txt
has_not outliers-too-few 'no outliers' same.txt
# the same as CSV
csv_of() { # FILE COLUMN... [--totals]: of the first line
    "$prof" report --csv $3 "$1" 2>/dev/null | tr -d '\r' | sed 's/"[^"]*"/x/g' |
        awk -F, -v names="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR == 2 { n = split(names, name, " ")
                for (i = 1; i <= n; i++) printf "%s ", name[i] in at ? $at[name[i]] : "none" }'
}
equal csv-typical '10000000 3000 ' \
    "$(csv_of noisy.prof 'span_typical_ns parallelism_typical' --totals)"
equal csv-outliers '30 3000 3000000 500000 ' \
    "$(csv_of noisy.prof 'outliers outliers_of_strands outliers_excess_ns outliers_longest_ns')"
# a clock that counts no interrupts, and a profile of before there was a typical span
grain clean $noisy typical=0
json outliers-clean '.program | [.parallelism_typical, .certainty.span_typical_ns]' \
    '[300,"exact"]' clean.prof
grain old $noisy
json outliers-old '[.program.span_typical_ns, .program.parallelism_typical,
    (.program.speedup[0].upper_typical), (.sites[0].outliers)]' '[null,null,null,null]' old.prof
equal csv-typical-old '  ' "$(csv_of old.prof 'span_typical_ns parallelism_typical' --totals)"
equal csv-outliers-old ' ' "$(csv_of old.prof outliers)"
cp noisy.prof noisy2.prof
for as in runs processes; do
    "$prof" merge --as $as -o noisies.prof noisy.prof noisy2.prof 2>err || cat err
    json outliers-$as '[.program.span_typical_ns, (.sites[] |
        select(.construct == "task_group") | .outliers | [.count, .of_strands, .excess_ns,
        .longest_ns])]' "[$([ $as = runs ] && echo 2 || echo 1)0000000,[60,6000,6000000,500000]]" \
        noisies.prof
done

# ---- merged ----
cp taskloop.prof again.prof
"$prof" merge --as runs -o twice.prof taskloop.prof again.prof 2>/dev/null
json merged-spread '.sites[] | select(.construct == "taskloop") |
    [.tasks, .threads, .busiest_thread_tasks, .longest_task_ns]' '[1400,1,1400,3000000]' twice.prof
