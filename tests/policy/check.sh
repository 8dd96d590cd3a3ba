#!/bin/sh
# The failure policy (DESIGN 10): whatever happens, the program behaves as without libprof, and what
# is missing or wrong is said in one line.
build=$1
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
so=$build/libprof.so
prof=$build/prof
victim=$tmp/victim
gcc -O2 -g -I"$here/../../include" "$here/victim.c" -o "$victim" -pthread &&
    gcc -O2 -static -I"$here/../../include" "$here/victim.c" -o "$tmp/static" \
    -pthread 2>/dev/null ||
    { echo "FAIL policy: the victim does not compile"; exit 1; }

result() { # NAME DETAIL: empty detail passes
    if [ -z "$2" ]; then echo "PASS policy/$1"; else echo \
        "FAIL policy/$1: $(echo "$2" | tr '\n' ' ')"; fi
}

# Runs COMMAND with and without the preload in directories of their own; compares stdout and status.
# Leaves the profiles in $tmp/run, stderr in $tmp/err.
same() { # COMMAND...
    rm -rf "$tmp/run" "$tmp/native"
    mkdir "$tmp/run" "$tmp/native"
    (cd "$tmp/native" && timeout 60 "$@" >../native.out 2>../native.err; echo \
        $? >../native.status) 2>/dev/null
    (cd "$tmp/run" && timeout -s KILL 60 env PROF_CLOCK=virtual PROF_OUTPUT="${OUT:-%e.%p.prof}" \
        LD_PRELOAD="$so" "$@" >../out 2>../err
        echo $? >../status) 2>/dev/null
    cmp -s "$tmp/out" "$tmp/native.out" || echo "stdout differs"
    cmp -s "$tmp/status" "$tmp/native.status" ||
        echo "status $(cat "$tmp/status") for $(cat "$tmp/native.status")"
}

value() { # JSON-KEY: of the only profile
    "$prof" report --json "$tmp"/run/victim.*.prof 2>&1 | jq -c "$1" 2>&1
}

# nothing from libprof on stderr (the shell may say how a program died)
quiet() { grep -q libprof "$tmp/err" && echo "stderr: $(cat "$tmp/err")"; }
files() { [ "$(ls "$tmp/run" | wc -l)" = "$1" ] ||
    echo "$(ls "$tmp/run" | wc -l) files for $1: $(ls "$tmp/run")"; }
expect() { got=$(value "$1"); [ "$got" = "$2" ] || echo "$1 is $got, not $2"; }

# Our OpenMP names are present where no runtime is: they do what one thread would. A runtime that is
# opened later is found.
weak=$tmp/weak
gcc -std=gnu11 -O1 -g -w -I"$here/../../agents/openmp" "$here/weak.c" -o "$weak" -ldl ||
    echo "FAIL policy: weak.c does not compile"
names=$(sed -n 's/@.*//; /^\(GOMP_\|omp_\|__kmpc_\)/p' "$here/../abi/exports.txt" | sort -u | wc -l)
weak_names() { # ARGUMENTS...
    [ "$("$weak")" = absent ] || echo "natively: $("$weak")"
    got=$(LD_PRELOAD=$so timeout -s KILL 20 "$weak" "$@" 2>&1; echo "status $?")
    [ "$got" = "sequential, $names names
status 0" ] || echo "$* $got"
}
result weak-names "$(weak_names)"
# oneTBB's names without a libtbb: one line, and the status with which the loader ends such a
# program.
printf '%s\n' 'extern void _ZN3tbb6detail2r16resumeEPNS1_18suspend_point_typeE(void *) __attribute__((weak));' \
    'int main(void) { if (_ZN3tbb6detail2r16resumeEPNS1_18suspend_point_typeE) _ZN3tbb6detail2r16resumeEPNS1_18suspend_point_typeE(0); return 0; }' |
    gcc -xc - -o "$tmp/tbb-names" || echo "FAIL policy: tbb-names does not compile"
result tbb-names "$(LD_PRELOAD=$so timeout 20 "$tmp/tbb-names" 2>"$tmp/err"; code=$?; [ $code = 127 ] || echo "status $code"
    [ "$(wc -l <"$tmp/err")" = 1 ] && grep -q 'libtbb.so.12' "$tmp/err" || cat "$tmp/err")"
for runtime in libgomp.so.1 libomp.so.5; do
    ldconfig -p | grep -q "$runtime " ||
        { echo "SKIP policy/weak-names-$runtime: it is not installed"; continue; }
    result weak-names-$runtime "$(weak_names $runtime; weak_names $runtime global)"
done

oneline() { [ "$(wc -l <"$tmp/err")" = 1 ] ||
    echo "$(wc -l <"$tmp/err") lines for 1: $(cat "$tmp/err")"
            grep -q "$1" "$tmp/err" || echo "no \"$1\" in: $(cat "$tmp/err")"; }
result normal "$(same "$victim" normal 7; quiet; files 1; expect '.program | [.work_ns,.span_ns,.exit_status,.end,.complete]' '[16,13,7,"exit",true]')"
# libprof's locks: held by another thread when the program forks; held by the thread whose handler
# forks, or ends the program; by one that a real-time thread preempts. The list is that of all
# locks, in a section of libprof.so.
gcc -O2 -g -Wall -I"$here/../../include" "$here/locks.c" -o "$tmp/locks" -pthread ||
    echo "FAIL policy: locks.c does not compile"
