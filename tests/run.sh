#!/bin/sh
# run.sh BUILD SUITE... - runs the suites, prints their PASS/FAIL/SKIP lines, how long each suite
# took, after a failure the failed cases again and the command that repeats each failed suite, and
# one closing line. With two processors or more, two suites run beside each other. Then follow, one
# at a time, those that need the machine for themselves: their answers are shares of the time.
cd "$(dirname "$0")/.." || exit 1
build=$(cd "$1" && pwd)
shift
. tests/probe.sh
log=$(mktemp)
other=
trap 'rm -rf "$log" "$log".*' EXIT
trap '[ -n "$other" ] && kill "$other" 2>/dev/null; exit 130' INT TERM
: >"$log.failed"

# The shell makes what it runs in the background ignore SIGINT and SIGQUIT, and programs inherit
# that. The programs of the suites get these signals as they would in a terminal.
front='env --default-signal=INT,QUIT'

# libomp leaves a file behind when it is killed; a later process of the same number reads it, and
# dies if it is empty.
forget_killed() {
    for left in /dev/shm/__KMP_REGISTERED_LIB_*_"$(id -u)"; do
        number=${left##*LIB_}
        [ -e "$left" ] && ! kill -0 "${number%_*}" 2>/dev/null && rm -f "$left"
    done
    :
}

run_suite() { # SUITE
    case $1 in
    unit)
        for t in "$build"/unit/test_*; do
            [ -x "$t" ] || continue
            case $t in *.d) continue ;; esac
            name=unit/$(basename "$t")
            # TAP: one line a test; a crash of the runner itself is a failure, too
            $front "$t" --tap --jobs 2 2>/dev/null >"$log.tap"
            code=$?
            sed -n "s|^ok - \([^ ]*\).*|PASS $name/\1|p; s|^not ok - \([^ ]*\).*|FAIL $name/\1|p" \
                "$log.tap" >"$log.lines"
            grep -q . "$log.lines" || echo "FAIL $name: no result (status $code)" >"$log.lines"
            cat "$log.lines"
            [ $code -ne 0 ] && ! grep -q ^FAIL "$log.lines" && echo "FAIL $name: status $code"
            rm -f "$log.tap" "$log.lines"
        done ;;
    programs)
        no_tbb=$(missing_tbb)
        [ -z "$no_tbb" ] || { echo "SKIP programs: $no_tbb"; return; }
        $front sh tests/programs/check.sh "$build" "${CHECK_REPEATS:-2}"
        $front sh tests/programs/whatif.sh "$build" "${CHECK_REPEATS:-2}"
        $front sh tests/programs/predict.sh "$build" ;;
    *) $front sh "tests/$1/check.sh" "$build" ;;
    esac
}

# Line by line: two suites write to the same output.
report_suite() { # SUITE
    forget_killed
    started=$(date +%s)
    run_suite "$1" 2>&1 | while IFS= read -r line; do
        printf '%s\n' "$line"
        printf '%s\n' "$line" >>"$log.suite.$1"
    done
    grep -qs '^\(PASS\|FAIL\|SKIP\) ' "$log.suite.$1" ||
        echo "FAIL $1: no result" | tee -a "$log.suite.$1"
    echo "$1 took $(($(date +%s) - started)) s"
}

# Each lane takes the next suite that no other has.
lane() { # SUITE...
    for suite; do
        mkdir "$log.taken.$suite" 2>/dev/null && report_suite "$suite"
    done
    :
}

together='' alone=''
for suite; do
    case $suite in
    sampling | verdicts | soak) alone="$alone $suite" ;;
    *) together="$together $suite" ;;
    esac
done
# shellcheck disable=SC2086  # lists
{
    if [ "$(nproc)" -gt 1 ]; then
        lane $together &
        other=$!
    fi
    lane $together
    wait
    lane $alone
}
for suite; do
    grep -q '^FAIL ' "$log.suite.$suite" && echo "$suite" >>"$log.failed"
    cat "$log.suite.$suite" >>"$log"
done

passed=$(grep -c '^PASS ' "$log") failed=$(grep -c '^FAIL ' "$log") \
    skipped=$(grep -c '^SKIP ' "$log")
grep '^FAIL ' "$log" | sed 's/^/again: /'
sed "s|^|to repeat it: sh tests/run.sh $build |" "$log.failed"
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
