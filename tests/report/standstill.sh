# standstill.sh - a part of run.sh: strands that sleep or wait. Work and span do not contain this
# time, so the report notes it. And what threads wait for may be an order that the dag does not
# have.

# 40 tasks sleep 100 ms each
sleeper='tasks=40 on=1 work=10 span=1.4 longest=0.3 blocked=4000 elapsed=2030 delay=4000000'
grain sleeper
has sleeper-table '^  ! Strands slept or waited 98 % of the worker time' sleeper.txt
has sleeper-upper 'what no scheduler can exceed with tasks like these, of the time on the CPU' \
    sleeper.txt
json sleeper-json '.program | [.waited_ns, .certainty.speedup, .certainty.waited_ns,
    .certainty.parallelism]' '[3996000000,"not exact","estimated","exact"]' sleeper.prof
# the same without a CPU: then work and span have all
grain taken delay=3960000000 $sleeper waited=2
has_not taken-words 'slept or waited' taken.txt
json taken-json '.program | [.certainty.speedup, .waited_ns]' '["estimated",40000000]' taken.prof
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
has alone-share 'Strands slept or waited 29 % of' alone.txt
# a part is confirmed
grain in-part $between alone=110000000 slept=15
has in-part-share 'Strands slept or waited 13 % of' in-part.txt

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
grain even $thread blocked=400 waited=1 delay=390000000
json even-json '.program | [.certainty.span_ns, .exact, .lower_bound_constructs]' \
    '["as executed",false,[]]' even.prof
# a thread that yields while it waits is ready: few samples find it waiting, or none
grain yielded $thread elapsed=1460 blocked=2339 waited=2 delay=2280000000
json yielded-json '.program | [.certainty.span_ns, .lower_bound_constructs]' \
    '["lower bound",["pthread_create"]]' yielded.prof
grain crammed $thread elapsed=1460 blocked=2339 delay=2330000000
json crammed-json .program.certainty.span_ns '"lower bound"' crammed.prof
has crammed-words \
    'span is a LOWER BOUND: threads lacked a processor or waited for each other, which' \
    crammed.txt
# it does not depend on what took most of the blocked time
grain mixed $thread blocked=400 waited=8 delay=300000000
json mixed-json '.program.certainty.span_ns' '"lower bound"' mixed.prof
# tasks of a runtime that wait for locks are not in any order
grain locks tasks=200 work=400 span=20 longest=2 blocked=400 waited=38 delay=2000000 elapsed=420
json locks-json '.program.certainty.span_ns' '"exact"' locks.prof

# ---- more workers than processors ----
crowd='tasks=800 on=100 work=2000 span=260 longest=3 elapsed=1100 sleep=5500 workers=8'
grain crowded-by-itself $crowd processors=2
has crowd-head '8 workers on 2 processors, ' crowded-by-itself.txt
# processes that are merged may have run on several machines
cp crowded-by-itself.prof crowd-again.prof
"$prof" merge -o crowds.prof crowded-by-itself.prof crowd-again.prof 2>/dev/null
"$prof" report crowds.prof >crowds.txt 2>/dev/null
has crowd-merged 'workers' crowds.txt
has_not crowd-merged-unknown ' on 2 processors' crowds.txt
grain room $crowd processors=8
has_not crowd-no-head ' on 8 processors' room.txt

# ---- child processes ----
grain parent
grain asleep
has_words children-words parent.txt \
    'The program made 2 child processes, which no figure here contains. They' \
    'used 600 ms of CPU time'
has_not children-none 'child process' asleep.txt

# ---- all workers idle at once ----
# Two workers idle for 700 ms, strands run for 300 of these: no code ran in the rest.
grain alone-together work=300 span=150 longest=1 sleep=700 elapsed=500
json alone-together-rest '[.functions[] | select(.self.idleness_ns > 0) |
    [.function, .self.idleness_ns]]' '[["app+0x402000",301000000],["(program)",399000000]]' \
    alone-together.prof
has_words alone-together-column alone-together.txt '(program) also has the idle time in which no' \
    'strand ran, by estimate'
"$prof" annotate alone-together.prof 2>/dev/null | tr -s '\n ' ' ' >alone-lines.txt
has alone-together-lines 'no strand ran in 57.0 % of the idle time: this is at no line' \
    alone-lines.txt
# what is as long as all strands is beside them
grain together-all work=300 span=150 longest=1 sleep=290 elapsed=300
json together-all '[.functions[] | select(.self.idleness_ns > 0) | .function]' \
    '["app+0x402000"]' together-all.prof
has_not together-all-column '(program) also has' together-all.txt
