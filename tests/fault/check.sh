#!/bin/sh
# tests/fault: what libprof asks for is refused, call by call; a signal strikes at its
# instructions; the world is hostile. The program's output and status stay what they are without
# libprof, and libprof says one line at most.
#
#     FAULT=all sh tests/fault/check.sh BUILD [CASE...]    every call, every instruction
#
# Without it a selection, which make check-all has time for; in the gate it is
# smaller. A run that fails keeps its directory and prints the command that repeats it.
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d /tmp/fault.XXXXXX)
so=$tmp/libprof.so prof=$build/prof      # a copy, which any user may read
calls=3 instructions=8
if [ "${FAULT:-some}" = all ]; then calls=2000000000 instructions=2000000000; fi
seed=${FAULT_SEED:-$$}
# the gate strikes the same instructions each time
[ "$CHECK" != gate ] || calls=1 instructions=2 seed=1
suite=fault only=$* failures=0 lacks=
. "$here/../case.sh"
cflags="-std=gnu11 -O2 -g -Wall -I$here/../../include"
cxxflags="-std=c++17 -O2 -g -Wall -I$here/../../include"
compile() {
    for tool in fault step under; do
        gcc $cflags "$here/$tool.c" -o "$tmp/$tool" || return
    done
    gcc $cflags -fPIC -shared -fvisibility=hidden "$here/inject.c" -o "$tmp/inject.so" -ldl &&
        gcc $cflags "$here/subject.c" -o "$tmp/subject" -pthread &&
        g++ $cxxflags "$here/tasks.cpp" -o "$tmp/tasks" -ltbb -pthread &&
        gcc $cflags -fopenmp "$here/openmp.c" -o "$tmp/openmp-gcc" &&
        g++ $cxxflags -fopenmp "$here/hooks.cpp" -o "$tmp/hooks" -ltbb -pthread -ldl
}
built=$(compile 2>&1) || { echo "FAIL fault: the programs do not compile: $built"; exit 1; }
clang $cflags -fopenmp "$here/openmp.c" -o "$tmp/openmp-clang" 2>/dev/null
chmod 755 "$tmp"
cp "$build/libprof.so" "$so" || exit 1

# ---- calls that are refused, and signals at instructions ----

refuse() { # NAME OPTIONS PROGRAM ARGUMENT...
    name=$1 options=$2; shift 2
    wants "$name" || return 0
    mkdir -p "$tmp/refuse-$name"
    # (settings have no blanks)
    "$tmp/fault" -d "$tmp/refuse-$name" -s $calls $options $name "$so" "$tmp/inject.so" "$prof" "$@"
    [ $? -le 1 ] || echo "FAIL fault/$name: the injector did not reach its end"
}

at_hooks() { # ACTION CASE...
    action=$1; shift
    for hook; do
        wants "$hook-$action" || continue
        mkdir -p "$tmp/hook"
        "$tmp/step" -d "$tmp/hook" -s $instructions -S "$seed" "$hook" "$action" "$so" \
            "$tmp/hooks"
        [ $? -le 1 ] || echo "FAIL fault/$hook-$action: the tracer did not reach its end"
    done
}

# ---- hostile surroundings ----

# CONDITIONS are under's; with libprof the program does what it does without. LINES is how many
# libprof may say. `lacks` is why this machine has not the conditions.
same() { # NAME LINES CONDITIONS PROGRAM ARGUMENT...
    name=$1 lines=$2 conditions=$3; shift 3
    wants "$name" || return 0
    [ -z "$lacks" ] || { echo "SKIP fault/$name: $lacks"; return; }
    dir=$tmp/same-$name
    mkdir -p "$dir/native" "$dir/run"
    chmod -R 777 "$dir"
    (cd "$dir/native" && timeout 100 "$tmp/under" $conditions -- "$@" >../native.out 2>../native.err
        echo $? >../native.status) 2>/dev/null
    (cd "$dir/run" && UNDER_PRELOAD=$so PROF_OUTPUT=${OUT:-out.prof} \
        timeout -s KILL 100 "$tmp/under" $conditions -- "$@" >../out 2>../err
        echo $? >../status) 2>/dev/null
    wrong=
    cmp -s "$dir/out" "$dir/native.out" || wrong="another output"
    cmp -s "$dir/status" "$dir/native.status" ||
        wrong="$wrong status $(cat "$dir/status") for $(cat "$dir/native.status")"
    said=$(grep -c '^libprof: ' "$dir/err")
    [ "$said" -le "$lines" ] || wrong="$wrong $said lines: $(cat "$dir/err")"
    others=$(grep -v -c '^libprof: ' "$dir/err")
    if [ "$others" != "$(grep -c '' "$dir/native.err")" ]; then
        wrong="$wrong on stderr: $(grep -v '^libprof: ' "$dir/err" | head -3)"
    fi
    if [ -z "$wrong" ]; then
        echo "PASS fault/$name"; rm -rf "$dir"
    else
        echo "FAIL fault/$name: $wrong" | tr '\n' ' '; echo
        echo "  again: cd $dir/run && UNDER_PRELOAD=$so PROF_OUTPUT=${OUT:-out.prof}" \
            "$tmp/under $conditions -- $*"
    fi
}

