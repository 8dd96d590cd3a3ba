#!/bin/sh
# check.sh BUILD [CASE...] - what libprof does with signals: handlers' stacks, dispositions, ends by
# a signal. Each program does the same natively and preloaded, and leaves the profile that it
# should. One PASS, FAIL or SKIP line a case.
build=$(cd "$1" && pwd) || exit 1
shift
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
so=$build/libprof.so
ends=$tmp/ends
stacks=$tmp/stacks
suite=signals only=$* failures=0
. "$here/../case.sh"
export LC_ALL=C PROF_CLOCK=virtual PROF_OUTPUT=a.prof
gcc -O2 -g -w -I"$here/../../include" "$here/ends.c" -o "$ends" -pthread &&
    gcc -O2 -g -w "$here/stacks.c" -o "$stacks" -pthread &&
    gcc -O2 -g -w "$here/alternate.c" -o "$tmp/alternate" -pthread -lm &&
    gcc -O2 -g -w -DGO "$here/alternate.c" -o "$tmp/go" -pthread -lm &&
    gcc -O1 -g -w "$here/sixty.c" -o "$tmp/sixty" -pthread &&
    gcc -O1 -g -w -fno-stack-protector "$here/fsbase.c" -o "$tmp/fsbase" -pthread &&
    gcc -O2 -g -Wall "$here/others.c" -o "$tmp/others" -pthread &&
    gcc -O2 -g -w -fPIC -shared "$here/writer.c" -o "$tmp/writer.so" -ldl ||
    { echo "FAIL signals: a program does not compile"; exit 1; }

case_() { # NAME COMMAND...: prints nothing when it is as it should be; status 77: skipped
    name=$1
    shift
    wants "$name" || return 0
    mkdir "$tmp/$name" || exit 2
    wrong=$(cd "$tmp/$name" && "$@" 2>&1)
    [ $? != 77 ] || wrong="SKIP $wrong"
    result "$name" "$wrong"
    rm -rf "${tmp:?}/$name"
}

# Natively and preloaded, in directories of their own: output and status.
same() { # COMMAND...
    mkdir native run
    (cd native && timeout -s KILL 120 "$@" >../native.out 2>../native.err; echo \
        $? >../native.status) 2>/dev/null
    (cd run && LD_PRELOAD=$so timeout -s KILL 120 "$@" >../out 2>../err; echo \
        $? >../status) 2>/dev/null
    diff native.out out
    diff native.status status
    grep libprof err
}
left() { # END STATUS [TIMES]: the profile of everything that was done before, TIMES over
    got=$("$build/prof" report --json run/a.prof 2>&1 |
        jq -c '.program | [.work_ns, .span_ns, .end, .exit_status]' 2>&1)
    want="[$((16 * ${3:-1})),$((13 * ${3:-1})),\"$1\",$2]"
    [ "$got" = "$want" ] || echo "$got for $want"
}
nothing_left() { [ ! -e run/a.prof ] || echo 'there is a profile'; }

# ---- ends ----

ended() { # SIGNAL MODE [NUMBER]: it dies of SIGNAL
    signal=$1
    shift
    same "$ends" run "$ends" "$@"
    grep -q "^signal $signal" out || echo "not signal $signal: $(cat out)"
    left signal "$signal"
}
for n in 1 2 3 6 10 11 13 14 15 24 29; do
    case_ kill-$n ended $n kill $n
done
case_ thread ended 15 thread 15
case_ segv ended 11 segv
case_ bus ended 7 bus
case_ fpe ended 8 fpe
case_ ill ended 4 ill
case_ trap ended 5 trap
case_ abort-in-libc ended 6 abort
case_ overflow ended 11 overflow
case_ overflow-thread ended 11 overflow-thread
case_ back ended 2 back 2
case_ suspended ended 15 suspended 15
case_ masked ended 10 masked

