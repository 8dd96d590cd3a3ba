#!/bin/sh
# check.sh BUILD - what the report says of programs whose answer is known. This suite is called
# after all that the report concludes, above all what limits the program (`.limits`). In prof's
# sources, a verdict is less: the advice in a function's row (report/analysis/path_verdict.c). Where
# the answer is a share of the time, others that use the processors can change it: such a case is
# tried again. The words themselves, and what is near a limit, tests/report/verdicts.sh tests on
# given profiles.
build=$(cd "$1" && pwd) || exit 1
shift
here=$(cd "$(dirname "$0")" && pwd)
prof=$build/prof
tmp=$(mktemp -d) || exit 1
suite=verdicts only=$* failures=0
. "$here/../case.sh"
. "$here/../cpu.sh"
trap 'rm -rf "$tmp" "$cpu_tmp"' EXIT
cd "$tmp" || exit 1
unset COLUMNS NO_COLOR PROF_OUTPUT PROF_CLOCK PROF_BURDEN LD_PRELOAD OMP_WAIT_POLICY
export LC_ALL=C OMP_NUM_THREADS=2 OMP_DYNAMIC=false

run() { # PROGRAM ARGUMENTS...: p.prof, p.json, words
    PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 120 "$@" >out 2>err ||
        echo "status $?: $(head -1 err)"
    "$prof" report --json p.prof >p.json 2>err || echo "no report: $(head -1 err)"
    COLUMNS=900 "$prof" report --full p.prof 2>/dev/null |
        sed -n '/What limits it/,/1) Parallelism/p' >words
}
says() { # FILTER WHAT: prints WHAT and the findings, if FILTER is not true of p.json
    [ "$(jq "$1" p.json 2>&1)" = true ] || echo "$2: $(jq -c '[.limits[] |
        [.what, .why, .share]]' p.json) $(jq -c .ledger p.json)"
}

fib() { # PROGRAM N
    run "$@"
    says '[.limits[] | select(.what == "overhead")][0] | .why == "small_tasks"' \
        'small tasks are not found'
    says '.ledger | .overhead_in_strands_ns + .overhead_between_strands_ns > 2 * .work_ns' \
        'overhead is small'
    says '.program.strand_is_short' 'no warning of short strands'
    grep -q 'overhead of tasking' words || echo "the words: $(head -3 words)"
    "$prof" whatif p.prof 2>/dev/null | grep -q 'overhead of the runtime' ||
        echo 'prof whatif does not have the ledger'
}

# Of libomp's barrier of one thread all but the hooks is inside the strand, where samples find it:
# 400,000 take 21 ms, and perhaps none of five samples is in libomp.
barriers() { # PROGRAM
    run "$@" barriers 4000000
    says '[.limits[] | select(.what == "overhead")][0] | .why == "barriers"' \
        'barriers are not found'
    says '.ledger | .search_ns < 0.1 * (.overhead_between_strands_ns + .overhead_in_strands_ns)' \
        'a team of one searches for work'
    ! grep '_omp_fn\|omp_outlined' words       # no name of a compiler's
    grep -q 'barriers in inner loops at barriers (openmp.c:[0-9]*)' words ||
        echo "the words: $(head -3 words)"
    ! grep 'It is serial' words
}

rows() { # PROGRAM: time is in one row of the ledger alone, however a thread waits
    run "$1"
    says '.ledger | 1.03 * .total_ns > .work_ns + .overhead_in_strands_ns +
        .overhead_between_strands_ns + .search_ns + .sleep_ns + .waits_ns + .blocked_ns +
        .own_ns + .without_thread_ns' \
        'idle time is in two rows'
}

# PROGRAM: one thread of two waits at the end of each region. The recorded dag reads the clock then.
lopsided() {
    PROF_DAG=64m run "$1" lopsided
    says '.program.parallelism > 1.05 and .program.parallelism < 1.2' \
        "$(jq -c '.program | [.work_ns, .span_ns]' p.json): waits are work"
}

chunks() { # PROGRAM: one barrier, behind its one loop
    run "$@" chunks 20000
    "$prof" report --full p.prof 2>/dev/null | grep 'barriers in inner loops'
}

grain() { # PROGRAM: more threads get no smaller chunks
    run "$@" grain 300
    grep -q 'is the limit of this cut, not of the loops' words || echo "the words: $(cat words)"
    "$prof" report --full p.prof 2>/dev/null | tr -s '\n ' ' ' |
        grep -o 'as they were cut for [0-9]\|A runtime cuts them finer\|no limit of the program'
    "$prof" whatif p.prof 2>/dev/null | grep 'cut for'
}

