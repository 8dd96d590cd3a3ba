#!/bin/bash
# slowdown.sh [-n PAIRS] [-l LIBRARY] [NAME...] - what the preload costs: interleaved
# native/preloaded pairs, medians, and the ratio's spread (its quartiles). Nothing is asserted:
# machines are noisy.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
pairs=7 library=$here/build/libprof.so
while getopts n:l: o; do
    case $o in
    n) pairs=$OPTARG ;;
    l) library=$(realpath "$OPTARG") ;;
    *) echo "usage: $0 [-n pairs] [-l libprof.so] [name...]" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
examples=$(dirname "$library")/examples
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 1
export PROF_OUTPUT=$dir/bench.prof

# NAME|COMMAND; a program that prints "X ms" on stderr is timed by itself, others by the clock.
list="fib-1|$examples/fib -t 1 32
fib-2|$examples/fib -t 2 32
fib-two-spawns-1|$examples/fib -t 1 30 two
fib-invoke-1|$examples/fib -t 1 30 invoke
quicksort-2|$examples/quicksort -t 2
mm-2|$examples/mm -t 2 1024
cholesky-2|$examples/cholesky -t 2
stencil-outer-2|$examples/stencil -t 2 outer
stencil-inner-1|$examples/stencil -t 1 inner
pfor-grain1-1|$examples/pfor -t 1 20000000
omp-fib-1|$examples/openmp/fib -t 1 28
omp-fib-2|$examples/openmp/fib -t 2 28
omp-fib-libomp-1|$examples/openmp/fib-libomp -t 1 28
omp-fib-libomp-2|$examples/openmp/fib-libomp -t 2 28
omp-depend-1|$examples/openmp/wavefront -t 1 1200 2
omp-depend-2|$examples/openmp/wavefront -t 2 1200 2
omp-depend-libomp-1|$examples/openmp/wavefront-libomp -t 1 1200 2
mgb-hkatsura12|mgb gb hkatsura12-101 -threadCount 2 -reducer 26 -outputResult on"
input=$(find /usr/share/doc/mathicgb/examples -name hkatsura12-101.ideal 2>/dev/null | head -1)
[ -n "$input" ] && cp "$input" .

run_once() { # PRELOAD COMMAND...: milliseconds
    local preload=$1 start end ms
    shift
    start=$(date +%s%N)
    LD_PRELOAD=$preload "$@" >out 2>err || { echo "bench: $*: failed" >&2; return 1; }
    end=$(date +%s%N)
    ms=$(sed -n 's/^\([0-9.]*\) ms.*/\1/p' err | head -1)
    echo "${ms:-$(echo "$start $end" | awk '{printf "%.3f", ($2 - $1) / 1e6}')}"
}

table program 'native, ms' 'preloaded, ms' ratio quartiles 'ns a task, native' 'ns a task more'
echo "$list" | while IFS='|' read -r name command; do
    [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "$name" && continue
    command -v ${command%% *} >/dev/null || { echo "$name: not available" >&2; continue; }
    : >pairs
    for ((i = 0; i < pairs; i++)); do
        if ((i % 2)); then
            p=$(run_once "$library" $command) && n=$(run_once "" $command)
        else
            n=$(run_once "" $command) && p=$(run_once "$library" $command)
        fi || break
        echo "$n $p" >>pairs
    done
    tasks=$(sed -n 's/.* \([0-9]*\) tasks.*/\1/p' err | head -1)
    awk -v name="$name" -v tasks="${tasks:-0}" '
        function median(a, n) { return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2 }
        function sort(a, n,   i, j, t) {
            for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j] < a[j-1]; j--) { t = a[j];
                a[j] = a[j-1]; a[j-1] = t } }
        { x[NR] = $1; y[NR] = $2; r[NR] = $2 / $1 }
        END {
            if (!NR) exit
            sort(x, NR); sort(y, NR); sort(r, NR)
            n = median(x, NR); p = median(y, NR)
            printf "| %s | %.1f | %.1f | %.3f | %.3f-%.3f |", name, n, p, median(r, NR),
                r[int((NR + 3) / 4)], r[int((3 * NR + 3) / 4)]
            if (tasks) printf " %.1f | %.1f |\n", n * 1e6 / tasks, (p - n) * 1e6 / tasks
            else printf " | |\n"
        }' pairs
done
