#!/bin/bash
# shares.sh [-n RUNS] [-l LIBRARY] [-m MS] [-s SPINNING] - how often the `+-` of the report's shares
# covers the truth. The truth is a critical path that is 60/30/10 through three functions; shares.c
# prints what each did. It runs alone and beside SPINNING spinning programs (four; 0: only what else
# runs on the machine). With system calls: one between two parts. A share without samples has no
# `+-` and is no case. Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
runs=20 library=$here/build/libprof.so ms=500 spinners=4
while getopts n:l:m:s: o; do
    case $o in
    n) runs=$OPTARG ;;
    l) library=$(realpath "$OPTARG") ;;
    m) ms=$OPTARG ;;
    s) spinners=$OPTARG ;;
    *) echo "usage: $0 [-n runs] [-l libprof.so] [-m ms] [-s spinning]" >&2; exit 2 ;;
    esac
done
prof=$(dirname "$library")/prof
dir=$(mktemp -d) && spinning='' && trap 'kill $spinning 2>/dev/null; rm -rf "$dir"' EXIT &&
    cd "$dir" || exit 1
gcc -O2 -g "$here/bench/shares.c" -o shares -pthread || exit 1

# Prints for each part: its true share, the report's, its `+-`, in percent.
run() { # SAMPLE ARGUMENT...
    truth=$(PROF_RUN=1 PROF_CHECKPOINT=0 PROF_SAMPLE=$1 PROF_OUTPUT=s.prof LD_PRELOAD=$library \
        ./shares "${@:2}" 2>/dev/null)
    COLUMNS=300 "$prof" report --all s.prof 2>/dev/null | awk -v truth="$truth" '
        BEGIN { split(truth, ns, " "); all = ns[1] + ns[2] + ns[3] }
        /^Functions: / { on = 1 } /^$/ { on = 0 }
        on { for (i = 4; i <= NF; i++) if ($i ~ /^part_[abc]$/) { at = index("abc", substr($i, 6));
            print 100 * ns[at] / all, $1, $2 } }'
}
rows() { # KIND NAME SAMPLE [calls]
    for ((i = 1; i <= runs; i++)); do run $3 $1 $i $ms $4; done >cases
    awk -v name="$2" -v sample="$3" -v beside="$beside" '
        { n++; d = $1 - $2; covered += d <= $3 + 0.05 && -d <= $3 + 0.05; sum += $3 }
        END { if (n) printf "| %s | %s | %s | %d | %.0f %% | %.1f |\n", name, sample, beside, n,
            100 * covered / n, sum / n }' cases
}

table strands PROF_SAMPLE spinning cases covered 'mean `+-`, points'
for beside in 0 $([ "$spinners" = 0 ] || echo "$spinners"); do
    for ((i = 0; i < beside; i++)); do
        timeout 3600 sh -c 'while :; do :; done' &
        spinning="$spinning $!"
    done
    for calls in '' calls; do
        words=${calls:+, system calls}
        rows random "rounds of 0 to 20 ms$words" cpu:250 $calls
        for round in 2 7 12; do rows $round "rounds of $round ms$words" cpu:250 $calls; done
        rows phases "one round of $ms ms$words" cpu:250 $calls
    done
done
rows 7 'rounds of 7 ms, system calls' task-clock:250 calls