locks_at=$(nm "$so" | awk '$3 == "__start_prof_locks" { print $1 }')
locks_end=$(nm "$so" | awk '$3 == "__stop_prof_locks" { print $1 }')
lock_count=$(((0x${locks_end:-0} - 0x${locks_at:-0}) / 24))
list_locks() { LD_PRELOAD=$so PROF_OUTPUT=/dev/null "$tmp/locks" list "$locks_at" \
    "$lock_count" 2>/dev/null; }
at_lock() { # CASE INDEX PROFILES
    same "$tmp/locks" "$1" "$locks_at" "$lock_count" "$2"; quiet; files "$3"
    for f in "$tmp"/run/*.prof; do "$prof" report --json "$f" >/dev/null 2>&1 || echo \
        "$f cannot be read"; done
}
# No handler interrupts who writes: all signals are blocked. What a fault there leaves is the last
# good file.
each_lock() { # CASE PROFILES
    i=0; [ "$(list_locks | wc -l)" -gt 20 ] || echo 'where are the locks?'
    list_locks | while read -r name level; do
        [ "$level" = 0 ] || [ "$1 $name" = "handler-ends write_lock" ] || at_lock "$1" $i "$2" |
            sed "s/^/$name: /"
        i=$((i + 1))
    done
}
result lock-at-fork "$(each_lock fork-held 2)"
result lock-handler-forks "$(each_lock handler-forks 1)"
result lock-handler-ends "$(each_lock handler-ends 1)"
result lock-storm "$(same "$tmp/locks" storm; quiet; files 31)"
of_regions=$(list_locks | awk '$1 == "regions_lock" { print NR - 1 }')
preempted=$(same "$tmp/locks" preempted "$locks_at" "$lock_count" "$of_regions"; quiet)
if [ "$(cat "$tmp/out")" = "no policy" ]; then echo "SKIP policy/lock-preempted: this user may not set SCHED_FIFO"; else result lock-preempted "$preempted"; fi
# the process' first spawns, one of them in a constructor, which has the loader's lock
gcc -O2 -g -Wall -shared -fPIC -DPLUGIN "$here/plugin.c" -o "$tmp/plugin.so" &&
    gcc -O2 -g -Wall "$here/plugin.c" -o "$tmp/plugin" ||
    echo "FAIL policy: plugin.c does not compile"
result constructor-spawns "$(same "$tmp/plugin" "$tmp/plugin.so"; quiet; files 1)"
# another preload's functions, which may not be called after its end
printf '#include <stdlib.h>\n%s\n' 'int lstat(const char *p, void *s) { abort(); } int fstat(int d, void *s) { abort(); } int stat(const char *p, void *s) { abort(); } int __lxstat(int v, const char *p, void *s) { abort(); }' |
    gcc -x c -w -shared -fPIC - -o "$tmp/other.so" ||
    echo "FAIL policy: the other preload does not compile"
result other-preload "$(same env LD_PRELOAD="$so:$tmp/other.so" "$victim" normal; quiet; files 1)"
# a program that wants to be told of readings of the time-stamp counter
printf '#include <pthread.h>\n#include <stdio.h>\n#include <sys/prctl.h>\nstatic void *n(void *a) { return a; }\nint main(void) { pthread_t t; prctl(PR_SET_TSC, PR_TSC_SIGSEGV); pthread_create(&t, 0, n, 0); return pthread_join(t, 0) || puts("ok") < 0; }\n' |
    gcc -x c - -o "$tmp/tsc" -pthread ||
    echo "FAIL policy: the program with PR_SET_TSC does not compile"
result time-stamp-counter "$(same "$tmp/tsc"; oneline 'PR_TSC_SIGSEGV'; files 1)"
# a thread that detaches itself and gives back the memory that its id was written to
result id-unmapped "$(same "$tmp/locks" gone; quiet)"
result id-freed "$(same "$tmp/locks" gone-small; quiet)"
result nothing-parallel "$(same "$victim" nothing; quiet; files 0)"
result shell-script "$(same sh -c 'echo a; true; cat /dev/null'; quiet; files 0)"
result 200-threads "$(same "$victim" 200; quiet; expect '.program | [.work_ns,.span_ns,.spawns]' '[20110,210,200]')"
result _exit "$(same "$victim" _exit; quiet; expect '.program | [.work_ns,.end,.exit_status]' '[16,"quick",3]')"
result quick_exit "$(same "$victim" quick_exit; quiet; expect '.program | [.work_ns,.exit_status]' '[16,4]')"
result abort "$(same "$victim" abort; quiet; expect '.program | [.work_ns,.end]' '[16,"signal"]')"
result segv "$(same "$victim" segv; quiet)"
result exit-from-thread "$(same "$victim" exit_thread; quiet; expect '.program.work_ns' '19')"
result pthread_exit "$(same "$victim" pthread_exit; quiet; expect '.program | [.work_ns,.span_ns]' '[56,53]')"
result main-pthread_exit "$(same "$victim" main_pthread_exit; quiet; expect '.program | [.work_ns,.span_ns]' '[116,113]')"
result cancel "$(same "$victim" cancel; quiet; expect '.program.work_ns' '16')"
result thread-left-running "$(same "$victim" left; quiet; expect '.program.work_ns' '16')"
# more scopes than a snapshot might have patience for; the longest path is in the oldest
result threads-left-ended "$(same "$victim" left_ended 6000; quiet; expect '.program.span_ns' '5013')"
result thread-left-waiting "$(same "$victim" left_waiting; quiet; expect '.program | [.work_ns,.span_ns]' '[116,113]')"
result fork "$(same "$victim" fork; quiet; files 2
    for f in "$tmp"/run/*.prof; do "$prof" report --json "$f"; done | jq -s -c '[.[].program.work_ns] | sort' |
    grep -qxF '[3,16]' || echo 'the work of parent and child is not 16 and 3')"
OUT=exact.prof result fork-exact-name "$(OUT=exact.prof same "$victim" fork; quiet; files 2; [ -s "$tmp/run/exact.prof" ] || echo 'no exact.prof')"
# Both halves of a daemon have a profile, the parent's, too, which libc ends.
result daemon "$(rm -rf "$tmp/run"; mkdir "$tmp/run"; cd "$tmp/run"
    PROF_CLOCK=virtual LD_PRELOAD=$so timeout 60 "$victim" daemon 2>"$tmp/err" | cat >"$tmp/out"; quiet
    printf 'hello daemon\nserved\n' | cmp - "$tmp/out"
    i=0; while [ $i -lt 100 ] && [ "$(ls "$tmp"/run/*.prof | wc -l)" -lt 2 ]; do sleep 0.1; i=$((i + 1)); done; files 2
    for f in "$tmp"/run/*.prof; do "$prof" report --json "$f"; done | jq -s -c '[.[].program | [.work_ns, .end, .exit_status, .complete]] | sort' |
    grep -qxF '[[3,"exit",7,true],[16,"quick",0,true]]' || echo 'not the work of both')"
result fork-exec "$(same "$victim" fork_exec; quiet; expect '.program.work_ns' '16')"
result vfork "$(same "$victim" vfork; quiet; expect '.program.work_ns' '16')"
result exec "$(same "$victim" exec; quiet; expect '.program | [.work_ns,.end]' '[16,"exec"]')"
result exec-fails "$(same "$victim" exec_fails; quiet; expect '.program | [.work_ns,.end]' '[19,"exit"]')"
result stderr-closed "$(OUT=/nonexistent/x same "$victim" close2)"
result dlopen "$(same "$build/programs/dlopen_user" "$build/programs/loop_plugin.so"; quiet
    "$prof" report --json "$tmp"/run/*.prof | jq -c '.program | [.work_ns,.span_ns,.exact]' | grep -qx '\[1500,15,true\]' || echo 'not 1500 / 15')"

# Rust's end of a stack overflow: abort() in a handler on an alternate stack of 8 KB, where the
# writer has no room.
cat >"$tmp/overflow.c" <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
static void *work(void *x) { return x; }
static void handler(int sig) { abort(); }
static volatile int depth;
__attribute__((noinline)) static int deep(int n) { volatile char a[500]; a[0] = n; return n > 1 << 30 ? 0 : deep(n + 1) + a[0] + depth; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    char *m = mmap(0, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(m, 4096, PROT_NONE);
    stack_t s = { .ss_sp = m + 4096, .ss_size = 8192 };
    struct sigaction a = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
    sigaltstack(&s, 0);
    sigaction(SIGSEGV, &a, 0);
    return deep(0);
}
END
gcc -O0 -w "$tmp/overflow.c" -o "$tmp/overflow" -pthread
result abort-on-a-small-stack "$(same "$tmp/overflow"; quiet; files 1
    "$prof" report --json "$tmp"/run/*.prof | jq -c '.program | [.spawns, .end]' | grep -qxF '[1,"signal"]' || echo 'no whole profile')"
# A filter of system calls does not know ours, nor the return from a sample's handler: recording
# ends before it is there.
gcc -O1 -I"$here/../../include" "$here/sandbox.c" -o "$tmp/sandbox" -pthread
for kind in filter strict probe; do
    result sandbox-$kind "$(same "$tmp/sandbox" $kind; quiet; files 0; grep -q computed "$tmp/out" || echo 'no filter here')"
    result sandbox-$kind-threads "$(same "$tmp/sandbox" $kind threads; quiet; files 1
        "$prof" report --json "$tmp"/run/*.prof | jq -c '.program | [.work_ns, .spawns]' | grep -qxF '[7,1]' || echo 'not the work of the thread')"
done
# what a preload could do unseen; the same with symbols and unwind tables, without the first,
# without both
for flags in -g -s "-s -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-exceptions"; do
    g++ -O2 $flags "$here/intruder.cpp" -o "$tmp/intruder" -ltbb -pthread 2>/dev/null
    result "descriptors$(echo "$flags" | tr -d ' ' | cut -c1-8)" \
        "$(same "$tmp/intruder" descriptors; quiet)"
done
# an unwinder of the program's own, which passes our frames
cat >"$tmp/throws.cpp" <<'END'
#include <cstdio>
#include <stdexcept>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
int main()
{
    for (int i = 0; i < 3; i++)
        try {
            tbb::task_group g;
            g.run([] { tbb::parallel_for(0, 10, [](int k) { if (k == 5) throw std::runtime_error("expected"); }); });
            g.wait();
        } catch (const std::runtime_error &e) {
            puts(e.what());
        }
    return 5;
}
END
for flags in -g "-static-libgcc -static-libstdc++"; do
    g++ -O2 $flags "$tmp/throws.cpp" -o "$tmp/throws" -ltbb
    result "throws$(echo "$flags" | tr -d ' ' | cut -c1-14)" "$(same "$tmp/throws"; quiet; files 1)"
done
# -fno-rtti: what a task is follows from its context, and where it does not, the report says so
cat >"$tmp/nameless.cpp" <<'END'
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include "libprof.h"
using Range = tbb::blocked_range<int>;
int main(int argc, char **)
{
    int n = tbb::parallel_deterministic_reduce(Range(0, 8), 0, [](const Range &r, int v) { libprof_cost(1); return v + (int)r.size(); },
                                               [](int a, int b) { libprof_cost(10); return a + b; });
    if (argc > 1)
        n = tbb::parallel_scan(Range(0, 8), 0, [](const Range &r, int v, bool) { return v + (int)r.size(); }, [](int a, int b) { return a + b; });
    return n;
}
END
g++ -O2 -fno-rtti -I"$here/../../include" "$tmp/nameless.cpp" -o "$tmp/nameless" -ltbb
nameless() { "$prof" report --json "$tmp"/run/*.prof |
    jq -c '.program | [.work_ns,.span_ns,.exact,.lower_bound_constructs]' | grep -qxF "$1" ||
    echo "not $1"; }
result no-rtti-reduce "$(same "$tmp/nameless"; quiet; nameless '[78,31,true,[]]')"
result no-rtti-scan "$(same "$tmp/nameless" scan; quiet; nameless '[78,31,false,["parallel_scan"]]')"
cat >"$tmp/c11.cpp" <<'END'
#include <threads.h>
#include <tbb/task_group.h>
#include "libprof.h"
static int body(void *)
{
    libprof_cost(1000);
    tbb::task_group g;
    g.run([] { libprof_cost(50); });
    g.wait();
    return 4;
}
int main()
{
    thrd_t t;
    int result = 0;
    libprof_cost(1000);
    thrd_create(&t, body, 0);
    thrd_join(t, &result);
    return result;
}
END
g++ -O2 -I"$here/../../include" "$tmp/c11.cpp" -o "$tmp/c11" -ltbb -pthread
result thrd_create "$(same "$tmp/c11"; quiet
    "$prof" report --json "$tmp"/run/*.prof | jq -c '.program | [.work_ns,.exact]' | grep -qx '\[2050,false\]' || echo 'no lower bound')"
result stderr-at-its-limit "$(same "$tmp/intruder" signal)"
# strands that run when the program ends count: real time here, so only bounds
result still-running "$(same env PROF_CLOCK=tsc "$tmp/intruder" running; quiet
    "$prof" report --json "$tmp"/run/*.prof | jq -c '.program | [.work_ns > 2.5e8, .span_ns > 2e8, .span_ns <= .work_ns]' |
    grep -qx '\[true,true,true\]' || echo 'work or span is missing')"
for san in address thread; do
    if echo 'int main(){}' | g++ -fsanitize=$san -x c++ - -o "$tmp/san" 2>/dev/null &&
        "$tmp/san"; then
        printf '#include <thread>\nint main() { std::thread([] {}).join(); return 6; }\n' >"$tmp/san.cpp"
        g++ -fsanitize=$san "$tmp/san.cpp" -o "$tmp/san"
        [ $san = address ] && result run-sanitizer "$(cd "$tmp"; "$prof" run --no-report -o "$tmp/s.prof" -- "$tmp/san" >"$tmp/err" 2>&1; s=$?; [ $s = 6 ] || echo "status $s: $(head -c 300 "$tmp/err")")"
        runtime=$(ldd "$tmp/san" | sed -n "s/.*=> \(.*lib[at]san[^ ]*\).*/\1/p")
        result sanitizer-$san "$(PROF_OUTPUT=$tmp/s.prof LD_PRELOAD="$runtime $so" timeout 60 "$tmp/san" >"$tmp/err" 2>&1; s=$?; [ $s = 6 ] || echo "status $s: $(head -c 300 "$tmp/err")")"
    else
        echo "SKIP policy/sanitizer-$san: its runtime does not work here"
    fi
done

# what is wrong is one line
result no-directory "$(OUT=/nonexistent/a.prof same "$victim" normal; oneline 'PROF_OUTPUT')"
result bad-clock "$(same env PROF_CLOCK=sundial "$victim" normal; oneline 'sundial')"
result bad-clock-nothing "$(same env PROF_CLOCK=sundial "$victim" nothing; quiet; files 0)"
result tbb-unused "$(printf '#include <tbb/task_arena.h>\nint main() { return tbb::this_task_arena::max_concurrency() < 1; }\n' >"$tmp/unused.cpp"
    g++ -O2 "$tmp/unused.cpp" -o "$tmp/unused" -ltbb; same "$tmp/unused"; oneline 'no task was seen'; files 0)"
