#!/bin/bash
# predict.sh [-l LIBRARY] [-n ROUNDS] - is prof predict right? Elapsed time of the examples on 1 and on 2 workers, native, beside
# what is predicted for these from profiles of 2 and of 1 workers. Rounds are interleaved; a program's time is the median, and
# the least, of the rounds. Other programs on the machine lengthen the runs on 2 workers: mind the spread.
here=$(cd "$(dirname "$0")/.." && pwd)
library=$here/build/libprof.so rounds=7
while getopts l:n: option; do
    case $option in l) library=$(realpath "$OPTARG") ;; n) rounds=$OPTARG ;; *) exit 2 ;; esac
done
build=$(dirname "$library")
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
export PROF_OUTPUT=$dir/p.prof PROF_CHECKPOINT=0 PROF_QUIET=1

programs=(
    "fib 32" "fib 31 two" "quicksort 4000000" "mm 1024" "cholesky 1500" "pfor 10000000" "tree_sum 10000000" "stencil outer"
    "openmp/nqueens 12" "openmp/sparselu" "openmp/strassen" "openmp/fib-libomp 28"
)

run() { # P: elapsed ms of $program
    local start=$EPOCHREALTIME
    case $program in
    openmp/*) OMP_NUM_THREADS=$1 "$build/examples/"$program >/dev/null 2>&1 ;;
    *) "$build/examples/"${program%% *} -t "$1" ${program#* } >/dev/null 2>&1 ;;
    esac || echo "$program: status $?" >&2
    local end=$EPOCHREALTIME
    echo $(((${end/./} - ${start/./}) / 100))
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

export -f run median
[ -t 1 ] || export TERM=dumb
printf '%-24s  %-22s  %-22s  %s\n' "" "P = 1, ms" "P = 2, ms" "error of the prediction from P' workers, %"
printf '%-24s  %6s %6s %8s  %6s %6s %8s  %8s %8s %8s %8s\n' "" median least predict. median least predict. "1 from 2" "2 from 2" "1 from 1" "2 from 1"
for program in "${programs[@]}"; do
    [ -x "$build/examples/${program%% *}" ] || continue
    rm -f "$dir"/*.ms
    for ((i = 0; i < rounds; i++)); do
        for p in 1 2; do
            run $p >>"$dir/native$p.ms"
            rm -f "$dir/p.prof"
            (export PROF_DAG=64m LD_PRELOAD=$library; run $p) >>"$dir/profiled$p.ms"
            "$build/prof" predict --csv -n 1 -P 1,2 "$dir/p.prof" 2>/dev/null | awk -F, -v d="$dir" -v from=$p 'NR > 1 {
                printf "%.0f\n", $2 / 1e5 >> (d "/from" from "to" $1 ".ms") }'
        done
    done
    for f in "$dir"/*.ms; do
        sort -n "$f" | awk -v name="$(basename "$f" .ms)" '{ v[NR] = $1 } END { print name, v[int((NR + 1) / 2)], v[1] }'
    done | awk -v program="$program" '
        { m[$1] = $2 / 10; l[$1] = $3 / 10 }
        function error(from, to) { return 100 * (m["from" from "to" to] / m["native" to] - 1) }
        END { printf "%-24s  %6.0f %6.0f %8.0f  %6.0f %6.0f %8.0f  %8.1f %8.1f %8.1f %8.1f\n", program, m["native1"], l["native1"],
              m["from2to1"], m["native2"], l["native2"], m["from2to2"], error(2, 1), error(2, 2), error(1, 1), error(1, 2) }'
done | tee "$dir/table"
awk 'function abs(x) { return x < 0 ? -x : x }
     { n = NF; print abs($(n - 3)); print abs($(n - 2)); }' "$dir/table" | median | sed 's/^/median error of predictions from 2 workers, %: /'
awk 'function abs(x) { return x < 0 ? -x : x }
     { n = NF; print abs($(n - 1)); print abs($n); }' "$dir/table" | median | sed 's/^/median error of predictions from 1 worker, %: /'
