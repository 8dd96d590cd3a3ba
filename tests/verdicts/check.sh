#!/bin/sh
# check.sh BUILD - what the report says of programs whose answer is known. This suite is called
# after what the report concludes: which cause limits the program, and where (`.findings`). Where
# the answer is a share of the time, others that use the processors can change it: such a case is
# tried again. tests/report/findings.sh tests the findings of given profiles.
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

run() { # PROGRAM ARGUMENTS...: p.prof, p.json
    PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 120 "$@" >out 2>err ||
        echo "status $?: $(head -1 err)"
    "$prof" report --json p.prof >p.json 2>err || echo "no report: $(head -1 err)"
}
says() { # FILTER WHAT: prints WHAT and the findings, if FILTER is not true of p.json
    [ "$(jq "$1" p.json 2>&1)" = true ] || echo "$2: $(jq -c '[.findings[] |
        [.id, .place.function, .place.line, .share]]' p.json) $(jq -c .ledger p.json)"
}
finds() { # ID [FUNCTION [LINE]]: among the findings
    says "[.findings[] | [.id, .place.function, .place.line][:$#]] |
        index([[\"$1\"${2:+,\"$2\"}${3:+,$3}]]) != null" "no $*"
}

fib() { # PROGRAM N
    run "$@"
    says '.findings[0].id == "small_tasks"' 'small tasks are not the first finding'
    says '.ledger | .overhead_in_strands_ns + .overhead_between_strands_ns > 2 * .work_ns' \
        'overhead is small'
}

# Of libomp's barrier of one thread all but the hooks is inside the strand, where samples find it:
# 400,000 take 21 ms, and perhaps none of five samples is in libomp.
barriers() { # PROGRAM
    run "$@" barriers 4000000
    says '.findings[0] | (.id == "small_tasks" or .id == "short_regions") and
        .place.function == "barriers"' 'barriers are not found'
    says '.ledger | .search_ns < 0.1 * (.overhead_between_strands_ns + .overhead_in_strands_ns)' \
        'a team of one searches for work'
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

taskloop() {
    run ./openmp-gcc taskloop 700 500
    says '.sites[] | select(.construct == "taskloop") | .tasks >= 700 and .threads == 1 and
        .busiest_thread_share == 1' 'several threads executed them'
}

# While a thread waits for a task that is not ready yet, it is idle, even if it created the task.
chain() { # PROGRAM
    run "$1" chain 6 1000
    says '.ledger | .overhead_between_strands_ns < 0.04 * .total_ns' 'waits are overhead'
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
}

unequal() {
    run ./openmp-gcc unequal
    finds imbalance spin
}

# Of the whole run, parallelism nearly equals the two workers; of each phase, it is less.
stages() { # PROGRAM
    run "$1" stages
    says '.program.parallelism > 1.8 and (.findings | length > 0)' \
        "parallelism $(jq .program.parallelism p.json) explains no idle time"
}

# libprof takes off more than is left of the tasks.
tiny() {
    run ./openmp-gcc tiny 1000000
    says '.program | .exact == false and .certainty.work_ns == "estimated" and
        .certainty.span_ns == "estimated"' "certainty $(jq -c .program.certainty p.json)"
}

# Each of a function's constructs has the work of its own site and its own tasks.
chains() { # PROGRAM
    run "$@" chains
    says '([.sites[] | select(.construct == "task") | .work_ns] | sort) as $sites |
        ([.functions[] | select(.function | test("^(longer|shorter|loose)$")) | .self.work_ns] |
            sort) as $own |
        ($own | length) == 3 and ([$sites, $own] | transpose |
            all(.[1] / .[0] > 0.98 and .[1] / .[0] < 1.02))' \
        "sites $(jq -c '[.sites[] | [.line, .work_ns]]' p.json)"
}

equal() { # PROGRAM: a region's own tasks are empty, so its chunks are as long as the mean
    run "$@" equal
    says '[.findings[] | select(.id == "imbalance")] == []' 'its chunks are equal'
    says '[.sites[] | select(.longest_task_ns != null) | .longest_task_ns / .mean_task_ns < 1.5] |
        all' "sites $(jq -c '[.sites[] | [.tasks, .mean_task_ns, .longest_task_ns]]' p.json)"
}

doacross() { # PROGRAM: its threads are balanced, and wait for their turn
    run "$@" doacross
    finds ordered
}

tree() { # PROGRAM: a row has no more work than the program
    run "$@" tree
    says '.program.work_ns as $all | [.sites[] | .work_ns <= $all] | all' \
        "sites $(jq -c '[.sites[] | [.function, .line, .work_ns]]' p.json)"
}

# A team of one thread has no use for smaller chunks.
inner() { # PROGRAM
    run "$@" inner
    finds nested
    says '[.findings[] | select(.id == "imbalance" or .id == "few_tasks")] == []' 'teams of one'
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
    says '[.findings[] | select(.id == "few_tasks" or .id == "serial")] == []' 'coarse or serial'
}

steps() {
    run ./tbb steps 40
    says '[.findings[] | select(.id == "serial") | .place.function] |
        index("compute_force") == null' 'compute_force has tasks'
}

# A lock is found at the line that takes it.
locked=$(sed -n '/held(lock)/=' "$here/tbb.cpp")
locked="any(.findings[]; .id == \"contention\" and .place.line == $locked)"
mutex() { # off-CPU samples show the waits
    run ./tbb mutex 400
    says "$locked" 'no contention at the lock'
}

spins() { # samples on the CPU do
    run ./tbb spins 400
    says "$locked" 'no contention at the lock'
}

# All of it is on the critical path, in as many tasks as there are items.
filter() {
    run ./tbb filter 300
    says '.findings[0] | (.id == "serial" or .id == "ordered") and
        .place.function == "serial_filter"' 'not one item at a time'
    says '[.sites[], .waits[]?] | map(.construct) | index("serial filter") == null' \
        "the mark has a row: $(jq -c '[.sites[], .waits[]?] | map(.construct)' p.json)"
}

# The first split is half of the span.
recursion() {
    run ./tbb halves 30000
    finds serial split
}

bound() { # NAME: parallelism 4, whatever the machine
    # which token is free first is the run's decision, so one worker
    workers= sure=exact
    case $1 in tokens) workers=1 sure='as executed' ;; team | threads) sure='as executed' ;; esac
    PROF_CLOCK=virtual run ./bounds "$1" $workers
    says ".program.certainty.span_ns == \"$sure\"" \
        "the span is $(jq .program.certainty.span_ns p.json)"
    says '.program.parallelism == 4' "parallelism $(jq .program.parallelism p.json)"
}

# The loop that was cut into chunks of 100 iterations: every command has both bounds.
cut_loop() { # loop|shares PARALLELISM
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
    [ "$("$prof" view -o - p2.prof 2>/dev/null | grep -o '"upper_divided":\[[^]]*' | head -1 |
        cut -d, -f4,5)" = 4.0,5.0 ] ||
        echo 'the page does not have the divided bound'
    "$prof" diff --full p1.prof p2.prof 2>/dev/null | grep -q 'loops divided  *400' ||
        echo 'diff does not have the divided bound'
}

# No partitioner cuts a range of no more iterations than its grain size: the program chose it.
cut_by_grain() { # grain|reduced
    PROF_CLOCK=virtual run ./bounds $1 2
    says '[.sites[].chunks | select(.by_runtime > 0) | .by_runtime == .sized_by_program] ==
        [true]' \
        "$(jq -c '[.sites[].chunks]' p.json)"
}

# The mean of a chunk's iterations is not the longest of them: 266, where the iterations allow 200.
triangle() {
    PROF_CLOCK=virtual PROF_DAG=1m run ./bounds triangle 2
    says '.program | (.parallelism_divisible | floor) == 266 and
        ([.certainty | .span_divisible_ns, .parallelism_divisible] | unique) == ["estimated"]' \
        "$(jq -c '.program | [.parallelism_divisible, .certainty]' p.json)"
    "$prof" report --full p.prof 2>/dev/null | grep -q 'loops divided  *266.* (estimated)$' ||
        echo 'the report does not say that it is estimated'
    PROF_CLOCK=virtual run ./bounds scan 2
    says '[.program.certainty | .span_ns, .span_divisible_ns, .parallelism_divisible] ==
        ["lower bound", "estimated", "estimated"]' "$(jq -c .program.certainty p.json)"
}

# One iteration is the span, and the mean of its chunk's iterations is not.
heavy() {
    PROF_CLOCK=virtual PROF_DAG=1m run ./bounds heavy
    says '.program | .parallelism < 2 and .parallelism_divisible > 20' \
        "$(jq -c '.program | [.parallelism, .parallelism_divisible]' p.json)"
}

# Chunks of equal iterations: none is called long.
alike() {
    for p in 2 8; do
        PROF_CLOCK=virtual run ./bounds equal $p
        says '[.sites[] | select(.construct == "parallel_for")][0] |
            .longest_task_ns < 4.5 * .mean_task_ns' \
            "$(jq -c '[.sites[] | [.longest_task_ns, .mean_task_ns]]' p.json)"
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
    result nested-$cc "$(nested ./openmp-$cc)"
    result lopsided-$cc "$(patiently lopsided ./openmp-$cc)"
    result equal-$cc "$(patiently equal ./openmp-$cc)"
    result doacross-$cc "$(patiently doacross ./openmp-$cc)"
    result inner-$cc "$(patiently inner ./openmp-$cc)"
    result tree-$cc "$(tree ./openmp-$cc)"
    result stages-$cc "$(patiently stages ./openmp-$cc)"
    result chain-$cc "$(patiently chain ./openmp-$cc)"
done
for cc in gcc clang; do
    if $cc -O2 -g -fopenmp "$here/mixed.c" -o mixed-$cc 2>err; then
        result chains-$cc "$(patiently chains ./mixed-$cc)"
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
    result filter "$(patiently filter)"
    result mutex "$(patiently mutex)"
    result spins "$(patiently spins)"
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
. "$here/teams.sh"
. "$here/beside.sh"
. "$here/spinning.sh"
. "$here/faults.sh"
. "$here/walkthrough.sh"
if g++ -O2 -g -std=c++17 -fopenmp -I"$here/../../include" "$here/bounds.cpp" -o bounds -ltbb \
    -pthread 2>err; then
    for what in threads tokens team groups loop; do
        result bound-$what "$(bound $what)"
    done
    result bound-shared "$(shared)"
    result bound-commands "$(cut_loop shares 2)"
    result bound-by-program "$(cut_loop loop 4)"
    result bound-grain "$(cut_by_grain grain)"
    result bound-grain-reduced "$(cut_by_grain reduced)"
    result bound-triangle "$(triangle)"
    result bound-single "$(single)"
    result bound-heavy "$(heavy)"
    result bound-alike "$(alike)"
else
    echo "SKIP verdicts/bounds: $(head -1 err)"
fi
