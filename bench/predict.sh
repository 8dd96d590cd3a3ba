#!/bin/bash
# predict.sh [-l LIBRARY] [-n ROUNDS] [PROGRAM...] - is prof predict right? What the examples take
# on 1 and on 2 workers, without libprof, beside what is predicted from profiles of 1 and of 2
# workers. Rounds are interleaved; medians. Native runs are timed over the same part of their lives
# as profiled ones (stopwatch.c). T_1 is the CPU time of a run on one worker, which other programs
# on the machine do not lengthen much. T_2 can only be the elapsed time: runs count in which the
# threads waited less than 3 % of it for a CPU. With the right to do so (root) all runs go before
# other programs (chrt). *: prof predict says that strands are so short that libprof is part of what
# they cost; these rows are in no median.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
library=$here/build/libprof.so rounds=7
while getopts l:n: option; do
    case $option in l) library=$(realpath "$OPTARG") ;; n) rounds=$OPTARG ;; *) exit 2 ;; esac
done
shift $((OPTIND - 1))
build=$(dirname "$library")
dir=$(mktemp -d) && table=$(mktemp) && trap 'rm -rf "$dir" "$table" "$stopwatch"' EXIT
stopwatch=$(mktemp --suffix=.so) && ${CC:-cc} -O2 -fPIC -shared "$here/bench/stopwatch.c" \
    -o "$stopwatch" || exit 1
export PROF_OUTPUT=$dir/p.prof PROF_CHECKPOINT=0 PROF_QUIET=1
priority=$(chrt -f 10 true 2>"$dir/err" && echo 'chrt -f 10')

programs=(
    "fib 30" "fib 30 two" "quicksort 2000000" "mm 512" "cholesky 1200" "pfor 5000000" \
        "tree_sum 4000000" "stencil outer"
    "openmp/nqueens 11" "openmp/sparselu" "openmp/sparselu 24 48 depend" "openmp/wavefront" \
        "openmp/strassen" "openmp/fib-libomp 26"
)

execute() { # P PRELOAD [SETTING...]
    local p=$1 preload=$2
    shift 2
    case $program in
    openmp/*) $priority env OMP_NUM_THREADS=$p LD_PRELOAD=$preload "$@" \
        "$build/examples/"$program ;;
    *) $priority env LD_PRELOAD=$preload "$@" "$build/examples/"${program%% *} -t $p \
        ${program#"${program%% *}"} ;;
    esac >/dev/null 2>"$dir/err" || echo "$program: $(head -1 "$dir/err")" >"$dir/wrong"
}

median() { sort -n "$@" |
    awk '{ v[NR] = $1 }
    END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

[ $# -gt 0 ] && programs=("$@")
{
table program 'T_1 measured, ms' 'from 1 worker' 'from 2 workers' 'T_2 measured, ms' \
    'from 1 worker' 'from 2 workers'
for program in "${programs[@]}"; do
    [ -x "$build/examples/${program%% *}" ] || continue
    rm -f "$dir"/*
    for ((i = 0; i < rounds; i++)); do
        for p in 1 2; do
            execute $p "$stopwatch" STOPWATCH="$dir/native$p"
            rm -f "$dir/p.prof"
            execute $p "$library" PROF_DAG=64m
            "$build/prof" predict --csv -n 1 -P 1,2 "$dir/p.prof" 2>>"$dir/wrong" |
                awk -F, -v name="$dir/from$p" 'NR > 1 { print $2 / 1e6 >> (name "to" $1) }'
        done
    done
    [ -s "$dir/wrong" ] && { head -1 "$dir/wrong"; continue; }
    mark=$("$build/prof" predict "$dir/p.prof" 2>&1 | grep -q 'strands are so short' && echo ' *')
    awk '{ print $2 }' "$dir/native1" >"$dir/cpu"
    awk '$3 < 0.03 * $1 { print $1 }' "$dir/native2" >"$dir/elapsed"
    awk -v program="$program$mark" -v one="$(median "$dir/cpu")" -v two="$(median "$dir/elapsed")" \
        -v a="$(median "$dir/from1to1")" -v b="$(median "$dir/from2to1")" \
        -v c="$(median "$dir/from1to2")" -v d="$(median "$dir/from2to2")" '
        function beside(t, of) {
            return of ? sprintf("%.0f (%+.1f %%)", t, 100 * (t / of - 1)) : sprintf("%.0f", t) }
        BEGIN { printf "| %s | %.0f | %s | %s | %s | %s | %s |\n", program, one, beside(a, one),
            beside(b, one),
                       two ? sprintf("%.0f", two) : "busy", beside(c, two), beside(d, two) }'
done
} | tee "$table"
errors() { # COLUMN of the table: the sizes of the errors in brackets
    grep -v '\*' "$table" | cut -d'|' -f$(($1 + 1)) | sed -n 's/.*([+-]\([0-9.]*\) %).*/\1/p'
}
echo
for column in 3:'T_1 from 1' 4:'T_1 from 2' 6:'T_2 from 1' 7:'T_2 from 2'; do
    printf 'median error of %s: %s %%\n' "${column#*:}" "$(errors ${column%%:*} | median)"
done
