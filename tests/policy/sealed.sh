# sealed.sh - sourced by check.sh: the program gives up system calls while strands are open. What
# ends these strands makes no system call either, on the clock that people use.

if g++ -O1 -fopenmp "$here/sealed.cpp" -o "$tmp/sealed" -ltbb -pthread 2>"$tmp/err"; then
    for what in thread tasks task region; do
        wants sealed-$what && found "$(same env PROF_CLOCK=tsc "$tmp/sealed" $what; quiet
            [ "$(cat "$tmp/status")" = 6 ] || echo "status $(cat "$tmp/status")")"
    done
else
    echo "SKIP policy/sealed: $(head -1 "$tmp/err")"
fi
