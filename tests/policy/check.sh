#!/bin/sh
# The failure policy: whatever happens, the program behaves as without libprof, and one line on
# stderr names what is missing or wrong. check.sh BUILD [CASE...]
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
suite=policy only=$* failures=0
. "$here/../case.sh"
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
# Copies, which any user may read: some cases have another.
chmod 755 "$tmp" && mkdir "$tmp/bin" && cp "$build/prof" "$build"/libprof*.so "$tmp/bin/" || exit 1
so=$tmp/bin/libprof.so
prof=$tmp/bin/prof
victim=$tmp/victim
gcc -O2 -g -I"$here/../../include" "$here/victim.c" -o "$victim" -pthread &&
    gcc -O2 -static -I"$here/../../include" "$here/victim.c" -o "$tmp/static" \
    -pthread 2>/dev/null ||
    { echo "FAIL policy: the victim does not compile"; exit 1; }

. "$here/../probe.sh"
no_tbb=$(missing_tbb)
has_tbb() { # CASE...: without oneTBB, these are skipped
    [ -n "$no_tbb" ] || return 0
    printf "SKIP policy/%s: $no_tbb\n" "$@"
    false
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

# nothing from libprof on stderr (the shell may print how a program died)
quiet() { grep -q libprof "$tmp/err" && echo "stderr: $(cat "$tmp/err")"; }
files() { [ "$(ls "$tmp/run" | wc -l)" = "$1" ] ||
    echo "$(ls "$tmp/run" | wc -l) files for $1: $(ls "$tmp/run")"; }
expect() { got=$(value "$1"); [ "$got" = "$2" ] || echo "$1 is $got, not $2"; }

# libprof exports OpenMP's names even if there is no runtime: then they act as one thread would. A
# runtime that is opened later is found.
weak=$tmp/weak
gcc -std=gnu11 -O1 -g -w -I"$here/../../agents/openmp" "$here/weak.c" -o "$weak" -ldl ||
    echo "FAIL policy: weak.c does not compile"
names=$(sed -n 's/@.*//; /^\(GOMP_\|omp_\|__kmpc_\)/p' "$here/../abi/exports.txt" | sort -u | wc -l)
weak_names() { # ARGUMENTS...
    [ "$("$weak")" = absent ] || echo "natively: $("$weak")"
    got=$(cd "$tmp" && LD_PRELOAD=$so timeout -s KILL 20 "$weak" "$@" 2>&1; echo "status $?")
    [ "$got" = "sequential, $names names
status 0" ] || echo "$* $got"
}
wants weak-names && found "$(weak_names)"
# oneTBB's names without a libtbb: one line, and the status with which the loader ends such a
# program.
printf '%s\n' '#define RESUME _ZN3tbb6detail2r16resumeEPNS1_18suspend_point_typeE' \
    'extern void RESUME(void *) __attribute__((weak));' \
    'int main(void) { if (RESUME) RESUME(0); return 0; }' |
    gcc -xc - -o "$tmp/tbb-names" || echo "FAIL policy: tbb-names does not compile"
wants tbb-names && found "$(LD_PRELOAD=$so timeout 20 "$tmp/tbb-names" 2>"$tmp/err"; code=$?
    [ $code = 127 ] || echo "status $code"
    [ "$(wc -l <"$tmp/err")" = 1 ] && grep -q 'libtbb.so.12' "$tmp/err" || cat "$tmp/err")"
for runtime in libgomp.so.1 libomp.so.5; do
    ldconfig -p | grep -q "$runtime " ||
        { echo "SKIP policy/weak-names-$runtime: it is not installed"; continue; }
    wants weak-names-$runtime && found "$(weak_names $runtime; weak_names $runtime global)"
done

oneline() { [ "$(wc -l <"$tmp/err")" = 1 ] ||
    echo "$(wc -l <"$tmp/err") lines for 1: $(cat "$tmp/err")"
            grep -q "$1" "$tmp/err" || echo "no \"$1\" in: $(cat "$tmp/err")"; }
wants normal && found "$(same "$victim" normal 7; quiet; files 1
    expect '.program | [.work_ns,.span_ns,.exit_status,.end,.complete]' '[16,13,7,"exit",true]')"
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
# No handler interrupts the writing thread: all its signals are blocked. After a fault there, the
# last good file stays.
each_lock() { # CASE PROFILES
    i=0; [ "$(list_locks | wc -l)" -gt 20 ] || echo 'where are the locks?'
    list_locks | while read -r name level; do
        [ "$level" = 0 ] || [ "$1 $name" = "handler-ends write_lock" ] || at_lock "$1" $i "$2" |
            sed "s/^/$name: /"
        i=$((i + 1))
    done
}
wants lock-at-fork && found "$(each_lock fork-held 2)"
wants lock-handler-forks && found "$(each_lock handler-forks 1)"
wants lock-handler-ends && found "$(each_lock handler-ends 1)"
wants lock-storm && found "$(same "$tmp/locks" storm; quiet; files 31)"
of_regions=$(list_locks | awk '$1 == "regions_lock" { print NR - 1 }')
wants lock-preempted && found "$(wrong=$(same "$tmp/locks" preempted "$locks_at" "$lock_count" \
        "$of_regions"; quiet)
    [ "$(cat "$tmp/out")" != "no policy" ] || wrong='SKIP this user may not set SCHED_FIFO'
    echo "$wrong")"
