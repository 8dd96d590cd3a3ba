# standstill.sh - a part of run.sh: strands that sleep or wait. Work and span do not contain this
# time, so no sentence may take them for a bound of elapsed time. And what threads wait for may be
# an order that the dag does not have.

# 40 tasks sleep 100 ms each: on more threads than cores the program is faster
sleeper='tasks=40 on=1 work=10 span=1.4 longest=0.3 blocked=4000 elapsed=2030 delay=4000000'
grain sleeper
has_words sleeper-words sleeper.txt 'Parallelism, work / span, is [0-9.]*. Strands slept or' \
    'waited 98 % of the worker time. Work and span do not contain this. So no run that divides' \
    'the work as this one did is faster than the span, but parallelism and' \
    'these bounds do not say how fast one is.'
has sleeper-threads 'more threads than cores may overlap the waiting' sleeper.txt
has_not sleeper-no-bound 'no number of cores\|load balance\|must idle' sleeper.txt
has sleeper-table '^  ! Strands slept or waited 98 % of the worker time' sleeper.txt
has sleeper-upper 'what no scheduler can exceed with tasks like these, of the time on the CPU' \
    sleeper.txt
has sleeper-what 'They slept, or waited for locks, condition variables, barriers, input' sleeper.txt
json sleeper-json '.program | [.waited_ns, .certainty.speedup, .certainty.waited_ns,
    .certainty.parallelism]' '[3996000000,"not exact","estimated","exact"]' sleeper.prof
# the same without a CPU: then the bounds hold
grain taken delay=3960000000 $sleeper waited=2
has_not taken-words 'slept or waited' taken.txt
json taken-json '.program | [.certainty.speedup, .waited_ns]' '["estimated",40000000]' taken.prof
# Samples also find a strand that has been woken, and has no CPU yet, where it waited. So a place
# has no more than all waits, which the kernel's count leaves, and no part of it is certain unless
# the samples found more than that count.
has_words taken-largest taken.txt 'The largest part by off-CPU samples, up to 40.0 ms, was'
has_words sleeper-largest sleeper.txt \
    'The largest part by off-CPU samples, 3.90 s to 4.00 s, was in'
has_not sleeper-no-largest 'The largest part of it' sleeper.txt
thread='construct=pthread_create tasks=3 on=1 work=660 span=220 longest=220 workers=3 elapsed=773'
grain woken $thread blocked=1652 waited=127 delay=479223777
has woken-ready 'For 479.224 ms they were ready to run' woken.txt
has woken-largest 'The largest part by off-CPU samples, 670 ms to 1.17 s, was' woken.txt
# whoever has no CPU for so long lacks one for longer than the kernel counts
grain woken-busy $thread blocked=2051 waited=43 delay=1748080328
has_words woken-busy woken-busy.txt \
    'The largest part by off-CPU samples, up to 303 ms, was in'
# what is no wait by the kernel's count has no place
grain woken-all $thread blocked=2051 waited=43 delay=2045000000
has_not woken-all 'The largest part' woken-all.txt
# the kernel counts nothing: they may all have been ready
grain uncounted $thread blocked=1652 waited=127
has_words uncounted uncounted.txt \
    'The largest part by off-CPU samples, up to 1.40 s, was in'
# nine samples are not 90.000 ms, and not at least that
grain few-found $thread blocked=1652 waited=9 delay=1000000
has_not few-found-least 'For at least .* they slept' few-found.txt
has few-found 'The largest part by off-CPU samples, 13.0 ms to 170 ms, was' few-found.txt
grain more-found $thread blocked=1652 waited=30 delay=1000000
has more-found-least 'For at least 190.000 ms, they slept, or waited for' more-found.txt
# beside busy programs, the rest may be no sleep
grain half-ready delay=2000000000 $sleeper waited=200
has half-ready-words 'For the rest, they slept, .*, or had no processor without the kernel' \
    half-ready.txt
grain seldom-ready delay=800000000 $sleeper waited=320
has seldom-ready-words 'For the rest, they slept, or waited for .*, input or output[.]' \
    seldom-ready.txt
