# certain.sh - a part of run.sh: figures of tasks, strands and outliers, how surely each is known,
# and that no figure is below its least.
grain taskloop
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
# an old profile has no threads
grain old tasks=700 invocations=1 construct=taskloop work=1000 span=2 sleep=990
json old-null '.sites[] | select(.construct == "taskloop") | [.threads, .longest_task_ns]' \
    '[null,null]' old.prof
# The program's own code in a task is 50 ns here, while the runtime's share of the work goes from 50
# to 95 %.
for inside in 50 60 70 80 90 95; do
    grain short tasks=4000000 work=$((20000 / (100 - inside))) inside=$inside span=1
    json short-strand-$inside '.program.own_code_per_task_ns | round | . > 40 and . < 65' true \
        short.prof
done

# ---- samples ----
# Where strands lack a CPU, samples may fall in step with the tick, unless the clock has none.
grain off work=500 span=5 blocked=1400 sleep=100 longest=10 delay=1350000000
has in-step \
    'could have run for 1.350 s more, .* in step with the kernel.s tick, and +- is too small' \
    off.txt
grain clocked work=500 span=5 blocked=1400 sleep=100 longest=10 delay=1350000000 source=task-clock
has_not no-tick 'in step' clocked.txt
# Samples do not follow the path from turn to turn of a loop in order.
turns='construct=parallel flags=4 invocations=1 on=1 threads=2 work=400 root=0 tasks=43 handed=40'
grain order $turns span=200 hits=0 longest=10 turns=300
grain no-order tasks=43 on=40 work=400 span=200 hits=0 longest=10 root=0
for kind in order no-order; do
    "$prof" report $kind.prof 2>/dev/null | tr -s '\n ' ' ' >$kind.brief
done
for form in txt brief; do
    has order-$form 'Samples do not follow the order of a loop' order.$form
    has_not no-order-$form 'Samples do not follow' no-order.$form
done
has no-order-words 'None of them hit the critical path' no-order.txt
has no-order-brief-words 'samples, none on the critical path' no-order.brief
# a thread that has not ended
grain unended construct=pthread_create tasks=0 spawns=1 invocations=0 on=1 work=160 span=160 \
    hits=0 root=0.5
has unended-hits 'Whether they hit the critical path is not known, because the task there' \
    unended.txt
# a region's empty tasks gave all their work to chunks: they are not in the mean
equal='flags=4 invocations=1 on=1 threads=2 work=160 root=0 sleep=100'
for construct in 'parallel' 'parallel for'; do
    grain equal construct="$construct" $equal tasks=7 handed=4 span=41 longest=41
    json "mean-$construct" '[.sites[] | select(.tasks == 7) | .mean_task_ns]' '[40000000]' \
        equal.prof
done
grain static construct=parallel $equal tasks=3 span=80 longest=80
json mean-static '[.sites[] | select(.tasks == 3) | .mean_task_ns]' '[80000000]' static.prof

# ---- the time without a CPU ----
grain ready tasks=1000 work=1000 span=9 sleep=990 longest=1 delay=0 ready=700000000
has ready-row '^ *35.0 *700 ms *idle: ready, others had the processors *estimated$' ready.txt
has ready-rest '^ *14.5 *290 ms *idle: asleep *the rest off the CPU$' ready.txt
json ready-json '.ledger | [.sleep_ns, .sleep_run_delay_ns]' '[990000000,700000000]' ready.prof
grain not-ready tasks=100 work=1000 span=10 sleep=990 longest=12 threads=2 busiest=55
has_not not-ready-row 'idle: ready' not-ready.txt
json not-ready-json .ledger.sleep_run_delay_ns null not-ready.prof

# ---- one thread without a task is serial (ZERO: tasks, spawns) ----
ZERO=56,64 ./gen run 100 0 1 >serial.prof
COLUMNS=900 "$prof" report --full serial.prof >serial.txt 2>/dev/null
has no-task 'No tasks were seen: what libprof saw is serial, so its parallelism is 1' serial.txt
json no-task-json .program.parallelism 1 serial.prof

# ---- how surely figures are known ----
loop='tasks=29 on=1 construct=parallel_for work=1000 span=128 longest=128 divided=1'
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
# of one steal, nothing shows what a steal takes
grain few-steals tasks=20 work=1000 span=9 burden=400 edges=4 longest=60 stolen=1
has_words steals-few-bound few-steals.txt \
    '! lower rests on what a steal takes, 400 ms by 1 steal of this run: too few to show it'
grain six-steals tasks=20 work=1000 span=9 burden=400 edges=4 longest=60 stolen=6
has_not steals-enough-bound 'too few to show it' six-steals.txt
has certain-cut-mark 'parallel_for +$' cut.txt
json certain-paths \
    '[.functions[] | select(.self.samples > 0) | .self | [.certainty, .work_margin_ns > 0]] |
    unique' '[["sampled",true]]' groups.prof
json certain-ledger \
    '[.ledger | .certainty as $c | keys[] |
    select(endswith("_ns") and (test("total|extra|cpu") | not)) | $c[.]] |
    map(select(. == null))' '[]' groups.prof
json certain-program '.program as $p | $p.certainty | keys - ($p | keys)' '[]' groups.prof

# ---- never below 1 ----
grain below work=264 span=412 root=1 longest=10
json parallelism-least '[(.program.parallelism), (.functions[].parallelism), (.sites[].parallelism),
    (.program.speedup[].lower)] | map(select(. != null and . < 1))' '[]' below.prof
grain narrow
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
has outliers-line '^  Same, no outliers *3,000 (estimated)$' noisy.txt
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
