# doubt.sh - a part of run.sh: what is not known is not claimed. Where libprof took off as much as
# is left, work and span are estimates; a figure by samples has its margin.

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
has doubt-tiny-table '! These rest on work and span, which are estimates here' tiny.txt
has_not doubt-tiny-claims \
    'Bound: \|no scheduler can \|(exact)' tiny.both
has_not doubt-tiny-exact 'Totals are exact\|Work and counts are exact\|total exact' tiny.both
# less was taken off than is left: as before
grain fine $tiny own=0.9
says fine
json doubt-fine '.program | [.exact, .certainty.work_ns]' '[true,"exact"]' fine.prof
has_not doubt-fine-mark '~' fine.both
# few tasks: rare work, which is measured, is most of what was taken off
grain rare tasks=100 own=3000
json doubt-rare '.program.exact' true rare.prof
# of tasks that spawn nothing and are long, another site's tiny tasks show nothing
json doubt-root '.sites[] | select(.outside_tasks) | .certainty.work_ns' '"estimated"' tiny.prof

# ---- figures by few samples ----
# 4 of 5 samples hit the runtime, so between nothing and most of 5 ms is the program's own
grain few tasks=856191 work=5 root=0 inside=80 dispatch=25 elapsed=20
has doubt-few-row "work: the program's own code .* less sampled overhead (+- 1[.0-9]* ms)" few.txt
grain more tasks=3424764 work=200 root=0 inside=80 dispatch=100 elapsed=200
json doubt-more-margin '.program | .own_code_per_task_margin_ns | . > 2 and . < 5' true more.prof
grain many tasks=34247640 work=20000 root=0 inside=80 dispatch=10000 elapsed=20000
has_not doubt-many-row "the program's own code .*+-" many.txt

# ---- chunks are strands ----
grain chunks construct=parallel runtime=openmp flags=4 tasks=5802 spawns=2 syncs=1 invocations=1 \
    handed=5800 work=580.6 span=1 root=0
json doubt-chunks '.program | [.avg_maximal_strand_ns, .own_code_per_strand_ns | round]' \
    '[100000,100000]' chunks.prof
# tasks that the runtime calls are none
grain called construct=parallel_for tasks=100 spawns=50 syncs=1 work=102 root=0
json doubt-called '.program.avg_maximal_strand_ns' 1000000 called.prof
