# limits.sh - a part of run.sh: the sentences on what limits a program are true as they read, and
# their figures agree with each other.
profiles paths

# 1.9996 of 2 reads "2.00", which is not less than 2; within 5 % it is as much.
words() { COLUMNS=400 "$prof" report --full "$@" 2>/dev/null; }
./gen run 100 99.96 2 >all.prof
words all.prof >all.txt
has limits-reads-all 'Parallelism 2.00 nearly equals its 2 workers: just enough' all.txt
has_not limits-reads-all-idle 'must idle' all.txt
./gen run 100 80 2 >most.prof
words most.prof >most.txt
has limits-reads-less 'Parallelism 1.80 is less than its 2 workers: some of them must idle' most.txt
./gen run 100 1899.96 2 >ten.prof
words ten.prof >ten.txt
has limits-reads-ten 'Parallelism 20.00 is ample for 2 workers' ten.txt

# The kernel's count, less the time that no row of the ledger can have, is compared with the ledger.
./gen cpu 103.1 2000000 700000 300000 >cpu.prof
words cpu.prof >cpu.txt
# the head counts from where the elapsed time counts
"$prof" report cpu.prof >cpu.brief 2>&1
has limits-cpu-head ' elapsed, 101.100 ms CPU' cpu.brief
has limits-cpu-head-full ' elapsed, 101.100 ms CPU' cpu.txt
has_words limits-cpu cpu.txt \
    'are on the CPU, 100.000 ms together. The kernel counted 103.100 ms for the process.' \
    '2.000 ms of that was before libprof started'
has_words limits-cpu-left cpu.txt \
    ' 1.000 ms was libprof.s start and its writing of the profile: neither is in a row.' \
    '100.100 ms is left, from which the rows differ by -0.1 %'
has_not limits-cpu-closes 'threads that ran no strands\|too much' cpu.txt
json limits-cpu-json '.ledger |
    [.on_cpu_ns, .kernel_cpu_ns, .cpu_before_libprof_ns, .cpu_of_start_and_end_ns]' \
    '[100000000,103100000,2000000,1000000]' cpu.prof
./gen cpu 105 2000000 700000 300000 >open.prof
words open.prof >open.txt
has limits-cpu-open '102.000 ms is left, from which the rows differ by -2.0 %' open.txt
has limits-cpu-open-words '2.000 ms is in no row: what threads need to start and to end' open.txt
./gen cpu 98 500000 >over.prof
words over.prof >over.txt
has limits-cpu-over 'The rows have 2.500 ms too much: the clock' over.txt
./gen cpu 103 >old.prof
words old.prof >old.txt
has_words limits-cpu-old old.txt 'The kernel counted 103.000 ms for the process since its' \
    'exec, from which the rows differ by -2.9 %. .*this profile does not show that time'
"$prof" merge --as runs -o cpus.prof cpu.prof open.prof 2>/dev/null
json limits-cpu-merged '.ledger |
    [.kernel_cpu_ns, .cpu_before_libprof_ns, .cpu_of_start_and_end_ns]' \
    '[208100000,4000000,2000000]' cpus.prof
for value in -1 x 1x 99999999999999999999 ''; do
    ./gen cpu 103 "$value" >odd.prof
    json "limits-cpu-odd-$value" '.ledger.cpu_before_libprof_ns' 0 odd.prof
done

# POP's ideal run is no shorter than what the one worker of a rank has to do: no efficiency is more
# than 1. Time off the CPU outside MPI is in transfer, and the report says so.
pop='.job.efficiencies | [.parallel, .load_balance, .communication, .serialisation, .transfer] |
    map(. * 1000 | round)'
./gen ranks 250 300 >ranks.prof
json limits-pop "$pop" '[500,833,600,1000,600]' ranks.prof
words ranks.prof >ranks.txt
has_words limits-pop-words ranks.txt '(which tasks make shorter; one worker needs as long as its' \
    'work); transfer: the longer of these / elapsed'
has_words limits-pop-needs ranks.txt 'Rank 1 needs 600 ms for its work with its 1 worker, longer' \
    'than the critical path'