stays() { # STATUS MODE...
    status=$1
    shift
    same "$ends" "$@"
    left exit "$status"
}
case_ ignored stays 3 ignored 1
case_ handled stays 4 handled 2
case_ asked stays 0 asked
case_ waits stays 5 waits 15
case_ descriptor stays 6 descriptor 15
case_ children stays 0 children
# libprof's own threads do not keep the process alive.
raw() {
    same "$ends" run "$ends" raw
    grep -q '^exit 3' out || echo "not exit 3: $(cat out)"
    left running 0
}
case_ raw-exit raw
# What the program's handlers of SIGABRT and of quick_exit do is in the profile.
handlers_work() { # END STATUS MODE
    same "$ends" run "$ends" "$3"
    left "$1" "$2" 2
}
case_ abort-left handlers_work exit 3 abort-left
case_ abort-handled handlers_work signal 6 abort-handled
case_ quick-exit-handlers handlers_work quick 4 quick
raw_off() { PROF_CHECKPOINT=0; export PROF_CHECKPOINT; same "$ends" run "$ends" raw; }
case_ raw-exit-without-checkpoints raw_off
raw_other() {
    same "$ends" run "$ends" raw-other
    grep -q '^the last' out || echo "$(cat out)"
    left running 0
}
case_ raw-exit-other raw_other
once() { same "$ends" run "$ends" once 15; }
case_ once once
case_ system ended 2 system
nothing() { same "$ends" run "$ends" nothing 15; nothing_left; }
case_ nothing nothing
off() {
    PROF_SIGNALS=0 PROF_CHECKPOINT=0
    export PROF_SIGNALS PROF_CHECKPOINT
    same "$ends" run "$ends" kill 15
    nothing_left
}
case_ off off
ignored_from_the_start() { trap '' HUP; same "$ends" asked; }
case_ ignored-from-the-start ignored_from_the_start

# Waits until the program of FILE has said hello: it has done all that is not its mode.
said_hello() { # FILE
    for i in $(seq 600); do grep -qs hello "$1" && return; sleep 0.1; done
}

# What timeout(1) sends comes twice. On a slow machine, a second may end before the program begins.
timeout_() {
    mkdir run
    for i in 1 2 3 4 5; do
        for seconds in 1 4 16; do
            rm -f run/a.prof
            (cd run && LD_PRELOAD=$so timeout $seconds "$ends" busy >out) 2>&1
            [ $? = 124 ] || echo 'not 124'
            ! grep -q hello run/out || break
        done
        left signal 15
    done
}
case_ timeout timeout_

# It strikes anywhere, in libprof's code, too: the process ends, and the file is whole.
hooks() {
    for tenths in 1 2 3 4 5 6 7 8 9; do
        rm -f a.prof
        LD_PRELOAD=$so "$ends" hook >out & pid=$!
        said_hello out
        sleep 0.$tenths
        kill -TERM $pid
        (sleep 60; kill -KILL $pid) >/dev/null 2>&1 & killer=$!
        wait $pid 2>/dev/null
        status=$?
        kill $killer
        [ $status = 143 ] || echo "status $status"
        "$build/prof" report a.prof >/dev/null || echo 'no profile'
    done
}
case_ hooks hooks

# What nobody can catch leaves a checkpoint, long before PROF_CHECKPOINT seconds are over.
killed() {
    mkdir run
    (cd run && PROF_CHECKPOINT=10000 LD_PRELOAD=$so exec "$ends" busy >/dev/null) &
    pid=$!
    # the first may come before the program has done everything
    for i in $(seq 600); do [ -n "$(left running 0)" ] || break; sleep 0.1; done
    kill -KILL $pid
    wait $pid 2>/dev/null
    left running 0
}
case_ killed-early killed

run_passes() {
    mkdir run
    "$build/prof" run --no-report -o run/a.prof -- "$ends" busy >out 2>err &
    pid=$!
    said_hello out
    kill -TERM $pid
    wait $pid 2>/dev/null
    [ $? = 143 ] || echo 'not 143'
    left signal 15
}
case_ run-passes run_passes

first() {
    unshare -pf true 2>/dev/null || { echo 'no process namespaces here'; exit 77; }
    same unshare -pf "$ends" first
    left exit 7
}
case_ first-process first