taskloop() {
    run ./openmp-gcc taskloop 700 500
    says '.sites[] | select(.construct == "taskloop") | .tasks >= 700 and .threads == 1 and
        .busiest_thread_share == 1' 'several threads executed them'
    says '[.limits[] | select(.what == "idleness")][0] | .why == "undeferred" and .share > 0.3' \
        'one thread is not found'
    grep -q 'one thread executed 7[0-9]* of the 7' words || echo "the words: $(head -3 words)"
}

# While a thread waits for a task that is not ready yet, it is idle, even if it created the task.
chain() { # PROGRAM
    run "$1" chain 6 1000
    says '.ledger | .overhead_between_strands_ns < 0.04 * .total_ns' 'waits are overhead'
    says '[.limits[].what] | index("idleness") != null or index("span") != null' \
        'idleness is not named'
}

uneven() {
    run ./openmp-gcc uneven
    says '.sites[] | select(.construct == "task") | .tasks == 8 and
        .longest_task_ns / .mean_task_ns > 3 and .longest_task_ns / .mean_task_ns < 5' \
        "tasks $(jq -c '.sites[] |
            [.construct, .tasks, .mean_task_ns, .longest_task_ns, .threads]' p.json | tr '\n' ' ')"
}

# The chunks are small, but two threads have shared the loop around them.
regions() { # PROGRAM
    run "$1" regions
    says '.program.certainty | .span_ns == "as executed" and .parallelism == "as executed"' \
        "certainty $(jq -c .program.certainty p.json)"
}

candidates() { # PROGRAM: prof whatif calls a region by its function and its line in the source
    run "$1"
    line=$(sed -n '/omp parallel/=' "$here/../view/regions.cpp")
    "$prof" whatif p.prof >out 2>err
    grep -q "fill, parallel region at regions.cpp:$line" out ||
        echo "no region in: $(grep -A3 candidate out)"
    grep -q "main, lambda at regions.cpp:$(sed -n '/\[\](unsigned/=' "$here/../view/regions.cpp")" \
        out || echo "no lambda in: $(grep -A5 candidate out)"
    ! grep '_omp_fn\|omp_outlined\|_Z[0-9]' out
    # what main calls is not serial, though its own code is: "..., outside of tasks, ..."
    ! "$prof" report p.prof 2>err | tr -s '\n ' ' ' | grep -o 'main ([^)]*) and what it calls,'
}

# Parallelism does not explain that the second region's threads wait for the longest part.
unequal() {
    run ./openmp-gcc unequal
    says '[.limits[] | select(.what == "idleness")][0] | .why == "unequal" and .share > 0.1' \
        'unequal parts are not found'
    line=$(sed -n '/schedule(static, 150)/=' "$here/openmp.c")
    tr '\n' ' ' <words | grep -q \
        "region at unequal (openmp.c:$line) are unequal, for up to [0-9.]* m*s of it: together" ||
        echo "the words: $(head -3 words)"
}

# Of the whole run, parallelism nearly equals the two workers; of each phase, it is less.
stages() { # PROGRAM
    run "$1" stages
    says '.program.parallelism > 1.8 and ([.limits[] | select(.what == "span")][0] |
        .share > 0.1)' "parallelism $(jq .program.parallelism p.json) explains no idle time"
}

# libprof takes off more than is left of the tasks.
tiny() {
    run ./openmp-gcc tiny 1000000
    says '.program | .exact == false and .certainty.work_ns == "estimated" and
        .certainty.span_ns == "estimated"' "certainty $(jq -c .program.certainty p.json)"
    says '[.functions[].verdict | test("imbalanced")] | any | not' 'a tiny task is longest'
    grep -q 'is about [0-9.]*, an estimate: libprof took' words ||
        echo "the words: $(head -3 words)"
    ! grep 'no number of cores\|parallelism does not explain\|must idle' words
}

beside() { # PROGRAM: the single is uneven, not the loop behind it
    PROF_SAMPLE=1000 run "$@" beside 100000
    says '[.functions[] | select(.function == "cell" or .function == "alone")] |
        sort_by(.function) | map(.verdict | test("balance it")) == [true, false]' \
        "verdicts $(jq -c '[.functions[] | [.function, .verdict]]' p.json)"
}

told() { # FUNCTION VERDICT: that of FUNCTION
    says "[.functions[] | select(.function == \"$1\") | .verdict] == [\"$2\"]" \
        "verdict of $1: $(jq -c '[.functions[] | [.function, .self.samples, .verdict]]' p.json)"
}