# A program of many processes says a line once: those that are forked, and those that it starts,
# leave it to the first.
g++ -std=c++17 -O2 "$here/family.cpp" -o "$tmp/family" -ltbb -pthread ||
    echo "FAIL policy: family.cpp does not compile"
result family-idle "$(same "$tmp/family" idle; oneline 'no task was seen'; files 0)"
result family-bad-setting "$(same env PROF_CLOCK=sundial "$tmp/family" busy; oneline 'sundial'; files 9)"
result family-no-directory "$(OUT=/nonexistent/%p same "$tmp/family" busy; oneline 'PROF_OUTPUT')"
result family-verbose "$(same env PROF_CLOCK=sundial PROF_VERBOSE=1 "$tmp/family" busy; n=$(grep -c sundial "$tmp/err"); [ "$n" = 5 ] || echo "$n lines of 5 processes and what they forked")"
# programs that a script starts have no relative that could say it
result family-script "$(printf '%s\n%s\n' "$tmp/family" "$tmp/family" >"$tmp/script.sh"; same sh "$tmp/script.sh"; n=$(grep -c 'no task was seen' "$tmp/err"); [ "$n" = 2 ] || echo "$n lines of 2 programs")"
result bad-burden "$(same env PROF_BURDEN=heavy "$victim" normal; oneline 'PROF_BURDEN=heavy')"
for spec in part part= part=fast part=0 part=2000 =2 'a=2 b=3'; do
    result "bad-whatif-$(echo "$spec" | tr ' ;&' '_++')" \
        "$(same env PROF_WHATIF="$spec" "$victim" normal; oneline 'nothing is tried')"
