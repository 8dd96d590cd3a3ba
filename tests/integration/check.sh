#!/bin/sh
# check.sh BUILD [CASE...] - cases in which libprof could disturb a program: races at the end of the
# process, signals and forks at any moment, descriptors that change their meaning, many short-lived
# threads. tests/policy has the plain cases. One PASS, FAIL or SKIP line a case; a failed case keeps
# its directory and prints how to run it again.
build=$(cd "$1" && pwd) || exit 1
shift
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit 1
so=$build/libprof.so
hard=$tmp/hard
gcc -O2 -g -I"$here/../../include" "$here/hard.c" -o "$hard" -pthread ||
    { echo "FAIL integration: hard.c"; exit 1; }
suite=integration only=$* failures=0
. "$here/../case.sh"
. "$here/../cpu.sh"
. "$here/../probe.sh"
no_tbb=$(missing_tbb)
needs_tbb() { [ -z "$no_tbb" ] || { echo "$no_tbb"; exit 77; }; }

# In the case's own directory: runs hard MODE ARGUMENTS under libprof; output in out, err; leaves
# status.
hard() { LD_PRELOAD=$so timeout -s KILL "${LIMIT:-60}" "$hard" "$@" >out 2>err; status=$?; }
native() { timeout -s KILL "${LIMIT:-60}" "$hard" "$@" >native 2>/dev/null; }
want_status() { [ "$status" = "$1" ] || echo "status $status for $1"; }
want_quiet() { [ ! -s err ] || echo "stderr: $(cat err)"; }
want_line() { [ "$(wc -l <err)" = 1 ] && grep -q "$1" err ||
    echo "not one line with \"$1\": $(cat err)"; }
want_same() { cmp -s out native || echo "stdout: $(cat out); without libprof: $(cat native)"; }
want_work() { # FILE WORK: a complete profile
    got=$("$build/prof" report --json "$1" 2>&1 | jq -c '.program | [.work_ns, .complete]' 2>&1)
    [ "$got" = "[$2,true]" ] || echo "$1: $got for [$2,true]"
}

case_() { # NAME FUNCTION
    wants "$1" || return 0
    mkdir "$tmp/$1" || exit 2
    wrong=$(cd "$tmp/$1" && PROF_CLOCK=virtual PROF_OUTPUT=a.prof &&
        export PROF_CLOCK PROF_OUTPUT && $2 2>&1)
    code=$?
    [ $code != 77 ] || wrong="SKIP $wrong"
    result "$1" "$wrong"
    case $wrong in '' | 'SKIP '* | 'BUSY '*) ;; *) echo "     in $tmp/$1" ;; esac
}

exit_race() {
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        rm -f a.prof
        hard exit-race; want_status 0; want_work a.prof 5
    done
}
join_memory() { hard join-memory 20000; [ "$(cat out)" -lt 50 ] || echo \
    "$(cat out) bytes a joined thread stay"; }
# detached by itself, by its creator, by that after its end, by a third thread, after its creator's
# end; or joined by a third one
detach_memory() {
    for order in self creator late third gone reaper; do
        rm -f a.prof; hard detach-memory 8000 $order; want_status 0
        [ "$(cat out)" -lt 100 ] || echo "$order: $(cat out) bytes a thread stay"
        got=$("$build/prof" report --json a.prof 2>&1 |
            jq -c '.program | [.work_ns, .span_ns, .complete]' 2>&1)
        [ "$got" = "[$((8000 + 8000 + 7999 * 3)),$((4001 + 8000)),true]" ] || echo "$order: $got"
    done
}
destructor_memory() { hard destructor-memory 2000; [ "$(cat out)" -lt 2000 ] || echo \
    "$(cat out) bytes a thread stay"; }
namespace_keys() {
    hard namespace-keys; want_status 0; want_quiet
    native namespace-keys; want_same
}
special_file() { mkfifo a.prof; hard thread; want_status 0; want_line 'not a regular file'; [ \
    -p a.prof ] || echo "the fifo is gone"; }
stderr_reused() { PROF_OUTPUT=/nonexistent/a hard stderr-reused; want_status 0; [ ! \
    -s fd2 ] || echo "libprof wrote to the program's file: $(cat fd2)"; }
