#!/bin/bash
# constructs.sh [-n ROUNDS] [-l LIBRARY] [NAME...] - what OpenMP's constructs cost one thread,
# natively and under libprof, and how much of that the profile calls work: what libprof costs should
# not be in there. ns each, minima of interleaved rounds. Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/table.sh"
rounds=5 library=$here/build/libprof.so times=300000
while getopts n:l: o; do
    case $o in
    n) rounds=$OPTARG ;;
    l) library=$(realpath "$OPTARG") ;;
    *) echo "usage: $0 [-n rounds] [-l libprof.so] [name...]" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
prof=$(dirname "$library")/prof
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 1
export OMP_NUM_THREADS=1 PROF_OUTPUT=$dir/p.prof
least() { sort -g "$1" | head -1; }
work() { # TIMES: the profile's
    LD_PRELOAD=$library ./constructs "$name" $1 >out && "$prof" report --json p.prof |
        jq .program.work_ns
}
table runtime construct 'native, ns' 'libprof, ns' 'work, ns'
for compiler in gcc clang; do
    case $compiler in gcc) runtime=libgomp ;; *) runtime=libomp ;; esac
    command -v $compiler >/dev/null || continue
    $compiler -O1 -fopenmp "$here/bench/constructs.c" -o constructs || exit 1
    for name in $(./constructs); do
        [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "$name" && continue
        : >native >preloaded >work
        for ((i = 0; i < rounds; i++)); do
            ./constructs "$name" $times >>native && start=$(work 1) && all=$(work $times) || exit 1
            cat out >>preloaded
            echo "$all $start $times" | awk '{ print ($1 - $2) / ($3 - 1) }' >>work
        done
        row $runtime "$name" $(printf '%.1f %.1f %.1f' "$(least native)" "$(least preloaded)" \
            "$(least work)")
    done
done
