# callers.sh - sourced by check.sh: where the loop to be changed may be in the caller of the
# function that has the critical path, the screen names the caller, and where it is declared.
callers_of() { # MODE CALLER FUNCTION
    run ./callers "$1"
    line=$(sed -n "/static [a-z]* $2(/=" "$here/callers.cpp")
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    grep -q "Change first: $3.*called by $2 (callers.cpp:$line), \([6-9]\|100\)" screen ||
        echo "the screen: $(grep 'Change first' screen)"
}

# Most calls are in tasks, and scale. Most of the critical path is outside them.
both() {
    callers_of both total step
    grep 'Change first' screen | grep -q 'Verdict: serial on the critical path: parallelise' ||
        echo "the screen: $(grep 'Change first' screen)"
    "$prof" whatif p.prof 2>/dev/null | grep -q 'serial *step' ||
        echo "whatif: $("$prof" whatif p.prof 2>/dev/null | sed -n 4,5p)"
}

# No sample is on the critical path of a region with an order.
turn() {
    run ./callers turn
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    # if a sample struck the last turn, the function is named by itself
    step='(parts of the parallel region at turn .*is in )?step'
    grep -qE "first: $step .*called by total " screen ||
        echo "the screen: $(grep 'Change first' screen)"
}

# The library's code that calls the program's function is none of the program's.
async() {
    run ./callers async
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    grep -q 'Change first: step (callers.cpp:[0-9]*), called by total (' screen ||
        echo "the screen: $(grep 'Change first' screen)"
    grep 'called by __\|called by std::' screen
}

# Each thread is the only task of its site; together they are several.
beside() {
    run ./callers beside
    "$prof" whatif p.prof 2>/dev/null | grep -q 'in tasks *step' ||
        echo "whatif: $("$prof" whatif p.prof 2>/dev/null | grep -A4 candidate)"
}

if g++ -std=c++17 -O2 -g -fopenmp "$here/callers.cpp" -o callers -ltbb \
    -pthread 2>err; then
    result called-by-clear "$(patiently callers_of clear clear '.*memset')"
    result called-by-total "$(patiently callers_of total total step)"
    result called-in-both "$(patiently both)"
    result called-async "$(patiently async)"
    result called-beside "$(patiently beside)"
    result called-in-turn "$(patiently turn)"
else
    echo "SKIP verdicts/called-by: $(head -1 err)"
fi