same_libomp() { # NAME LINES CONDITIONS
    lacked=$lacks
    [ -x "$tmp/openmp-clang" ] || lacks=${lacks:-clang has no OpenMP here}
    same "$@" "$tmp/openmp-clang"
    lacks=$lacked
}

each() { # NAME LINES CONDITIONS: the usual programs
    same "$1-threads" "$2" "$3" "$tmp/subject" threads
    same "$1-fork" $((2 * $2)) "$3" "$tmp/subject" fork
    same "$1-tasks" "$2" "$3" "$tmp/tasks"
    same "$1-openmp" "$2" "$3" "$tmp/openmp-gcc"
    same_libomp "$1-libomp" "$2" "$3"
}

limits() {
    for n in 4 5 6 8 10; do each nofile-$n 1 nofile=$n; done
    each sigpending 1 sigpending=0
    for n in 0 4096; do each fsize-$n 1 fsize=$n; done
    for n in 128 0; do each stack-$n 1 stack=$n; done
    for c in close=0 close=1 'close=1 close=2' 'close=0 close=1 close=2'; do
        each "$(echo "$c" | tr -d ' =')" 1 "$c"
    done
    # Just as many threads and processes as the program needs, and fewer. The program has a user of
    # its own, because the kernel counts them by user. The grep shows whether the limit binds that
    # user: in a namespace it may not.
    uid=$((20000 + $$ % 40000))
    if [ "$("$tmp/under" uid=$uid nproc=1 -- "$tmp/subject" fill-forks 2>&1 |
        grep -c 'pthread_create: 11')" != 3 ]; then
        lacks="the limit of threads does not hold for user $uid here"
    fi
    for n in 4 5; do
        same nproc-$n-threads 1 "uid=$uid nproc=$n" "$tmp/subject" threads
    done
    same nproc-fork 1 "uid=$uid nproc=6" "$tmp/subject" fork
    # main, three children, and one more: with libprof's two they are seven
    for how in posix_spawn posix_spawnp popen system forkpty thrd_create; do
        same nproc-$how 1 "uid=$uid nproc=6" "$tmp/subject" beside $how 3
    done
    for n in 12 200; do
        same nproc-$n-fill 1 "uid=$uid nproc=$n" "$tmp/subject" fill
        same nproc-$n-forks 1 "uid=$uid nproc=$n" "$tmp/subject" fill-forks
    done
    for n in 1 2 3 4; do
        same nproc-$n-tasks 1 "uid=$uid nproc=$n" "$tmp/tasks"
        same nproc-$n-openmp 1 "uid=$uid nproc=$n" "$tmp/openmp-gcc"
        same_libomp nproc-$n-libomp 1 "uid=$uid nproc=$n"
    done
    lacks=
    groups
    lacks=
    # Where a process must have one thread.
    for how in unshare setns; do
        same alone-$how 1 '' "$tmp/subject" beside $how 0
    done
    # What the program needs by itself; a quarter of what there is libprof's at most, and its code.
    for p in subject tasks openmp-gcc; do
        least=
        for mb in 16 24 32 48 64 96 128 192 256 384 512 768 1024 1536; do
            if [ -z "$least" ]; then
                "$tmp/under" as=$mb -- "$tmp/$p" threads >/dev/null 2>&1
                case $? in 3 | 6) least=$mb ;; esac
            elif [ $((2 * mb)) -ge $((3 * least + 16)) ]; then
                # (a shortage, and perhaps the lost profile)
                same "as-$mb-$p" 2 as=$mb "$tmp/$p" threads
            fi
        done
    done
}

# The same limit by a control group, as containers have it: of all threads in it, root's too.
groups() {
    group=
    if grep -qw pids /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
        group=/sys/fs/cgroup/libprof-fault-$$
    elif [ -e /sys/fs/cgroup/pids/cgroup.procs ]; then
        group=/sys/fs/cgroup/pids/libprof-fault-$$
    fi
    if [ -z "$group" ] || ! mkdir "$group" 2>/dev/null; then
        lacks="needs to make a control group that counts threads (pids)" group=
    fi
    for n in 1 2 3 4 5 6 12; do
        if [ -n "$group" ] && { ! echo $n >"$group/pids.max" ||
            ! "$tmp/under" cgroup="$group" -- /bin/true; }; then
            lacks="the control group cannot be used"
        fi
        case $n in
        12)
            same pids-$n-fill 1 cgroup="$group" "$tmp/subject" fill
            same pids-$n-forks 1 cgroup="$group" "$tmp/subject" fill-forks
            continue ;;
        4 | 5) same pids-$n-threads 1 cgroup="$group" "$tmp/subject" threads ;;
        6)
            same pids-$n-fork 1 cgroup="$group" "$tmp/subject" fork
            for how in posix_spawn posix_spawnp popen system forkpty thrd_create; do
                same pids-$how 1 cgroup="$group" "$tmp/subject" beside $how 3
            done ;;
        esac
        same pids-$n-tasks 1 cgroup="$group" "$tmp/tasks"
        same pids-$n-openmp 1 cgroup="$group" "$tmp/openmp-gcc"
        same_libomp pids-$n-libomp 1 cgroup="$group"
    done
    [ -z "$group" ] || rmdir "$group"
}