team_of_one() { # PROGRAM: nothing shows what is a loop there
    OMP_THREAD_LIMIT=1 run "$@" beside 100000
    told alone ''
    told cell ''
}

phases() { # PROGRAM: nobody waits for the early thread
    run "$@" phases 30
    told late "one thread's part of a region, on the critical path: split it (a loop: balance it)"
    told early "off the critical path, beside a longer share of its region"
}

verdicts() { jq -c '[.functions[] | [.function, .self.on_span_samples, .verdict]]' p.json; }

# Each of a function's constructs has the work of its own site and its own tasks; and a chain beside
# the critical path does not scale.
chains() { # PROGRAM
    run "$@" chains
    says '([.sites[] | select(.construct == "task") | .work_ns] | sort) as $sites |
        ([.functions[] | select(.function | test("^(longer|shorter|loose)$")) | .self.work_ns] |
            sort) as $own |
        ($own | length) == 3 and ([$sites, $own] | transpose |
            all(.[1] / .[0] > 0.98 and .[1] / .[0] < 1.02))' \
        "sites $(jq -c '[.sites[] | [.line, .work_ns]]' p.json) $(verdicts)"
    says '[.functions[] | select(.function | test("^(longer|shorter)$")) | .verdict] | sort ==
        ["off the critical path, beside something longer",
            "serial on the critical path: parallelise"]' "verdicts $(verdicts)"
}

master() { # PROGRAM: others wait at a barrier for it, not for a lock
    run "$@" master
    says '[.functions[] | select(.function == "alone") | .verdict | test("^one thread.s part")] ==
        [true]' "verdicts $(verdicts)"
}

equal() { # PROGRAM: a region's own tasks are empty, so its chunks are as long as the mean
    run "$@" equal
    says '[.functions[].verdict | select(test("imbalanced|uneven chunks"))] == []' \
        "verdicts $(verdicts)"
    says '[.sites[] | select(.longest_task_ns != null) | .longest_task_ns / .mean_task_ns < 1.5] |
        all' "sites $(jq -c '[.sites[] | [.tasks, .mean_task_ns, .longest_task_ns]]' p.json)"
}

doacross() { # PROGRAM: its threads are balanced, and smaller chunks change nothing
    run "$@" doacross
    says '[.functions[] | select(.function == "cell") | .verdict] ==
        ["in a region whose threads wait for their turn: shorten what is in order"]' \
        "verdicts $(verdicts)"
    ! grep 'small chunks (schedule' words
}

tree() { # PROGRAM: a row has no more work than the program
    run "$@" tree
    says '.program.work_ns as $all | [.sites[] | .work_ns <= $all] | all' \
        "sites $(jq -c '[.sites[] | [.function, .line, .work_ns]]' p.json)"
}

one() { # one task of many is the critical path: no advice to split the others
    PROF_OUTPUT=$tmp/w.prof "$prof" whatif -t 100 -- ./tbb one 40 >text 2>err || true
    tr -s '\n ' ' ' <text | grep -q 'most of that one task, .* the mean: divide that one' ||
        echo "whatif: $(grep 'Do first' -A2 text; head -1 err)"
}

alike_tasks() { # any of the tasks may be the critical path: to divide one of them changes nothing
    PROF_OUTPUT=$tmp/w.prof "$prof" whatif -t 100 -- ./tbb alike 4 >text 2>err || true
    tr -s '\n ' ' ' <text | grep -q 'most of that one of several tasks about as long: split all' ||
        echo "whatif: $(grep 'Do first' -A2 text; head -1 err)"
}

# A team of one thread has no use for smaller chunks, and the chunks of each loop are equal. It is
# so on a busy machine as well.
inner() { # PROGRAM
    run "$@" inner
    says '[.functions[].verdict |
        select(test("imbalanced|uneven chunks|coarse|scales|enough here"))] == []' \
        "verdicts $(verdicts)"
    ! grep -o 'more and smaller chunks\|the limit of this cut' words
    grep -q 'ran in teams of one thread' words || echo "the words: $(cat words)"
}

last() { # PROGRAM: too little parallelism is not the cause, if tasks begin in another order
    run "$@" last
    # the compiler decides whether this task and those of the loop have one site or two
    one='The (longest of the tasks|only task) spawned at [^%]* is [0-9]* % of the critical path'
    grep -Eq "$one: where it begins late" words ||
        echo "the words: $(cat words)"
}

# Whether the threads made each other's work longer, one run does not show.
sharing() { # PROGRAM
    PROF_SAMPLE=2000 run "$@" sharing 100000000
    says '[.functions[] | select(.function == "count")] | length == 1' 'no function'
    says '[.functions[].verdict | select(test("scales|serially"))] == []' "verdicts $(verdicts)"
}