writer_faults() { # the process dies of what it was sent
    WRONG=fault PROF_CHECKPOINT=0 LD_PRELOAD="$tmp/writer.so $so" "$ends" run "$ends" kill 15 >out
    grep -qx 'signal 15' out || cat out
}
case_ writer-faults writer_faults
# The one that is sent another signal ends before the one that is left alone, which ends as well.
writer_hangs() {
    WRONG=hang PROF_CHECKPOINT=0
    export WRONG PROF_CHECKPOINT
    LD_PRELOAD="$tmp/writer.so $so" "$ends" busy >out1 & alone=$!
    LD_PRELOAD="$tmp/writer.so $so" "$ends" busy >out2 & again=$!
    said_hello out1
    said_hello out2
    kill -TERM $again
    sleep 2
    kill -TERM $alone
    kill -HUP $again
    wait $again 2>/dev/null
    [ $? = 143 ] || echo 'again: not 143'
    kill -0 $alone 2>/dev/null || echo 'the one that was left alone was not later'
    wait $alone 2>/dev/null
    [ $? = 143 ] || echo 'alone: not 143'
}
case_ writer-hangs writer_hangs

# Natively no thread goes on when the process dies. With libprof the other threads run while the
# profile is written: they neither receive the signal, nor do anything that lasts.
others() { # MODE SIGNAL
    mkdir run
    export PROF_CHECKPOINT=0    # a checkpoint would be slow, too
    (cd run && timeout -s KILL 60 "$tmp/others" "$@" >../native.out; echo $? >../native.status) \
        2>/dev/null
    for i in 1 2 3 4 5; do
        rm -f run/writing
        (cd run && WRONG=slow LD_PRELOAD="$tmp/writer.so $so" timeout -s KILL 60 "$tmp/others" \
            "$@" >../out 2>../err; echo $? >../status) 2>/dev/null
        diff native.out out
        diff native.status status
        grep libprof err
    done
}
for mode in exit _exit return exec ignore handle default system spawn fork abort; do
    case_ others-$mode others $mode 15
done
case_ others-sent others sent 15
case_ others-sent-all others sent-all 14
case_ others-descriptor others descriptor 10

core() {
    command -v gdb >/dev/null || { echo 'no gdb'; exit 77; }
    [ "$(cat /proc/sys/kernel/core_pattern)" = core ] || { echo 'no files of core dumps'; exit 77; }
    ulimit -c unlimited 2>/dev/null || { echo 'no core dumps here'; exit 77; }
    LD_PRELOAD=$so "$ends" segv >/dev/null 2>&1
    [ -e core ] || mv core.* core
    gdb -q -batch -ex bt "$ends" core 2>/dev/null | grep -q '^#0 .*fault_here' ||
        echo 'the core dump does not show the fault'
}
case_ core-dump core

# ---- stacks ----

stack() { same "$stacks" "$@"; }
case_ asks stack asks
case_ coroutines-4 stack coroutines 4
case_ coroutines-8 stack coroutines 8
case_ small-alternate stack small
case_ in-a-handler stack inside
case_ deep-handler stack deep
case_ deep-handler-late stack deep-late
case_ deep-handler-asleep stack deep-asleep
case_ stack-at-16 stack nowhere 16
case_ stack-at-minus-8 stack nowhere -8
case_ stack-unmapped stack unmapped
case_ stack-freed stack freed
case_ stack-freed-main-leaves stack freed leaves
alternate() { same "$tmp/alternate" "$1"; }
case_ stack-tiny alternate tiny
case_ stack-protected alternate protected
case_ stack-moved alternate moved
case_ stack-detached alternate detached
case_ stack-covered alternate covered
case_ stack-reused alternate reused
case_ stack-handlers alternate handlers
case_ stack-stacked alternate stacked
case_ stack-disarmed alternate disarmed
case_ stack-many alternate many
full() { (ulimit -c 0; same "$tmp/alternate" "$1"); }
case_ stack-full full full
case_ stack-full-fault full full-fault
case_ stack-full-own full full-own
adopted() { same "$tmp/go" adopts; }
case_ stack-adopted adopted
case_ storm stack storm
case_ threads-leave stack threads
case_ children-stacks stack children
case_ signal-60 stack 60
fine() { PROF_SAMPLE=task-clock:2000; export PROF_SAMPLE; same "$stacks" small; }
case_ small-alternate-often fine

# ---- signal 60 is the program's, too ----