filters() {
    for call in clone close_range fcntl getcwd perf_event_open prctl process_vm_readv pselect6 \
                readlink renameat2 rt_sigtimedwait sched_getaffinity sigaltstack timer_create \
                timer_settime uname; do
        for error in 1 38; do
            same "deny-$call-$error-threads" 1 "deny=$call:$error" "$tmp/subject" threads
            same "deny-$call-$error-tasks" 1 "deny=$call:$error" "$tmp/tasks"
        done
    done
    s=$tmp/subject
    PROF_SAMPLE=task-clock:1000 same deny-perf-sample 1 deny=perf_event_open:1 "$s" threads
    PROF_CLOCK=page-faults same deny-perf-clock 1 deny=perf_event_open:38 "$s" threads
    PROF_EVENTS=page-faults same deny-perf-events 1 deny=perf_event_open:13 "$s" threads
}

outputs() {
    mkdir "$tmp/targets" "$tmp/targets/directory"
    chmod 777 "$tmp/targets" "$tmp/targets/directory"
    mkfifo "$tmp/targets/fifo"
    ln -s nowhere "$tmp/targets/dangling"
    echo kept >"$tmp/targets/file"
    long=$(head -c 5000 /dev/zero | tr '\0' x)
    n=0
    for OUT in "$tmp/targets/directory" "$tmp/targets/fifo" "$tmp/targets/dangling" \
               "$tmp/targets/file/below" /dev/full /dev/null /dev/stdout /proc/self/fd/1 \
               /proc/none /nonexistent/a "$long" "$tmp/targets/%%%p%q%" "$tmp/targets/a
b" "$tmp/targets/$(head -c 250 /dev/zero | tr '\0' y)" . ..; do
        n=$((n + 1))
        same "output-$n" 1 '' "$tmp/subject" threads
    done
    [ "$(id -u)" = 0 ] || lacks='needs root, to be another user'
    OUT=$tmp/targets/none same output-unset 1 uid=54321 "$tmp/subject" threads
    OUT= lacks=
    # what is wrong with a profile that cannot be written is not said
    mkdir -p "$tmp/broken" && : >"$tmp/broken/libunwind.so.8"
    export LD_LIBRARY_PATH="$tmp/broken"
    same libunwind-broken 1 '' "$tmp/tasks"
    said=$(PROF_OUTPUT=$tmp/broken/p.prof LD_PRELOAD=$so "$tmp/tasks" 2>&1 >/dev/null)
    case $said in
    'libprof: libunwind.so.8 cannot be loaded: '*) echo "PASS fault/libunwind-broken-said" ;;
    *) echo "FAIL fault/libunwind-broken-said: $said" ;;
    esac
    OUT=/nonexistent/x same libunwind-broken-nowhere 1 '' "$tmp/tasks"
    unset LD_LIBRARY_PATH
    OUT=
    mkdir "$tmp/read-only" && chmod 555 "$tmp/read-only"
    [ "$(id -u)" = 0 ] || lacks='needs root, to be another user'
    OUT=$tmp/read-only/out.prof same read-only-directory 2 uid=54321 "$tmp/subject" fork
    OUT= lacks=
}

# Mounts of our own, which nobody else sees.
mounts() {
    own='unshare -m'
    $own true 2>/dev/null || own= lacks="needs a mount namespace of its own (unshare -m)"
    mkdir -p "$tmp/full"
    fill='head -c 8192 /dev/zero >FULL/fill 2>/dev/null; OUT=FULL/out.prof'
    for mount in "full:mount -t tmpfs -o size=4k none FULL; $fill" \
               'read-only:mount -t tmpfs none FULL; mount -o remount,ro FULL; OUT=FULL/out.prof' \
               'no-proc:mount -t tmpfs none /proc' 'no-shm:mount -t tmpfs -o ro none /dev/shm' \
               'no-sys:mount -t tmpfs none /sys' 'no-dev:mount -t tmpfs none /dev'; do
        name=mounts-${mount%%:*}
        wants "$name" || continue
        how=$(echo "${mount#*:}" | sed "s|FULL|$tmp/full|g")
        [ -n "$own" ] || how=:
        (
            export tmp so prof lacks
            $own sh -c "$how; . '$tmp/functions'
                same $name-threads 1 '' '$tmp/subject' threads
                same $name-tasks 1 '' '$tmp/tasks'
                same $name-openmp 1 '' '$tmp/openmp-gcc'"
        )
    done
}
{
    echo 'wants() { :; }'
    sed -n '/^same()/,/^}/p' "$0"
} >"$tmp/functions"

