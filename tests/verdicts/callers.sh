# callers.sh - sourced by check.sh: where the loop to be changed may be in the caller of the
# function that has the critical path, the screen names the caller and the line of its call.
# "Change first: ...", or "For more than its 2 workers, change first: ..." where these had work.
callers_of() { # MODE CALLER FUNCTION CALL
    run ./callers "$1"
    line=$(sed -n "/$4/=" "$here/callers.cpp")
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    # nearly all of its cost, or a part that is named after all of it
    part='[^.]*, [6-9][0-9] % (+- [0-9]*) of it '
    grep -q "hange first: $3.*called by $2 (callers.cpp:$line), \([6-9]\|100\)" screen ||
        grep -q "hange first: $3${part}called by $2 (callers.cpp:$line)" screen ||
        echo "the screen: $(grep 'hange first' screen)"
}

# Most calls are in tasks, and scale. Most of the critical path is outside them.
both() {
    callers_of both total step '= step(i)'
    grep 'hange first' screen | grep -q 'Verdict: serial on the critical path: parallelise' ||
        echo "the screen: $(grep 'hange first' screen)"
    "$prof" whatif p.prof 2>/dev/null | grep -q 'serial *step' ||
        echo "whatif: $("$prof" whatif p.prof 2>/dev/null | sed -n 4,5p)"
}

# The serial phase is named, not its largest part.
phase() {
    run ./callers phase
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    grep -q 'hange first: phase (callers.cpp:[0-9]*) and what it calls, \([6-9].\|100\) %' screen ||
        echo "the screen: $(grep 'hange first' screen)"
}

# Two lines call: none of them is named.
twice() {
    run ./callers twice
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    grep -q 'hange first: step.*called by twice (callers.cpp), [6-9]' screen ||
        echo "the screen: $(grep 'hange first' screen)"
}

# What main calls has no frame: it ended with a jump.
jump() {
    run ./callers jump
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    line=$(sed -n '/sink = start(/=' "$here/callers.cpp")
    grep -q "hange first: read_part (callers.cpp:[0-9]*), called below main (callers.cpp:$line), " \
        screen || echo "the screen: $(grep 'hange first' screen)"
}

# Each of two callers has half of it: none is named.
halves() {
    run ./callers halves
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    grep -q 'hange first: step (callers.cpp:[0-9]*), [6-9]' screen ||
        echo "the screen: $(grep 'hange first' screen)"
}

# What main does outside of its tasks is serial, not what it spawns.
around() {
    run ./callers around
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    # main itself, if samples show more than it has
    outside='\( and what it calls outside of tasks\)\{0,1\}'
    grep -q "hange first: main (callers.cpp:[0-9]*)$outside, [2-8]. % (+- [0-9]*) of the crit" \
        screen || echo "the screen: $(grep 'hange first' screen)"
}

# No sample is on the critical path of a region with an order.
turn() {
    run ./callers turn
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    # if a sample struck the last turn, the function is named by itself
    step='(parts of the parallel region at turn .*is in )?step'
    grep -qE "first: $step .*called by total " screen ||
        echo "the screen: $(grep 'hange first' screen)"
}

# The library's code that calls the program's function is none of the program's.
async() {
    run ./callers async
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    grep -q 'hange first: step (callers.cpp:[0-9]*), called by total (' screen ||
        echo "the screen: $(grep 'hange first' screen)"
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
    result called-by-clear "$(patiently callers_of clear clear '.*memset' 'std::memset(')"
    result called-by-total "$(patiently callers_of total total step '= step(i)')"
    result called-phase "$(patiently phase)"
    result called-twice "$(patiently twice)"
    result called-by-jump "$(patiently jump)"
    result called-by-halves "$(patiently halves)"
    result called-around-tasks "$(patiently around)"
    result called-in-both "$(patiently both)"
    result called-async "$(patiently async)"
    result called-beside "$(patiently beside)"
    result called-in-turn "$(patiently turn)"
else
    echo "SKIP verdicts/called-by: $(head -1 err)"
fi
