#!/bin/sh
# check.sh BUILD - a debug build: its assertions (preload/dag/valid.c) find deliberate
# damage, and nothing in what the constructs of TBB and OpenMP do, each once on few workers, nor in
# the unit tests. libprof.so is built anew, with DEBUG=2 in a directory of its own; the programs are
# BUILD's.
#   CHECK_DEBUG=3           the level
build=$(cd "$1" && pwd) level=${CHECK_DEBUG:-2}
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
debug=$build-debug$level status=0

units=$debug/unit/test_bag
for test in tests/unit/test_engine*.c; do units="$units $debug/unit/$(basename "$test" .c)"; done
# shellcheck disable=SC2086  # UNITS is a list
MAKEFLAGS= make -s -j2 DEBUG="$level" O="$debug" "$debug/libprof.so" "$debug/debug/corrupt" $units \
    >"$tmp/log" 2>&1 || { echo "FAIL debug/build: $(grep -m1 error "$tmp/log")"; exit 1; }
echo 'PASS debug/build'

# Each sort of damage: SIGABRT, and one line that names the assertion where it stands.
for case in $("$debug/debug/corrupt" --list); do
    "$debug/debug/corrupt" "$case" >"$tmp/expect" 2>"$tmp/err"
    code=$?
    if [ "$case" = clean ]; then
        wrong=$([ $code = 0 ] && [ "$(cat "$tmp/expect")" = clean ] && [ ! -s "$tmp/err" ] ||
            echo "status $code, said: $(head -c 300 "$tmp/err")")
    else
        at=$(sed -n '1s/^libprof: \([^: ]*:[0-9]*\): not so: .*/\1/p' "$tmp/err") \
            said=$(sed '1s/^\(libprof: [^:]*\):[0-9]*:/\1:/; q' "$tmp/err")
        wrong=
        [ $code = 134 ] || wrong="status $code"
        [ "$said" = "libprof: $(cat "$tmp/expect")" ] ||
            wrong="$wrong said: $(head -c 300 "$tmp/err") for: $(cat "$tmp/expect")"
        sed -n "${at##*:}p" "${at%:*}" 2>/dev/null | grep -q 'ASSERT' ||
            wrong="$wrong no assertion at $at"
    fi
    if [ -n "$wrong" ]; then echo "FAIL debug/corrupt-$case: $wrong"; status=1; else echo \
        "PASS debug/corrupt-$case"; fi
done

# The random programs take long at this level: two tests of them, and the cases by hand but those
# that need a real clock or many tasks.
unit() { # FILE FILTER AT-LEAST
    "$debug/unit/test_$1" --tap --jobs 2 --filter "$2" >"$tmp/tap" 2>"$tmp/err"
    code=$? passed=$(grep -c '^ok' "$tmp/tap")
    if [ $code = 0 ] && [ "$passed" -ge "$3" ]; then echo "PASS debug/unit-$1"; else
        echo "FAIL debug/unit-$1: status $code, $passed passed;" \
            "$(grep -m3 '^not ok' "$tmp/tap") $(grep -m1 'not so' "$tmp/err")"
        status=1
    fi
}
unit bag 'bag/*' 4
unit engine 'engine/random_programs_@(threads|discard)' 2
unit engine_prefixes 'engine/*' 7
unit engine_joins 'engine/@(late_join|foreign*)' 3
unit engine_edges 'engine/*' 4
unit engine_sums 'engine/regions' 1
unit engine_threads 'engine/unknown*' 1

# Several threads wait for one task_group at the same time: none frees what another one has freed.
g++ -std=c++17 -O2 tests/debug/waiters.cpp -o "$tmp/waiters" -ltbb -pthread 2>"$tmp/log" ||
    head -1 "$tmp/log"
said=$(PROF_OUTPUT=$tmp/waiters.prof LD_PRELOAD=$debug/libprof.so timeout -s KILL 120 \
    "$tmp/waiters" 2>&1)
if [ "$said" = '80000 tasks' ]; then echo 'PASS debug/waiters'; else echo \
    "FAIL debug/waiters: $said"; status=1; fi

