#!/bin/bash
# budget.sh [-m] [-n ROUNDS] [-l LIBRARY] [RUNTIME-NAME...] - what libprof adds to a construct on
# one thread, beside its budget: readings of the clock and ns. The constructs are empty. A reading
# is measured in the same run, so that the budget is the same on every machine. The costs are
# differences of medians of interleaved rounds, or with -m of their minima, which the load of other
# programs hardly changes. Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
rounds=9 library=$here/build/libprof.so times=100000 of=median
while getopts mn:l: o; do
    case $o in
    m) of=least ;;
    n) rounds=$OPTARG ;;
    l) library=$(realpath "$OPTARG") ;;
    *) echo "usage: $0 [-m] [-n rounds] [-l libprof.so] [runtime-name...]" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
# A task may cost three readings and 40 ns (TBB) or 60 ns (OpenMP). A chunk of a loop, a barrier, a
# lock and an undeferred task: two and 30 ns. A dependence adds 100 ns, a taskgroup or taskwait as
# much as a barrier. A message of a flow graph: 150 ns.
budgets="tbb group_few 3 40
tbb group_many 3 40
tbb group_tree_one 3 40
tbb group_tree_two 6 80
tbb invoke 6 80
tbb pfor_grain1 2 30
tbb reduce_grain1 2 30
tbb flow_serial 0 150
tbb flow_functions 0 150
tbb flow_chain 0 150
openmp task 3 60
openmp task_untied 3 60
openmp taskloop 3 60
openmp task_depend 3 160
openmp taskwait 5 90
openmp taskgroup 5 90
openmp task_if0 2 30
openmp task_final 2 30
openmp task_depend_if0 2 130
openmp loop_static 2 30
openmp loop_dynamic 2 30
openmp loop_ordered 4 60
openmp doacross 2 130
openmp single 2 30
openmp barrier 2 30
openmp critical 2 30
openmp lock 2 30"
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
reading=$("$here/bench/clock.sh" -b "$(dirname "$library")" 0 |
    awk '$1 == "tsc" && $2 ~ /^[0-9]/ { print $2; exit }')
cd "$dir" && [ -n "$reading" ] || exit 1
export OMP_NUM_THREADS=1 OMP_DYNAMIC=false PROF_OUTPUT=$dir/p.prof
g++ -std=c++17 -O2 "$here/bench/own_cost_tbb.cc" -o tbb -ltbb || exit 1
gcc -O1 -fopenmp "$here/bench/constructs.c" -o libgomp || exit 1
command -v clang >/dev/null && clang -O1 -fopenmp "$here/bench/constructs.c" -o libomp

run() { # PRELOAD: ns a construct
    LD_PRELOAD=$1 ./$runtime "$name" $times 1 1 |
        awk -v n=$([ $runtime = tbb ] && echo $times || echo 1) '{ print $1 / n }'
}
least() { sort -g "$1" | head -1; }
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
echo "A reading of the clock takes $reading ns."
echo
table runtime construct 'native, ns' 'more, ns' budget 'budget, ns' 'more / budget'
for runtime in tbb libgomp libomp; do
    [ -x $runtime ] || continue
    echo "$budgets" | while read -r family name readings ns; do
        [ $family = tbb ] && [ $runtime != tbb ] && continue
        [ $family = openmp ] && [ $runtime = tbb ] && continue
        [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "$runtime-$name" && continue
        : >native >preloaded
        for ((i = 0; i < rounds; i++)); do
            run '' >>native && run "$library" >>preloaded || exit 1
        done
        echo "$($of native) $($of preloaded) $readings $ns $reading" | awk -v r=$runtime \
            -v name="$name" '{ more = $2 - $1; budget = $3 * $5 + $4
                printf "| %s | %s | %.1f | %.1f | %s%d ns | %.0f | %.2f |\n", r, name, $1, more,
                       $3 ? $3 " readings + " : "", $4, budget, more / budget }'
    done || exit 1
done