# the process' first spawns, one of them in a constructor, which has the loader's lock
gcc -O2 -g -Wall -shared -fPIC -DPLUGIN "$here/plugin.c" -o "$tmp/plugin.so" -pthread &&
    gcc -O2 -g -Wall "$here/plugin.c" -o "$tmp/plugin" -pthread -ldl ||
    echo "FAIL policy: plugin.c does not compile"
wants constructor-spawns && found "$(same "$tmp/plugin" "$tmp/plugin.so"; quiet; files 1)"
# another preload's functions, which may not be called after its end
printf '%s\n' '#include <stdlib.h>' 'int lstat(const char *p, void *s) { abort(); }' \
    'int fstat(int d, void *s) { abort(); }' 'int stat(const char *p, void *s) { abort(); }' \
    'int __lxstat(int v, const char *p, void *s) { abort(); }' |
    gcc -x c -w -shared -fPIC - -o "$tmp/other.so" ||
    echo "FAIL policy: the other preload does not compile"
wants other-preload &&
    found "$(same env LD_PRELOAD="$so:$tmp/other.so" "$victim" normal; quiet; files 1)"
# a program that gets a signal for each reading of the time-stamp counter
printf '%s\n' '#include <pthread.h>' '#include <stdio.h>' '#include <sys/prctl.h>' \
    'static void *n(void *a) { return a; }' \
    'int main(void) { pthread_t t; prctl(PR_SET_TSC, PR_TSC_SIGSEGV);' \
    'pthread_create(&t, 0, n, 0); return pthread_join(t, 0) || puts("ok") < 0; }' |
    gcc -x c - -o "$tmp/tsc" -pthread ||
    echo "FAIL policy: the program with PR_SET_TSC does not compile"
wants time-stamp-counter && found "$(same "$tmp/tsc"; oneline 'PR_TSC_SIGSEGV'; files 1)"
# a thread that detaches itself and gives back the memory that its id was written to
wants id-unmapped && found "$(same "$tmp/locks" gone; quiet)"
wants id-freed && found "$(same "$tmp/locks" gone-small; quiet)"
wants nothing-parallel && found "$(same "$victim" nothing; quiet; files 0)"
wants shell-script && found "$(same sh -c 'echo a; true; cat /dev/null'; quiet; files 0)"
wants 200-threads && found "$(same "$victim" 200; quiet
    expect '.program | [.work_ns,.span_ns,.spawns]' '[20110,210,200]')"
wants _exit &&
    found "$(same "$victim" _exit; quiet; expect '.program | [.work_ns,.end,.exit_status]' \
    '[16,"quick",3]')"
wants quick_exit && found "$(same "$victim" quick_exit; quiet
    expect '.program | [.work_ns,.exit_status]' '[16,4]')"
wants abort &&
    found "$(same "$victim" abort; quiet; expect '.program | [.work_ns,.end]' '[16,"signal"]')"
wants segv && found "$(same "$victim" segv; quiet)"
wants exit-from-thread &&
    found "$(same "$victim" exit_thread; quiet; expect '.program.work_ns' '19')"
wants pthread_exit && found "$(same "$victim" pthread_exit; quiet
    expect '.program | [.work_ns,.span_ns]' '[56,53]')"