stderr_full() { PROF_OUTPUT=/nonexistent/a; export PROF_OUTPUT; hard stderr-full; want_status 0; }
stderr_gone() {
    { sleep 0.2; PROF_OUTPUT=/nonexistent/a LD_PRELOAD=$so "$hard" thread; echo \
        $? >status; } 2>&1 >/dev/null | true
    sleep 0.4; status=$(cat status); want_status 0
}
chdir_() { hard chdir; want_status 0; want_quiet; want_work a.prof 5; }
fsize() { hard fsize; want_status 0; want_line 'file size limit'; [ ! -e a.prof ] || echo \
    "a file was left"; ls ./*.tmp 2>/dev/null; }
main_gone() {
    LD_PRELOAD=$so "$hard" main-gone >out 2>err & pid=$!
    sleep 0.3; kill -TERM $pid
    (sleep 60; kill -KILL $pid 2>/dev/null) >/dev/null 2>&1 & killer=$!
    wait $pid 2>/dev/null; status=$?; kill $killer; want_status 143
}
# However the main thread leaves, the process ends with its last thread: libprof's do not keep it.
main_leaves() {
    for mode in main-cancelled main-thrd-exit; do
        native $mode
        for checkpoint in 0 1; do
            for clock in tsc virtual; do
                PROF_CLOCK=$clock PROF_CHECKPOINT=$checkpoint hard $mode; want_status \
                    0; want_same; want_quiet
            done
        done
        want_work a.prof 5
    done
}
# libc waits until each thread has handled its signal, libprof's too.
setuid_() {
    for clock in tsc virtual; do PROF_CLOCK=$clock hard setuid 100; want_status 0; want_quiet; done
    want_work a.prof 5
}
# A set-user-ID program that /etc/ld.so.preload gives libprof: whoever starts it does not choose a
# file that it writes. As root itself, the program is profiled.
privileged() {
    [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || { echo 'needs root'; exit 77; }
    printf '%s\n' '#include <pthread.h>' 'static void *run(void *p) { return p; }' \
        'int main(void) { pthread_t t; return pthread_create(&t, 0, run, 0) ||' \
        'pthread_join(t, 0); }' >task.c
    mkdir etc && gcc -O1 task.c -o etc/task -pthread && cp /etc/ld.so.cache "$so" etc || return
    chmod 755 . etc && chmod 4755 etc/task && echo /etc/libprof.so >etc/ld.so.preload
    for id in 0 65534; do
        # shellcheck disable=SC2016  # $1 is of the inner shell
        unshare -m sh -c 'mount --bind etc /etc && PROF_OUTPUT=/etc/$1.prof exec setpriv \
            --reuid "$1" --clear-groups /etc/task' sh $id >out 2>err
        status=$?; want_status 0; want_quiet
    done
    [ "$(cd etc && ls ./*.prof)" = ./0.prof ] || ls -l etc
}
needs_valgrind() {
    command -v valgrind >/dev/null || { echo 'no valgrind'; exit 77; }
    [ -x "$build/examples/openmp/nqueens" ] || { echo 'no examples'; exit 77; }
}
memcheck() { # what memcheck has nothing against, it has nothing against here
    needs_valgrind
    for program in openmp/nqueens openmp/wavefront; do
        case $program in *nqueens) set -- 5 ;; *) set -- 100 20 ;; esac
        PROF_CLOCK=tsc LD_PRELOAD=$so timeout 120 valgrind -q --error-exitcode=9 \
            "$build/examples/$program" -t 2 "$@" >out 2>err || echo "$program: status $?"
        ! grep -v '^[0-9.]* ms' err || echo "$program: said that"
    done
}
# valgrind does not grow the stack for the frame of a handler with SA_ONSTACK.
valgrind_deepens() {
    needs_valgrind
    gcc -O1 -g "$here/deepens.c" -o deepens 2>err || head -3 err
    "$build/prof" run --no-report -o deepens.prof -- valgrind -q --error-exitcode=9 ./deepens \
        >out 2>err || echo "status $?: $(head -2 err)"
    samples=$("$build/prof" report --json deepens.prof 2>/dev/null | jq .sampling.samples)
    [ "${samples:-0}" -ge 20 ] || echo "$samples samples" # each may be at the end of a page
}
# bench/clock.sh links the library's own objects: does it still find all of them?
bench_clock() {
    bash "$here/../../bench/clock.sh" -b "$build" 0 >out 2>err
    grep -q '^  tsc  *[0-9.]*' out || head -3 err
}
cancel_pending() { hard cancel-pending; want_status 3; want_work a.prof 5; }
alarm_() {
    i=0
    while [ $i -lt 40 ]; do
        hard alarm $((2000 + i * 137)); want_status 7
        i=$((i + 1))
    done
}
fork_storm() { LIMIT=60; PROF_OUTPUT=%e.%p.prof; hard fork-storm 100; want_status 0; want_quiet
    [ "$(find . -name '*.prof' | wc -l)" = 101 ] ||
        echo "$(find . -name '*.prof' | wc -l) profiles for 101"; }
# A thread forks while others execute tasks. Both processes act as without libprof, and each has a
# profile with the costs of its own tasks.
forks() { # WORKS COMMAND...: WORKS are [work,spawns,complete] of the two, a blank between
    works=$1; shift
    OMP_CANCELLATION=true timeout -s KILL 60 "$@" >native 2>/dev/null; [ $? = 4 ] || echo \
        "natively another status"
    for clock in virtual virtual virtual tsc tsc tsc; do
        rm -f ./*.prof
        OMP_CANCELLATION=true PROF_CLOCK=$clock PROF_OUTPUT=%p.prof LD_PRELOAD=$so timeout -s KILL \
            60 "$@" >out 2>err; status=$?
        want_status 4; want_same; want_quiet
        # in real time work has no exact value
        if [ $clock = virtual ]; then of=cat; else of='sed s/\[[0-9]*,/[/'; fi
        got=$(for f in ./*.prof; do "$build/prof" report --json "$f" 2>&1 |
            jq -c '.program | [.work_ns, .spawns, .complete]' 2>&1; done | $of | sort | tr '\n' ' ')
        want=$(echo "$works" | tr ' ' '\n' | $of | sort | tr '\n' ' ')
        [ "$got" = "$want" ] || echo "$clock: profiles $got, not $want"
    done
}
fork_graph() {
    needs_tbb
    g++ -std=c++17 -O2 -g -I"$here/../../include" "$here/fork_graph.cpp" -o fork_graph \
        -ltbb -pthread || return
    for mode in outside inside; do forks '[280,40,true] [300,100,true]' ./fork_graph $mode; done
}
fork_openmp() { # COMPILER THREADS WORKS
    $1 -O2 -g -fopenmp -I"$here/../../include" "$here/fork_openmp.c" -o fork_openmp 2>log ||
        { echo "$1 has not this OpenMP: $(grep -m 1 error: log)"; exit 77; }
    forks "$3" ./fork_openmp "$2"
}
fork_libgomp() { fork_openmp gcc 1 '[12,8,true] [21,4,true]'; }
fork_libomp() { fork_openmp clang 3 '[12,8,true] [21,6,true]'; }
mask() { native mask; hard mask; want_status 0; want_same; want_quiet; }
errno_() { native errno; hard errno; want_status 0; want_same; want_quiet; }
join_cancelled() { native join-cancelled; hard join-cancelled; want_status \
    0; want_same; want_quiet; }
create_cancelled() { native create-cancelled; hard create-cancelled; want_status \
    0; want_same; want_quiet; }
# P is what the program's tbb::global_control lets run.
limited() {
    needs_tbb
    PROF_QUIET=1 LD_PRELOAD=$so timeout 60 "$build/examples/fib" -t 1 15 >out 2>err ||
        echo "status $?"
    got=$("$build/prof" report --json a.prof | jq -c '.program | [.workers, .spawns]')
    [ "$got" = '[1,986]' ] || echo "$got for [1,986]"
}
# P is the most that the program's controls let run at any time, as oneTBB's own arena has it.
controls() {
    needs_tbb
    g++ -std=c++17 -O2 -I"$here/../../include" "$here/controls.cpp" -o controls -ltbb || return
    cat >slots.cpp <<'END'
#include <cstdio>
#include <tbb/task_arena.h>
int main() { std::printf("%d", tbb::this_task_arena::max_concurrency()); }
END
    g++ -std=c++17 slots.cpp -o slots -ltbb || return
    slots=$(./slots)
    [ "$slots" -gt 1 ] || { echo 'one CPU'; return 77; }
    LD_PRELOAD=$so timeout 60 ./controls >out 2>err || echo "status $?"
    want_quiet
    got=$("$build/prof" report --json a.prof | jq -c '.program | [.work_ns, .workers]')
    # the implicit arena has as many slots as there are CPUs, whatever the control
    [ "$got" = "[80,$slots]" ] || echo "$got for [80,$slots]"
}
# The first loop runs in an arena of one slot, the second outside it: P is that of the second.
arena_before() {
    needs_tbb
    cat >arenas.cpp <<'END'
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
int main(int argc, char **)
{
    tbb::task_arena one(1);
    one.execute([] { tbb::parallel_for(0, 8, [](int) {}); });
    if (argc > 1)
        tbb::parallel_for(0, 8, [](int) {});
}
END
    g++ -std=c++17 arenas.cpp -o arenas -ltbb || return
    slots=$(nproc)
    [ "$slots" -gt 1 ] || { echo 'one CPU'; return 77; }
    for beyond in '' beyond; do
        LD_PRELOAD=$so timeout 60 ./arenas $beyond >out 2>err || echo "status $?"
        want_quiet
        got=$("$build/prof" report --json a.prof | jq -c '.program.workers')
        [ -n "$beyond" ] && expected=$slots || expected=1
        [ "$got" = "$expected" ] || echo "$got for $expected"
    done
}
# One task object in the runtime's hands several times at once: it runs as often, one of them is
# seen, and the rest is named.
# oneTBB's preview features give the nodes of a flow graph other vtables. The program runs as
# without libprof, and the report names them.
preview_graph() {
    needs_tbb
    g++ -std=c++17 -O2 "$here/preview_graph.cpp" -o preview_graph -ltbb -pthread 2>log ||
        { cat log; return; }
    timeout 60 ./preview_graph >native
    grep -q 'old headers' native && { echo 'headers before 2022.0'; return 77; }
    for i in 1 2 3 4 5; do
        PROF_OUTPUT=$PWD/preview.prof LD_PRELOAD=$so timeout -s KILL 60 ./preview_graph >out 2>&1 ||
            echo "status $?"
        cmp out native || return
    done
    "$build/prof" report --full preview.prof >text
    grep -q 'lower bound: flow graph (TBB_PREVIEW_FLOW_GRAPH_FEATURES)' text &&
        grep -q 'lower bound: flow graph (try_put_and_wait)' text || grep 'bound' text
}

resubmit() {
    g++ -std=c++17 -O2 "$here/resubmit.cpp" -o resubmit -ltbb -pthread 2>log ||
        { echo "another internal interface: $(grep -m1 error log)"; return 77; }
    for again in 1 2 3; do
        for mode in 'crowd 20000' 'spawn 50000' 'throw 300' 'queued 500'; do
            LIMIT=60; timeout -s KILL $LIMIT ./resubmit $mode >native 2>/dev/null || echo \
                "$mode: natively status $?"
            for clock in tsc virtual; do
                rm -f a.prof
                PROF_CLOCK=$clock LD_PRELOAD=$so timeout -s KILL $LIMIT ./resubmit \
                    $mode >out 2>err || echo "$mode: status $?"
                want_same; want_quiet
            done
        done
        # the last mode hands it over 500 times while it waits
        got=$(report '[.notes[] | select(.name == "a task object submitted twice") |
            [.kind, .count]] + [.program.exact]')
        [ "$got" = '[["lower_bound",500],false]' ] || echo "notes: $got"
    done
}
# A site is never in Rust's own library, in either mangling. Its names are not taken for C++'s.
rust() {
    for flags in -g ''; do
        gcc -O2 $flags -fno-optimize-sibling-calls -I"$here/../../include" "$here/rust.c" -o rust \
            -pthread || return
        LD_PRELOAD=$so timeout 60 ./rust >out 2>err || echo "status $?"
        want_quiet
        got=$(report '[.sites[] | select(.construct == "pthread_create") | .function] | sort')
        third=third
        [ -n "$flags" ] ||
            third=_RINvCs1uLKWmRAxuH_4rust5thirdNvNtCsjrHSEGnQ3l9_3std6thread7currentE
        want=$(printf '%s\n' first second "$third" | LC_ALL=C sort | jq -Rsc 'split("\n")[:-1]')
        [ "$got" = "$want" ] || echo "sites$flags: $got for $want"
    done
}
output_pattern() {
    PROF_OUTPUT='%e-%%-%p.x' hard thread; want_quiet
    [ "$(echo hard-%-*.x)" != 'hard-%-*.x' ] || echo "files: $(ls)"
}
# prof run -o NAME: NAME is the profile of the program that prof started, not of what that one runs
run_children() {
    "$build/prof" run --no-report -o a.prof -- sh -c "'$hard' thread; '$hard' thread; :" >out 2>err
    "$build/prof" report --json a.prof 2>&1 |
        jq -e '.program.exe | endswith("sh")' >/dev/null 2>&1 ||
        echo "a.prof is not the shell's: $(ls)"
}
# the same without prof run: PROF_RUN is the pid of the process that started the program
run_pid() {
    sh -c "PROF_RUN=\$\$ LD_PRELOAD=$so sh -c '$hard thread; $hard thread; :'; :" >out 2>err
    "$build/prof" report --json a.prof 2>&1 |
        jq -e '.program.exe | test("/hard$") | not' >/dev/null 2>&1 ||
        echo "a.prof is not the shell's"
    [ "$(find . -name 'a.prof.*' | wc -l)" = 2 ] ||
        echo "the children's profiles are missing: $(ls)"
}
settings_documented() {
    sed -n 's/^SETTING("\(PROF_[A-Z_]*\)".*/\1/p' "$here/../../preload/base/settings.def" |
        while read -r s; do
        grep -qw "$s" "$here/../../docs/man/libprof.7" || echo "$s is not in libprof(7)"
        case $s in PROF_RUN | PROF_RANKS | PROF_LIBRARY) ;;
        *) grep -qw "$s" "$here/../../README.md" || echo \
            "$s is not in README.md" ;; esac
    done
}
# An agent that uses only the public header: fib(n) makes 2 F(n+1) - 1 calls of cost 1, of which a
# path has n at most; F(16) - 1 spawns.
third_party_agent() {
    for p in 1 2 4 1 2 4; do
        for again in 1 2 3; do
            LD_PRELOAD="$so $build/examples/tiny/libtiny_agent.so" timeout 60 \
                "$build/examples/tiny/fib" 15 $p >out 2>err || echo "status $?"
            [ "$(cat out)" = 610 ] || echo "printed $(cat out)"
            want_quiet
            got=$("$build/prof" report --json a.prof |
                jq -c "[.program | .work_ns, .span_ns, .spawns, .exact, .workers == $p]")
            [ "$got" = '[1973,15,986,true,true]' ] || echo "P = $p: $got"
        done
    done
    LD_PRELOAD=$build/examples/tiny/libtiny_agent.so "$build/examples/tiny/fib" 15 2 >out 2>err &&
        [ "$(cat out)" = 610 ] || echo "without libprof: $(cat out err)"
}
# The same for a runtime in C++. Each wait is for one task, and the workers are std::threads.
forkjoin_agent() {
    for part in RUNTIME AGENT; do
        g++ -std=c++17 -O2 -g -fPIC -shared -D$part -I"$here/../../include" "$here/forkjoin.cpp" \
            -o libfj$part.so -pthread || return
    done
    g++ -std=c++17 -O2 -g -DPROGRAM -I"$here/../../include" "$here/forkjoin.cpp" -o fj -L. \
        -lfjRUNTIME -Wl,-rpath,. || return
    for p in 1 2 4 1 2 4; do
        LD_PRELOAD="$so ./libfjAGENT.so" timeout 60 ./fj $p >out 2>err || echo "status $?"
        want_quiet
        got=$("$build/prof" report --json a.prof |
            jq -c "[.program | .work_ns, .span_ns, .spawns, .exact, .complete, .workers == $p]")
        [ "$got" = '[265,18,127,true,true,true]' ] || echo "P = $p: $got"
    done
}
# Programs of odd.cpp; each needs its own flags.
odd() { # FLAGS MODE ARGUMENTS...
    g++ -std=c++17 -O2 $1 -fopenmp -I"$here/../../include" "$here/odd.cpp" -o odd -pthread || return
    shift
    LD_PRELOAD=$so timeout -s KILL 30 ./odd "$@" >out 2>err
    status=$?
}
report() { "$build/prof" report --json a.prof | jq -c "$1" 2>&1; }
# A thread that holds the loader's lock spawns. It needs a lock of libprof's, whose holder waits for
# the loader.
callbacks() {
    for again in 1 2 3; do
        odd -g callbacks; want_status 0; want_quiet
        got=$(report '[.program.work_ns, .program.spawns]')
        [ "$got" = '[800,801]' ] || echo "work, spawns $got"
    done
}
stripped_callers() {
    for again in 1 2 3; do
        odd "-s -no-pie" callers; want_status 0; want_quiet
        got=$(report '[.program.work_ns, ([.sites[] | select(.invocations == 2)] | length),
            (.sites | length)]')
        [ "$got" = '[1600,800,802]' ] || echo "work, sites with two, sites: $got"
    done
}
tail_calls() { patiently tail_calls_once; }
tail_calls_once() {     # a thread that comes late to the lock has not waited
    PROF_CLOCK=tsc odd -g tail; want_status 0; want_quiet
    got=$(report '[([.sites[] | select(.construct == "pthread_create") | .invocations] | add),
        ([.waits[].construct] | unique)]')
    [ "$got" = '[3,["lock"]]' ] || echo "threads, waits $got"
}
# Every path is found again, whatever the number of callers: no more walks than paths.
many_callers() {
    odd -g many 40000; want_status 0; want_quiet
    got=$(report '[.program.work_ns, (.settings["spawn-paths"] |
        capture("(?<walks>[0-9]+) walks of the stack, (?<not>[0-9]+) of them") |
        (.walks | tonumber) < 1000 and .not == "0")]')
    [ "$got" = '[40000,true]' ] ||
        echo "work, few walks: $got; $(report '.settings["spawn-paths"]')"
}
# Plug-ins that are mapped where others were.
run_plugins() { # ROUNDS OBJECT...
    gcc -O2 -g -fopenmp -I"$here/../../include" "$here/plugins.c" -o plugins || return
    for p in alpha=100 beta=300 gamma=50; do
        gcc -O2 -g -fPIC -shared -DPLUGIN=${p%=*} -DCOST=${p#*=} -I"$here/../../include" \
            "$here/plugins.c" -o ${p%=*}.so || return
    done
    LD_PRELOAD=$so timeout -s KILL 60 ./plugins "$@" >out 2>err
    status=$?
}
# Each plug-in has the tasks and samples of its own code.
plugins() {
    run_plugins 5 ./alpha.so ./beta.so ./gamma.so; want_status 0; want_quiet
    [ "$(uniq out | wc -l)" = 1 ] || { echo "the loader maps them elsewhere"; exit 77; }
    got=$(report '[.sites[] | select(.construct == "pthread_create") |
        [.function, .invocations, .work_ns]] | sort')
    want='[["alpha_spawn",2,200],["beta_spawn",2,600],["gamma_spawn",1,50],["spawn",5,850]]'
    [ "$got" = "$want" ] || echo "sites $got"
    got=$(report '[.functions[] | select(.function | test("_call$")) | [.function, .all.work_ns]] |
        sort')
    [ "$got" = '[["alpha_call",200],["beta_call",600],["gamma_call",50]]' ] || echo "called by $got"
}
plugins_busy_once() {
    export BUSY=1
    PROF_CLOCK=tsc PROF_SAMPLE=cpu:1000 run_plugins 5 ./alpha.so ./beta.so ./beta.so; want_status \
        0; want_quiet
    dir=$PWD; cd / || return       # the report finds ./beta.so from everywhere
    report() { "$build/prof" report --json "$dir/a.prof" | jq -c "$1" 2>&1; }
    got=$(report '[.functions[] | select(.function | test("_busy"))] |
        map({(.function): .all.work_ns}) | add |
        .beta_busy / .alpha_busy | . > 3.5 and . < 6')
    [ "$got" = true ] ||
        echo "beta ran 4.5 times as long as alpha: $(report '[.functions[] |
        [.function, .all.work_ns]]')"
    got=$(report '.functions[] | select(.function == "beta_busy") | .verdict')
    [ "$got" = '"serial on the critical path: parallelise"' ] || echo "verdict on serial code: $got"
}
plugins_busy() { patiently plugins_busy_once; }
# Others spawn meanwhile; nothing is lost, and no memory stays with what is unloaded.
plugins_reloaded() {
    THREADS=3 run_plugins 3000 ./alpha.so ./beta.so ./gamma.so; want_status 0; want_quiet
    read -r tasks kb <out
    got=$(report '[.program.work_ns,
        (.sites[] | select(.construct == "pthread_create" and (.function | test("_spawn"))) |
            .invocations)]')
    [ "$got" = "[$((tasks + 900000)),1000,1000,1000]" ] ||
        echo "$tasks tasks, work, invocations $got"
    [ "$kb" -lt 6000 ] || echo "$kb kB stay of 2700 plug-ins"
}
# What a dlclose costs hardly depends on how many other plug-ins there are: with four times as many,
# libprof executes six times the instructions. Where each dlclose reads the headers of all objects,
# these are eleven times. (Each passes through the loader's list, as the loader itself does.) They
# are where the loader lacks _dl_find_object (unwind/objects.h): twelve times there.
plugins_many() {
    command -v valgrind >/dev/null || { echo 'no valgrind'; exit 77; }
    most=8
    echo 'int _dl_find_object(void *, void *); int main(void) { return _dl_find_object(0, 0); }' |
        gcc -w -xc - -o finds 2>/dev/null || most=13
    gcc -O2 "$here/unload_cost.c" -o unload_cost -lpthread -ldl &&
        gcc -O2 -fPIC -shared -DPLUGIN "$here/unload_cost.c" -o plugin.so || return
    objects=
    for i in $(seq 200); do cp plugin.so "$i.so"; objects="$objects ./$i.so"; done
    for objects in "$(echo $objects | cut -d ' ' -f -50)" "$objects"; do
        # shellcheck disable=SC2086  # a list
        LD_PRELOAD=$so PROF_SAMPLE=off PROF_CHECKPOINT=0 timeout -s KILL 120 \
            valgrind -q --tool=callgrind --callgrind-out-file=counts --compress-strings=no \
            ./unload_cost $objects 2>err
        status=$?; want_status 0; want_quiet
        awk '/^ob=/ { ours = /\/libprof\.so$/ }
             /^calls=/ { called = 1; next }
             /^[0-9+*-]/ { if (called) called = 0; else if (ours) own += $2 }
             END { print own + 0 }' counts
    done >own
    got=$(awk -v most=$most \
        'NR == 1 { few = $1 } NR == 2 { print (few > 1000000 && $1 < most * few) }' own)
    [ "$got" = 1 ] || echo "instructions with 50 plug-ins, with 200: $(tr '\n' ' ' <own)"
}
# Other threads close libraries that libprof's thread walks through, or has just been told of.
plugins_asleep() {
    gcc -O2 "$here/sleepers.c" -o sleepers -lpthread -ldl &&
        gcc -O1 -fPIC -shared -DPLUGIN "$here/sleepers.c" -o sleeper0.so || return
    for i in 1 2 3 4 5 6 7; do cp sleeper0.so sleeper$i.so; done
    PROF_CLOCK=tsc LD_PRELOAD=$so timeout -s KILL 60 ./sleepers 4 ./sleeper?.so >out 2>err
    status=$?; want_status 0; want_quiet
}
# Each off-CPU sample of a wait has a kind, and there are kinds for no others.
wait_kinds() {
    gcc -O2 "$here/../sampling/kinds.c" -o kinds -lpthread || return
    PROF_CLOCK=tsc LD_PRELOAD=$so timeout -s KILL 60 ./kinds naps >out 2>err
    status=$?; want_status 0; want_quiet
    "$build/prof" report --json a.prof 2>err >a.json; want_quiet
    jq -r '.off_cpu.waits_ns as $w | ([$w[]] | add - $w.cpu) as $kinds |
        (.sampling.off_cpu_samples * .off_cpu.sample_ns) as $samples |
        if $samples == 0 or $kinds != $samples or $w.sleep == 0
        then "kinds \($w) of \($samples)" else empty end' a.json
}
# A plug-in of gcc's, after one whose runtime all objects see: it uses that one, not its own.
plugins_global() {
    clang -fopenmp -x c -include omp.h -E /dev/null >/dev/null 2>&1 ||
        { echo "no clang with OpenMP"; exit 77; }
    cat >sums.c <<'END'
#ifdef PLUGIN
long sums(long n)
{
    long sum = 0;
    _Pragma("omp parallel for reduction(+ : sum) num_threads(3)")
    for (long i = 0; i < n; i++)
        sum += i;
    return sum;
}
#else
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int global = !strncmp(argv[i], "global:", 7);
        void *p = dlopen(argv[i] + (global ? 7 : 0), RTLD_NOW | (global ? RTLD_GLOBAL : 0));
        long (*f)(long) = p ? (long (*)(long))dlsym(p, "sums") : 0;
        printf("%ld\n", f ? f(100) : 0);
    }
    return 0;
}
#endif
END
    gcc -O2 sums.c -o sums -ldl && gcc -O2 -fopenmp -fPIC -shared -DPLUGIN sums.c -o gnu.so &&
        clang -O2 -fopenmp -fPIC -shared -DPLUGIN sums.c -o llvm.so && cp gnu.so other.so || return
    for order in 'global:./llvm.so ./gnu.so' './gnu.so global:./llvm.so ./gnu.so ./other.so' \
        './llvm.so ./gnu.so' 'global:./gnu.so ./llvm.so'; do
        LD_PRELOAD=$so timeout -s KILL 60 ./sums $order >out 2>err
        status=$?; want_status 0; want_quiet
        [ "$(sort -u out)" = 4950 ] || echo "$order: $(tr '\n' ' ' <out)"
    done
}
# At the program's end, a plug-in's destructor closes a library: the runtime that another plug-in
# has brought is not initialised again.
plugins_end() {
    printf '%s\n' 'int sums(int n) { int s = 0;' '#pragma omp parallel for reduction(+ : s)' \
        'for (int i = 0; i < n; i++) s += i; return s; }' >user.c
    printf '%s\n' '#include <dlfcn.h>' 'static void *h;' \
        '__attribute__((constructor)) static void in(void)' \
        '{ h = dlopen("./third.so", RTLD_NOW); }' \
        '__attribute__((destructor)) static void out(void) { if (h) dlclose(h); }' >closer.c
    printf '%s\n' '#include <dlfcn.h>' '#include <stdio.h>' 'int main(void) {' \
        'void *p = dlopen("./user.so", RTLD_NOW), *q = dlopen("./closer.so", RTLD_NOW);' \
        'printf("%d %d\n", q != 0, ((int (*)(int))dlsym(p, "sums"))(1000)); return 0; }' >main.c
    echo 'int third;' >third.c
    gcc -O1 -fopenmp -fPIC -shared user.c -o user.so && gcc -O1 main.c -o main -ldl &&
        gcc -fPIC -shared third.c -o third.so && gcc -fPIC -shared closer.c -o closer.so -ldl ||
        return
    LD_DEBUG=files LD_DEBUG_OUTPUT=loads LD_PRELOAD=$so timeout -s KILL 60 ./main >out 2>err
    status=$?; want_status 0; want_quiet
    [ "$(cat out)" = '1 499500' ] || echo "printed: $(cat out)"
    got=$(cat loads.* | grep -c 'calling init: .*libgomp')
    [ "$got" = 1 ] || echo "libgomp was initialised $got times"
}
# A container that refuses copies between processes: flow graphs are read all the same.
refused_reads() {
    needs_tbb
    cat >refuse.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof code / sizeof code[0], code };
    if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 77;
    setenv("LD_PRELOAD", argv[1], 1);
    execv(argv[2], argv + 2);
    return 1;
}
END
    gcc -O1 refuse.c -o refuse || return
    timeout -s KILL 60 ./refuse "$so" "$build/programs/flow" flow_random_1_1 1 >out 2>err
    status=$?
    [ $status = 77 ] && { echo 'no filters here'; exit 77; }
    want_status 0; want_quiet
    got=$(report .program.exact)
    [ "$got" = true ] || echo "exact $got"
}
# The initialisers of a plug-in run while the loader's lock is held: tasks of a team whose code is
# on several pages (how `team`), or a thread that is the first to use the runtime (how `thread`:
# libomp and libtbb need that lock themselves then, and hang natively, too).
initialiser() { # COMPILER FLAG HOW
    command -v "$1" >/dev/null || { echo "no $1"; exit 77; }
    gcc -O2 -DPROGRAM -x c "$here/initialiser.cpp" -o initialiser -ldl &&
        "$1" -O2 -g -fPIC -shared -DHOW="$3" "$here/initialiser.cpp" -o plugin.so "$2" || return
    for disable in 0 1; do
        export PROF_DISABLE=$disable
        LD_PRELOAD=$so timeout -s KILL 30 ./initialiser ./plugin.so ./plugin.so >out 2>err
        status=$?; want_status 0; want_quiet
        [ "$(cat out)" = "500 500" ] || echo "PROF_DISABLE=$disable: $(cat out)"
        [ $disable = 1 ] || [ -s a.prof ] || echo "no profile"
    done
    unset PROF_DISABLE
}
initialiser_gcc() { initialiser g++ -fopenmp team; }
initialiser_gcc_thread() { initialiser g++ -fopenmp thread; }
initialiser_clang() { initialiser clang++ -fopenmp team; }
initialiser_tbb() { needs_tbb; initialiser g++ -ltbb team; }
# libunwind has libgcc_s's names, and comes with tcmalloc and other libraries. Threads of libgomp
# leave libprof's frames by pthread_exit, which is libgcc_s's.
unwinders() {
    lib=$(ldconfig -p | sed -n 's/.*libunwind[.]so[.]8 .*=> //p' | head -1)
    [ -n "$lib" ] || { echo 'no libunwind'; exit 77; }
    printf '%s\n' '#include <omp.h>' '#include <stdio.h>' 'int n;' 'static void team(int k) {' \
        '_Pragma("omp parallel num_threads(k)")' '__atomic_fetch_add(&n, 1, 0); }' \
        'int main(void) { team(4); omp_pause_resource_all(omp_pause_hard); team(2);' \
        'printf("%d\n", n); return 3; }' >pause.c
    gcc -O2 -fopenmp pause.c -o pause || return
    for order in "$lib $so" "$so $lib"; do
        LD_PRELOAD=$order timeout -s KILL 60 ./pause >out 2>err
        status=$?; want_status 3; want_quiet
        [ "$(cat out)" = 6 ] || echo "$order: $(cat out)"
    done
}
# The processors that the program may use.
processors() {
    [ -x "$build/examples/fib" ] || { echo 'no examples'; exit 77; }
    one=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
    for sample in cpu off; do
        PROF_SAMPLE=$sample LD_PRELOAD=$so taskset -c "$one" "$build/examples/fib" 10 >out 2>err
        status=$?; want_status 0
        [ "$(report .settings.processors)" = '"1"' ] || echo "$sample: $(report .settings)"
    done
}
# Which CPUs the threads may use, and on which of them samples hit: HOW of bound.c, in real time.
# The main thread, which has computed, but only waits in the end, is none of the two; unless it
# forks, which may take it as long as a few samples. Whatever the load is, each sample is on one
# CPU.
bound_as() { # PROFILE: "ALLOWED THREADS_ALLOWED THREADS", after a line on what is wrong
    "$build/prof" report --json "$1" 2>/dev/null | jq -r '.processors as $p | .sampling as $s |
        ($p.cpus | map(.samples) | add) as $in | ($p.cpus | map(.samples_outside) | add) as $out |
        if $in != $s.samples + $s.samples_in_libprof or $out != $s.samples_outside_strands or
            $in < 2 then "\($in) and \($out) samples on CPUs, \($s)" else empty end,
        "\($p.allowed) \($p.threads_allowed) \($p.cpus | map(.threads) | max)"'
}
bound_threads() {
    gcc -O2 -g "$here/bound.c" -o bound -pthread 2>&1
    cpus=$(nproc)
    for how in free bound narrow fork; do
        rm -f ./*.prof
        PROF_CLOCK=tsc PROF_OUTPUT=%p.prof LD_PRELOAD=$so timeout 60 ./bound $how >out 2>err
        status=$?; want_status 0; want_quiet
        got=$(for file in ./*.prof; do bound_as "$file"; done | sort)
        case $how in
        free) want="$cpus $cpus 2" ;;
        fork)
            want=$(printf '%s\n' "$cpus 1 2" "$cpus $cpus 2" | sort)
            got=$(echo "$got" | sed "s/^$cpus $cpus 3\$/$cpus $cpus 2/" | sort) ;;
        *) want="$cpus 1 2" ;;
        esac
        [ "$got" = "$want" ] || echo "$how: $got for $want"
    done
}
# The slots of a child of fork are its own: as many as its samples find at work, not its parent's.
forked_workers() {
    printf '%s\n' '#include <pthread.h>' '#include <sys/wait.h>' '#include <time.h>' \
        '#include <unistd.h>' 'static void *burn(void *p) {' \
        'struct timespec t; do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);' \
        'while (t.tv_nsec < 300000000 && !t.tv_sec); return p; }' \
        'static void team(int n) { pthread_t t[4];' \
        'for (int i = 0; i < n; i++) pthread_create(&t[i], 0, burn, 0);' \
        'for (int i = 0; i < n; i++) pthread_join(t[i], 0); }' \
        'int main(void) { team(4); if (!fork()) { team(1); return 0; } wait(0); return 0; }' \
        >forks.c
    gcc -O1 forks.c -o forks -pthread || return
    PROF_CLOCK=tsc PROF_OUTPUT=%p.prof LD_PRELOAD=$so timeout -s KILL 60 ./forks >out 2>err
    status=$?; want_status 0; want_quiet
    got=$(for p in [0-9]*.prof; do "$build/prof" report --json "$p" |
        jq -c '[.program.spawns, .program.workers]'; done | sort | tr -d '\n')
    [ "$got" = '[1,1][4,4]' ] || echo "threads and workers $got"
}
# A tracer stops the program at each system call. Few readings of the clock need one: a task does
# not.
traced() {
    command -v strace >/dev/null || { echo 'no strace'; exit 77; }
    [ -x "$build/examples/fib" ] || { echo 'no examples'; exit 77; }
    PROF_CLOCK=tsc strace -f -c -e trace=clock_gettime -o counts \
        env LD_PRELOAD="$so" "$build/examples/fib" 18 >out 2>err
    status=$?; want_status 0
    grep libprof err
    got=$(awk '$NF == "clock_gettime" { print $4 }' counts)
    [ "${got:-0}" -gt 0 ] && [ "$got" -lt 4180 ] ||
        echo "$got system calls of the clock for 4180 tasks"
}
# libprof's own thread opens files all the time, and none of the program's numbers.
own_descriptors() {
    gcc -O2 "$here/descriptors.c" -o descriptors -lpthread || return
    PROF_CLOCK=tsc LD_PRELOAD=$so timeout -s KILL 60 ./descriptors 3000 >out 2>err
    status=$?; want_status 0; want_quiet
    grep -qx '0 other numbers, 0 lost' out || cat out
}
# A program locks its own file, to run only once. To find the name of a spawn site, libprof reads
# that file. The lock of a process ends when the process closes any descriptor of the file.
own_lock() {
    cat >lock.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static void *thread(void *argument) { return argument; }
int main(int argc, char **argv)
{
    struct flock lock = { .l_type = F_RDLCK }, other = { .l_type = F_WRLCK };
    pthread_t t;
    (void)argc;
    if (fcntl(open(argv[0], O_RDONLY), F_SETLK, &lock))
        return 2;
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
    if (fork() == 0) {
        fcntl(open(argv[0], O_RDONLY), F_GETLK, &other);
        _exit(other.l_type == F_UNLCK);
    }
    int status;
    wait(&status);
    puts(status ? "lost" : "held");
    return 0;
}
END
    gcc -O2 lock.c -o lock -lpthread || return
    LD_PRELOAD=$so timeout -s KILL 60 ./lock >out 2>err
    status=$?; want_status 0; want_quiet
    grep -qx held out || cat out
}
# The thread that ends the process has the program's descriptors: what stdio holds back is written.
last_output() {
    cat >last.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *thread(void *us) { usleep((long)us); return us; }
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, 0, thread, (void *)(long)atoi(argv[argc - 1]));
    printf("held back");
    pthread_exit(0);
}
END
    gcc -O2 last.c -o last -lpthread || return
    for checkpoint in 0 1; do
        for us in 0 100 1000 12000 50000; do
            PROF_CLOCK=tsc PROF_CHECKPOINT=$checkpoint LD_PRELOAD=$so timeout -s KILL 20 ./last \
                $us >out 2>err
            status=$?; want_status 0; want_quiet; grep -qx 'held back' out || echo \
                "checkpoint $checkpoint, $us us: $(cat out)"
        done
    done
}
mgb() { PROF_CLOCK=tsc sh "$here/mgb.sh" "$build"; code=$?; [ $code != 77 ] || { echo \
    "mathicgb is not installed"; exit 77; }; }

case_ exit-race exit_race
case_ join-memory join_memory
case_ detach-memory detach_memory
case_ destructor-memory destructor_memory
case_ namespace-keys namespace_keys
case_ special-file special_file
case_ stderr-reused stderr_reused
case_ stderr-full stderr_full
case_ stderr-gone stderr_gone
case_ chdir chdir_
case_ file-size-limit-fatal fsize
case_ main-gone main_gone
case_ main-leaves main_leaves
case_ memcheck memcheck
case_ valgrind-deepens valgrind_deepens
case_ bench-clock bench_clock
case_ setuid setuid_
case_ privileged privileged
case_ cancel-pending cancel_pending
case_ alarm alarm_
case_ fork-storm fork_storm
case_ fork-graph fork_graph
case_ fork-libgomp fork_libgomp
case_ fork-libomp fork_libomp
case_ signal-mask mask
case_ errno errno_
case_ join-cancelled join_cancelled
case_ create-cancelled create_cancelled
case_ limited limited
case_ controls controls
case_ arena-before arena_before
case_ resubmit resubmit
case_ preview-graph preview_graph
case_ rust rust
case_ output-pattern output_pattern
case_ run-children run_children
case_ run-pid run_pid
case_ settings-documented settings_documented
case_ third-party-agent third_party_agent
case_ forkjoin-agent forkjoin_agent
case_ callbacks callbacks
case_ stripped-callers stripped_callers
case_ tail-calls tail_calls
case_ many-callers many_callers
case_ plugins plugins
case_ plugins-busy plugins_busy
case_ plugins-reloaded plugins_reloaded
case_ plugins-many plugins_many
case_ plugins-asleep plugins_asleep
case_ wait-kinds wait_kinds
case_ plugins-global plugins_global
case_ plugins-end plugins_end
case_ refused-reads refused_reads
case_ processors processors
case_ bound-threads bound_threads
case_ forked-workers forked_workers
case_ traced traced
case_ unwinders unwinders
case_ initialiser-gcc initialiser_gcc
case_ initialiser-gcc-thread initialiser_gcc_thread
case_ initialiser-clang initialiser_clang
case_ initialiser-tbb initialiser_tbb
case_ own-descriptors own_descriptors
case_ own-lock own_lock
case_ last-output last_output
case_ mgb mgb
rm -f "$cpu_tmp"
[ $failures = 0 ] && rm -rf "$tmp"
exit $failures