done
result whatif-rounded "$(same env PROF_WHATIF='a=7&b=11;c=13;d=17;e=19' "$victim" normal; quiet)"
for spec in part part=0.5 part=inf part=200 'a=2&b=3'; do
    result "bad-delay-$(echo "$spec" | tr '&' '+')" "$(same env PROF_DELAY="$spec" "$victim" normal; oneline 'PROF_DELAY=.*nothing is tried')"
done
result whatif-no-code "$(same env PROF_WHATIF='part=2' PROF_WHATIF_CODE=/nonexistent "$victim" normal; oneline 'PROF_WHATIF_CODE=/nonexistent: cannot be opened')"
result whatif-bad-code "$(echo hello >"$tmp/code"; same env PROF_WHATIF='part=2' PROF_WHATIF_CODE="$tmp/code" "$victim" normal; oneline 'is not what prof run writes')"
# a sequence that a pattern of names does not have: the text stays, and one line names all of them
pattern() { # PATTERN NAME LINE: the profile is NAME, with its pid for PID
    OUT=$1 same "$victim" normal; oneline "$3"
    found=$(cd "$tmp/run" && ls | sed 's/[0-9][0-9]*/PID/'); [ "$found" = "$2" ] || echo \
        "the profile is $found"
}
result output-unknown "$(pattern 'a%q%e.%p' 'a%qvictim.PID' 'PROF_OUTPUT has %q, .* %e %p %h %t %% alone')"
result output-unknown-several "$(pattern '%d-%%Y%q%p%d-%' '%d-%Y%qPID%d-%' 'PROF_OUTPUT has %d %q %, ')"
result output-unknown-nothing "$(OUT=%q same "$victim" nothing; quiet; files 0)"
# %e of a file that has gone, and where there is no /proc to ask
gcc -O1 -Wall "$here/unnamed.c" -o "$tmp/unnamed" || echo "FAIL policy: unnamed.c does not compile"
named() { # NAME COMMAND...
    name=$1; shift
    OUT=%e same "$@"; quiet
    found=$(cd "$tmp/run" && ls | sed 's/\(removed\)\.[A-Za-z0-9]*/\1/; s/\.[0-9]*$//')
    [ "$found" = "$name" ] || echo "the profile is $found"
}
result output-of-memory "$(named memfd:copy "$tmp/unnamed" memory "$victim" normal)"
result output-of-removed "$(named removed "$tmp/unnamed" removed "$victim" normal)"
if unshare -m true 2>/dev/null; then
    result output-without-proc "$(named victim unshare -m sh -c "umount -l /proc; exec $victim normal")"