# ---- does this notice anything? ----

self_test() {
    mkdir -p "$tmp/self"
    # refused to the program itself, a call shows; what is refused to nobody does not
    "$tmp/fault" -d "$tmp/self" -P -s 4 self "$so" "$tmp/inject.so" "$prof" "$tmp/subject" calls \
        >"$tmp/self/refusals" 2>&1
    if grep -q '^FAIL fault/self/mmap' "$tmp/self/refusals"; then
        echo "PASS fault/notices-refusals"
    else
        echo "FAIL fault/notices-refusals: the program's own calls were refused, unnoticed"
    fi
    # a profiler that waits for itself when a handler strikes
    cat >"$tmp/self/bad.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
static volatile int held;
int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    static int (*real)(int, const sigset_t *, sigset_t *);
    if (!real)
        real = (int (*)(int, const sigset_t *, sigset_t *))dlsym(RTLD_NEXT, "sigprocmask");
    if (held)
        abort();
    held = 1;
    int result = real(how, set, old);
    held = 0;
    return result;
}
END
    gcc -O0 -fPIC -shared "$tmp/self/bad.c" -o "$tmp/self/libprof.so" -ldl
    "$tmp/step" -d "$tmp/self" masks calls "$tmp/self/libprof.so" "$tmp/hooks" \
        >"$tmp/self/signals" 2>&1
    if grep -q '^SKIP' "$tmp/self/signals"; then
        echo "SKIP fault/notices-signals: this machine has no hardware breakpoints"
    elif grep -q '^FAIL fault/masks-calls' "$tmp/self/signals"; then
        echo "PASS fault/notices-signals"
    else
        echo "FAIL fault/notices-signals: a hook that no handler may interrupt went unnoticed"
    fi
    OUT=/nonexistent/x same self-lines 0 '' "$tmp/subject" threads >"$tmp/self/out"
    if grep -q '^FAIL' "$tmp/self/out"; then
        echo "PASS fault/notices-lines"
    else
        echo "FAIL fault/notices-lines: a line more was not noticed"
    fi
}

{
    : >"$tmp/begun"
    ! wants notices || (only=; self_test)
    s=$tmp/subject
    refuse threads '' "$s" threads
    refuse fork '-l 2' "$s" fork
    refuse exec '-l 2' "$s" exec
    refuse exec-fails '' "$s" exec-fails
    refuse signal '' "$s" signal
    refuse abort '' "$s" abort
    refuse _exit '' "$s" _exit
    refuse leaves '' "$s" leaves
    refuse sleep '' "$s" sleep
    limits
    mounts
    refuse tasks '' "$tmp/tasks"
    refuse libgomp '' "$tmp/openmp-gcc"
    if [ -x "$tmp/openmp-clang" ]; then
        refuse libomp '' "$tmp/openmp-clang"
    else
        echo "SKIP fault/libomp: clang has no OpenMP here"
    fi
    s=$tmp/subject
    refuse events '-l 4 -e PROF_EVENTS=page-faults -e PROF_SAMPLE=task-clock:1000' "$s" fork
    refuse settings '-l 2 -e PROF_CLOCK=wall -e PROF_DAG=1m -e PROF_WHATIF=work=2' "$s" fork
    refuse clock '-l 2 -e PROF_CLOCK=page-faults' "$s" threads
    at_hooks return threads c11-threads detached regions masks dispositions forks exec-fails \
        unload group loop team exit _exit exec
    for action in fork _exit abort exec; do
        at_hooks $action threads c11-threads detached regions group loop team unload
    done
    at_hooks calls threads masks dispositions exec-fails forks exit _exit
    at_hooks longjmp masks dispositions exec-fails
    at_hooks fork masks dispositions exec-fails forks exit _exit exec
    at_hooks _exit masks dispositions exec-fails forks
    at_hooks exec masks dispositions exec-fails forks
    filters
    outputs
    rm "$tmp/begun"
} 2>&1 | tee "$tmp/lines.txt"
[ ! -e "$tmp/begun" ] || exit 2
if grep -q '^FAIL' "$tmp/lines.txt"; then
    echo "  what failed is kept in $tmp"
    exit 1
fi
chmod -R u+w "$tmp"; rm -rf "$tmp"
