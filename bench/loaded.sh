#!/bin/bash
# loaded.sh [-l LIBRARY] [-n RUNS] [-s "SPINNERS..."] [NAME...] - does the ledger close on a busy
# machine, and are work and parallelism those of a quiet one? Each program on two threads, alone and
# beside spinning programs: the rows that are on the CPU beside the kernel's count, as in ledger.sh
# (the worst of the runs), work and parallelism (least to most). A run that takes a minute is left
# out, and counted in the last column. Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
library=$here/build/libprof.so runs=5 loads='0 6 30'
while getopts l:n:s: option; do
    case $option in
    l) library=$(realpath "$OPTARG") ;;
    n) runs=$OPTARG ;;
    s) loads=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
prof=$(dirname "$library")/prof examples=$here/build/examples
dir=$(mktemp -d) spinners=
trap '[ -z "$spinners" ] || kill $spinners; rm -rf "$dir"' EXIT
export OMP_NUM_THREADS=2
for cc in gcc clang; do
    $cc -O2 -g -fopenmp "$here/bench/loaded.c" -o "$dir/loaded-$cc" -lm -pthread || exit 1
done
printf '%s\n' "fft-libgomp $dir/loaded-gcc fft" "fft-libomp $dir/loaded-clang fft" \
    "loops-libgomp $dir/loaded-gcc loops" "loops-libomp $dir/loaded-clang loops" \
    "cilksort $examples/cilksort -t 2" "pfor $examples/pfor -t 2" \
    "short-threads $dir/loaded-gcc short" "mutex $dir/loaded-gcc mutex" \
    "asleep $dir/loaded-gcc asleep" >"$dir/programs"

spin() { # N: so many spinning programs, and no more
    [ -z "$spinners" ] || kill $spinners
    spinners=
    for _ in $(seq "$1"); do
        sh -c 'while :; do :; done' &
        spinners="$spinners $!"
    done
}
table program spinners 'rows / kernel' 'work, ms' parallelism 'idle, ready, ms' 'left out'
for load in $loads; do
    spin "$load"
    while read -r name command; do
        [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "$name" && continue
        for _ in $(seq "$runs"); do
            rm -f "$dir/p.prof"
            # shellcheck disable=SC2086
            PROF_OUTPUT=$dir/p.prof LD_PRELOAD=$library timeout 60 $command \
                >/dev/null 2>&1 </dev/null || continue
            "$prof" report --json "$dir/p.prof" | jq -r '.ledger as $l |
                ($l.kernel_cpu_ns - $l.cpu_before_libprof_ns - $l.cpu_of_start_and_end_ns) as $k |
                "\(100 * ($l.on_cpu_ns / $k - 1)) \(.program.work_ns / 1e6)" +
                " \(.program.parallelism) \(($l.sleep_run_delay_ns // 0) / 1e6)"'
        done | awk -v name="$name" -v spinning="$load" -v runs="$runs" '
            function least(a, b) { return a == "" || b < a ? b : a }
            function most(a, b) { return a == "" || b > a ? b : a }
            { if ($1 * $1 >= worst * worst) worst = $1; w = least(w, $2 + 0); W = most(W, $2 + 0)
              p = least(p, $3 + 0); P = most(P, $3 + 0); r = least(r, $4 + 0); R = most(R, $4 + 0) }
            END { if (!NR) { printf "| %s | %d | | | | | %d |\n", name, spinning, runs; exit }
                  printf "| %s | %d | %+.2f %% | %.0f - %.0f | %.2f - %.2f | %.0f - %.0f | %d |\n",
                      name, spinning, worst, w, W, p, P, r, R, runs - NR }'
    done <"$dir/programs"
done
