# totals.sh - a part of run.sh: the totals of a profile, its sites, regions and threads, as JSON.
profiles basic empty big bound counter wide longer off-cpu
json totals '.program | [.work_ns, .span_ns, .burdened_span_ns, .parallelism, .spawns, .syncs,
        .steals, .tasks, .elapsed_ns, .workers, .idle_ns, .exact, .complete]' \
    '[1000000000, 250000000, 260000000, 4, 1999, 1001,
        12, 2000, 600000000, 2, 100000000, true, true]' basic.prof
json burdened-parallelism '.program.burdened_parallelism * 1000 | floor' 3846 basic.prof
json average-strand '.program.avg_maximal_strand_ns' 200000 basic.prof
json burden '.program | [.burden_ns, .burden_source, .burden_steals]' '[200000,"measured",12]' \
    basic.prof
json speedup-processors '[.program.speedup[].p]' '[2,4,8,16,32,64,128]' basic.prof
json speedup-upper '[.program.speedup[].upper]' '[2,4,4,4,4,4,4]' basic.prof
# T1 / (T1/2 + 1.7 x 260 ms) = 1000 / 942 = 1.0615711
json speedup-lower '.program.speedup[0].lower * 10000 | floor' 10615 basic.prof
json span-sums '[.sites[].on_span.local_span_ns] | add' 250000000 basic.prof
json work-sums '[.sites[].local_work_ns] | add' 1000000000 basic.prof
json shares '[.sites[].on_span.share_of_span]' '[0.48,0.32,0.2]' basic.prof
json contexts-add-up '.sites[] | select(.construct == "parallel_for") |
        [.invocations, .tasks, .steals, .work_ns, .span_ns, .parallelism,
            .local_work_ns, .local_span_ns]' \
    '[56, 112, 14, 800000000, 250000000, 3.2, 400000000, 250000000]' basic.prof
json top-caller '.sites[] | select(.construct == "task_group") | .top_caller' '
    {"count": 4, "work_ns": 400000000, "span_ns": 45000000, "parallelism": 8.88888888888889}' \
    basic.prof
json on-span '.sites[] | select(.construct == "task_group") | .on_span |
        [.count, .work_ns, .span_ns, .local_work_ns, .top_caller.parallelism]' \
    '[1,160000000,80000000,80000000,null]' basic.prof
json root-row '.sites[] | select(.outside_tasks) | [.function, .local_work_ns, .local_span_ns]' \
    '["(outside every task)",200000000,50000000]' basic.prof
json regions '.regions' '[{"name": "sort", "count": 3, "work_ns": 600000000, "span_ns": 150000000,
    "burdened_span_ns": 150400000, "parallelism": 4, "burdened_parallelism": 3.98936170212766,
    "max_span_ns": 150000000}]' basic.prof
json threads '.threads[0] | [.tid, .kind, .busy_ns, .work_ns, .tasks]' \
    '[4242,"main",500000000,1000000000,2000]' basic.prof
json settings '.settings' '{"PROF_CLOCK":"tsc"}' basic.prof
json notes '.notes' '[{"kind": "hint", "name": "hint-name", "text": "a hint", "count": 3}]' \
    basic.prof
json format-version '[.format_version, has("raw")]' '[5,false]' basic.prof
json off-cpu '.sampling | [.off_cpu_samples, has("looks_blocked")]' '[40,false]' off-cpu.prof
json raw '[.raw, (.sites | length)]' '[true,3]' basic.prof --raw
json longer-entries '.program | [.work_ns, .span_ns, .burdened_span_ns]' \
    '[1000000000,250000000,260000000]' longer.prof
json longer-sites '[.sites[].on_span.local_span_ns]' '[120000000,80000000,50000000]' longer.prof
json counter '.program | [.unit, .clock, .work_ns, .burden_source]' \
    '["instructions","instructions",1000000000,"default"]' counter.prof
json bound '.program | [.exact, .lower_bound_constructs, .complete, .end, .exit_status]' \
    '[false,["parallel_pipeline","flow_graph"],false,"signal",11]' bound.prof
json bound-site '[.sites[] | select(.lower_bound) | .construct]' '["parallel_for"]' bound.prof
json empty '.program | [.work_ns, .parallelism, .burdened_parallelism, .speedup]' \
    '[0,null,null,[]]' empty.prof
json big '[.program.span_ns, ([.sites[].on_span.local_span_ns] | add), (.sites | length)]' \
    '[100000,100000,1001]' big.prof
"$prof" report --json wide.prof >wide.json 2>/dev/null
has wide-caps '"work_ns": 9223372036854775807' wide.json
equal json-array '["basic","empty"]' \
    "$(of_json '[.[].profile | rtrimstr(".prof")]' basic.prof empty.prof)"