"$prof" report ranks.prof >ranks.brief 2>/dev/null
has_words limits-pop-relieve ranks.brief \
    'Do first: give rank 1 less of the work, or more workers:' \
    'it needs 600 ms'
has limits-job-idle '^  Idle  *200.000 ms of 2.000 s worker time (10.0 %), outside MPI$' ranks.txt
./gen ranks 250 300 virtual >costs.prof
words costs.prof >costs.txt
has limits-job-idle-virtual '^  Idle  *400.000 ms of 2.000 s worker time (20.0 %)$' costs.txt
has limits-pop-regions 'Work and span are sums over the ranks' ranks.txt
has_not limits-pop-one-process 'sums over the ranks' cpu.txt
has limits-pop-slept '300.000 ms of the ranks. time was off the CPU outside MPI: .* in transfer' \
    ranks.txt
./gen ranks 800 40 >turns.prof
json limits-pop-turns "$pop" '[500,833,600,750,800]' turns.prof
words turns.prof >turns.txt
has limits-pop-turns-words 'work of a rank / the critical path; transfer: the critical path /' \
    turns.txt
has_not limits-pop-path 'longer than the critical path' turns.txt
"$prof" report turns.prof >turns.brief 2>/dev/null
has_not limits-pop-no-relief 'give rank' turns.brief
has_not limits-pop-awake 'off the CPU outside MPI' turns.txt

# Where ranks have several workers, what divides a rank's work limits parallelism as well, and as
# much parallelism as workers does not show that each worker had as much to do.
./gen ranks 500 0 tsc >ones.prof
words ones.prof >ones.txt
has limits-job-ranks 'the work was balanced. .*: the number of ranks limits parallelism: a larger' \
    ones.txt
./gen ranks 250 0 tsc 2 >twos.prof
words twos.prof >twos.txt
has limits-job-workers 'Parallelism 4.00 nearly equals its 4 workers: just enough, if' twos.txt
has limits-job-workers-parts 'the number of ranks, and of parts within each, limits parallelism' \
    twos.txt
# as much parallelism as workers may be at other times than the idle time
json limits-job-workers-idle '[.limits[] | select(.what == "span") | .share * 100 | round]' \
    '[10]' twos.prof
has_not limits-job-workers-differ 'balanced\|each had as much' twos.txt

# All forms show the same idle time.
for kind in all paths cpu; do
    json limits-idle-$kind \
        '(.ledger | .search_ns + .sleep_ns + .without_thread_ns) == .program.idle_ns' true \
        $kind.prof
done
equal limits-idle-csv "$("$prof" report --json all.prof 2>/dev/null | jq .program.idle_ns)" \
    "$("$prof" report --csv --totals all.prof 2>/dev/null |
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "idle_ns") at = i }
    NR == 2 { print $at }')"
has limits-idle-text '^  Idle  *10.000 ms of 199.960 ms worker time (5.0 %)' all.txt

# A task that ended before those that it spawned has not joined them: its site's work is without
# them.
has_words sites-joined all.txt 'work, span, par.: of the site.s outermost invocations, with all' \
    'tasks that they waited for, and without tasks that nobody waited for there'
has_not sites-spawned 'with all they spawned' all.txt

# More threads than the runtime's workers: they wait for the critical path, too.
grain beside work=394 span=283 root=0.1 longest=280 elapsed=292 crowd=292 sleep=460 \
    ready=126000000 delay=126000000
limits limits-slots '[["span",""]]' beside.prof
# One waits while the workers are busy: that costs nothing, and hides no bound.
grain pool construct=pthread_create tasks=2 work=284 span=144 longest=144 elapsed=146 crowd=146 \
    outside=146 alone=146000000
limits limits-room '[]' pool.prof
has_not limits-room-words 'do not say how fast\|off the CPU for' pool.txt
# What each thread of a pool got, this run may have decided.
json limits-pool '[.program, .sites[] | .certainty.span_ns] | unique' '["as executed"]' pool.prof
grain pool-idle construct=pthread_create tasks=2 work=284 span=144 longest=144 elapsed=246 \
    crowd=246 outside=446 alone=446000000
limits limits-no-room '[["blocked",""]]' pool-idle.prof

