# settings.sh - sourced by check.sh: settings that libprof cannot follow, names of files, programs
# in which it has nothing to do. What is wrong is one line.

wants no-directory &&
    found "$(OUT=/nonexistent/a.prof same "$victim" normal; oneline 'PROF_OUTPUT')"
# The working directory is removed before the start. The profile is not written to another one.
gone() { # PATTERN
    OUT=$1 same sh -c 'mkdir gone && cd gone && rmdir ../gone && exec "$0" normal' "$victim"
}
wants directory-gone && found "$(ls / >"$tmp/root"; gone %e.%p.prof
    oneline 'cannot write the profile: the working directory is gone'; files 0
    ls / | diff "$tmp/root" -)"
wants directory-gone-absolute && found "$(gone "$tmp/run/a.prof"; quiet; files 1)"
wants directory-gone-run &&
    found "$(ls / >"$tmp/root"; mkdir "$tmp/gone"; cd "$tmp/gone" && rmdir ../gone
    "$prof" run --no-report -- "$victim" normal 4 >"$tmp/out" 2>"$tmp/err"; s=$?
    [ $s = 4 ] || echo "status $s"
    grep -q 'cannot write the profile: the working directory is gone' "$tmp/err" || cat "$tmp/err"
    ls / | diff "$tmp/root" -)"
# The working directory takes no files. The default name goes elsewhere, a chosen one does not.
read_only() { # PATTERN MODE STATUS [TMPDIR]
    rm -rf "$tmp/run" "$tmp/closed" && mkdir -p "$tmp/run" "$tmp/closed"
    mount -t tmpfs -o ro none "$tmp/closed" 2>/dev/null || { echo skip; return; }
    (cd "$tmp/closed" && TMPDIR=${4-$tmp/run} PROF_CLOCK=virtual PROF_OUTPUT=$1 LD_PRELOAD=$so \
        timeout 60 "$victim" "$2" >/dev/null 2>"$tmp/err"; s=$?; [ $s = $3 ] || echo "status $s")
    umount "$tmp/closed"
}
detail=$(read_only %e.%p.prof fork 0
    oneline 'read-only file system); it goes to .*/run/victim.[0-9]*.prof'; files 2)
case $detail in
skip*) echo "SKIP policy/directory-read-only: no file system can be mounted here" ;;
*)
    result directory-read-only "$detail"
    # TMPDIR takes none, either
    wants directory-read-only-tmpdir && found "$(read_only %e.%p.prof normal 0 "$tmp/none"
        oneline 'read-only file system); it goes to /tmp/victim.[0-9]*.prof'
        rm "$(grep -o '/tmp/victim.[0-9]*.prof' "$tmp/err")" 2>&1)"
    wants directory-read-only-named && found "$(read_only a.prof normal 0
        oneline 'cannot write the profile .*/closed/a.prof: read-only file system'; files 0)"
    ;;
esac
wants bad-clock && found "$(same env PROF_CLOCK=sundial "$victim" normal; oneline 'sundial')"
wants bad-clock-nothing && found "$(same env PROF_CLOCK=sundial "$victim" nothing; quiet; files 0)"
! has_tbb tbb-unused || ! wants tbb-unused || found "$(printf '%s\n' '#include <tbb/task_arena.h>' \
        'int main() { return tbb::this_task_arena::max_concurrency() < 1; }' >"$tmp/unused.cpp"
    g++ -O2 "$tmp/unused.cpp" -o "$tmp/unused" -ltbb; same "$tmp/unused"; oneline 'no task was seen'
    files 0)"
# A program of many processes says a line once: those that are forked, and those that it starts,
# leave it to the first.
family() {
    g++ -std=c++17 -O2 "$here/family.cpp" -o "$tmp/family" -ltbb -pthread ||
        echo "FAIL policy: family.cpp does not compile"
    wants family-idle && found "$(same "$tmp/family" idle; oneline 'no task was seen'; files 0)"
    wants family-child &&
        found "$(same "$tmp/family" child; quiet; files 1)" # the child did the work
    wants family-bad-setting &&
        found "$(same env PROF_CLOCK=sundial "$tmp/family" busy; oneline 'sundial'
        files 9)"
    wants family-no-directory && found "$(OUT=/nonexistent/%p same "$tmp/family" busy
        oneline 'PROF_OUTPUT')"
    wants family-verbose && found "$(same env PROF_CLOCK=sundial PROF_VERBOSE=1 "$tmp/family" busy
        n=$(grep -c sundial "$tmp/err"); [ "$n" = 5 ] ||
        echo "$n lines of 5 processes and what they forked")"
    # programs that a script starts: no related process has printed the line before
    wants family-script && found "$(printf '%s\n%s\n' "$tmp/family" "$tmp/family" >"$tmp/script.sh"
        same sh "$tmp/script.sh"; n=$(grep -c 'no task was seen' "$tmp/err")
        [ "$n" = 2 ] || echo "$n lines of 2 programs")"
}
! has_tbb family-idle family-child family-bad-setting family-no-directory family-verbose \
    family-script || family