wants main-pthread_exit && found "$(same "$victim" main_pthread_exit; quiet
    expect '.program | [.work_ns,.span_ns]' '[116,113]')"
wants cancel && found "$(same "$victim" cancel; quiet; expect '.program.work_ns' '16')"
wants thread-left-running && found "$(same "$victim" left; quiet; expect '.program.work_ns' '16')"
# more scopes than a snapshot might have patience for; the longest path is in the oldest
wants threads-left-ended && found "$(same "$victim" left_ended 6000; quiet
    expect '.program.span_ns' '5013')"
wants thread-left-waiting && found "$(same "$victim" left_waiting; quiet
    expect '.program | [.work_ns,.span_ns]' '[116,113]')"
wants fork && found "$(same "$victim" fork; quiet; files 2
    for f in "$tmp"/run/*.prof; do "$prof" report --json "$f"; done |
        jq -s -c '[.[].program.work_ns] | sort' |
    grep -qxF '[3,16]' || echo 'the work of parent and child is not 16 and 3')"
wants fork-exact-name && OUT=exact.prof found "$(OUT=exact.prof same "$victim" fork; quiet; files 2
    [ -s "$tmp/run/exact.prof" ] || echo 'no exact.prof')"
# Both processes of a daemon have a profile, also the parent, which libc ends.
wants daemon && found "$(rm -rf "$tmp/run"; mkdir "$tmp/run"; cd "$tmp/run"
    PROF_CLOCK=virtual LD_PRELOAD=$so timeout 60 "$victim" daemon 2>"$tmp/err" | cat >"$tmp/out"
    quiet
    printf 'hello daemon\nserved\n' | cmp - "$tmp/out"
    i=0; while [ $i -lt 600 ] && [ "$(ls "$tmp"/run/*.prof | wc -l)" -lt 2 ]; do sleep 0.1
    i=$((i + 1)); done; files 2
    for f in "$tmp"/run/*.prof; do "$prof" report --json "$f"; done |
        jq -s -c '[.[].program | [.work_ns, .end, .exit_status, .complete]] | sort' |
    grep -qxF '[[3,"exit",7,true],[16,"quick",0,true]]' || echo 'not the work of both')"
# Of a function with several versions, the program gets what it gets natively: the oldest
# posix_spawn starts a shell for a file that is no program.
printf '%s\n' '#include <spawn.h>' '#include <stdio.h>' '#include <sys/wait.h>' \
    'int main(int argc, char **v) { pid_t p; char *a[] = { v[1], 0 };' \
    'int r = posix_spawn(&p, *a, 0, 0, a, 0), q = posix_spawnp(&p, *a, 0, 0, a, 0);' \
    'while (wait(0) > 0) {} return printf("%d %d\n", r, q) < 0; }' |
    gcc -w -x c - -o "$tmp/spawns" || echo "FAIL policy: spawns does not compile"
echo 'echo a shell reads this' >"$tmp/no-program"
chmod +x "$tmp/no-program"
wants spawn-no-program && found "$(same "$tmp/spawns" "$tmp/no-program"; quiet)"
wants fork-exec && found "$(same "$victim" fork_exec; quiet; expect '.program.work_ns' '16')"
wants vfork && found "$(same "$victim" vfork; quiet; expect '.program.work_ns' '16')"
wants exec &&
    found "$(same "$victim" exec; quiet; expect '.program | [.work_ns,.end]' '[16,"exec"]')"
wants exec-fails && found "$(same "$victim" exec_fails; quiet
    expect '.program | [.work_ns,.end]' '[19,"exit"]')"
wants stderr-closed && found "$(OUT=/nonexistent/x same "$victim" close2)"
if has_tbb dlopen; then
    g++ -std=c++17 -O2 -g -Wall "$here/dlopen_user.cpp" -o "$tmp/dlopen_user" -ldl &&
        g++ -std=c++17 -O2 -g -Wall -fPIC -shared -I"$here/../../include" \
            "$here/loop_plugin.cpp" -o "$tmp/loop_plugin.so" -ltbb ||
        echo "FAIL policy: loop_plugin or dlopen_user does not compile"
    wants dlopen && found "$(same "$tmp/dlopen_user" "$tmp/loop_plugin.so"; quiet
        "$prof" report --json "$tmp"/run/*.prof | jq -c '.program |
            [.work_ns, .span_ns, (.certainty.span_ns | IN("exact", "as executed"))]' |
            grep -qx '\[1500,15,true\]' || echo 'not 1500 / 15')"
fi

# OpenMP before any constructor: libprof opens a library, so that dlopen calls libc's constructor
# without an environment, and then libprof's. The settings hold nevertheless.
printf '%s\n' '#include <stdio.h>' 'static void early(int c, char **v, char **e) {' \
    '_Pragma("omp parallel num_threads(2)") ; }' \
    '__attribute__((section(".preinit_array"), used))' \
    'static void (*first)(int, char **, char **) = early;' \
    'int main(void) { early(0, 0, 0); return puts("ran") < 0; }' |
    gcc -w -fopenmp -x c - -o "$tmp/early" || echo "FAIL policy: early does not compile"
wants settings-early && found "$(OUT=early.prof same "$tmp/early"; quiet; files 1
    [ -s "$tmp/run/early.prof" ] || echo 'no early.prof')"
wants settings-early-disable &&
    found "$(PROF_DISABLE=1; export PROF_DISABLE; same "$tmp/early"; quiet
    files 0)"

# main begins with errno 0, even if start-up tried in vain.
cat >"$tmp/errno.c" <<'END'
#include <errno.h>
#include <stdio.h>
int main(void)
{
    int first = errno;
    printf("%d\n", first);
    return 0;
}
END
gcc -O1 "$tmp/errno.c" -o "$tmp/errno"
errno_() { # SETTING...
    (export "$@"; same "$tmp/errno"; same "$tmp/errno" 2>&-)
}
wants errno-clock && found "$(errno_ PROF_CLOCK=page-faults PROF_EVENTS=no-such-event)"
wants errno-samples && found "$(errno_ PROF_SAMPLE=page-faults:100)"
wants errno-default && found "$(errno_ PROF_QUIET=1)"

# libprof makes no process. Its child would show in RUSAGE_CHILDREN, and would be the first process
# of a new process namespace, and its end would close the namespace to the program.
cat >"$tmp/helper.c" <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static void *work(void *x) { return x; }
int main(int argc, char **argv)
{
    int status;
    pthread_t t;
    struct rusage r;
    if (argc > 1 && unshare(CLONE_NEWPID))
        return 77;
    if (!pthread_create(&t, 0, work, 0))        /* not in a new namespace */
        pthread_join(t, 0);
    getrusage(RUSAGE_CHILDREN, &r);
    printf("children %ld, %d\n", r.ru_maxrss, waitpid(-1, 0, __WALL));
    printf("lowest descriptor %d\n", dup(0));
    fflush(stdout);
    pid_t pid = fork();
    if (!pid)
        printf("child %d\n", argc > 1 ? getpid() : 0);
    if (pid < 0)
        perror("fork");
    else if (pid)
        printf("waited %d\n", waitpid(pid, &status, 0) == pid);
    return pid < 0;
}
END
gcc -O1 -w "$tmp/helper.c" -o "$tmp/helper" -pthread
wants no-child && found "$(same "$tmp/helper" </dev/null; quiet)"
if "$tmp/helper" namespace >/dev/null 2>&1 </dev/null; [ $? = 77 ]; then
    echo 'SKIP policy/no-child-in-namespace: no process namespaces here'
