#!/bin/bash
# instructions.sh [-n TASKS] [-l LIBRARY] [RUNTIME-NAME...] - instructions of libprof, and readings
# of its clock, a construct. One thread runs under callgrind, so no load of the machine changes the
# figures: each is the difference of two runs, of TASKS constructs and of three times as many. What
# hangs on the time (which of two tasks took longer) changes them by some parts in a thousand.
# `more`: what the runtime does more than natively. Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
library=$here/build/libprof.so tasks=1000
while getopts n:l: o; do
    case $o in
    n) tasks=$OPTARG ;;
    l) library=$(realpath "$OPTARG") ;;
    *) echo "usage: $0 [-n tasks] [-l libprof.so] [runtime-name...]" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 1
export PROF_OUTPUT=$dir/p.prof PROF_SAMPLE=off PROF_CHECKPOINT=0 PROF_BURDEN=1000
export OMP_NUM_THREADS=1 OMP_DYNAMIC=false
gcc -O2 -shared -fPIC "$here/bench/instructions_window.c" -o window.so || exit 1
build() { # RUNTIME
    case $1 in
    tbb) g++ -std=c++17 -O2 "$here/bench/own_cost_tbb.cc" -o tbb -ltbb ;;
    thread) gcc -O2 "$here/bench/own_cost_thread.c" -o thread -pthread ;;
    libgomp) gcc -O1 -fopenmp "$here/bench/constructs.c" -o libgomp ;;
    libomp) command -v clang >/dev/null &&
        clang -O1 -fopenmp "$here/bench/constructs.c" -o libomp ;;
    esac
}
export QUICK_GAPS=$(nm "$library" | awk '
    $3 ~ /^(clock_quick_gap|clock_short_gap|typical_least)$/ { printf "%s ", $1 }')
objdump -d --no-show-raw-insn "$library" |
    awk '$2 == "rdtsc" { sub(":", "", $1); print "0x" $1 }' >readings
[ -n "$QUICK_GAPS" ] && [ -s readings ] || { echo "$0: $library has no symbols" >&2; exit 1; }

run() { # PRELOAD TASKS: instructions of libprof, readings, other instructions
    rm -f counts*
    LD_PRELOAD="$dir/window.so $1" valgrind -q --tool=callgrind --dump-instr=yes --compress-pos=no \
        --compress-strings=no --callgrind-out-file=counts ./$runtime "$name" "$2" 0 1 >/dev/null
    awk 'NR == FNR { reading[$1]; next }
         /^ob=/ { ours = /\/libprof\.so$/ }
         /^fn=/ { once = /^fn=median/ }     # calibrates: so many as the times happen to need
         /^calls=/ { called = 1; next }
         /^0x/ { if (called) called = 0     # what the callee took in all
                 else if (once) next
                 else if (!ours) others += $3
                 else { own += $3; if ($1 in reading) readings += $3 } }
         END { print own + 0, readings + 0, others + 0 }' readings counts.1
}
table runtime construct native more libprof readings
for runtime in tbb libgomp libomp thread; do
    [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -q "^$runtime-" && continue
    build $runtime || continue
    for name in $(./$runtime | grep -v calls); do
        [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "$runtime-$name" && continue
        row $runtime $name $(echo $(run "$library" $tasks) $(run "$library" $((3 * tasks))) \
            $(run '' $tasks) $(run '' $((3 * tasks))) $((2 * tasks)) |
            awk '{ more = sprintf("%.0f", ($6 - $3 - $12 + $9) / $13)     # "-0" is 0
                   printf "%.0f %d %.0f %.2f", ($12 - $9) / $13, more, ($4 - $1) / $13,
                          ($5 - $2) / $13 }')
    done
done