lazy() { # the longest chunk is one that no other thread asked for: nothing is to be divided
    PROF_OUTPUT=$tmp/w.prof "$prof" whatif -t 100 -- ./tbb lazy 4000 >text 2>err || true
    grep -q 'Do first' text || echo "whatif: $(head -3 text; head -1 err)"
    tr -s '\n ' ' ' <text | grep -o 'most of that one.*'
}

# A task that ends before its children belongs to the thread that ran it, not to that which ends the
# last child. The program itself counts.
parts() {
    run ./tbb parts 20
    got=$(jq -c '.sites[] | select(.construct == "parallel_for") |
        [.threads, .busiest_thread_tasks]' p.json)
    [ "$got" = "$(cat out)" ] || echo "$got, and the program counted $(cat out)"
}

nested() { # PROGRAM: no place in libprof is the program's
    run "$@" nested
    says '[.sites[] | select(.construct == "parallel") | .file | test("openmp.c$")] |
        length > 0 and all' \
        "sites $(jq -c '[.sites[] | [.construct, .function, .file, .line]]' p.json)"
}

serialised() { # its loop is as parallel on libomp, where one thread has it all in one chunk
    run ./openmp-clang serialised
    says '.program | .parallelism < 2.2 and .parallelism_divisible > 5 * .parallelism and
        .certainty.span_ns == "as executed"' \
        "$(jq -c '.program | [.parallelism, .parallelism_divisible, .certainty]' p.json)"
    ! grep 'no number of cores\|schedule(dynamic' words
}

sorted() { # its partitioner splits where workers are free
    run ./tbb sorted 200000
    says '.program.certainty.span_ns == "as executed"' "$(jq -c .program.certainty p.json)"
}

# Two groups of one context: the first wait joins both, so the span is too long, and no lower bound.
shared() {
    PROF_CLOCK=virtual run ./bounds shared
    says '.program | .exact == false and .certainty.span_ns == "not exact" and
        .certainty.parallelism == "not exact"' "$(jq -c .program.certainty p.json)"
    "$prof" report --full p.prof 2>/dev/null >text
    ! grep -i 'lower bound:' text
    grep -q 'span is NOT EXACT: task_groups that share a context' text ||
        echo "text: $(grep '!' text)"
}

no_grain() { # N US: tasks that are neither coarse nor serial
    run ./tbb tasks "$@"
    says '[.functions[].verdict | select(test("coarse for P|parallelise"))] == []' \
        "verdicts $(jq -c '[.functions[].verdict] | unique' p.json)"
}

in_tasks() { # NAMES EXPECTED: which of these candidates prof whatif calls parallel already
    "$prof" whatif --json p.prof >whatif.json 2>/dev/null
    [ "$(jq -c --arg names "$1" '[.candidates[] | select(.name | test($names)) |
        [.name, .in_tasks]] | sort' whatif.json)" = "$2" ] ||
            echo "candidates: $(jq -c '[.candidates[] |
                [.name, .in_tasks, .span_ns, .work_ns]]' whatif.json)"
}

steps() {
    run ./tbb steps 40
    says '[.functions[] | select(.function == "compute_force") | .verdict |
        test("parallelise")] == [false]' \
        "verdicts $(jq -c '[.functions[] | [.function, .verdict]]' p.json)"
    in_tasks '^(compute_force|rebuild_grid)$' '[["compute_force",true],["rebuild_grid",false]]'
}

filters() { # a serial filter has as many tasks as a parallel one
    run ./tbb filters 300
    in_tasks '_filter$' '[["parallel_filter",true],["serial_filter",false]]'
    runs=$(jq -r '.candidates[] | select(.name == "serial_filter") | .runs' whatif.json)
    [ "$runs" = 'one at a time' ] || echo "serial_filter runs $runs"
}

# The frames of a node's body are the runtime's, and main is not above them.
flow() {
    run ./tbb flow 100
    # the profile does not show that so little of it is not in turn
    told unlimited_node 'off the critical path: optimise serially'
    told serial_node 'serial on the critical path: parallelise'
}

# The plan says what runs on the critical path, where others call the same function beside it.
nodes() {
    "$prof" whatif -- ./tbb nodes 200 >plan 2>err || echo "whatif: $(head -1 err)"
    tr -s '\n ' ' ' <plan >words
    grep -q 'Do first: kernel.*nearly all of it is in kernel_in_turn (tbb.cpp:[0-9]*)' words ||
        grep -q 'Do first: kernel_in_turn' words || echo "the plan: $(cat words)"
    ! grep -o 'several run at a time' words
}