has_not seldom-ready-known "the kernel's counting" seldom-ready.txt
# strands too short for the kernel's count at off-CPU samples: no sample confirms a wait
grain unconfirmed $sleeper waited=3
has_not unconfirmed-words 'slept or waited' unconfirmed.txt
# the main thread's, between two regions
between='tasks=400 on=1 work=500 span=5 longest=1.2 outside=600 delay=20000000'
grain between $between
has_not between-words 'slept or waited' between.txt
json between-json .program.waited_ns 0 between.prof
# before the first region its clocks show that it waited
grain alone $between alone=580000000
has alone-words 'They slept, or waited for locks, ' alone.txt
has alone-share 'Strands slept or waited 29 % of' alone.txt
has_not alone-known 'is unknown' alone.txt
has alone-early 'with the first task or thread: before that, the first thread slept .* 580 ms[.]' \
    alone.txt
has_not between-early 'samples begin' between.txt
# a part is confirmed: the sentence has that part, and no other sentence has more
grain in-part $between alone=110000000 slept=15
has_words in-part-words in-part.txt 'For at least 20.000 ms they could have run, but other' \
    'threads and programs had the processors. For at least 166.000 ms, they slept, or waited' \
    'for locks, .* The cause of the rest is unknown: too few off-CPU samples'
has in-part-share 'Strands slept or waited 13 % of' in-part.txt

# one number for one thing, or the reason why there are two
grain near tasks=3000 on=1 work=30000 root=0 span=100 longest=100 workers=40 typical=96 outliers=30
has near-words 'than 312.5 times as fast as one core (its parallelism if no strand had taken far' \
    near.txt

# threads that wait for each other may have an order that is no edge
thread='construct=pthread_create tasks=2 on=1 work=400 span=200 longest=200 elapsed=420'
grain turns
json turns-json '.program | [.certainty.span_ns, .certainty.parallelism, .exact,
    .lower_bound_constructs]' '["lower bound","upper bound",false,["pthread_create"]]' turns.prof
json turns-sites '[.sites[] | [.construct, .certainty.span_ns]] | sort' \
    '[["","lower bound"],["pthread_create","lower bound"]]' turns.prof
has turns-span '^  Span (LOWER BOUND)' turns.txt
has turns-parallelism '^  Parallelism .* (upper bound)' turns.txt
has turns-words 'span is a LOWER BOUND: threads waited: an order by condition variables or' \
    turns.txt
told='.functions[] | select(.function | startswith("app+0x402")) | .verdict'
# the parallelism of what the program's threads share out is theirs: more of them may have more
divided=", as the program's threads divided it: see their number and shares"
json turns-verdict "$told" \
    "\"parallelism of its own at most 2.00$divided\"" turns.prof
grain wide tasks=200 construct=pthread_create on=1 work=400 span=20 longest=2 elapsed=420 \
    blocked=36 waited=4 delay=2000000
json turns-scales "$told" \
    '"parallelism is enough here, unless unseen dependences forbid it: make its work less"' \
    wide.prof
grain even $thread blocked=400 waited=1 delay=390000000
json even-verdict "$told" \
    "\"parallelism of its own 2.00$divided\"" even.prof
json even-json '.program | [.certainty.span_ns, .exact, .lower_bound_constructs]' \
    '["as executed",false,[]]' even.prof
# a thread that yields while it waits is ready: few samples find it waiting, or none
grain yielded $thread elapsed=1460 blocked=2339 waited=2 delay=2280000000
json yielded-json '.program | [.certainty.span_ns, .lower_bound_constructs]' \
    '["lower bound",["pthread_create"]]' yielded.prof
has yielded-ready 'They were ready to run, as threads that yield while they wait are, but' \
    yielded.txt
has_not yielded-balanced 'was balanced\|no limit of the algorithm' yielded.txt
grain crammed $thread elapsed=1460 blocked=2339 delay=2330000000
json crammed-json .program.certainty.span_ns '"lower bound"' crammed.prof
has crammed-words \
    'span is a LOWER BOUND: threads lacked a processor or waited for each other, which' \
    crammed.txt
has_not crammed-balanced 'was balanced' crammed.txt
has_words crammed-unseen crammed.txt 'Whether they waited for each other, this run does not show:' \
    'they lacked a processor for 2.33 s'
has even-unseen 'Whether they waited for each other, this run does not show' even.txt
# it does not depend on what took most of the blocked time
grain mixed $thread blocked=400 waited=8 delay=300000000
json mixed-json '.program.certainty.span_ns' '"lower bound"' mixed.prof
# tasks of a runtime that wait for locks are not in any order
grain locks tasks=200 work=400 span=20 longest=2 blocked=400 waited=38 delay=2000000 elapsed=420
json locks-json '.program.certainty.span_ns' '"exact"' locks.prof

