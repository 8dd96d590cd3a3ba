#!/bin/sh
# run.sh BUILD SUITE... - runs the suites, prints their PASS/FAIL/SKIP lines, after a failure the
# failed cases again and the command that repeats each failed suite, and one closing line.
cd "$(dirname "$0")/.." || exit 1
build=$(cd "$1" && pwd)
shift
log=$(mktemp)
trap 'rm -f "$log" "$log".*' EXIT
: >"$log.failed"

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
            "$t" --tap --jobs 2 2>/dev/null >"$log.tap"
            code=$?
            sed -n "s|^ok - \([^ ]*\).*|PASS $name/\1|p; s|^not ok - \([^ ]*\).*|FAIL $name/\1|p" \
                "$log.tap" >"$log.lines"
            grep -q . "$log.lines" || echo "FAIL $name: no result (status $code)" >"$log.lines"
            cat "$log.lines"
            [ $code -ne 0 ] && ! grep -q ^FAIL "$log.lines" && echo "FAIL $name: status $code"
            rm -f "$log.tap" "$log.lines"
        done ;;
    programs)
        sh tests/programs/check.sh "$build" "${CHECK_REPEATS:-3}"
        sh tests/programs/whatif.sh "$build" "${CHECK_REPEATS:-3}"
        sh tests/programs/predict.sh "$build" ;;
    *) sh "tests/$1/check.sh" "$build" ;;
    esac
}

for suite; do
    forget_killed
    run_suite "$suite" | tee "$log.suite"
    grep -q '^FAIL ' "$log.suite" && echo "$suite" >>"$log.failed"
    cat "$log.suite" >>"$log"
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
