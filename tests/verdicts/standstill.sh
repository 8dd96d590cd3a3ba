# standstill.sh - sourced by check.sh: strands that sleep or wait. Other programs do not change
# these answers: what strands wait for a CPU is counted apart.

turns() { # in every run, not only where most of the time off the CPU was the waiting
    run ./standstill turns
    says '.program.certainty | .span_ns == "lower bound" and .parallelism == "upper bound"' \
        "$(jq -c '.program | [.certainty, .waited_ns]' p.json)"
    "$prof" report --full p.prof 2>/dev/null | grep -q 'span is a LOWER BOUND: threads waited' ||
        echo 'the report does not say why'
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

if gcc -O2 -g -fopenmp -pthread "$here/standstill.c" -o standstill 2>err; then
    for case in turns creator asleep serial children; do
        result standstill-$case "$(patiently $case)"
    done
else
    echo "SKIP verdicts/standstill: $(head -1 err)"
fi