# ---- idle slots: by the rows of the ledger ----
# main sleeps before its loop: the second worker did not exist
grain before
limits before '[["blocked",""],["idleness","absent"]]' before.prof
has_words before-words before.txt 'for 528 ms of it, there was no second worker: runtimes' \
    'start threads with the first tasks. The first thread was off the CPU for 503 ms outside' \
    'every task, longest in app.0x407000'
# the same before the program's own threads: their slots idled for that, not for the span
early='construct=pthread_create tasks=4 on=1 work=400 span=200 longest=200 workers=4 elapsed=1700'
grain early $early blocked=1500 outside=1500 absent=4500 sleep=400 alone=1500000000
limits early '[["idleness","absent"],["blocked",""],["span",""]]' early.prof
has_words early-words early.txt 'The first thread was off the CPU for 1.50 s outside every task'
has_not early-span 'may explain up to' early.txt
grain late-start $early blocked=1500 outside=1500 absent=4500 sleep=400 alone=0
limits late-start '[["idleness","absent"],["blocked",""],["span",""]]' late-start.prof
has_not before-not-taken 'for all of it, at least' before.txt
# workers that look for tasks while strands have no CPU
grain behind tasks=400 on=1 work=500 span=5 longest=1.2 blocked=1400 sleep=100 delay=1350000000
has_words behind-words behind.txt 'strands could have run for 1.35 s more, but other threads and' \
    'programs had the processors. Idle workers may have waited for these strands.'

# The first thread slept for most of the run, outside every task, while tasks waited longer in all:
# they may have waited for it.
pool='construct=pthread_create tasks=2 on=1 work=110 span=60 longest=60 root=1 workers=2
    elapsed=650'
grain pool $pool crowd=650 blocked=1000 outside=500 waited=100 slept=48 delay=20000000
has_words pool-first pool.txt 'Outside every task, the first thread waited 340 ms to 600 ms' \
    'of 650 ms in app+0x407000 and what it called[.]'
grain pool-all $pool crowd=650 blocked=1000 outside=640 waited=100 slept=64 delay=20000000
has pool-all-first 'first thread waited .* to 650 ms of 650 ms in' pool-all.txt
grain pool-short $pool crowd=650 blocked=1000 outside=250 waited=100 slept=24 delay=20000000
has_not pool-short-first 'Outside every task, the first thread' pool-short.txt

# ---- more workers than processors ----
crowd='tasks=800 on=100 work=2000 span=260 longest=3 elapsed=1100 sleep=5500 workers=8'
grain crowded-by-itself $crowd processors=2
limits crowd '[["idleness","preempted"],["span",""]]' crowded-by-itself.prof
has crowd-head '8 workers on 2 processors, ' crowded-by-itself.txt
has_words crowd-words crowded-by-itself.txt '8 workers shared 2 processors: at most 2 of them ran' \
    'at a time, and others may have waited for those that did not.'
"$prof" report crowded-by-itself.prof >brief.txt 2>/dev/null
has crowd-action 'Do first: run it with no more threads than processors' brief.txt
# processes that are merged may have run on several machines
cp crowded-by-itself.prof crowd-again.prof
"$prof" merge -o crowds.prof crowded-by-itself.prof crowd-again.prof 2>/dev/null
"$prof" report crowds.prof >crowds.txt 2>/dev/null
has crowd-merged 'workers' crowds.txt
has_not crowd-merged-unknown ' on 2 processors' crowds.txt
grain room $crowd processors=8
limits crowd-room '[["idleness",""],["span",""]]' room.prof
has_not crowd-no-head ' on 8 processors' room.txt

# ---- programs without tasks ----
serial='tasks=0 spawns=0 workers=1 work=0 root=100 span=0 elapsed=1010 outside=902'
grain asleep
has_words serial-words asleep.txt \
    'The program was off the CPU for 902 ms of 1.01 s (89 %), longest in app.0x407000. It slept,' \
    'or waited for other processes, locks, input or output. Faster or parallel code changes at' \
    'most the other 11 %.'
grain nowhere $serial
has_words serial-unknown nowhere.txt 'It slept or waited, or others had the processors. Where,' \
    'this profile does not show: off-CPU samples begin with the first task or thread.'
grain pushed $serial delay=800000000
has serial-preempted 'For 800 ms of it, it could have run, but others had the processors' pushed.txt
grain crowded $serial delay=902000000
has serial-crowded 'For 902 ms of it, it could have run, but others had the processors' crowded.txt
has_not serial-no-bound 'code changes' crowded.txt
grain hardly outside=9 $serial
has_not serial-hardly 'off the CPU for' hardly.txt