else
    wants no-child-in-namespace && found "$(same "$tmp/helper" namespace </dev/null)"
fi

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
__attribute__((noinline)) static int deep(int n)
{
    volatile char a[500];
    a[0] = n;
    return n > 1 << 30 ? 0 : deep(n + 1) + a[0] + depth;
}
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
wants abort-on-a-small-stack && found "$(same "$tmp/overflow"; quiet; files 1
    "$prof" report --json "$tmp"/run/*.prof | jq -c '.program | [.spawns, .end]' |
        grep -qxF '[1,"signal"]' || echo 'no whole profile')"
# A filter of system calls may forbid those of libprof, and the return from a sample's handler. So
# recording ends before the filter is in force.
. "$here/sealed.sh"
gcc -O1 -I"$here/../../include" "$here/sandbox.c" -o "$tmp/sandbox" -pthread
for kind in filter call call-prctl signals strict probe; do
    wants sandbox-$kind && found "$(same "$tmp/sandbox" $kind; quiet; files 0
        grep -q computed "$tmp/out" || echo 'no filter here')"
    wants sandbox-$kind-threads && found "$(same "$tmp/sandbox" $kind threads; quiet; files 1
        "$prof" report --json "$tmp"/run/*.prof | jq -c '.program | [.work_ns, .spawns]' |
            grep -qxF '[7,1]' || echo 'not the work of the thread')"
done
. "$here/life.sh"
! has_tbb descriptors-g descriptors-s descriptors-s-fno-a throws-g throws-static-libgcc \
    no-rtti-reduce no-rtti-scan timer-thread stderr-at-its-limit still-running ||
    . "$here/tbb.sh"
for san in address thread; do
    if echo 'int main(){}' | g++ -fsanitize=$san -x c++ - -o "$tmp/san" 2>/dev/null &&
        "$tmp/san"; then
        printf '#include <thread>\nint main() { std::thread([] {}).join(); return 6; }\n' \
            >"$tmp/san.cpp"
        g++ -fsanitize=$san "$tmp/san.cpp" -o "$tmp/san" -pthread
        [ $san = address ] && wants run-sanitizer && found "$(cd "$tmp"
            "$prof" run --no-report -o "$tmp/s.prof" -- "$tmp/san" >"$tmp/err" 2>&1; s=$?
            [ $s = 6 ] || echo "status $s: $(head -c 300 "$tmp/err")")"
        runtime=$(ldd "$tmp/san" | sed -n "s/.*=> \(.*lib[at]san[^ ]*\).*/\1/p")
        # (the address sanitizer of gcc 10 makes timeout(1) itself fail)
        wants sanitizer-$san && found "$(PROF_OUTPUT=$tmp/s.prof timeout 60 env \
            LD_PRELOAD="$runtime $so" "$tmp/san" >"$tmp/err" 2>&1; s=$?
            [ $s = 6 ] || echo "status $s: $(head -c 300 "$tmp/err")")"
        case $san in address) static=-static-libasan ;; *) static=-static-libtsan ;; esac
        g++ -fsanitize=$san $static "$tmp/san.cpp" -o "$tmp/san" -pthread
        wants sanitizer-static-$san && found "$(PROF_OUTPUT=$tmp/s.prof LD_PRELOAD=$so timeout 60 \
            "$tmp/san" >"$tmp/err" 2>&1; s=$?
            [ $s = 6 ] || echo "status $s: $(head -c 300 "$tmp/err")"
            [ ! -s "$tmp/err" ] || head -3 "$tmp/err"
            "$prof" report --json "$tmp/s.prof" | jq '.program.tasks >= 1' | grep -q true ||
                echo 'no thread is recorded')"
    else
        echo "SKIP policy/sanitizer-$san: its runtime does not work here"
    fi
