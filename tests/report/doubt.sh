# doubt.sh - a part of run.sh: what is not known is not claimed. Where libprof took off as much as
# is left, work and span are estimates; a figure by samples has its margin; no direction is named
# that no figure shows.

brief() { COLUMNS=200 "$prof" report "$1.prof" >"$1.brief" 2>/dev/null; }
says() { # NAME: in all forms of the report of its profile, on one line each
    brief "$1"
    cat "$1.txt" "$1.brief" >"$1.both"
}

# ---- tasks below what can be measured ----
# 3,000,000 tasks with 2 ms of work are left after libprof took off 104 ms
tiny='tasks=3000000 invocations=1 construct=taskloop runtime=openmp root=1 work=2 span=1 longest=1
    threads=2 elapsed=430 sleep=700'
grain tiny $tiny own=104
says tiny
json doubt-tiny-certainty '[.program | .exact, (.certainty |
    [.work_ns, .span_ns, .parallelism, .parallelism_divisible, .avg_maximal_strand_ns])]' \
    '[false,["estimated","estimated","estimated","estimated","estimated"]]' tiny.prof
json doubt-tiny-site '.sites[] | select(.construct == "taskloop") | .certainty |
    [.work_ns, .span_ns, .parallelism]' '["estimated","estimated","estimated"]' tiny.prof
has doubt-tiny-mark 'taskloop ~' tiny.txt
has doubt-tiny-mark-brief 'taskloop ~' tiny.brief
has doubt-tiny-work '^  Work  *3.000 ms (estimated)$' tiny.txt
has_words doubt-tiny-words tiny.txt \
    'libprof took its own cost off the strands, 104.000 ms in all, 34.7 ns for each task. No' \
    'more than that is left: 3.000 ms'
has_words doubt-tiny-bound tiny.txt \
    'Parallelism, work / span, is about 1.50, an estimate: libprof took 104 ms of its own cost off'
has doubt-tiny-table '! These rest on work and span, which are estimates here' tiny.txt
grain tiny-few $tiny own=104 stolen=1
has doubt-tiny-few 'less than a steal, which took 3.00 us, by 1 steal alone' tiny-few.txt
grain tiny-none $tiny own=104 stolen=0 source-of-burden=0
has doubt-tiny-none 'which is taken to cost 3.00 us, because none was measured' tiny-none.txt
has doubt-tiny-grain 'take at most 35[.0-9]* ns on average, less than a steal' tiny.txt
has_not doubt-tiny-claims \
    'no number of cores\|no scheduler can \|imbalanced\|must idle\|(exact)\|is ample' tiny.both
has_not doubt-tiny-explains 'parallelism does not explain\|Too little parallelism' tiny.both
has_not doubt-tiny-exact 'Totals are exact\|Work and counts are exact\|total exact' tiny.both
# less was taken off than is left: as before
grain fine $tiny own=0.9
says fine
json doubt-fine '.program | [.exact, .certainty.work_ns]' '[true,"exact"]' fine.prof
has doubt-fine-bound 'Parallelism 1.50 is less than its 2 workers: some of them must idle' fine.both
has_not doubt-fine-mark '~' fine.both
# few tasks: rare work, which is measured, is most of what was taken off
grain rare tasks=100 own=3000
json doubt-rare '.program.exact' true rare.prof
# of tasks that spawn nothing and are long, another site's tiny tasks show nothing
json doubt-root '.sites[] | select(.outside_tasks) | .certainty.work_ns' '"estimated"' tiny.prof

# ---- phases, one after the other ----
# A region's two threads have 500 ms, 375 of them in a row, then three tasks 200 each: two workers
# need 375 + 400 ms, and idle for 450.
grain phases construct='parallel for' runtime=openmp flags=4 tasks=2 invocations=1 on=1 threads=2 \
    work=500 span=375 longest=375 then=600 then-span=200 root=0 elapsed=775 sleep=450
has doubt-phases 'Too little parallelism (1.91) explains up to 4[0-9.]* ms of idle time' phases.txt
has_not doubt-phases-claims 'parallelism does not explain it' phases.txt
has_words doubt-phases-bound phases.txt 'Parallelism 1.91 nearly equals its 2 workers: just' \
    'enough, if no worker has to wait for others'
has_not doubt-phases-balanced 'the work was balanced' phases.txt
grain phase construct='parallel for' runtime=openmp flags=4 tasks=2 invocations=1 on=1 threads=2 \
    work=500 span=255 longest=255 root=0 elapsed=255 sleep=10
has doubt-phase 'Parallelism 1.96 nearly equals its 2 workers: the work was balanced' phase.txt
# The whole has ample parallelism. Its serial phase may be most of the little idle time.
grain ample root=40 work=960 span=1 tasks=1000 elapsed=535 sleep=70 longest=1
has_words doubt-ample ample.txt \
    'the parallelism of the whole run does not explain it, though that of its phases may'

# ---- figures by few samples ----
# 4 of 5 samples hit the runtime, so between nothing and most of 5 ms is the program's own
grain few tasks=856191 work=5 root=0 inside=80 dispatch=25 elapsed=20
has doubt-few '856,191 tasks have at most [345][.0-9]* ns of the program' few.txt
has doubt-few-row "work: the program's own code .* less sampled overhead (+- 1[.0-9]* ms)" few.txt
grain more tasks=3424764 work=200 root=0 inside=80 dispatch=100 elapsed=200
has doubt-more '3,424,764 tasks have 11.7 ns (+- [0-9.]* ns) of the program' more.txt
json doubt-more-margin '.program | .own_code_per_task_margin_ns | . > 2 and . < 5' true more.prof
grain many tasks=34247640 work=20000 root=0 inside=80 dispatch=10000 elapsed=20000
has doubt-many '34,247,640 tasks have 117 ns of the program' many.txt
has_not doubt-many-row "the program's own code .*+-" many.txt

# ---- directions ----
grain beside tasks=856191 work=50 root=0 inside=80 dispatch=25 elapsed=50 own=20
has_not doubt-direction 'without libprof it\|libprof, which is faster' beside.txt
has doubt-direction-cpu 'a run without libprof, which takes less CPU time' beside.txt

# ---- chunks are strands ----
grain chunks construct=parallel runtime=openmp flags=4 tasks=5802 spawns=2 syncs=1 invocations=1 \
    handed=5800 work=580.6 span=1 root=0
json doubt-chunks '.program | [.avg_maximal_strand_ns, .own_code_per_strand_ns | round]' \
    '[100000,100000]' chunks.prof
# tasks that the runtime calls are none
grain called construct=parallel_for tasks=100 spawns=50 syncs=1 work=102 root=0
json doubt-called '.program.avg_maximal_strand_ns' 1000000 called.prof

# ---- the parallelism of a function ----
# samples hit all of the first site's threads, and none of the second's, whose work may be the same
# function's
grain unhit construct=pthread_create tasks=300 work=700 span=500 then=100 then-span=0 \
    then-construct=pthread_create elapsed=700 sleep=600 root=0
has doubt-unhit 'parallelism of its own 1.40 to 1.60' unhit.txt
grain hit construct=pthread_create tasks=300 work=800 span=500 elapsed=700 sleep=600 root=0
has doubt-hit 'parallelism of its own 1.60,' hit.txt