locked='its tasks wait for a critical section or lock: shorten the time inside'
mutex() { # off-CPU samples show the waits
    run ./tbb mutex 400
    told in_lock "$locked"
    told beside_lock "$locked"
}

spins() { # samples on the CPU do
    run ./tbb spins 400
    told in_lock "$locked"
    says '[.functions[] | select(.function | test("sched_yield")) | .verdict |
        select(. != "" and (test("^yields") | not))] == []' \
        "verdicts $(jq -c '[.functions[] | [.function, .verdict]]' p.json)"
    says '[.limits[] | select(.what == "spinning")] | length == 1' 'no spinning'
    grep -q 'in sched_yield, .* or a loop that only waits, most of it at .*tbb.cpp' words ||
        echo "the words: $(cat words)"
}

# All of it is on the critical path, in as many tasks as there are items.
filter() {
    run ./tbb filter 300
    says '[.functions[] | select(.function == "serial_filter") | .verdict] ==
            ["serial filter: one item at a time; make it cheaper, or parallel"]' \
        "verdicts $(jq -c '[.functions[] | [.function, .verdict]]' p.json)"
    says '[.sites[], .waits[]?] | map(.construct) | index("serial filter") == null' \
        "the mark has a row: $(jq -c '[.sites[], .waits[]?] | map(.construct)' p.json)"
}

# The thread that executes joins up the tree is in one task meanwhile.
joins() {
    run ./tbb joins 2000
    says '[.functions[].verdict | select(test("imbalanced|uneven"))] == []' \
        "verdicts $(jq -c '[.functions[] | [.function, .verdict]]' p.json)"
}

# The first split is half of the span, and longer than the mean by nature.
recursion() {
    run ./tbb halves 30000
    says '[.functions[] | select(.function == "split") | .verdict] ==
            ["serial on the critical path: parallelise"] and
        ([.functions[].verdict | select(test("imbalanced"))] == [])' \
        "verdicts $(jq -c '[.functions[] | [.function, .verdict]]' p.json)"
    in_tasks '^sp(lit|in)$' '[["spin",true],["split",false]]'
}

bound() { # NAME WORDS: parallelism 4, whatever the machine; whose bound the report says that is
    # which token is free first is the run's decision, so one worker
    workers= sure=exact
    case $1 in tokens) workers=1 sure='as executed' ;; team | threads) sure='as executed' ;; esac
    PROF_CLOCK=virtual run ./bounds "$1" $workers
    says ".program.certainty.span_ns == \"$sure\"" \
        "the span is $(jq .program.certainty.span_ns p.json)"
    says '.program.parallelism == 4' "parallelism $(jq .program.parallelism p.json)"
    tr '\n' ' ' <words | grep -q "$2" || echo "the words: $(cat words)"
    case $1 in groups) ;; *) ! grep 'no number of cores' words ;; esac
}

# The loop that was cut into chunks of 100 iterations: every command has both bounds.
cut_loop() { # loop|shares PARALLELISM HOW CUT-INTO BY-WORKERS
    for p in 1 2; do
        PROF_CLOCK=virtual PROF_DAG=1m OMP_NUM_THREADS=$p PROF_OUTPUT=$tmp/p$p.prof \
            LD_PRELOAD=$build/libprof.so \
            ./bounds $1 $p >out 2>err || echo "status $?: $(head -1 err)"
    done
    "$prof" predict --json -P 2,16 p2.prof >predict.json 2>err
    [ "$(jq -c '[.workers, .span_divisible_ns, (.predictions[] |
        .upper, .upper_divided)]' predict.json)" = "[2,10,2,2,$2,16]" ] ||
        echo "predict: $(jq -c '[.predictions[] |
            [.speedup, .upper, .upper_divided]]' predict.json) $(cat err)"
    "$prof" predict -P 2,16 p2.prof 2>/dev/null | tr -s '\n ' ' ' |
        grep -q "chunks that $4.*parallelism of about 400" ||
        echo 'predict does not say what it assumes'
    "$prof" whatif p2.prof 2>/dev/null | tr -s '\n ' ' ' |
        grep -q "is $2.00 as $3; their iterations allow about 400" ||
        echo "whatif: $("$prof" whatif p2.prof | head -3)"
    [ "$("$prof" view -o - p2.prof 2>/dev/null | grep -o '"upper_divided":\[[^]]*' | head -1 |
        cut -d, -f4,5)" = 4.0,5.0 ] ||
        echo 'the page does not have the divided bound'
    "$prof" diff --full p1.prof p2.prof 2>/dev/null >diff.txt
    [ "$(grep -c 'Loops were cut for these numbers' diff.txt)" = "$5" ] &&
        grep -q 'loops divided  *400' diff.txt ||
        echo "diff: $(head -12 diff.txt)"
}