done

. "$here/settings.sh"
wants no-descriptors && found "$(same "$victim" nofile; oneline 'cannot write the profile')"
wants all-descriptors-used && found "$(same "$victim" all-used; quiet; files 1)"
# Two things fail for lack of descriptors: one line, on the one that matters.
wants no-descriptors-spawns && found "$(same "$victim" nofile-spawns; files 0
    oneline 'cannot write the profile .*: too many open files')"
# Two timers for 41 threads, because libprof leaves most of what may be queued to the program. (It
# has none if others use the limit up.) One line, and the profile counts the threads.
few_timers() {
    same prlimit --sigpending=20:20 "$victim" together
    oneline 'PROF_SAMPLE: a thread has no .*not sampled'
    "$prof" report --full "$tmp"/run/*.prof >"$tmp/report" 2>&1
    grep -Eq 'LOST: samples \((39|40|41)\)' "$tmp/report" || grep LOST "$tmp/report" ||
        echo 'no thread without samples in the report'
}
wants few-timers && found "$(few_timers)"
# System calls that libprof adds to a process that does nothing, all of them. (A tracer stops the
# thread at each reading of its CPU time, so libprof tries again, a few times in all; of samples,
# one a second, there are none.)
calls() {
    strace -o "$tmp/calls" "$@" >/dev/null 2>&1
    grep -c '^[a-z].*(' "$tmp/calls"
}
few_calls() {
    alone=$(calls /bin/true)
    added=$(($(calls -E PROF_SAMPLE=1 -E LD_PRELOAD="$so" /bin/true) - alone))
    [ "$alone" -gt 10 ] && [ "$added" -gt 30 ] && [ "$added" -le 56 ] ||
        echo "$alone calls natively, $added more: $(sort "$tmp/calls" | cut -d'(' -f1 | uniq -c)"
}
if command -v strace >/dev/null; then
    wants few-calls && found "$(few_calls)"
else
    echo "SKIP policy/few-calls: no strace"
fi
# a checkpoint that is due is no file of a signal
wants change-of-ids && found "$(same env PROF_CHECKPOINT=1000 "$victim" ids; quiet; files 1
    expect '.program | [.work_ns,.complete]' '[16,true]')"
wants quiet && found "$(OUT=/nonexistent/a same env PROF_QUIET=1 "$victim" normal; quiet)"
wants file-mode && found "$(same "$victim" normal; stat -c %a "$tmp"/run/*.prof | grep -vx 600)"
wants symlink && found "$(rm -rf "$tmp/l"; mkdir "$tmp/l"; echo precious >"$tmp/precious"
    ln -s ../precious "$tmp/l/o.prof"
    PROF_OUTPUT=$tmp/l/o.prof PROF_CLOCK=virtual LD_PRELOAD=$so "$victim" normal >/dev/null
    grep -q precious "$tmp/precious" || echo overwritten)"
wants software-event && found "$(same env PROF_EVENTS=page-faults "$victim" normal; quiet
    expect '.settings["event:page-faults"] | tonumber > 10' true)"
wants file-size-limit && found "$(rm -rf "$tmp/run"; mkdir "$tmp/run"; cd "$tmp/run"
    (trap '' XFSZ; ulimit -f 0; PROF_CLOCK=virtual LD_PRELOAD=$so "$victim" normal 2>&1 >/dev/null |
        (trap - XFSZ; ulimit -S -f unlimited 2>/dev/null; cat)) >"$tmp/err" 2>/dev/null
    files 0)"
# libprof's own tables at the start are a quarter of a limited address space at most; these would
# not fit. (Our copy of the table of nodes of call paths far from their parents' takes 4 MB.)
wants address-space &&
    found "$(same prlimit --as=16777216:16777216 --stack=262144 env PROF_NODES=10000000 \
    "$victim" normal
    space='in a quarter of the address space, 4 MB (ulimit -v, PROF_NODES, PROF_CONTEXTS)'
    oneline "$space: not profiling"; files 0)"
wants address-space-enough && found "$(same prlimit --as=805306368:805306368 "$victim" normal; quiet
    files 1)"

# Under ThreadSanitizer, which interposes libc's string functions: it must not see libprof's memory,
# of which it does not know the locks. The main thread's final profile reads what other threads
# wrote.
printf '%s\n' '#include <pthread.h>' '#include <stdio.h>' '#include <time.h>' \
    'static void *run(void *x)' \
    '{ struct timespec t = { 0, 50000000 }; nanosleep(&t, 0); return x; }' \
    'int main(void) { for (int k = 0; k < 40; k++) { pthread_t t[3];' \
    'for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, run, 0);' \
    'for (int i = 0; i < 3; i++) pthread_join(t[i], 0); }' \
    'puts("end"); return 0; }' | gcc -xc -O1 -g -fsanitize=thread - -o "$tmp/tsan" \
    -pthread 2>"$tmp/err" || head -1 "$tmp/err"
if [ "$(setarch -R "$tmp/tsan" 2>/dev/null)" = end ]; then
    wants tsan &&
        found "$(got=$(cd "$tmp/run" && LD_PRELOAD=$so setarch -R timeout -s KILL 60 "$tmp/tsan" \
        2>"$tmp/err"; echo "status $?")
        [ "$got" = "end
status 0" ] || echo "$got $(grep -m 3 -A 3 WARNING "$tmp/err")"; rm -f "$tmp"/run/*)"
else
    echo "SKIP policy/tsan: ThreadSanitizer does not run here"
fi
# gcc's ThreadSanitizer lets no child of fork start threads if the parent had some.
printf '%s\n' '#include <pthread.h>' '#include <stdio.h>' '#include <stdlib.h>' \
    '#include <sys/wait.h>' '#include <unistd.h>' 'static void *run(void *x) { return x; }' \
    'static void thread(void) { pthread_t t; pthread_create(&t, 0, run, 0);' \
    'pthread_join(t, 0); }' 'int main(void) { int s; thread();' \
    'if (!fork()) { thread(); exit(7); }' 'wait(&s); printf("%d\n", WEXITSTATUS(s)); }' |
    gcc -xc -O1 -g -fsanitize=thread - -o "$tmp/tsan" -pthread 2>"$tmp/err" || head -1 "$tmp/err"
if [ "$(setarch -R "$tmp/tsan" 2>/dev/null)" = 7 ]; then
    wants tsan-fork &&
        found "$(got=$(cd "$tmp/run" && LD_PRELOAD=$so setarch -R timeout -s KILL 60 \
        "$tmp/tsan" 2>&1); [ "$got" = 7 ] || echo "$got"; rm -f "$tmp"/run/*)"
else
    echo "SKIP policy/tsan-fork: ThreadSanitizer does not run here"
fi
# libomp's tool of ThreadSanitizer, Archer, knows what tasks order. libprof lets it come first.
printf '%s\n' '#include <stdio.h>' 'int main(void) { int x = 0, y = 0;' \
    '_Pragma("omp parallel num_threads(2)") _Pragma("omp single") {' \
    '_Pragma("omp task depend(out: x) shared(x)") x = 1;' \
    '_Pragma("omp task depend(in: x) shared(x, y)") y = x; }' \
    'printf("%d\n", y); return 0; }' | clang -xc -O1 -g -fopenmp -fsanitize=thread - \
    -o "$tmp/archer" 2>"$tmp/err" || head -1 "$tmp/err"
archer() { # LIBRARY
    cd "$tmp/run" && ARCHER_OPTIONS=verbose=1 TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
        LD_PRELOAD=$1 setarch -R timeout -s KILL 60 "$tmp/archer" 2>"$tmp/err"
    echo "status $?"
}
native=$(archer '')
if echo "$native" | grep -q 'Archer detected' && echo "$native" | grep -q 'status 0'; then
    wants tsan-archer && found "$(got=$(archer "$so")
        [ "$got" = "$native" ] &&
            [ "$(grep -c '^libprof: .*Archer: OpenMP is not profiled' "$tmp/err")" = 1 ] &&
            ! grep -q WARNING "$tmp/err" || echo "$got $(head -3 "$tmp/err")"; rm -f "$tmp"/run/*)"
else
    echo "SKIP policy/tsan-archer: no ThreadSanitizer with Archer here"
fi

. "$here/space.sh"

if [ "$(id -u)" = 0 ] && mkdir "$tmp/full" &&
    mount -t tmpfs -o size=4k tmpfs "$tmp/full" 2>/dev/null; then
    head -c 8192 /dev/zero >"$tmp/full/fill" 2>/dev/null
    wants full-disk && found "$(OUT=$tmp/full/a.prof same "$victim" normal; oneline 'no space left'
        [ -e "$tmp/full/a.prof" ] && echo 'a file was left')"
    umount "$tmp/full"
else
    echo "SKIP policy/full-disk: needs to mount a tmpfs"
fi

# killed: the last checkpoint stays
wants sigkill && found "$(rm -rf "$tmp/run"; mkdir "$tmp/run"; cd "$tmp/run"
    PROF_CHECKPOINT=1 PROF_CLOCK=virtual LD_PRELOAD=$so "$victim" sleep >/dev/null & pid=$!
    running() { expect '.program | [.work_ns >= 6,.complete,.end]' '[true,false,"running"]'; }
    i=0; while [ $i -lt 300 ] && [ -n "$(running)" ]; do sleep 0.1; i=$((i + 1)); done
    kill -9 $pid; wait $pid 2>/dev/null
    running; files 1)"

. "$here/loader.sh"
. "$here/run.sh"
. "$here/no_proc.sh"
. "$here/strangers.sh"
. "$here/fork.sh"
! has_tbb doctor || ! wants doctor ||
    found "$("$prof" doctor "$build/programs/constructs" >"$tmp/out" || cat "$tmp/out")"
wants doctor-static &&
    found "$("$prof" doctor "$tmp/static" >"$tmp/out" && echo 'a static program passes')"
exit $failures