else
    echo "SKIP policy/output-without-proc: no namespaces of mounts here"
fi
result output-known "$(OUT=%%q%e%p same "$victim" normal; quiet; files 1)"
result bad-number "$(same env PROF_CHECKPOINT=-3 "$victim" normal; oneline 'PROF_CHECKPOINT=-3')"
for rate in cpu:-4 cpu:x -4 4x cpu:0 :4; do
    result "bad-rate-$rate" "$(same env PROF_SAMPLE=$rate "$victim" normal; oneline "PROF_SAMPLE=$rate is not off, a rate")"
done
result unknown-setting "$(same env PROF_CLOK=tsc "$victim" normal; oneline 'did you mean PROF_CLOCK')"
result bad-event "$(same env PROF_EVENTS=no-such-event "$victim" normal; oneline 'no-such-event')"
result disabled "$(same env PROF_DISABLE=1 "$victim" normal; quiet; files 0)"
result no-descriptors "$(same "$victim" nofile; oneline 'cannot write the profile')"
result change-of-ids "$(same "$victim" ids; quiet; files 1; expect '.program | [.work_ns,.complete]' '[16,true]')"
result quiet "$(OUT=/nonexistent/a same env PROF_QUIET=1 "$victim" normal; quiet)"
result file-mode "$(same "$victim" normal; stat -c %a "$tmp"/run/*.prof | grep -vx 600)"
result symlink "$(rm -rf "$tmp/l"; mkdir "$tmp/l"; echo precious >"$tmp/precious"; ln -s ../precious "$tmp/l/o.prof"
    PROF_OUTPUT=$tmp/l/o.prof PROF_CLOCK=virtual LD_PRELOAD=$so "$victim" normal >/dev/null; grep -q precious "$tmp/precious" || echo overwritten)"
