# spinning.sh - sourced by check.sh: threads that wait for each other in a loop on the CPU.

# A loop that only waits is known by its instructions.
only_waits() { # PROGRAM
    run "$1"
    finds contention wait_for
}

if gcc -O2 -g -fopenmp "$here/spinning.c" -o spinning 2>err &&
    gcc -O2 -g -fopenmp -DPAUSE "$here/spinning.c" -o pausing 2>err; then
    result spinning-pauses "$(patiently only_waits ./pausing)"
    result spinning-polls "$(patiently only_waits ./spinning)"
else
    echo "SKIP verdicts/spinning: $(head -1 err)"
fi
