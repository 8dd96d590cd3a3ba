# standstill.sh - sourced by check.sh: strands that sleep or wait. Other programs do not change
# these answers: what strands wait for a CPU is counted apart.

turns() { # in every run, not only where most of the time off the CPU was the waiting
    run ./standstill turns
    says '.program.certainty | .span_ns == "lower bound" and .parallelism == "upper bound"' \
        "$(jq -c '.program | [.certainty, .waited_ns]' p.json)"
    "$prof" report --full p.prof 2>/dev/null | grep -q 'span is a LOWER BOUND: threads waited' ||
        echo 'the report does not say why'
    # of threads that take turns, what-if and predict do not know what a change brings
    "$prof" whatif -- ./standstill turns >advice 2>err || echo "whatif: $(head -1 err)"
    tr -s '\n ' ' ' <advice >words
    ! grep -o 'several run at a time\|is nearly as long' words
    grep -q 'the program may gain more' words || echo "whatif: $(cat words)"
    "$prof" run --dag --no-report -o dag.prof -- ./standstill turns >out 2>err
    "$prof" predict -P 2 dag.prof 2>err | tr -s '\n ' ' ' >words
    grep -q 'This run took [0-9.]* ms with its 2 workers, not' words || echo "predict: $(cat words)"
}

# Idle time in which nothing ran is not charged to what ran at other times.
rounds() {
    run ./standstill rounds
    says '[.functions[] | { (.function): .self.idleness_ns }] | add |
        .["(program)"] > 0.5 * ([.[]] | add)' \
        "$(jq -c '[.functions[] | [.function, .self.idleness_ns]]' p.json)"
    "$prof" report p.prof 2>/dev/null | tr -s '\n ' ' ' >words
    ! grep -o 'Change first: burn.* of the idle time' words
}

creator() { # the thread that creates and joins is no worker
    run ./standstill creator
    says '.program.workers == 2' "workers $(jq .program.workers p.json)"
}

asleep() {
    run ./standstill asleep
    says '.program.certainty.speedup == "not exact"' "$(jq -c .program.waited_ns p.json)"
    grep -q 'Strands slept or waited [0-9]* % of the worker time' words ||
        echo "the words: $(cat words)"
    ! grep 'no number of cores\|must idle' words
}

alone() { # MODE: without tasks there is a profile only of what prof run starts
    "$prof" run -o p.prof --no-report -- ./standstill "$1" >out 2>err || echo "status $?"
    "$prof" report --json p.prof >p.json 2>err || echo "no report: $(head -1 err)"
    COLUMNS=900 "$prof" report --full p.prof 2>/dev/null |
        sed -n '/What limits it/,/1) Parallelism/p' >words
}

# The place where it slept is the line of that call, though most samples hit another's.
call() {
    run ./standstill call
    line=$(sed -n '/the call that sleeps/=' "$here/standstill.c")
    grep -q "was in by_calls (standstill.c:$line) and what it called" words ||
        echo "the words: $(cat words)"
}

serial() {
    alone serial
    grep -q 'program was off the CPU for .* Faster or parallel code changes at most' words ||
        echo "the words: $(cat words)"
}

children() {
    alone children
    says '.settings | .children == "2" and (.["cpu-children-ns"] | tonumber) > 200000000' \
        "$(jq -c .settings p.json)"
    grep -q 'The program made 2 child processes, which no figure here contains. They used' words ||
        echo "the words: $(cat words)"
}

# No place has more of the waits than there are: off-CPU samples find threads that lack a CPU, too.
place_has_part() {
    rest=$(jq '.ledger | .blocked_ns - (.run_delay_ns // 0)' p.json)
    sed -n 's/.*largest part by off-CPU samples, .*\(to\) \([0-9.]* [mu]*s\), was.*/\2/p' words |
        awk -v rest="$rest" '{
            most = $1 * ($2 == "s" ? 1e9 : $2 == "ms" ? 1e6 : 1e3)
            if (most > 1.01 * rest + 1e6)
                print "a place has " most " of " rest
        }'
}

# Whoever has the processors, and whether the waiting threads sleep or yield.
barrier() { # LOADS: others that use the processors
    pids=
    for i in $(seq "$1"); do
        sh -c 'while :; do :; done' &
        pids="$pids $!"
    done
    run ./threads barrier
    # shellcheck disable=SC2086  # a list
    [ -z "$pids" ] || kill $pids
    ! grep -o 'the work was balanced' words
    place_has_part
    says '.program.certainty.span_ns != "exact"' "$(jq -c '.program | [.certainty.span_ns]' p.json)"
    [ "$(jq .program.certainty.span_ns p.json)" = '"lower bound"' ] ||
        grep -q 'waited for each other, this run does not show' words ||
        echo "the words: $(cat words)"
}

lambdas() { # two of one name: the line is that of the one that slept longest
    run ./threads lambdas
    line=$(sed -n '/the longer one/=' "$here/threads.cpp")
    grep -q "was in main, lambda at threads.cpp:$line and what it called" words ||
        echo "the words: $(cat words)"
}

locks() { # the line is that of the lock, though most samples hit others of its function
    run ./threads locks
    line=$(sed -n '/the lock \*\//=' "$here/threads.cpp")
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    grep -q "hange first: what runs inside the lock that add (threads.cpp:$line) takes" screen ||
        echo "the screen: $(grep 'first' screen)"
    # a plan does not shorten the waits: it says so, and the lock comes before the critical path
    COLUMNS=900 "$prof" whatif -t 100 -- ./threads locks >plan 2>/dev/null
    tr -s '\n ' ' ' <plan >words
    grep -q "Scenarios do not shorten waits.*lock that add (threads.cpp:$line) takes.*Of the crit" \
        words || echo "the plan: $(cat words)"
}

# Who was woken and has no processor yet does not wait any more: off-CPU samples find it there no
# longer. (Without asking the kernel again they found 1.5 to 1.8 times as much as there was.)
woken() {
    run ./woken
    says '(.ledger.blocked_ns - (.ledger.run_delay_ns // 0)) as $rest |
        ([.. | .off_cpu_samples? // empty] | first) * 1e7 < 1.35 * $rest' \
        "off-CPU samples $(jq -c '[.. | .off_cpu_samples? // empty]' p.json)"
}

if gcc -O2 -g -pthread "$here/woken.c" -o woken 2>err; then
    result standstill-woken "$(patiently woken)"
fi
if g++ -O2 -g -std=c++20 -pthread "$here/threads.cpp" -o threads 2>err; then
    result standstill-locks "$(patiently locks)"
    result standstill-barrier "$(barrier 0)"
    result standstill-barrier-loaded "$(barrier 3)"
    result standstill-lambdas "$(lambdas)"
else
    echo "SKIP verdicts/threads: $(head -1 err)"
fi
if gcc -O2 -g -fopenmp -pthread "$here/standstill.c" -o standstill 2>err; then
    for case in turns rounds creator asleep call serial children; do
        result standstill-$case "$(patiently $case)"
    done
else
    echo "SKIP verdicts/standstill: $(head -1 err)"
fi