# Idle workers without a CPU, beside a region that one thread executed: both are stated, and of the
# region no more than is known.
one='construct=parallel runtime=openmp flags=4 tasks=20 invocations=1 on=1 threads=2 busiest=100'
one="$one work=400 span=40 longest=30 elapsed=1000 sleep=1500"
grain one-thread $one ready=600000000 delay=600000000
limits limits-one-thread '[["idleness","one_thread"]]' one-thread.prof
has_words limits-ready-too one-thread.txt ': for 600 ms of it, workers could have run, but other' \
    'threads and programs had the processors. For the rest: one thread did 100 % of the work of all'
has_words limits-one-thread-words one-thread.txt 'Perhaps its code lets one thread do it (single,' \
    'master), or makes tasks too small for others to get many, or its teams have one thread each'
has_not limits-no-nesting 'See what the others wait for\|If the region is nested' one-thread.txt
grain one-alone $one ready=100000000 delay=100000000
has_not limits-ready-little 'workers could have run, but' one-alone.txt

# Strands that wait for a lock may wait for one that has no CPU.
kept='construct=parallel tasks=4000 work=400 span=4 longest=1 elapsed=1000 locked=900'
grain kept $kept sleep=1500
grain kept-busy $kept sleep=1500 ready=600000000 delay=600000000
for profile in kept kept-busy; do
    json limits-$profile-first '.limits[0].what' '"waits"' $profile.prof
    "$prof" report $profile.prof 2>/dev/null | tr -s '\n ' ' ' >$profile.words
done
has limits-kept-words 'Do first: shorten what runs inside there' kept.words
"$prof" whatif kept.prof 2>/dev/null | tr -s '\n ' ' ' >kept.whatif
has_words limits-kept-whatif kept.whatif 'Shorten what runs inside there[.] ! Scenarios do not' \
    'shorten waits: strands waited .* to enter critical sections or take locks[.] Where strands'
has_not limits-kept-no-load 'could have run' kept.txt
has_words limits-kept-busy-words kept-busy.txt 'But for 600 ms of all idle time, threads could' \
    'have run, and other threads and programs had the processors: the others may have waited for'
has limits-kept-busy-first 'Do first: run it again where nothing else needs' kept-busy.words

# More threads have no more processors: where these are what strands lack, more are no advice.
waiting='tasks=40 on=1 work=10 span=1.4 longest=0.3 blocked=4000 elapsed=2030 waited=180'
grain waiting $waiting delay=2200000000
has limits-lacking 'they could have run, but other threads and programs had the proc' waiting.txt
has limits-lacking-bounds 'Strands slept or waited 44 % of the worker time' waiting.txt
has_not limits-lacking-more 'more threads than' waiting.txt
json limits-lacking-json '[.limits[].why]' '["preempted"]' waiting.prof
grain having $waiting delay=4000000 waited=398
has limits-having-more 'more threads than cores may overlap the waiting' having.txt

# Where libprof has most of the samples, parallelism is as unknown in the finding as in the bound.
for sentence in 'Workers were idle for 100.000 ms, 8 % of .*, perhaps for lack of parallelism' \
    'How much of it there is without libprof, this profile does not show: 64 % of the samples'; do
    ./gen own-share 12 >own.prof
    words own.prof >own.txt
    has "limits-own: $sentence" "$sentence" own.txt
done
has_not limits-own-no-claim 'Too little parallelism' own.txt

# Of short parts of a region, chance alone makes one longer; of long ones, it does not.
parts='construct=parallel runtime=openmp flags=4 threads=2 on=20000 invocations=20000 root=1'
rich='then=150 then-span=1 elapsed=300 sleep=50'
grain noise $parts tasks=40000 work=400 span=215 longest=0.1 $rich
has_not limits-noise 'are unequal' noise.txt
grain no-noise $parts tasks=40000 work=400 span=300 longest=0.1 then=400 then-span=1 elapsed=520 \
    sleep=240
has limits-no-noise 'are unequal' no-noise.txt
grain long-parts construct=parallel runtime=openmp flags=4 threads=2 tasks=3 work=400 span=220 \
    longest=219 on=1 invocations=1 root=1 $rich
