# spinning.sh - sourced by check.sh: threads that wait for each other in a loop on the CPU. That
# counts as work, and no function of one thread has parallelism that is enough.
sections() {
    run ./spinning
    says '[.functions[] | select(.verdict | test("parallelism is enough"))] == []' \
        "verdicts $(jq -c '[.functions[] | [.function, .verdict]]' p.json)"
    ! grep -o 'the work was balanced[^,].*' words
}

# A loop that only waits is known by its instructions: not work, and no bound has what it waits for.
only_waits() { # PROGRAM
    run "$1"
    says '[.limits[].what] | any(. == "spinning")' 'no spinning is found'
    grep -q 'a loop that only waits, most of it at wait_for' words || echo "the words: $(cat words)"
    says '[.functions[] | select(.function == "wait_for") | .verdict] ==
        ["spins while it waits: see which code it waits for"]' "verdicts $(verdicts)"
    ! grep -o 'no number of cores' words
}

# Two threads take turns and yield: there is no lock, nor an inside of one.
turns_on_cpu() {
    run ./yielding
    ! jq -r '.functions[].verdict' p.json | grep 'critical section or lock'
}

# A lock that spins inside a loop: no bound has it.
in_loop() {
    run ./tbb spins 400
    ! grep -o 'that is ample' words
    says '[.functions[] | select(.verdict | test("parallelism is enough here: "))] == []' \
        "verdicts $(jq -c '[.functions[] | [.function, .verdict]]' p.json)"
}

if gcc -O2 -g -fopenmp "$here/spinning.c" -o spinning 2>err &&
    gcc -O2 -g -fopenmp -DPAUSE "$here/spinning.c" -o pausing 2>err &&
    gcc -O2 -g -pthread "$here/yielding.c" -o yielding 2>err; then
    result spinning-sections "$(patiently sections)"
    result spinning-pauses "$(patiently only_waits ./pausing)"
    result spinning-polls "$(patiently only_waits ./spinning)"
    result yielding-turns "$(turns_on_cpu)"
else
    echo "SKIP verdicts/spinning: $(head -1 err)"
fi
[ -x tbb ] && result spinning-loop "$(patiently in_loop)"
