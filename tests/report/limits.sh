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
has_not limits-room-words 'say nothing about elapsed time\|off the CPU for' pool.txt
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
grain noise $parts tasks=40000 work=400 span=215 longest=0.1 elapsed=236 sleep=70
has_not limits-noise 'are unequal' noise.txt
grain no-noise $parts tasks=40000 work=400 span=300 longest=0.1 elapsed=440 sleep=450
has limits-no-noise 'are unequal' no-noise.txt
grain long-parts $parts tasks=40 work=400 span=215 longest=30 elapsed=236 sleep=70
has limits-long-parts 'are unequal' long-parts.txt

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
has limits-kept-apart-words 'each had as much work[.] What made them wait or idle is the limit' \
    kept-apart.txt
grain uneven-region construct='parallel for' $handed tasks=11 handed=8 work=142 span=106.7 \
    longest=106.6 busiest=85
judged uneven-region 'imbalanced: 8 tasks, longest 6.0 x the mean: split that iteration'
# A chunk with most of the path is one of many. Smaller ones help unless it is one iteration's.
grain long-chunk construct=parallel_for tasks=26 invocations=1 on=1 work=374 span=155 longest=154 \
    divided=20 grain=0 aside=219
judged long-chunk 'uneven chunks: 26, longest 10.7 x the mean: perhaps by one iteration'
grain longer-chunk construct=parallel_for tasks=6 invocations=1 on=1 work=374 span=155 longest=154 \
    divided=20 aside=219
judged longer-chunk 'uneven chunks: 6, longest 2.5 x the mean: cut smaller ones'

# What iterations allow holds if they cost the same: the words claim no more. Chunks of as many
# iterations that differ show that they do not.
halves='construct=parallel runtime=openmp flags=4 tasks=3 invocations=1 on=1 threads=2 root=0.1'
grain alike $halves work=332 span=180 longest=180 divided=1.4 grain=0
has limits-alike 'a chunk cost the same). If so, that is ample: .* A long iteration allows' \
    alike.txt
grain unlike $halves work=332 span=290 longest=290 divided=1.4 grain=0
has limits-unlike 'chunk took 290 ms, 6.9 times the mean of the others, of as many iterations:' \
    unlike.txt
has_not limits-unlike-ample 'that is ample' unlike.txt
# An arena of one slot leaves processors unused
lone='workers=1 construct=parallel_for tasks=12 on=1 work=300 span=80 elapsed=301 longest=80'
grain lone-worker $lone processors=2
has limits-lone-worker 'It had one worker on 2 processors: see what limits it' lone-worker.txt
grain lone-processor $lone processors=1
has_not limits-lone-processor 'It had one worker' lone-processor.txt
grain lone-serial workers=1 tasks=1 work=300 span=300 elapsed=301 processors=2
has_not limits-lone-serial 'It had one worker' lone-serial.txt

# A critical path that fills the run limits it, though others wait: its function comes first.
first() { "$prof" report "$1.prof" 2>/dev/null | tr -s '\n ' ' ' >"$1.first"; }
filled='construct=pthread_create tasks=2 on=1 work=300 span=202 longest=200 blocked=110 waited=11'
grain fills $filled elapsed=206 delay=0 root=0
first fills
has limits-fills 'is 98 % of the elapsed time: unless it gets shorter, .* at most 2 %' fills.first
has limits-fills-first 'Change first: app+0x402000, .* of the critical path[.]' fills.first
has_not limits-fills-nothing 'say nothing about elapsed\|see what these strands wait' fills.first
grain fills-not $filled elapsed=246 delay=0 root=0
first fills-not
has limits-fills-not 'say nothing about elapsed time' fills-not.first
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
# Fewer threads than processors gain nothing that the processors have not.
crowd='workers=8 processors=2 construct=pthread_create tasks=8 on=1 work=414 span=53 longest=53'
grain crowd-full $crowd elapsed=560 blocked=1100 delay=1100000000
first crowd-full
has limits-crowd-full 'but these were busy with it, so there is little to gain' crowd-full.first
grain crowd-free $crowd elapsed=660 blocked=1100 delay=1100000000
first crowd-free
has limits-crowd-free 'Do first: run it with no more threads than processors[.] ' crowd-free.first