# No partitioner cuts a range of no more iterations than its grain size: the program chose it.
cut_by_grain() { # grain|reduced
    PROF_CLOCK=virtual run ./bounds $1 2
    says '[.sites[].chunks | select(.by_runtime > 0) | .by_runtime == .sized_by_program] ==
        [true]' \
        "$(jq -c '[.sites[].chunks]' p.json)"
    for command in 'report --full' whatif; do
        "$prof" $command p.prof 2>/dev/null | tr -s '\n ' ' ' >text
        grep -q 'as the program cut its loops; their iterations allow about 400' text ||
            echo "$command: $(grep -o 'Parallelism is .*' text | head -c 200)"
        ! grep -o 'without a change of the code\|more workers get more' text
    done
}

# A static loop of one iteration a thread: no team makes more of it. libomp reports its bounds.
one_each() { # ITERATIONS WORDS
    printf '#include "libprof.h"\nint main(void)\n{\n%s\n%s\n}\n' \
        '#pragma omp parallel for schedule(static) num_threads(4)' \
        "for (int i = 0; i < $1; i++) libprof_cost(1000);" >one-each.c
    clang -O1 -fopenmp -I"$here/../../include" one-each.c -o one-each || return
    PROF_CLOCK=virtual run ./one-each
    tr -s '\n ' ' ' <words | grep -q "$2" || echo "the words: $(cat words)"
}

# The mean of a chunk's iterations is not the longest of them: 266, where the iterations allow 200.
# Every command says that its figure is estimated.
triangle() {
    PROF_CLOCK=virtual PROF_DAG=1m run ./bounds triangle 2
    says '.program | (.parallelism_divisible | floor) == 266 and
        ([.certainty | .span_divisible_ns, .parallelism_divisible] | unique) == ["estimated"]' \
        "$(jq -c '.program | [.parallelism_divisible, .certainty]' p.json)"
    for command in report whatif predict 'diff p.prof' 'view -o -'; do
        "$prof" $command p.prof 2>/dev/null | tr -s '\n ' ' ' >text
        case $command in
        diff*) grep -q '"loops divided" is estimated' text ;;
        view*) grep -q 'parallelism of their iterations, estimated' text ;;
        *) grep -q 'allow.* about 266 (estimated' text ;;
        esac || echo "$command does not say that it is estimated"
        ! grep -o '(estimated) (estimated).*' text
    done
    PROF_CLOCK=virtual run ./bounds scan 2
    says '[.program.certainty | .span_ns, .span_divisible_ns, .parallelism_divisible] ==
        ["lower bound", "estimated", "estimated"]' "$(jq -c .program.certainty p.json)"
}

# One iteration is the span, and the mean of its chunk's iterations is not.
heavy() {
    PROF_CLOCK=virtual PROF_DAG=1m run ./bounds heavy
    says '.program | .parallelism < 2 and .parallelism_divisible > 20' \
        "$(jq -c '.program | [.parallelism, .parallelism_divisible]' p.json)"
    tr '\n' ' ' <words |
        grep -q 'one chunk took 5.2[0-9]* us, .* times the mean of the others of its loop' ||
        echo "the words: $(cat words)"
    ! grep -o 'ample\|not of the loops\|no limit of the program' words
    for command in predict whatif; do
        "$prof" $command p.prof 2>/dev/null | tr -s '\n ' ' ' |
            grep -q 'But one chunk took 5.2[0-9]* us, .* times the mean' || echo "$command: no but"
    done
}

# Chunks of equal iterations: none is called long.
alike() {
    for p in 2 8; do
        PROF_CLOCK=virtual run ./bounds equal $p
        says '[.sites[] | select(.construct == "parallel_for")][0] |
            .longest_task_ns < 4.5 * .mean_task_ns' \
            "$(jq -c '[.sites[] | [.longest_task_ns, .mean_task_ns]]' p.json)"
        ! grep -o 'But one chunk.*' words
        OMP_NUM_THREADS=$p PROF_CLOCK=virtual run ./bounds guided
        ! grep -o 'But one chunk.*' words
    done
}

single() { # the longest iteration is known
    PROF_CLOCK=virtual run ./bounds single
    says '.program | .parallelism_divisible == 200 and .parallelism == 200 and
        ([.certainty | .span_divisible_ns, .parallelism_divisible] | unique) == ["exact"]' \
        "$(jq -c '.program | [.parallelism_divisible, .certainty]' p.json)"
}

