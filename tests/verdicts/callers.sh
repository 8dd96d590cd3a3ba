# callers.sh - sourced by check.sh: where the loop to be changed may be in the caller of the function
# that has the critical path, the screen names the caller, and where it is declared.
callers() { # CALLER FUNCTION
    run ./callers "$1"
    line=$(sed -n "/static [a-z]* $1(/=" "$here/callers.cpp")
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    grep -q "Change first: $2.*, called by $1 (callers.cpp:$line), [6-9]" screen ||
        echo "the screen: $(grep 'Change first' screen)"
}

if g++ -std=c++17 -O2 -g "$here/callers.cpp" -o callers -ltbb 2>err; then
    result called-by-clear "$(patiently callers clear '.*memset')"
    result called-by-total "$(patiently callers total step)"
else
    echo "SKIP verdicts/called-by: $(head -1 err)"
fi