# ---- child processes ----
grain parent
has_words children-words parent.txt \
    'The program made 2 child processes, which no figure here contains. They' \
    'used 600 ms of CPU time'
has_words children-apart parent.txt \
    'Faster or parallel code changes at most the other 11 %, apart from the time that' \
    'it waits for child processes.'
has_not children-none 'child process' asleep.txt

# ---- workers without a CPU may not have lacked a task ----
ferry='tasks=12000 on=6000 work=1800 span=840 longest=1 elapsed=1835 sleep=1510'
grain ferry $ferry ready=1500000000 delay=1500000000
limits ready-not-span '[["idleness","preempted"]]' ferry.prof
grain ferry-alone $ferry
has ready-too 'idle for 1.500 s.*: for 1.50 s .* parallelism may explain up to 831 ms of it' \
    ferry.txt
limits ready-none '[["span",""],["idleness","few_tasks"]]' ferry-alone.prof

# ---- few tasks ----
coarse='tasks=3 on=1 work=300 span=100 elapsed=205 sleep=90 root=0.1'
grain coarse
has_words coarse-words coarse.txt '3 tasks of task_group at app.0x400fff, of 100 ms each, cannot' \
    'share 2 workers evenly: split them. This explains up to 90.000 ms of idle time'
for other in 'tasks=4 work=400' 'longest=180' 'tasks=7 work=700' 'flags=4 construct=parallel'; do
    grain other $other $coarse longest=101
    has_not "coarse-not-$(echo "$other" | tr ' =' '--')" 'evenly: split them' other.txt
done

# ---- balanced ----
region='construct=parallel flags=4 tasks=2 on=1 invocations=1 work=400 span=201 longest=201 root=1'
grain balanced $region elapsed=230 sleep=50
has_words balanced-words balanced.txt 'Parallelism 1.99 nearly equals its 2 workers: the work' \
    'was balanced, if no thread waits in a loop on the CPU, which counts as work. More workers' \
    'need more parts: the teams of threads limit parallelism'
has_words balanced-grew balanced.txt 'Whether the work itself grew with the workers (memory,' \
    'shared cache lines), one run does not show: prof bench does.'
has_not balanced-no-lack 'must idle\|lack of parallelism' balanced.txt
has balanced-shares 'shows how evenly this run shared the work among its 2 threads' balanced.txt
has balanced-loops 'If these regions have loops, the loops may be more parallel' balanced.txt
grain unbalanced span=300 longest=300 $region elapsed=310 sleep=200
has unbalanced-lack 'idle for lack of parallelism' unbalanced.txt

# ---- advice on the grain ----
grain flat tasks=8000000 on=30 work=1000 inside=93 span=1 dispatch=700 sleep=120 longest=0.001
has_not flat-recursion 'End the recursion' flat.txt
has flat-grain 'Make the grain larger: more work in each task' flat.txt
grain deep tasks=8000000 on=30 work=1000 inside=93 span=1 dispatch=700 sleep=120 longest=0.001 \
    recursive=1
has deep-recursion 'End the recursion earlier, or make the grain larger' deep.txt

# ---- all workers idle at once ----
# Two workers idle for 700 ms, strands run for 300 of these: no code ran in the rest.
grain alone-together work=300 span=150 longest=1 sleep=700 elapsed=500
json alone-together-rest '[.functions[] | select(.self.idleness_ns > 0) |
    [.function, .self.idleness_ns]]' '[["app+0x402000",301000000],["(program)",399000000]]' \
    alone-together.prof
has_words alone-together-column alone-together.txt '(program) also has the idle time in which no' \
    'strand ran, by estimate'
COLUMNS=900 "$prof" report alone-together.prof >alone-short.txt 2>/dev/null
has alone-together-short 'Parallelism' alone-short.txt
has_not alone-together-blame '% of the idle time. Verdict' alone-short.txt
"$prof" annotate alone-together.prof 2>/dev/null | tr -s '\n ' ' ' >alone-lines.txt
has alone-together-lines 'no strand ran in 57.0 % of the idle time: this is at no line' \
    alone-lines.txt
# what is as long as all strands is beside them
grain together-all work=300 span=150 longest=1 sleep=290 elapsed=300
json together-all '[.functions[] | select(.self.idleness_ns > 0) | .function]' \
    '["app+0x402000"]' together-all.prof
has_not together-all-column '(program) also has' together-all.txt