# The same of a flow graph, into which threads that come and go put messages meanwhile.
g++ -std=c++17 -O2 tests/debug/putters.cpp -o "$tmp/putters" -ltbb -pthread 2>"$tmp/log" ||
    head -1 "$tmp/log"
for waiters in 1 3; do
    said=$(PROF_OUTPUT=$tmp/putters.prof LD_PRELOAD=$debug/libprof.so \
        timeout -s KILL 120 "$tmp/putters" 60 $waiters 2>&1)
    if [ "$said" = 'done' ]; then echo "PASS debug/putters-$waiters"; else echo \
        "FAIL debug/putters-$waiters: $said"; status=1; fi
done

# Storms of all that races, with checkpoints meanwhile: no assertion fails, no result is wrong, and
# the profile can be read. An assertion of libomp's own (kmp_tasking.cpp:2895) also fails without
# libprof (docs/AGENTS-OPENMP.md): then the storm begins anew. Anything else is a failure.
storm() { # RUNTIME WIDTH COMMAND...
    runtime=$1 width=$2
    shift 2
    for _ in 1 2 3; do
        said=$({ OMP_CANCELLATION=true OMP_WAIT_POLICY=passive OMP_NUM_THREADS=$width \
            PROF_CHECKPOINT=1 PROF_OUTPUT=$tmp/storm.prof LD_PRELOAD=$debug/libprof.so \
            timeout -s KILL 120 "$@" 2>&1 || echo "status $?"; } | grep -v '^TBB Warning' | grep .)
        case $said in *'Assertion failure at kmp_tasking.cpp(2895)'*) ;; *) break ;; esac
    done
    if [ "$said" != 'done' ]; then
        wrong="said: $said"
    else
        wrong=$("$build/prof" report --json "$tmp/storm.prof" 2>&1 |
            jq -e '.program | .work_ns > 0 and .span_ns > 0 and .span_ns <= .work_ns' 2>&1) &&
            wrong= || wrong="profile: $wrong"
    fi
    if [ -z "$wrong" ]; then echo "PASS debug/storm-$runtime-$width"; else
        echo "FAIL debug/storm-$runtime-$width: $wrong"; status=1; fi
    rm -f "$tmp/storm.prof"
}
build_storm() { # RUNTIME SOURCE COMPILER OPTION
    { "$3" -std=c++17 -O1 "tests/debug/storm_$2.cpp" -o "$tmp/storm_$1" "$4" -pthread -ldl &&
        "$3" -std=c++17 -O2 -DPLUGIN -fPIC -shared "tests/soak/$2.cpp" -o "$tmp/storm_$1.so" "$4" \
            -pthread; } 2>"$tmp/log" || head -1 "$tmp/log"
}
build_storm tbb tbb g++ -ltbb
build_storm openmp openmp g++ -fopenmp
command -v clang++ >/dev/null && build_storm libomp openmp clang++ -fopenmp
for width in 2 4; do
    storm tbb $width "$tmp/storm_tbb" 40 $width "$tmp/storm_tbb.so"
    storm openmp $width "$tmp/storm_openmp" 100 "$tmp/storm_openmp.so" $width come
    if command -v clang++ >/dev/null; then
        storm libomp $width "$tmp/storm_libomp" 50 "$tmp/storm_libomp.so" $width stay
    else
        echo "SKIP debug/storm-libomp-$width: no clang++"
    fi
done

mkdir "$tmp/build" && ln -s "$build/programs" "$build/openmp" "$build/prof" "$debug/libprof.so" \
    "$tmp/build/" || exit 1
{
    export CHECK_REPEATS="${CHECK_REPEATS:-1}" CHECK_CONSTRUCTS_ALONE=1
    CHECK_WORKERS='1 4' CHECK_REAL=4 sh tests/programs/check.sh "$tmp/build"
    CHECK_WORKERS='2 4' sh tests/openmp/check.sh "$tmp/build"
} >"$tmp/out"
sed 's,^\([A-Z]*\) \(programs\|openmp\)/,\1 debug/\2/,' "$tmp/out"
grep -q '^FAIL' "$tmp/out" && status=1
exit $status
