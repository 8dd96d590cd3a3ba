#!/bin/bash
# faults.sh [-b BUILD] [RUNS] - how often programs fail by faults of their runtimes: natively, under
# a preload that only spends time (faults_delay.c), and under libprof, in turn.
# docs/AGENTS-OPENMP.md and docs/AGENTS-TBB.md state the faults.
here=$(cd "$(dirname "$0")/.." && pwd)
build=$here/build
[ "$1" = -b ] && build=$(realpath "$2") && shift 2
. "$here/bench/print_table.sh"
runs=${1:-20}
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
cd "$here/bench" || exit 1
g++ -std=c++17 -O2 faults_tbb.cpp -o "$dir/tbb" -ltbb -pthread &&
    clang -O1 -fopenmp -fPIC -shared faults_omp.c -o "$dir/libfaults_omp.so" &&
    gcc -O1 -fopenmp faults_gomp.c -o "$dir/mixed" -L"$dir" -lfaults_omp -Wl,-rpath,"$dir" \
        -pthread &&
    gcc -O2 -fPIC -shared faults_delay.c -o "$dir/libdelay.so" -ldl || exit 1
ulimit -c 0

run() { # PRELOAD COMMAND...
    preload=$1
    shift
    PROF_OUTPUT="$dir/p" LD_PRELOAD=$preload timeout -s KILL 60 "$@" >/dev/null 2>&1
}

row_of() { # PROGRAM COMMAND...
    program=$1 native=0 delayed=0 profiled=0
    shift
    for _ in $(seq "$runs"); do
        run '' "$@" || native=$((native + 1))
        run "$dir/libdelay.so" "$@" || delayed=$((delayed + 1))
        run "$build/libprof.so" "$@" || profiled=$((profiled + 1))
    done 2>/dev/null
    row "$program" "$runs" "$native" "$delayed" "$profiled"
}

table program runs 'failed natively' 'with delays' 'under libprof'
row_of 'libgomp and libomp, threads end' "$dir/mixed" threads
row_of 'libgomp and libomp, teams of several sizes' "$dir/mixed" teams 1
row_of 'libgomp and libomp, teams of one size' "$dir/mixed" teams 0
row_of 'enqueue and suspend, arena (1, 1)' "$dir/tbb" 1 1 200
row_of 'enqueue and suspend, arena (1, 0)' "$dir/tbb" 1 0 200
row_of 'enqueue and suspend, arena (2, 1)' "$dir/tbb" 2 1 200
row_of 'enqueue and suspend, arena (2, 0)' "$dir/tbb" 2 0 200
