#!/bin/bash
# instructions.sh [-r] [-n TASKS] [-l LIBRARY] [RUNTIME-NAME...] - instructions of libprof, and
# readings of its clock, a construct. One thread runs under callgrind, so no load of the machine
# changes the figures: each is the difference of two runs, of TASKS constructs and of three times as
# many. What hangs on the time (which of two tasks took longer) changes them by some parts in a
# thousand. `more`: what the runtime does more than natively. -r: the instructions by the room that
# their source is in. Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
library=$here/build/libprof.so tasks=1000 by_room=
while getopts rn:l: o; do
    case $o in
    r) by_room=1 ;;
    n) tasks=$OPTARG ;;
    l) library=$(realpath "$OPTARG") ;;
    *) echo "usage: $0 [-r] [-n tasks] [-l libprof.so] [runtime-name...]" >&2; exit 2 ;;
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

counted() { # PRELOAD TASKS: `counts.1`
    rm -f counts*
    LD_PRELOAD="$dir/window.so $1" valgrind -q --tool=callgrind --dump-instr=yes --compress-pos=no \
        --compress-strings=no --callgrind-out-file=counts ./$runtime "$name" "$2" 0 1 >/dev/null
}
each='/^ob=/ { ours = /\/libprof\.so$/ }
    /^fn=/ { once = /^fn=median/ }      # calibrates: so many as the times happen to need
    /^calls=/ { called = 1; next }
    /^0x/ { if (called) called = 0      # what the callee took in all
            else if (!once) count($1, $3) }'
run() { # PRELOAD TASKS: instructions of libprof, readings, other instructions
    counted "$1" "$2"
    awk "NR == FNR { reading[\$1]; next } $each"'
         function count(at, n) {
             if (!ours) others += n
             else { own += n; if (at in reading) readings += n } }
         END { print own + 0, readings + 0, others + 0 }' readings counts.1
}
places() { # TASKS: addresses in libprof, and instructions at each
    counted "$library" "$1"
    awk "$each"' function count(at, n) { if (ours) own[at] += n }
                 END { for (at in own) print at, own[at] }' counts.1
}
rooms() { # instructions a construct, and "ROOM INSTRUCTIONS, ..."
    places $tasks >few
    places $((3 * tasks)) >many
    awk 'NR == FNR { few[$1] = $2; next } $2 != few[$1] { print $1, $2 - few[$1] }' few many >more
    cut -d' ' -f1 more | addr2line -a -i -e "$library" |
        awk '/^0x/ { at = $1; next } at { sub(/:.*/, ""); print at, $0; at = "" }' |
        sed "s,$here/\(\./\)*,," | paste -d' ' more - |
        awk -v constructs=$((2 * tasks)) '
            { room = $4 ~ /^\// || !sub(/\/[^\/]*$/, "", $4) ? "others" : $4
              sum[room] += $2; all += $2 }
            END { printf "%.0f\n", all / constructs
                  for (room in sum) printf "%s %.0f\n", room, sum[room] / constructs }' |
        sort -k2,2nr -k1,1 | awk 'NF == 1 { all = $1; next } $2 { list = list sep $0; sep = ", " }
                                  END { print all " | " list }'
}
if [ "$by_room" ]; then
    table runtime construct libprof 'by room'
else
    table runtime construct native more libprof readings
fi
for runtime in tbb libgomp libomp thread; do
    [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -q "^$runtime-" && continue
    build $runtime || continue
    for name in $(./$runtime | grep -v calls); do
        [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "$runtime-$name" && continue
        if [ "$by_room" ]; then
            row $runtime $name "$(rooms)"
            continue
        fi
        row $runtime $name $(echo $(run "$library" $tasks) $(run "$library" $((3 * tasks))) \
            $(run '' $tasks) $(run '' $((3 * tasks))) $((2 * tasks)) |
            awk '{ more = sprintf("%.0f", ($6 - $3 - $12 + $9) / $13)     # "-0" is 0
                   printf "%.0f %d %.0f %.2f", ($12 - $9) / $13, more, ($4 - $1) / $13,
                          ($5 - $2) / $13 }')
    done
done
