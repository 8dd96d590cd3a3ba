# waits.sh - sourced by check.sh. Waits to enter a critical section or a lock, against the program's
# own clock: the time that the program measured around the construct, less that inside. Each wait is
# counted, and none of it is work: the other thread works meanwhile.
# A thread may lose the processor between the program's clock and libprof's: hence the tolerance.
one_wait() { # CONSTRUCT
    PROF_CLOCK=tsc PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$(preload "$late") \
        timeout 60 "$tmp/waits" $1 >"$tmp/out" 2>&1 || echo "status $?" >>"$tmp/out"
    "$build/prof" report --json "$tmp/p.prof" 2>&1 | jq -r --arg what $1 --rawfile own "$tmp/out" '
        ({ named: "critical", nest: "lock", old: "lock", fortran: "lock", skipped: "ordered",
           turn: "ordered" }[$what] // $what) as $construct | ($own | tonumber) as $own |
        [.waits[] | select(.construct == $construct
        and (.function | test("main|outlined")))] as $w |
        ([$w[].waited_ns] | add // 0) as $waited | ([$w[].count] | add // 0) as $count |
        (.ledger.search_ns + .ledger.sleep_ns) as $idle |
        (if $waited > $own then "\($waited) ns waited, \($own) by its own clock" else empty end),
        (if $waited < 0.9 * $own then "\($waited) ns waited of \($own)" else empty end),
        (if $count < 5 then "\($count) waits of 5" else empty end),
        (if .ledger.waits_ns > $idle then "\(.ledger.waits_ns) ns waited, \($idle) idle"
            else empty end),
        (if ([.sites[] | select(.construct == $construct)] | length) != 0
         then "a wait is a spawn" else empty end)' 2>&1 | tr '\n' ' '
}
waits() { # COMPILER CONSTRUCT...
    compiler=$1 late=$(libomp_of $1)
    shift
    ${compiler%-on-libomp} -O2 -g -fopenmp "$here/waits.c" -o "$tmp/waits" 2>"$tmp/err" ||
        { echo "SKIP openmp/$compiler/waits: $(head -1 "$tmp/err")"; return; }
    for what; do
        verdict $compiler/waits-$what "$(patiently one_wait $what)" tests/openmp/waits.c
    done
}
if wanted waits; then
    for compiler in $compilers; do
        case $compiler in
        gcc)
            waits gcc critical named lock nest old fortran ordered skipped turn doacross
            [ -n "$(libomp_of gcc-on-libomp)" ] &&
                waits gcc-on-libomp critical ordered skipped turn doacross ;;
        clang) waits clang critical named lock nest ordered skipped turn doacross ;;
        esac
    done
fi
