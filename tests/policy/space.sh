# space.sh - sourced by check.sh: the address space, the stack and the thread-local memory of a
# program, with and without libprof.

# The growth of a program's address space (footprint.c) is not much more than without libprof, whose
# tables grow with their use.
foot=$tmp/foot
mkdir -m 755 "$foot" && chmod 755 "$tmp" && cp "$so" "$foot/libprof.so"
# (Before glibc 2.34, libprof.so needs libdl, which is not libprof's own memory.)
gcc -O2 -g "$here/footprint.c" -o "$foot/footprint" -pthread -Wl,--no-as-needed -ldl ||
    echo "FAIL policy/footprint: the program does not compile"
# The values that COMMAND printed after NAME, natively and with libprof. It may print nothing else.
grown() { # NAME COMMAND...
    name=$1 native= profiled=; shift
    mkdir -p -m 777 "$foot/out"; rm -f "$foot"/out/*
    native=$(MALLOC_ARENA_MAX=1 timeout 60 "$@" 2>"$tmp/err" |
        sed -n "s/.*\b$name \([0-9]*\).*/\1/p")
    profiled=$(MALLOC_ARENA_MAX=1 PROF_OUTPUT=$foot/out/%p.prof LD_PRELOAD=$foot/libprof.so \
        timeout 60 "$@" 2>"$tmp/err" | sed -n "s/.*\b$name \([0-9]*\).*/\1/p")
    [ -n "$native" ] && [ -n "$profiled" ] || echo "no \"$name\""
    [ -s "$tmp/err" ] && cat "$tmp/err"
}
within() { [ -n "$native" ] && [ -n "$profiled" ] && [ $((profiled - native)) -le "$1" ] ||
    echo "$profiled KB, $native natively: more than $1 KB are libprof's"; }
