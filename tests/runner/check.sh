#!/bin/sh
# check.sh BUILD [CASE...] - run.py itself, on suites that are made here: what always fails is red,
# what fails once is flaky, what hangs is ended with what it has started and nothing else.
here=$(cd "$(dirname "$0")" && pwd)
shift
suite=runner only=$* failures=0
. "$here/../case.sh"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/build" "$tmp/a tree/tests"
made() { # SUITE: its cases, from stdin
    mkdir -p "$tmp/a tree/tests/$1"
    { echo 'suite=$(basename "$(dirname "$0")") failures=0; shift; only=$*'
        echo '. "$(dirname "$0")/../case.sh"'
        cat
        echo 'exit $failures'; } >"$tmp/a tree/tests/$1/check.sh"
}
cp "$here/../case.sh" "$here/../run.py" "$tmp/a tree/tests/"
echo 'right/beyond    for the test' >"$tmp/a tree/tests/beyond"
made right <<'END'
wants one && found ''
wants beyond && found 'it ran'
wants skipped && found 'SKIP no reason'
END
made wrong <<'END'
wants good && found ''
wants always && found 'as ever'
END
made once <<'END'
wants luck && found "$([ -e "$0.ran" ] || { touch "$0.ran"; echo "the first time"; })"
END
made crashes <<'END'
wants luck && found "$([ -e "$0.ran" ] || { touch "$0.ran"; echo "status 139 for 0"; })"
END
made talks <<'END'
wants much && found "$([ -e "$0.ran" ] || { touch "$0.ran"; seq 200; echo "the end"; })"
END
# The case's processes end, those of the suite before and after it do not. ($$: theirs, for another
# run of this suite has such processes, too.)
made hangs <<END
sleep 1000.$$ & other=\$!
wants first && found ''
sleep 1.5
wants ever && found "\$(sleep 1001.$$ & sh -c 'sleep 1002.$$; :'; echo 'it went on')"
sleep 1
wants then && found "\$(kill -0 \$other 2>/dev/null || echo 'it was ended with the case')"
END
made silent </dev/null
made dies <<'END'
wants one && found ''
kill -9 $$
END
made falls <<'END'
wants luck && found "$([ -e "$0.ran" ] || { touch "$0.ran"; echo "the first time"; })"
[ -n "$only" ] || kill -9 $$
END
made doubts <<'END'
wants luck && found "$([ -e "$0.ran" ] && echo SKIP now || { touch "$0.ran"; echo "at first"; })"
END
run() { # MODE ARGUMENT...: out, status
    (cd / && ulimit -n ${descriptors:-1000} && CHECK_LIMITS=${limits:-20,60} timeout 120 \
        python3 "$tmp/a tree/tests/run.py" "$tmp/build" "$@") >"$tmp/out" 2>&1
    status=$?
}
says() { # STATUS LINE...
    [ $status = "$1" ] || echo "status $status for $1"
    shift
    for line; do grep -qxe "$line" "$tmp/out" || echo "no <$line> in: $(cat "$tmp/out")"; done
}
wants green && run check right && found "$(says 0 'PASS right/one' 'SKIP right/skipped: no reason' \
    '1 passed, 0 failed, 1 skipped'; grep 'it ran' "$tmp/out")"
wants beyond && { run all right; found "$(says 1 'FAIL right/beyond: it ran')"; }
wants red && { run check right wrong; found "$(says 1 'again: FAIL wrong/always: as ever' \
    '2 passed, 1 failed, 1 skipped' 'to repeat it: sh tests/wrong/check.sh .* always'
    grep -q '1 failed' "$tmp/build/check-some.txt" || echo 'no table')"; }
wants flaky && { run check once
    found "$(says 1 'FLAKY once/luck .*the first time)' '0 passed, 0 failed, 1 skipped')"; }
wants flaky-whole && { run check talks
    found "$(sed -n '/^FLAKY/,$p' "$tmp/out" | grep -qx '     | the end' || cat "$tmp/out")"; }
wants hung && { limits=3,60; run check hangs; limits=
    found "$(says 1 'FAIL hangs/ever: hung: more than 3 s' 'PASS hangs/then'
        pgrep -f "^sleep 100[12]\\.$$\$")"; }
wants late && { limits=60,6; run check hangs; limits=
    found "$(says 1 'FAIL hangs/ever: hangs took more than 6 s'
        pgrep -f "^sleep 100[012]\\.$$\$")"; }
wants interrupted && found "$(cd "$tmp/a tree" && export CHECK_LIMITS=60,60
    timeout 4 python3 tests/run.py "$tmp/build" check hangs >"$tmp/out" 2>&1
    [ $? = 124 ] || cat "$tmp/out"
    i=0         # it does not wait for what it has killed
    while pgrep -f "^sleep 100[012]\\.$$\$" >"$tmp/left" && [ $i -lt 200 ]; do
        sleep 0.1; i=$((i + 1))
    done
    cat "$tmp/left")"
wants silent && { run check silent; found "$(says 1 'FAIL silent: no result (status 0)')"; }
wants dies && { run check dies; found "$(says 1 'FAIL dies: ended with status -9')"; }
wants falls && { run check falls; found "$(says 1 'again: FAIL falls: .* -9')"; }
wants crashes && { run check crashes
    found "$(says 1 'again: FAIL crashes/luck: status 139 for 0')"; }
wants doubts && { run check doubts; found "$(says 1 'again: FAIL doubts/luck: at first')"; }
# with too few descriptors for a suite, and enough for Python
wants lost && {
    for descriptors in 4 5 6 7 8 9 10 11 12; do
        run check right
        grep -q '^FAIL right:' "$tmp/out" && break
    done
    descriptors=
    found "$(says 1 'again: FAIL right: .*')"; }
wants one-case && { run all wrong/good; found "$(says 0 '1 passed, 0 failed, 0 skipped')"; }
wants loop && { run loop wrong/always 2
    found "$(says 1 'wrong/always failed in 2 of 2 runs')"; }
wants loop-nothing && { run loop wrong/none 2
    found "$(says 2)"; }
wants differs && { rm -f "$tmp/a tree/tests/once/check.sh.ran"; run flaky 2 once right
    found "$(says 1 'once/luck: FAIL in 1, PASS in 1 of 2: .*'; grep right/one "$tmp/out")"; }
exit $failures
