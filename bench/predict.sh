#!/bin/bash
# predict.sh [-l LIBRARY] [-n ROUNDS] - is prof predict right? What the examples take on 1 and on 2 workers, without libprof, beside
# what is predicted from profiles of 1 and of 2 workers. Rounds are interleaved; medians. T_1 is measured as the CPU time of a
# run on one worker, which other programs on the machine do not lengthen much. T_2 can only be the elapsed time: it is
# compared where two cores were free for it: the load is below 2.5 and a run on one worker has got all of one (5 %).
here=$(cd "$(dirname "$0")/.." && pwd)
library=$here/build/libprof.so rounds=7
while getopts l:n: option; do
    case $option in l) library=$(realpath "$OPTARG") ;; n) rounds=$OPTARG ;; *) exit 2 ;; esac
done
build=$(dirname "$library")
dir=$(mktemp -d) && trap 'rm -rf "$dir" "$table"' EXIT
export PROF_OUTPUT=$dir/p.prof PROF_CHECKPOINT=0 PROF_QUIET=1
table=$(mktemp)
TIMEFORMAT='%3R %3U %3S'

programs=(
    "fib 30" "fib 30 two" "quicksort 2000000" "mm 512" "cholesky 1200" "pfor 5000000" "tree_sum 4000000" "stencil outer"
    "openmp/nqueens 11" "openmp/sparselu" "openmp/strassen" "openmp/fib-libomp 26"
)

execute() { # P
    case $program in
    openmp/*) OMP_NUM_THREADS=$1 "$build/examples/"$program ;;
    *) "$build/examples/"${program%% *} -t "$1" ${program#"${program%% *}"} ;;
    esac >/dev/null 2>"$dir/err" || echo "$program: $(head -1 "$dir/err")" >"$dir/wrong"
}

measure() { # P NAME: elapsed and CPU time in ms to NAME.elapsed and NAME.cpu
    { time execute "$1"; } 2>&1 | tail -1 |
        awk -v name="$dir/$2" '{ print 1000 * $1 >> (name ".elapsed"); print 1000 * ($2 + $3) >> (name ".cpu") }'
}

median() { sort -n "$@" | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

printf '%-22s%34s%34s\n' "" "---- P = 1, ms, error in % -----" "---- P = 2, ms, error in % -----"
printf '%-22s%8s %12s %12s %8s %12s %12s\n' "" measured "from 1" "from 2" measured "from 1" "from 2"
for program in "${programs[@]}"; do
    [ -x "$build/examples/${program%% *}" ] || continue
    rm -f "$dir"/*
    for ((i = 0; i < rounds; i++)); do
        for p in 1 2; do
            measure $p native$p
            rm -f "$dir/p.prof"
            (export PROF_DAG=64m LD_PRELOAD=$library; execute $p)
            "$build/prof" predict --csv -n 1 -P 1,2 "$dir/p.prof" 2>>"$dir/wrong" |
                awk -F, -v name="$dir/from$p" 'NR > 1 { print $2 / 1e6 >> (name "to" $1) }'
        done
    done
    [ -s "$dir/wrong" ] && { head -1 "$dir/wrong"; continue; }
    awk -v program="$program" -v one="$(median "$dir/native1.cpu")" -v elapsed="$(median "$dir/native1.elapsed")" \
        -v two="$(median "$dir/native2.elapsed")" -v a="$(median "$dir/from1to1")" -v b="$(median "$dir/from2to1")" \
        -v load="$(cut -d' ' -f1 /proc/loadavg)" -v c="$(median "$dir/from1to2")" -v d="$(median "$dir/from2to2")" '
        function beside(t, of) { return sprintf("%6.0f %5.1f", t, 100 * (t / of - 1)) }
        BEGIN {
            printf "%-22s%8.0f %12s %12s", program, one, beside(a, one), beside(b, one)
            if (elapsed < 1.05 * one && load < 2.5)
                printf " %8.0f %12s %12s\n", two, beside(c, two), beside(d, two)
            else
                printf " %8s %6.0f %5s %6.0f %5s\n", "busy", c, "", d, ""
        }'
done | tee "$table"
awk 'function add(x) { print x < 0 ? -x : x } { for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9]+\.[0-9]$/) add($i) }' "$table" |
    median | sed 's/^/median error, %: /'