# Natively and preloaded, three times: samples come at any time.
sixty() { # MODE [LINE]: libprof says LINE, or nothing
    export PROF_CLOCK=tsc
    for source in cpu task-clock:1000 task-clock:1000; do
        PROF_SAMPLE=$source; export PROF_SAMPLE
        rm -rf native run; same "$tmp/sixty" "$1" >said
        grep -v "^libprof: .*${2:-^}" said
        [ -z "$2" ] || grep -q "$2" said || echo "not said: $2"
    done
}
case_ sixty-default sixty default
case_ sixty-wait sixty wait
case_ sixty-wait-all sixty wait-all
case_ sixty-timed sixty timed
case_ sixty-descriptor sixty descriptor
case_ sixty-descriptor-of-all sixty descriptor-of-all
case_ sixty-descriptor-of-threads sixty descriptor-of-threads
case_ sixty-later sixty later
case_ sixty-masks sixty masks
case_ sixty-held sixty held
case_ sixty-spawned sixty spawned
case_ sixty-vfork-masks sixty vfork-masks
case_ sixty-inherited sixty inherits
case_ sixty-attributes sixty attributes
case_ sixty-ignored-by-children sixty passes
case_ sixty-actions sixty actions
# libunwind's calls of sigprocmask are no wish of the program's: where no RTLD_DEEPBIND keeps them
# from libprof's function, under a sanitizer and in a program that is linked with libunwind.
unwinder() { # GCC-OPTION...
    gcc -O1 -w "$here/sixty.c" -o unwinder -pthread "$@" 2>err ||
        { echo "does not compile: $(head -1 err)"; exit 77; }
    mkdir natively
    ./unwinder first-thread >natively/out
    LD_PRELOAD=$so timeout -s KILL 60 ./unwinder first-thread >out
    diff natively/out out
    grep -q '^blocked 0' out || echo 'it did not run'
}
case_ sixty-sanitizer unwinder -fsanitize=undefined
case_ sixty-libunwind unwinder -Wl,--no-as-needed -l:libunwind.so.8
# dash blocks all signals, and its child opens them with sigsetmask.
dash_mask() {
    cd "$tmp" && mkdir -p dash && cd dash || return
    printf '#!/bin/sh\nLD_PRELOAD= grep SigBlk /proc/self/status; :\n' >show
    same "$tmp/sixty" blocks /bin/sh show
}
case_ sixty-shell dash_mask
default_profile() {
    export PROF_CLOCK=tsc
    same "$tmp/sixty" default
    "$build/prof" report --json run/a.prof | jq -c '.program | [.end, .exit_status]' |
        grep -qxF '["signal",60]' || echo 'not the profile of a process that signal 60 ended'
}
case_ sixty-profile default_profile

# ---- threads that cannot have samples ----

unsampled() { # MODE [LINE]
    export PROF_CLOCK=tsc
    PROF_OUTPUT=/dev/null; [ "$1" = queue ] || PROF_OUTPUT=a.prof; export PROF_OUTPUT
    same "$tmp/sixty" "$1" >said
    grep -v -e "^libprof: .*${2:-^}" -e 'cannot write the profile' said
    [ -z "$2" ] || grep -q "$2" said || echo "not said: $2"
}
case_ alignment-check unsampled aligned
case_ system-calls-dispatched unsampled dispatch 'PR_SET_SYSCALL_USER_DISPATCH'
queue_of_signals() {
    [ "$(id -u)" = 0 ] || { echo 'needs root'; return 77; }     # for a user who queues nothing else
    unsampled queue 'RLIMIT_SIGPENDING'
}
case_ queue-of-signals queue_of_signals
queue_of_event() {
    [ "$(id -u)" = 0 ] || { echo 'needs root'; return 77; }
    export PROF_CLOCK=tsc PROF_OUTPUT=/dev/null PROF_SAMPLE=task-clock:1000
    same "$tmp/sixty" queue >said
    grep -v -e '^libprof: .*RLIMIT_SIGPENDING' -e 'cannot write the profile' \
        -e '^libprof: PROF_SAMPLE: task-clock: ' said
}
case_ queue-of-event queue_of_event
case_ thread-too-large unsampled huge
every_fault() {
    export PROF_CLOCK=tsc PROF_SAMPLE=page-faults:1
    same "$tmp/sixty" clock >said
    grep -q '^libprof: PROF_SAMPLE: page-faults: ' said && { echo 'no page-faults here'; exit 77; }
    grep -v '^libprof: PROF_SAMPLE.*page-faults:2$' said
}
case_ every-page-fault every_fault