result software-event "$(same env PROF_EVENTS=page-faults "$victim" normal; quiet; expect '.settings["event:page-faults"] | tonumber > 10' true)"
result file-size-limit "$(rm -rf "$tmp/run"; mkdir "$tmp/run"; cd "$tmp/run"
    (trap '' XFSZ; ulimit -f 0; PROF_CLOCK=virtual LD_PRELOAD=$so "$victim" normal 2>&1 >/dev/null | (trap - XFSZ; ulimit -S -f unlimited 2>/dev/null; cat)) >"$tmp/err" 2>/dev/null
    files 0)"
# libprof's own tables at the start are a quarter of a limited address space at most; these would
# not fit. (Our copy of the table of nodes of call paths far from their parents' takes 4 MB.)
result address-space "$(same prlimit --as=16777216:16777216 --stack=262144 env PROF_NODES=10000000 "$victim" normal
    oneline 'in a quarter of the address space, 4 MB (ulimit -v, PROF_NODES, PROF_CONTEXTS): not profiling'; files 0)"
result address-space-enough "$(same prlimit --as=805306368:805306368 "$victim" normal; quiet; files 1)"

# Under ThreadSanitizer, which interposes libc's string functions: it must not see libprof's memory,
# of which it does not know the locks. A checkpoint and the final profile are written by different
# threads.
printf '%s\n' '#include <pthread.h>' '#include <stdio.h>' '#include <time.h>' \
    'static void *run(void *x) { struct timespec t = { 0, 50000000 }; nanosleep(&t, 0); return x; }' \
    'int main(void) { for (int k = 0; k < 40; k++) { pthread_t t[3];' \
    'for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, run, 0); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); }' \
    'puts("end"); return 0; }' | gcc -xc -O1 -g -fsanitize=thread - -o "$tmp/tsan" \
    -pthread 2>"$tmp/err" || head -1 "$tmp/err"