has limits-long-parts 'are unequal, for up to [0-9.]* m*s of it: ' long-parts.txt
# what too little parallelism explains, unequal parts do not explain once more
grain long-again $parts tasks=40 work=400 span=250 longest=60 elapsed=300 sleep=200
has limits-long-again 'Too little parallelism (1.60) explains up to 10[0-9.]* ms' long-again.txt
has_not limits-long-once 'are unequal' long-again.txt

# Parallelism near the number of threads need not be theirs. One long iteration of a loop whose
# chunks threads ask for, or what one thread does alone between such loops, is as long in any team.
handed='flags=4 runtime=openmp invocations=1 on=1 threads=2 root=0.1 elapsed=310 sleep=200'
no_team() { # NAME: its words promise nothing to a larger team, and explain the idle time
    has_not "limits-$1-team" 'a larger team may\|work was balanced\|does not explain it' "$1.txt"
    has "limits-$1-idle" 'Too little parallelism .* explains up to 200.000 ms of idle' "$1.txt"
}
grain one-iteration construct='parallel for' $handed tasks=504 handed=501 work=417 span=210 \
    longest=209.8 busiest=61
no_team one-iteration
has limits-one-iteration 'One of 501 tasks of parallel for at .* takes 210 ms, 100 % of the crit' \
    one-iteration.txt
judged() { # NAME VERDICT
    json "limits-$1-verdict" \
        '.functions[] | select(.function | startswith("app+0x402")) | .verdict' "\"$2\"" "$1.prof"
}
judged one-iteration 'imbalanced: 501 tasks, longest 252.1 x the mean: split that iteration'
grain steps construct=parallel $handed tasks=5203 handed=5000 work=410 span=210 longest=4
no_team steps
has_words limits-steps steps.txt 'From barrier to barrier of the region at .*, the path is' \
    '2.08 ms on average, but a mean chunk of its loops at most 82.0 us: so most of it is long' \
    'iterations, code that one thread executes alone (single, master), or loops'
judged steps 'parallelism of its own 1.95: shorten its part of the critical path'
# samples do not show what is on the path, but that others idle beside it
grain alone-there construct=parallel $handed tasks=5203 handed=5000 work=410 span=170 longest=4 \
    aside=180 hits=230
judged alone-there \
    "one thread's part of a region, on the critical path: split it (a loop: balance it)"
grain not-there sleep=100 construct=parallel $handed tasks=5203 handed=5000 work=410 span=170 \
    longest=4 aside=180 hits=230
judged not-there "on the critical path or not, samples do not show: see what one thread of its \
region executes alone"
# parts of the threads, of which a larger team has more, unless these were kept from their work
grain by-team sleep=0 construct=parallel $handed tasks=3 work=417 span=210 longest=209
has limits-by-team 'the work was balanced.* a larger team may get more parts' by-team.txt
grain kept-apart construct=parallel $handed tasks=3 work=417 span=210 longest=209 locked=100
has_not limits-kept-apart 'the work was balanced\|a larger team may' kept-apart.txt
has limits-kept-apart-words \
    'each was as long on the CPU[.] What made them wait or idle is the limit' \
    kept-apart.txt
grain uneven-region construct='parallel for' $handed tasks=11 handed=8 work=142 span=106.7 \
    longest=106.6 busiest=85
judged uneven-region 'imbalanced: 8 tasks, longest 6.0 x the mean: split that iteration'
# A chunk with most of the path is one of many. Smaller ones help unless it is one iteration's.
grain long-chunk construct=parallel_for tasks=26 invocations=1 on=1 work=374 span=155 longest=154 \
    divided=20 grain=0 aside=219
judged long-chunk 'uneven chunks: 26, longest 10.7 x the mean: perhaps one iteration: divide it'
grain longer-chunk construct=parallel_for tasks=6 invocations=1 on=1 work=374 span=155 longest=154 \
    divided=20 aside=219
judged longer-chunk 'uneven chunks: 6, longest 2.5 x the mean: cut smaller ones'