wants verbose-one-task && found "$(printf '%s\n' '#include <pthread.h>' \
        'static void *n(void *a) { return a; }' 'int main(void) { pthread_t t;' \
        'return pthread_create(&t, 0, n, 0) || pthread_join(t, 0); }' |
        gcc -x c - -o "$tmp/one" -pthread
    same env PROF_VERBOSE=1 "$tmp/one"; oneline 'wrote .* (1 task)$')"
wants bad-burden &&
    found "$(same env PROF_BURDEN=heavy "$victim" normal; oneline 'PROF_BURDEN=heavy')"
for spec in part part= part=fast part=0 part=2000 =2 'a=2 b=3'; do
    name=bad-whatif-$(echo "$spec" | tr ' ;&' '_++')
    ! wants "$name" || found \
        "$(same env PROF_WHATIF="$spec" "$victim" normal; oneline 'nothing is tried')"
done
wants whatif-rounded &&
    found "$(same env PROF_WHATIF='a=7&b=11;c=13;d=17;e=19' "$victim" normal; quiet)"
for spec in part part=0.5 part=inf part=200 'a=2&b=3'; do
    wants "bad-delay-$(echo "$spec" | tr '&' '+')" &&
        found "$(same env PROF_DELAY="$spec" "$victim" normal
        oneline 'PROF_DELAY=.*nothing is tried')"
done
wants whatif-no-code &&
    found "$(same env PROF_WHATIF='part=2' PROF_WHATIF_CODE=/nonexistent "$victim" \
    normal; oneline 'PROF_WHATIF_CODE=/nonexistent: cannot be opened')"
wants whatif-bad-code && found "$(echo hello >"$tmp/code"
    same env PROF_WHATIF='part=2' PROF_WHATIF_CODE="$tmp/code" "$victim" normal
    oneline 'is not what prof run writes')"
# a sequence that a pattern of names does not have: the text stays, and one line names all of them
pattern() { # PATTERN NAME LINE: the profile is NAME, with its pid for PID
    OUT=$1 same "$victim" normal; oneline "$3"
    found=$(cd "$tmp/run" && ls | sed 's/[0-9][0-9]*/PID/'); [ "$found" = "$2" ] || echo \
        "the profile is $found"
}
wants output-unknown && found "$(pattern 'a%q%e.%p' 'a%qvictim.PID' \
    'PROF_OUTPUT has %q, .* %e %p %h %r %t %% alone')"
wants output-unknown-several && found "$(pattern '%d-%%Y%q%p%d-%' '%d-%Y%qPID%d-%' \
    'PROF_OUTPUT has %d %q %, ')"
wants output-unknown-nothing && found "$(OUT=%q same "$victim" nothing; quiet; files 0)"
# %e of a file that has gone, and where there is no /proc to ask
gcc -O1 -Wall "$here/unnamed.c" -o "$tmp/unnamed" -ldl ||
    echo "FAIL policy: unnamed.c does not compile"
named() { # NAME COMMAND...
    name=$1; shift
    OUT=%e same "$@"; quiet
    found=$(cd "$tmp/run" && ls | sed 's/\(removed\)\.[A-Za-z0-9]*/\1/; s/\.[0-9]*$//')
    [ "$found" = "$name" ] || echo "the profile is $found"
}
wants output-of-memory && found "$(named memfd:copy "$tmp/unnamed" memory "$victim" normal)"
wants output-of-memory-at && found "$(named memfd:copy "$tmp/unnamed" at "$victim" normal)"
wants output-of-removed && found "$(named removed "$tmp/unnamed" removed "$victim" normal)"
if unshare -m true 2>/dev/null; then
    wants output-without-proc && found "$(named victim unshare -m sh -c \
        "umount -l /proc; exec $victim normal")"
else
    echo "SKIP policy/output-without-proc: no namespaces of mounts here"
fi
wants output-known && found "$(OUT=%%q%e%p same "$victim" normal; quiet; files 1)"
wants bad-number &&
    found "$(same env PROF_CHECKPOINT=-3 "$victim" normal; oneline 'PROF_CHECKPOINT=-3')"
for rate in cpu:-4 cpu:x -4 4x 0 cpu:0 :4; do
    wants "bad-rate-$rate" && found "$(same env PROF_SAMPLE=$rate "$victim" normal
        oneline "PROF_SAMPLE=$rate is not off, a rate")"
done
# a rate of perf_event's clock; where that is refused, the line says so
wants bad-rate-task-clock:20000 && found "$(same env PROF_SAMPLE=task-clock:20000 "$victim" normal
    oneline 'PROF_SAMPLE=task-clock:20000 has no rate\|PROF_SAMPLE: task-clock: ')"
wants unknown-setting && found "$(same env PROF_CLOK=tsc "$victim" normal
    oneline 'did you mean PROF_CLOCK')"
wants bad-event &&
    found "$(same env PROF_EVENTS=no-such-event "$victim" normal; oneline 'no-such-event')"
wants disabled && found "$(same env PROF_DISABLE=1 "$victim" normal; quiet; files 0)"