# Header code is no row where it was inlined into the program's: the rows are the program's
# functions and lines.
line_of() { grep -n "// $1\$" "$here/inlined.cpp" | cut -d: -f1; }
inlined() { # PROGRAM
    run ./"$1"
    says '[.functions[] | select((.file // "") |
        test("intrin.h$|stl_numeric.h$|_flow_graph|_task.h$"))] == []' \
        "functions $(jq -c '[.functions[] | [.function, .file]]' p.json)"
    says '[.lines[] | select(.file |
        test("intrin.h$|stl_numeric.h$|_flow_graph|_task.h$"))] == []' \
        "lines $(jq -c '[.lines[] | [.function, .file, .line]]' p.json)"
    says "[.functions[] | select(.function == \"turn\" or .function == \"sum\") | .file |
        test(\"inlined.cpp$\")] == [true, true]" \
        "functions $(jq -c '[.functions[] | [.function, .file]]' p.json)"
    says "([.lines[].self.samples] | add) as \$all |
        [.lines[] |
            select(.function == \"turn\" and .line == $(line_of TURN) or
                .function == \"sum\" and .line == $(line_of SUM)) | .self.samples] |
        length == 2 and add > 0.8 * \$all" \
        "lines $(jq -c '[.lines[] | [.function, .line, .self.samples]]' p.json)"
    header=$("$prof" report --physical --json p.prof |
        jq -r '[.lines[].file | select(test("intrin.h$|/stl_"))][0] // ""')
    [ -n "$header" ] || echo '--physical has no line of a header'
    "$prof" annotate --json --source "${header:-none}" p.prof 2>&1 | jq -e --arg f "$header" \
        '[.files[] | select(.file == $f) | .lines[].self.samples] | add > 0' >/dev/null ||
        echo "annotate --source $header:" \
            "$("$prof" annotate --source "${header:-none}" p.prof 2>&1 | head -8)"
    "$prof" annotate --source inlined.cpp p.prof 2>&1 | grep -q '[0-9].*turns += __rdtsc()' ||
        echo 'annotate does not have the line'
}

inlined_sites() { # PROGRAM: also where nothing was inlined
    run ./"$1"
    says "[.sites[] | select(.construct | test(\"flow::\")) | .line] |
        sort == [$(line_of BODY), $(line_of NEXT)]" \
        "bodies $(jq -c '[.sites[] | [.construct, .function, .file, .line]]' p.json)"
    says "[.sites[] | select(.construct == \"pthread_create\") | .line] == [$(line_of THREAD)]" \
        "threads $(jq -c '[.sites[] | [.construct, .function, .file, .line]]' p.json)"
    says '[.sites[] | select(.construct != "") | .file | test("inlined.cpp$")] | all' \
        "sites $(jq -c '[.sites[] | [.construct, .function, .file, .line]]' p.json)"
}

for cc in gcc clang; do
    $cc -O2 -g -fopenmp "$here/openmp.c" -o openmp-$cc 2>err ||
        { echo "SKIP verdicts/$cc: $(head -1 err)"; continue; }
    result fib-$cc "$(patiently fib ./openmp-$cc fib 26)"
    result barriers-$cc "$(patiently barriers ./openmp-$cc)"
    result chunks-$cc "$(patiently chunks ./openmp-$cc)"
    result grain-$cc "$(patiently grain ./openmp-$cc)"
    result team-of-one-$cc "$(patiently team_of_one ./openmp-$cc)"
    result phases-$cc "$(patiently phases ./openmp-$cc)"
    result beside-$cc "$(patiently beside ./openmp-$cc)"
    result nested-$cc "$(nested ./openmp-$cc)"
    result lopsided-$cc "$(patiently lopsided ./openmp-$cc)"
    result equal-$cc "$(patiently equal ./openmp-$cc)"
    result doacross-$cc "$(patiently doacross ./openmp-$cc)"
    result inner-$cc "$(inner ./openmp-$cc)"
    result last-$cc "$(patiently last ./openmp-$cc)"
    result sharing-$cc "$(sharing ./openmp-$cc)"
    result tree-$cc "$(tree ./openmp-$cc)"
    result stages-$cc "$(patiently stages ./openmp-$cc)"
    result chain-$cc "$(patiently chain ./openmp-$cc)"
done
for cc in gcc clang; do
    if $cc -O2 -g -fopenmp "$here/mixed.c" -o mixed-$cc 2>err; then
        result chains-$cc "$(patiently chains ./mixed-$cc)"
        result master-$cc "$(patiently master ./mixed-$cc)"
    else
        echo "SKIP verdicts/mixed-$cc: $(head -1 err)"
    fi
done
for cc in g++ clang++; do
    if $cc -O2 -g -fopenmp "$here/rows.cpp" -o rows-$cc 2>err; then
        result rows-$cc "$(patiently rows ./rows-$cc)"
    else
        echo "SKIP verdicts/rows-$cc: $(head -1 err)"
    fi
done
for cc in g++ clang++; do
    if $cc -O1 -g -fopenmp "$here/../view/regions.cpp" -o regions-$cc 2>err; then
        result candidates-$cc "$(candidates ./regions-$cc)"
    else
        echo "SKIP verdicts/candidates-$cc: $(head -1 err)"
    fi
done
[ -x openmp-gcc ] && result taskloop-libgomp "$(patiently taskloop)"
[ -x openmp-clang ] && result serialised "$(patiently serialised)"
if [ -x openmp-clang ]; then
    result one-each "$(one_each 4 'one iteration for each thread, so a larger team may get no')"
    result two-each "$(one_each 8 'their iterations allow about 8.00')"
fi
[ -x openmp-gcc ] && result tiny "$(tiny)"
[ -x openmp-gcc ] && result uneven "$(patiently uneven)"
[ -x openmp-gcc ] && result unequal "$(patiently unequal)"
for cc in gcc clang; do
    [ -x openmp-$cc ] && result regions-$cc "$(regions ./openmp-$cc)"
done
if g++ -O2 -g -std=c++17 "$here/tbb.cpp" -o tbb -ltbb 2>err; then
    result fib-tbb "$(patiently fib ./tbb fib 29)"
    result tasks-250ns "$(patiently no_grain 1000000 0.25)"
    result tasks-8us "$(patiently no_grain 60000 8)"
    result steps "$(patiently steps)"
    result recursion "$(patiently recursion)"
    result filters "$(patiently filters)"
    result filter "$(patiently filter)"
    result flow "$(patiently flow)"
    result nodes "$(patiently nodes)"
    result mutex "$(patiently mutex)"
    result spins "$(patiently spins)"
    result joins "$(patiently joins)"
    result one "$(patiently one)"
    result alike "$(patiently alike_tasks)"
    result lazy "$(patiently lazy)"
    result parts "$(parts)"
    result sorted "$(sorted)"
else
    echo "SKIP verdicts/tbb: $(head -1 err)"
fi
for cc in g++ clang++; do
    if $cc -O2 -g -std=c++17 "$here/inlined.cpp" -o inlined-$cc -ltbb -pthread 2>err &&
        $cc -O0 -g -std=c++17 "$here/inlined.cpp" -o called-$cc -ltbb -pthread 2>err; then
        result inlined-$cc "$(patiently inlined inlined-$cc)"
        result inlined-sites-$cc "$(inlined_sites inlined-$cc)"
        result called-sites-$cc "$(inlined_sites called-$cc)"
    else
        echo "SKIP verdicts/inlined-$cc: $(head -1 err)"
    fi
done
. "$here/cut.sh"
. "$here/places.sh"
. "$here/standstill.sh"
. "$here/callers.sh"
. "$here/serial.sh"
. "$here/teams.sh"
. "$here/beside.sh"
. "$here/spinning.sh"
. "$here/faults.sh"
. "$here/walkthrough.sh"
if g++ -O2 -g -std=c++17 -fopenmp -I"$here/../../include" "$here/bounds.cpp" -o bounds -ltbb \
    -pthread 2>err; then
    result bound-threads "$(bound threads 'the number of threads that the program started limits')"
    result bound-tokens "$(bound tokens 'a pipeline limits parallelism: the number of its tokens')"
    result bound-team "$(bound team 'the teams of threads limit parallelism')"
    result bound-groups "$(bound groups 'no number of cores makes it more than 4.00 times')"
    result bound-loop "$(bound loop 'their iterations allow about 400')"
    result bound-shared "$(shared)"
    result bound-commands "$(cut_loop shares 2 'the loops were cut for 2 workers' \
        'they were cut into for 2 workers' 1)"
    result bound-by-program "$(cut_loop loop 4 'the program cut its loops' \
        'the program cut them into' 0)"
    result bound-grain "$(cut_by_grain grain)"
    result bound-grain-reduced "$(cut_by_grain reduced)"
    result bound-triangle "$(triangle)"
    result bound-single "$(single)"
    result bound-heavy "$(heavy)"
    result bound-alike "$(alike)"
else
    echo "SKIP verdicts/bounds: $(head -1 err)"
fi