if [ "$(setarch -R "$tmp/tsan" 2>/dev/null)" = end ]; then
    result tsan "$(got=$(cd "$tmp/run" && LD_PRELOAD=$so setarch -R timeout -s KILL 60 "$tmp/tsan" 2>"$tmp/err"; echo "status $?")
        [ "$got" = "end
status 0" ] || echo "$got $(grep -m 3 -A 3 WARNING "$tmp/err")"; rm -f "$tmp"/run/*)"
else
    echo "SKIP policy/tsan: ThreadSanitizer does not run here"
fi

# What a program's address space grows by (footprint.c). Not much more than without libprof: its
# tables grow with their use.
foot=$tmp/foot
mkdir -m 755 "$foot" && chmod 755 "$tmp" && cp "$so" "$foot/libprof.so"
gcc -O2 -g "$here/footprint.c" -o "$foot/footprint" -pthread &&
    g++ -O2 "$here/footprint.cpp" -o "$foot/tasks" -ltbb -pthread ||
    echo "FAIL policy/footprint: the programs do not compile"
grown() { # NAME COMMAND...: what it printed behind NAME, natively and with libprof; nothing else may be said
    name=$1 native= profiled=; shift
    mkdir -p -m 777 "$foot/out"; rm -f "$foot"/out/*
    native=$(MALLOC_ARENA_MAX=1 timeout 60 "$@" 2>"$tmp/err" |
        sed -n "s/.*\b$name \([0-9]*\).*/\1/p")
    profiled=$(MALLOC_ARENA_MAX=1 PROF_OUTPUT=$foot/out/%p.prof LD_PRELOAD=$foot/libprof.so timeout 60 "$@" 2>"$tmp/err" | sed -n "s/.*\b$name \([0-9]*\).*/\1/p")
    [ -n "$native" ] && [ -n "$profiled" ] || echo "no \"$name\""
    [ -s "$tmp/err" ] && cat "$tmp/err"
}
within() { [ -n "$native" ] && [ -n "$profiled" ] && [ $((profiled - native)) -le "$1" ] ||
    echo "$profiled KB, $native natively: more than $1 KB are libprof's"; }
spawns() { got=$("$prof" report --json "$foot"/out/*.prof | jq .program.spawns); [ "$got" = \
    "$1" ] || echo "$got spawns for $1"; }
result footprint-start "$(grown base "$foot/footprint" live 1; within 2048)"
result footprint-thread "$(grown grown "$foot/footprint" live 1000; within $((1000 * 72 + 2048)); spawns 1000)"
result footprint-short-threads "$(grown grown "$foot/footprint" short 20000; within 512; spawns 21000)"
result footprint-thread-tasks "$(grown grown "$foot/tasks" 200; within $((200 * 120 + 4096)); spawns 4200)"
result footprint-address-space "$(grown grown prlimit --as=402653184 "$foot/footprint" live 1000; within $((1000 * 72 + 2048)); spawns 1000)"
# all memory is locked, by a user who may not lock much
nobody=; [ "$(id -u)" = 0 ] && nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
locked() { # THREADS KB
    grown locked prlimit --memlock=8388608:8388608 $nobody "$foot/footprint" locked "$1"
    within "$2"; spawns "$1"
}
result footprint-locked "$(locked 8 2560)"
result footprint-locked-one "$(locked 1 2048)"

# What hooks use of the program's stack (depth.cpp): 1 KB more than the call does natively, at the
# first call of a process, too; 384 bytes more than that where a task is called at once, outside of
# regions. A wait may run tasks: so a call is at fault if it is three times.
depth=$tmp/depth
g++ -std=c++17 -O2 -g -Wall -fopenmp -I"$here/../../include" "$here/depth.cpp" -o "$depth" -ltbb \
    -pthread -ldl || echo "FAIL policy: depth.cpp does not compile"
profiled() { PROF_OUTPUT=$tmp/depth.prof LD_PRELOAD=$so "$@" 2>&1; }
goes_deep() { # CALL BYTES
    for _ in 1 2 3; do
        wrong=$(echo "$(LD_BIND_NOW=1 "$depth" of "$1")" "$(LD_BIND_NOW=1 profiled "$depth" of "$1")" |
            awk -v most="$2" 'NF != 8 || $6 - $2 > most || $8 - $4 > most {
                print "natively " $2 " " $4 ", profiled " $6 " " $8 }')
        [ -n "$wrong" ] || return
    done
    echo "$wrong"
}
for call in thread detached group loop enqueue region tasks annotated fork exec begin; do
    result depth-$call "$(goes_deep $call 1024)"
done
result depth-task "$(goes_deep task 1408)"
lives() { # ARGUMENTS...: natively and profiled
    native=$(LD_BIND_NOW=1 "$depth" "$@"; echo "status $?")
    got=$(LD_BIND_NOW=1 profiled "$depth" "$@"; echo "status $?")
    [ "$got" = "$native" ] && [ "$native" != "status 139" ] || echo "$* $got, natively $native"
}
result stack-nearly-full "$(for call in thread detached group loop enqueue region task tasks annotated fork exec _exit
    do lives left 2048 $call; done 2>&1)"
result stack-least "$(for bytes in 6000 7000 8000 8500 9000; do lives used $bytes; done 2>&1)"

# Thread-local memory comes out of the stacks that our threads ask for: there are checkpoints and
# off-CPU samples all the same.
blocked_in() { # FUNCTION COMMAND...: that sleeps there
    function=$1; shift
    rm -f "$foot/out/tls.prof"
    PROF_CHECKPOINT=1 PROF_OUTPUT=$foot/out/tls.prof LD_PRELOAD=$so "$@" >/dev/null 2>"$tmp/err" & \
        pid=$!
    i=0; while [ $i -lt 300 ] && ! "$prof" report "$foot/out/tls.prof" 2>/dev/null | tr -s "\n " \
        " " | grep -q "was in $function "; do sleep 0.1; i=$((i + 1)); done
    [ $i -lt 300 ] || echo "no checkpoint that says where it sleeps"
    kill -9 $pid; wait $pid 2>/dev/null
    quiet
}
for mb in 1 8; do
    gcc -O2 -g -DTLS_BYTES="($mb << 20)" "$here/footprint.c" -o "$foot/tls" -pthread
    result thread-local-$mb "$(blocked_in sleep_with_tls "$foot/tls" tls 60)"
done
printf '#include <string.h>\n#include <unistd.h>\nstatic char a[1 << 20];\n#pragma omp threadprivate(a)\nint main(void)\n{\n#pragma omp parallel num_threads(2)\n    {\n        memset(a, 1, sizeof a);\n        sleep(60);\n    }\n}\n' >"$foot/tls.c"
gcc -O2 -g -fopenmp "$foot/tls.c" -o "$foot/tls"
result thread-local-openmp "$(blocked_in main "$foot/tls")"

if [ "$(id -u)" = 0 ] && mkdir "$tmp/full" &&
    mount -t tmpfs -o size=4k tmpfs "$tmp/full" 2>/dev/null; then
    head -c 8192 /dev/zero >"$tmp/full/fill" 2>/dev/null
    result full-disk "$(OUT=$tmp/full/a.prof same "$victim" normal; oneline 'no space left'; [ -e "$tmp/full/a.prof" ] && echo 'a file was left')"
    umount "$tmp/full"
else
    echo "SKIP policy/full-disk: needs to mount a tmpfs"
fi

# killed: the last checkpoint stays
result sigkill "$(rm -rf "$tmp/run"; mkdir "$tmp/run"; cd "$tmp/run"
    PROF_CHECKPOINT=1 PROF_CLOCK=virtual LD_PRELOAD=$so "$victim" sleep >/dev/null & pid=$!
    i=0; while [ $i -lt 100 ] && ! ls "$tmp"/run/*.prof >/dev/null 2>&1; do sleep 0.1; i=$((i + 1)); done
    kill -9 $pid; wait $pid 2>/dev/null
    expect '.program | [.work_ns >= 6,.complete,.end]' '[true,false,"running"]'; files 1)"

# prof run: exit status and signals pass, the program's output is its own
result run-status "$(cd "$tmp"; "$prof" run --no-report -o "$tmp/r.prof" -- "$victim" normal 42 >"$tmp/out"; s=$?
    [ $s = 42 ] || echo "status $s"; printf 'hello normal\n' | cmp - "$tmp/out")"
result run-signal "$(cd "$tmp"; "$prof" run --no-report -o "$tmp/r.prof" -- "$victim" abort >/dev/null 2>&1; s=$?; [ $s = 134 ] || echo "status $s")"
result run-forwards "$(cd "$tmp"; "$prof" run --no-report -o "$tmp/r.prof" -- "$victim" sleep >"$tmp/out" 2>/dev/null & pid=$!
    i=0; while [ $i -lt 600 ] && ! grep -q hello "$tmp/out" 2>/dev/null; do sleep 0.1; i=$((i + 1)); done
    kill -TERM $pid; wait $pid; s=$?; [ $s = 143 ] || echo "status $s"; pgrep -f "$victim sleep" >/dev/null && echo 'the program still runs')"
result run-stops "$("$prof" run --no-report -o "$tmp/r.prof" -- sleep 200 2>/dev/null & pid=$!
    state() { ps -o stat= -p $pid --ppid $pid | cut -c1 | tr -d '\n'; }
    until_is() { i=0; while [ $i -lt 600 ] && [ "$(state)" != $1 ]; do sleep 0.1; i=$((i + 1)); done; [ "$(state)" = $1 ] || echo "state $(state), not $1"; }
    # (where nobody could continue a process, in an orphaned group, the kernel does not stop a
    # program at all)
    sleep 200 & native=$!; kill -TSTP $native; i=0; stopped=
    while [ $i -lt 20 ] && [ "$stopped" != T ]; do sleep 0.1; stopped=$(ps -o stat= -p $native | cut -c1); i=$((i + 1)); done; kill -9 $native
    until_is SS; kill -TSTP $pid; until_is T$stopped; kill -CONT $pid; until_is SS; kill -TERM $pid; wait $pid)"
result run-missing "$("$prof" run -- /nonexistent/program 2>"$tmp/err"; s=$?; [ $s = 127 ] || echo "status $s"; grep -v "^prof: /nonexistent" "$tmp/err")"
result run-not-executable "$(echo >"$tmp/text"; "$prof" run -- "$tmp/text" 2>"$tmp/err"; s=$?; [ $s = 126 ] || echo "status $s")"
result run-static "$(cd "$tmp"; "$prof" run -o "$tmp/none.prof" -- "$tmp/static" normal 3 >"$tmp/out" 2>"$tmp/err"; s=$?
    [ $s = 3 ] || echo "status $s"; grep -q 'statically linked' "$tmp/err" || cat "$tmp/err")"
. "$here/strangers.sh"
result run-report "$(cd "$tmp"; "$prof" run -c virtual -o "$tmp/r.prof" -- "$victim" normal 2>"$tmp/err" >/dev/null; grep -q 'Parallelism profile' "$tmp/err" || cat "$tmp/err")"
result run-nothing "$(cd "$tmp"; "$prof" run -o "$tmp/n.prof" -- "$victim" nothing >/dev/null 2>"$tmp/err"; grep -q 'No tasks were seen' "$tmp/err" || cat "$tmp/err")"
result run-script "$(cd "$tmp"; rm -rf s; mkdir s; cd s; printf '#!/bin/sh\nls\n%s normal\n%s normal\n' "$victim" "$victim" >s.sh; chmod +x s.sh
    "$prof" run -c virtual -o a.prof -- ./s.sh >/dev/null 2>"$tmp/err"; [ "$(ls a.prof* | wc -l)" = 3 ] || echo "files: $(ls)"
    grep -q 'Work  *16' "$tmp/err" || cat "$tmp/err"; grep -q 'wrote 2 profiles' "$tmp/err" || echo 'no word of the other')"
result run-killed-early "$(cd "$tmp"; "$prof" run -- sh -c 'kill -KILL $$' 2>"$tmp/err"; s=$?; [ $s = 137 ] || echo "status $s"; grep -q 'before its first checkpoint' "$tmp/err" || cat "$tmp/err")"
result doctor "$("$prof" doctor "$build/programs/constructs" >"$tmp/out" || cat "$tmp/out"; "$prof" doctor "$tmp/static" >"$tmp/out" && echo 'a static program passes')"