spawns() { got=$("$prof" report --json "$foot"/out/*.prof | jq .program.spawns); [ "$got" = \
    "$1" ] || echo "$got spawns for $1"; }
wants footprint-start && found "$(grown base "$foot/footprint" live 1; within 2048)"
wants footprint-thread &&
    found "$(grown grown "$foot/footprint" live 1000; within $((1000 * 72 + 2048))
    spawns 1000)"
# the kernel lets a process have so many mappings, and a thread needs two natively
few_mappings() { # THREADS MORE
    grown mappings "$foot/footprint" live "$1"
    [ -n "$native" ] && [ -n "$profiled" ] && [ $((profiled - native)) -le "$2" ] ||
        echo "$profiled mappings, $native natively: more than $2 are libprof's"
}
if "$foot/footprint" live 4000 >"$tmp/out" 2>&1 && grep -q mappings "$tmp/out"; then
    wants footprint-mappings && found "$(few_mappings 4000 7500)"
else
    echo "SKIP policy/footprint-mappings: 4000 threads are too many here"
fi
wants footprint-short-threads && found "$(grown grown "$foot/footprint" short 20000; within 512
    spawns 21000)"
if has_tbb footprint-thread-tasks; then
    g++ -O2 "$here/footprint.cpp" -o "$foot/tasks" -ltbb -pthread ||
        echo "FAIL policy/footprint-thread-tasks: the program does not compile"
    wants footprint-thread-tasks &&
        found "$(grown grown "$foot/tasks" 200; within $((200 * 120 + 4096))
        spawns 4200)"
fi
wants footprint-address-space &&
    found "$(grown grown prlimit --as=402653184 "$foot/footprint" live 1000
    within $((1000 * 72 + 2048)); spawns 1000)"
# All memory is locked, by a user who may not lock much. The first sample on the CPU and the first
# off it map a table of 256 KB each (sampling/timed_samples.h); pages for what samples hit follow.
nobody=; [ "$(id -u)" = 0 ] && nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
locked() { # THREADS KB SAMPLE
    export PROF_SAMPLE=$3
    grown locked prlimit --memlock=8388608:8388608 $nobody "$foot/footprint" locked "$1"
    within "$2"; spawns "$1"
}
wants footprint-locked && found "$(locked 8 2624 off)"
wants footprint-locked-one && found "$(locked 1 2112 off)"
wants footprint-locked-sampled && found "$(locked 8 $((2624 + 2 * 264 + 8 * 8)) cpu:250)"

# What hooks use of the program's stack (depth.cpp): 1 KB more than the call does natively, at the
# first call of a process, too; 384 bytes more than that where a task is called at once, outside of
# regions. A wait may run tasks: so a call is at fault if it is three times.
depth=$tmp/depth tbb_calls='group loop enqueue' tbb=-ltbb
if [ -n "$no_tbb" ]; then
    has_tbb $(printf 'depth-%s ' $tbb_calls)
    tbb_calls='' tbb=-DNO_TBB
fi
g++ -std=c++17 -O2 -g -Wall -fopenmp -I"$here/../../include" "$here/depth.cpp" -o "$depth" $tbb \
    -pthread -ldl || echo "FAIL policy: depth.cpp does not compile"
profiled() { PROF_OUTPUT=$tmp/depth.prof LD_PRELOAD=$so "$@" 2>&1; }
goes_deep() { # CALL BYTES
    for _ in 1 2 3; do
        wrong=$(echo "$(LD_BIND_NOW=1 "$depth" of "$1")" \
            "$(LD_BIND_NOW=1 profiled "$depth" of "$1")" |
            awk -v most="$2" 'NF != 8 || $6 - $2 > most || $8 - $4 > most {
                print "natively " $2 " " $4 ", profiled " $6 " " $8 }')
        [ -n "$wrong" ] || return
    done
    echo "$wrong"
}
for call in thread detached $tbb_calls region tasks annotated fork exec begin; do
    wants depth-$call && found "$(goes_deep $call 1024)"
done
wants depth-task && found "$(goes_deep task 1408)"
lives() { # ARGUMENTS...: natively and profiled
    native=$(LD_BIND_NOW=1 "$depth" "$@"; echo "status $?")
    got=$(LD_BIND_NOW=1 profiled "$depth" "$@"; echo "status $?")
    [ "$got" = "$native" ] && [ "$native" != "status 139" ] || echo "$* $got, natively $native"
}
wants stack-nearly-full && found "$(for call in thread detached $tbb_calls region task tasks \
    annotated fork exec _exit
    do lives left 2048 $call; done 2>&1)"
wants stack-least &&
    found "$(for bytes in 6000 7000 8000 8500 9000; do lives used $bytes; done 2>&1)"

# Thread-local memory is part of the stacks that libprof's threads ask for. There must be
# checkpoints and off-CPU samples all the same.
blocked_in() { # FUNCTION COMMAND...: that sleeps there
    function=$1; shift
    rm -f "$foot/out/tls.prof"
    PROF_CHECKPOINT=1 PROF_OUTPUT=$foot/out/tls.prof LD_PRELOAD=$so "$@" >/dev/null 2>"$tmp/err" & \
        pid=$!
    i=0
    while [ $i -lt 300 ] && ! "$prof" report --json "$foot/out/tls.prof" 2>/dev/null |
        jq -e --arg at "$function" 'any(.findings[]; .id == "sleep" and .place.function == $at)' \
            >/dev/null; do sleep 0.1; i=$((i + 1)); done
    [ $i -lt 300 ] || echo "no checkpoint that says where it sleeps"
    kill -9 $pid; wait $pid 2>/dev/null
    quiet
}
for mb in 1 8; do
    gcc -O2 -g -DTLS_BYTES="($mb << 20)" "$here/footprint.c" -o "$foot/tls" -pthread
    wants thread-local-$mb && found "$(blocked_in sleep_with_tls "$foot/tls" tls 60)"
done
printf '%s\n' '#include <string.h>' '#include <unistd.h>' 'static char a[1 << 20];' \
    '#pragma omp threadprivate(a)' 'int main(void)' '{' '#pragma omp parallel num_threads(2)' \
    '    { memset(a, 1, sizeof a); sleep(60); }' '}' >"$foot/tls.c"
gcc -O2 -g -fopenmp "$foot/tls.c" -o "$foot/tls"
wants thread-local-openmp && found "$(blocked_in main "$foot/tls")"
