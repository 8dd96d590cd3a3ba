# clears.sh - sourced by check.sh: where a function of libc is to be changed, the screen names the
# program's function that calls it, and where that is declared.
clears() {
    run ./clears
    line=$(sed -n '/static void clear/=' "$here/clears.cpp")
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    grep -q "Change first: .*memset.*, called by clear (clears.cpp:$line), [89]" screen ||
        echo "the screen: $(grep 'Change first' screen)"
}

if g++ -std=c++17 -O2 -g "$here/clears.cpp" -o clears -ltbb 2>err; then
    result called-by "$(patiently clears)"
else
    echo "SKIP verdicts/called-by: $(head -1 err)"
fi