# ---- threads with another FS base ----

foreign() { # MODE
    export PROF_CLOCK=tsc
    for source in cpu task-clock:1000; do
        PROF_SAMPLE=$source; export PROF_SAMPLE
        rm -rf native run; same "$tmp/fsbase" "$1"
    done
}
case_ fsbase-sixty foreign sixty
case_ fsbase-handled foreign sixty-handled
case_ fsbase-bare foreign bare-term
case_ fsbase-bare-nowhere foreign bare-term-nowhere
case_ fsbase-bare-sixty foreign bare-sixty
case_ fsbase-bare-handled foreign bare-handled
foreign_counted() { # the report names them
    foreign sampled
    "$build/prof" report --json run/a.prof | jq -r '.notes[] | select(.kind == "loss") | .name' |
        grep -qx fs-base || echo 'no loss of samples'
}
case_ fsbase-sampled foreign_counted
foreign_end() { # MODE SIGNAL: the profile is there, too
    foreign "$1"
    "$build/prof" report --json run/a.prof | jq -c '.program | [.end, .exit_status]' |
        grep -qxF "[\"signal\",$2]" || echo "not the profile of a process that signal $2 ended"
}
case_ fsbase-term foreign_end term 15
case_ fsbase-term-guest foreign_end term-guest 15
case_ fsbase-segv foreign_end segv 11

# ---- gdb ----

# Without the line of libprof(7) it stops at the first sample; with it the program ends.
debugged() {
    command -v gdb >/dev/null || { echo 'no gdb'; exit 77; }
    line=$(grep '^handle SIG60' "$here/../../docs/man/libprof.7")
    [ -n "$line" ] || echo 'no line in libprof(7)'
    "$build/prof" doctor | grep -qF "$line" || echo 'no line in prof doctor'
    gdb -q -batch -ex "$line" -ex "set environment LD_PRELOAD $so" -ex run \
        --args "$stacks" coroutines 8 >out 2>&1
    grep -q 'exited normally' out || tail -3 out
}
case_ gdb debugged
# gdb follows the program's child: libprof itself starts no process.
followed() {
    command -v gdb >/dev/null || { echo 'no gdb'; exit 77; }
    printf '%s\n' '#include <pthread.h>' '#include <stdlib.h>' '#include <sys/wait.h>' \
        '#include <unistd.h>' 'static void *nothing(void *a) { return a; }' \
        'void in_the_child(void) { _exit(7); }' \
        'int main(void) { pthread_t t; pthread_create(&t, 0, nothing, 0); pthread_join(t, 0);' \
        'if (!fork()) in_the_child(); wait(0); return 0; }' >forks.c
    gcc -O0 -g forks.c -o forks -pthread || return
    { echo 'handle SIG60 nostop noprint pass'; echo "set environment LD_PRELOAD $so"
        echo 'set follow-fork-mode child'; echo 'break in_the_child'; echo run; echo bt; } \
        >commands
    gdb -q -batch -x commands ./forks >out 2>&1 </dev/null
    grep -q '^#0 .*in_the_child' out || tail -5 out
}
case_ gdb-follows followed

# ---- a tracer that sends a sample's signal as its own ----

# The program burns CPU time. LD_PRELOAD is in the traced program only.
traced() {
    printf '%s\n' '#include <time.h>' 'int main(void)' \
        '{ while (clock() < CLOCKS_PER_SEC / 2); return 3; }' >burn.c
    gcc -O1 burn.c -o burn && gcc -O1 -Wall "$here/tracer.c" -o tracer || return
    PROF_CLOCK=tsc ./tracer /usr/bin/env LD_PRELOAD="$so" ./burn 2>err
    status=$?
    [ $status = 3 ] || echo "status $status for 3"
    grep -q '^[1-9][0-9]* sent again' err || cat err
}
case_ tracer-sends traced
exit $failures