# What iterations allow holds if they cost the same: the words claim no more. Chunks of as many
# iterations that differ show that they do not.
halves='construct=parallel runtime=openmp flags=4 tasks=3 invocations=1 on=1 threads=2 root=0.1'
grain alike $halves work=332 span=180 longest=180 divided=1.4 grain=0
has limits-alike 'same). If so, and if none waits for another, that is ample: .* A long iteration' \
    alike.txt
grain unlike $halves work=332 span=290 longest=290 divided=1.4 grain=0
has limits-unlike 'chunk took 290 ms, 6.9 times the mean of the others, of as many iterations:' \
    unlike.txt
has_not limits-unlike-ample 'that is ample' unlike.txt
# A run with enough parallelism does not lack it where a region's parts are unequal.
grain unequal-rich construct=parallel runtime=openmp flags=4 tasks=3 invocations=1 on=1 threads=2 \
    work=182 span=152 longest=152 then=150 then-span=1 root=0.8 elapsed=232 sleep=122 busiest=83
limits limits-unequal-rich '[["idleness","unequal"]]' unequal-rich.prof
has limits-unequal-rich-words 'are unequal, for up to 122 ms of it' unequal-rich.txt
# An arena of one slot leaves processors unused
lone='workers=1 construct=parallel_for tasks=12 on=1 work=300 span=80 elapsed=301 longest=80'
grain lone-worker $lone processors=2
has limits-lone-worker 'It had one worker on 2 processors: see what limits it' lone-worker.txt
grain lone-processor $lone processors=1
has_not limits-lone-processor 'It had one worker' lone-processor.txt
grain lone-serial workers=1 tasks=1 work=300 span=300 elapsed=301 processors=2
has_not limits-lone-serial 'It had one worker' lone-serial.txt
# Threads of the program's own may be so short that no two are seen at a time: nothing limits them.
grain lone-threads construct=pthread_create workers=1 processors=2 tasks=2000 on=300 work=120 \
    span=20 longest=0.1 root=0.1 sleep=100
has_not limits-lone-threads 'It had one worker' lone-threads.txt

# A critical path that fills the run limits it, though others wait: its function comes first.
first() { "$prof" report "$1.prof" 2>/dev/null | tr -s '\n ' ' ' >"$1.first"; }
filled='construct=pthread_create tasks=2 on=1 work=300 span=202 longest=200 blocked=110 waited=11'
grain fills $filled elapsed=206 delay=0 root=0
first fills
has limits-fills 'is 98 % of the elapsed time: unless it gets shorter, .* at most 2 %' fills.first
has limits-fills-first 'Change first: app+0x402000, .* of the critical path[.]' fills.first
has_not limits-fills-nothing 'do not say how fast\|see what these strands wait' fills.first
grain fills-not $filled elapsed=246 delay=0 root=0
first fills-not
has limits-fills-not 'do not say how fast one is' fills-not.first
# Where others had the processors, small tasks are still small.
busy='construct=task runtime=openmp root=1 span=40 longest=1 elapsed=480 sleep=370 ready=300000000'
grain tiny-busy $busy tasks=300000 work=150 on=1
has limits-tiny-busy 'The 300,000 tasks spawned at .* take 500 ns each, and a runtime needs' \
    tiny-busy.txt
grain larger-busy $busy tasks=100000 work=150 on=1
has_not limits-larger-busy 'a runtime needs' larger-busy.txt
# Strands off the CPU fill the time in which too little parallelism would idle workers.
two='construct=pthread_create tasks=2 on=1 work=415 span=252 longest=252 root=0.1 busiest=60'
grain off-instead $two elapsed=396 blocked=370 delay=370000000
has limits-off-instead 'is less than its 2 workers, yet they idled for [01] % only' off-instead.txt
grain idle-instead $two elapsed=396 sleep=370
has limits-idle-instead 'is less than its 2 workers: some of them must idle' idle-instead.txt
has_not limits-idle-unequal 'The number of threads' idle-instead.txt
# A setting may keep parallelism below the workers.
grain few-tokens construct=parallel_pipeline tasks=202 on=1 work=303 span=195 longest=36 sleep=85
has limits-few-tokens 'must idle. A pipeline limits parallelism: the number of its tokens, and' \
    few-tokens.txt
