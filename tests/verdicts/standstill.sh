# standstill.sh - sourced by check.sh: strands that sleep or wait. Other programs do not change
# these answers: what strands wait for a CPU is counted apart.

turns() { # in every run, not only where most of the time off the CPU was the waiting
    run ./standstill turns
    says '.program.certainty | .span_ns == "lower bound" and .parallelism == "upper bound"' \
        "$(jq -c '.program | [.certainty, .waited_ns]' p.json)"
    "$prof" report --full p.prof 2>/dev/null | grep -q 'span is a LOWER BOUND: threads waited' ||
        echo 'the report does not say why'
}

# Idle time in which nothing ran is not charged to what ran at other times.
rounds() {
    run ./standstill rounds
    says '[.functions[] | { (.function): .self.idleness_ns }] | add |
        .["(program)"] > 0.5 * ([.[]] | add)' \
        "$(jq -c '[.functions[] | [.function, .self.idleness_ns]]' p.json)"
}

creator() { # the thread that creates and joins is no worker
    run ./standstill creator
    says '.program.workers == 2' "workers $(jq .program.workers p.json)"
}

asleep() {
    run ./standstill asleep
    says '.program.certainty.speedup == "not exact"' "$(jq -c .program.waited_ns p.json)"
    "$prof" report p.prof 2>/dev/null | grep -q 'Strands slept or waited [0-9]* % of the worker' ||
        echo 'the report does not say so'
}

alone() { # MODE: without tasks there is a profile only of what prof run starts
    "$prof" run -o p.prof --no-report -- ./standstill "$1" >out 2>err || echo "status $?"
    "$prof" report --json p.prof >p.json 2>err || echo "no report: $(head -1 err)"
}

# The place where it slept is the line of that call, though most samples hit another's.
call() {
    run ./standstill call
    finds sleep by_calls "$(sed -n '/the call that sleeps/=' "$here/standstill.c")"
}

serial() { # ten times 40 ms: no sample shows where, but the time is known, and the report has it
    alone serial
    slept=$(jq '.settings["waited-alone-ns"] | tonumber / 1e6 | round' p.json)
    [ "$slept" -ge 400 ] || echo "slept $slept ms"
    COLUMNS=900 "$prof" report p.prof 2>/dev/null | sed '/^ *work /q' | grep -q " $slept ms " ||
        echo "the first lines do not have $slept ms"
}

children() {
    alone children
    says '.settings | .children == "2" and (.["cpu-children-ns"] | tonumber) > 200000000' \
        "$(jq -c .settings p.json)"
    COLUMNS=900 "$prof" report p.prof 2>/dev/null |
        grep -q 'The program made 2 child processes, which no figure here contains. They used' ||
        echo 'the report does not say so'
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
    says '.program.certainty.span_ns != "exact"' "$(jq -c '.program | [.certainty.span_ns]' p.json)"
}

lambdas() { # two of one name: the line is that of the one that slept longest
    run ./threads lambdas
    finds sleep main::{lambda} $(($(sed -n '/the longer one/=' "$here/threads.cpp") + 2))
}

locks() { # the line is that of the lock, though most samples hit others of its function
    run ./threads locks
    finds contention add "$(sed -n '/the lock \*\//=' "$here/threads.cpp")"
}

# Who was woken and has no processor yet does not wait any more: off-CPU samples find it there no
# longer. (Without asking the kernel again they found 1.5 to 1.8 times as much as there was.)
woken() {
    run ./woken
    says '(.ledger.blocked_ns - (.ledger.run_delay_ns // 0)) as $rest |
        .sampling.off_cpu_samples * .off_cpu.sample_ns < 1.35 * $rest' \
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