few='tasks=2 on=1 threads=2 work=400 root=0.1 workers=4 sleep=400 elapsed=210'
grain few-threads construct=pthread_create $few span=202 longest=202
has limits-few-threads 'must idle. The number of threads that the program started limits' \
    few-threads.txt
grain few-unequal construct=pthread_create $few span=300 longest=300
has_not limits-few-unequal 'The number of threads' few-unequal.txt
team='construct=parallel runtime=openmp flags=4'
grain small-team $team $few span=202 longest=202
has limits-small-team 'must idle. The teams of threads limit parallelism: a larger team may get' \
    small-team.txt
grain locked-team $team $few span=202 longest=202 locked=40
has limits-locked-team 'a larger team may get more parts, but waits longer for the critical' \
    locked-team.txt
grain uneven-team $team $few span=300 longest=300
has_not limits-uneven-team 'The teams of threads' uneven-team.txt
# One worker on two processors is named, whatever else took time.
# What slept in the critical path kept others idle, but not for lack of parallelism: that explains a
# span of idle time for each other worker.
grain frames construct=parallel_for tasks=300 on=50 work=700 span=80 longest=1 root=300 \
    elapsed=2000 blocked=1470 sleep=1530
json limits-frames '.limits[] | select(.what == "span") | .ns / 1e6 | floor' 380 frames.prof
# Of two runtimes, the threads of one sleep while the others work: no slot is idle.
grain two-runtimes construct=parallel_for tasks=600 on=3 work=1500 span=400 longest=3 elapsed=800 \
    crowd=800 sleep=800
has_not limits-two-runtimes 'were idle\|of idle time' two-runtimes.txt
json limits-two-runtimes-idle .program.idle_ns 0 two-runtimes.prof
# Beside 50 ms of main, no other worker idled for 500 ms.
grain long-beside tasks=400 on=1 work=1000 span=12 longest=3 root=50 idle=main sleep=500 elapsed=780
has_not limits-long-beside 'idle time passed while' long-beside.txt
# Fewer threads than processors gain nothing that the processors have not.
crowd='workers=8 processors=2 construct=pthread_create tasks=8 on=1 work=414 span=53 longest=53'
grain crowd-full $crowd elapsed=560 blocked=1100 delay=1100000000
first crowd-full
has limits-crowd-full 'but these were busy with it, so there is little to gain' crowd-full.first
grain lone-busy workers=1 processors=2 construct=parallel_for tasks=864 on=1 work=1000 span=70 \
    elapsed=1080 blocked=75 delay=72000000 longest=8
first lone-busy
has limits-lone-busy 'It had one worker on 2 processors' lone-busy.first
grain crowd-free $crowd elapsed=660 blocked=1100 delay=1100000000
first crowd-free
has limits-crowd-free 'Do first: run it with no more threads than processors[.] ' crowd-free.first
# More workers than processors need not idle for want of parallelism.
few_processors='workers=6 processors=2 construct=pthread_create tasks=300 on=50 work=414 longest=10'
grain crowd-ample $few_processors span=75 elapsed=300 sleep=1300
has limits-crowd-ample 'less than its 6 workers, but no less than the 2 processors that they' \
    crowd-ample.txt
grain crowd-few $few_processors span=250 elapsed=300 sleep=1300
has limits-crowd-few 'is less than its 6 workers: some of them must idle' crowd-few.txt
# Where the program used little CPU time, its surplus threads did not take the processors: the most
# that 1.1 s on two processors delays six others is 3.3 s.
grain crowd-others $crowd elapsed=1500 blocked=9000 delay=9000000000
first crowd-others
has limits-crowd-others 'Do first: run it again where nothing else needs the processors[.] ' \
    crowd-others.first
has_not limits-crowd-others-threads 'no more threads than processors' crowd-others.first
grain crowd-idle $crowd elapsed=1500 sleep=9000 ready=9000000000 delay=9000000000
first crowd-idle
has limits-crowd-idle 'workers could have run, but other threads and programs had' crowd-idle.first
has_not limits-crowd-idle-threads 'no more threads than processors\|8 workers shared' \
    crowd-idle.first
