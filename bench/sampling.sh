#!/bin/bash
# sampling.sh [-n ROUNDS] [-l LIBRARY] [-f HZ] - what a sample costs, by stack depth, beside
# gperftools' libprofiler and `perf record -g`: the CPU time that a run of fixed work takes more
# than natively, by the samples that it took. Rounds are interleaved, figures are medians. perf's
# kernel work counts as the program's, its own process does not. Nothing is asserted.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
rounds=5 library=$here/build/libprof.so rate=4000
while getopts n:l:f: o; do
    case $o in
    n) rounds=$OPTARG ;;
    l) library=$(realpath "$OPTARG") ;;
    f) rate=$OPTARG ;;
    *) echo "usage: $0 [-n rounds] [-l libprof.so] [-f hz]" >&2; exit 2 ;;
    esac
done
prof=$(dirname "$library")/prof
gperf=$(ls /usr/lib/*/libprofiler.so.0 2>/dev/null | head -1)
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 1
gcc -O2 -g "$here/bench/deep.c" -o deep || exit 1
work=400000000

# Each prints: CPU ns, samples.
native() { echo "$(./deep $1 $work) 0"; }
ours() {
    cpu=$(PROF_RUN=1 PROF_SAMPLE=$2 PROF_OUTPUT=d.prof LD_PRELOAD=$library ./deep $1 \
        $work 2>/dev/null)
    echo "$cpu $("$prof" report --json d.prof 2>/dev/null | jq .sampling.samples)"
}
# Its file is words: a header of five, then records of a count, a number of frames, the frames.
gperftools() {
    cpu=$(CPUPROFILE=d.cpu CPUPROFILE_FREQUENCY=$rate CPUPROFILE_REALTIME=${2:-} LD_PRELOAD=$gperf \
        ./deep $1 $work 2>/dev/null)
    echo "$cpu $(od -An -v -t u8 -w8 d.cpu | awk 'NR <= 5 { next } skip { skip--; next }
        !have { n = $1; have = 1; next } { have = 0; if (n == 0) exit; all += n; skip = $1 }
            END { print all + 0 }')"
}
perf_record() {
    cpu=$(perf record -q -g -F $rate -e cpu-clock -o d.data ./deep $1 $work 2>/dev/null)
    echo "$cpu $(perf report -i d.data --stats 2>/dev/null |
        sed -n 's/.*SAMPLE events: *\([0-9]*\).*/\1/p' | head -1)"
}

table depth profiler samples overhead 'ns a sample'
for depth in 4 16 64 256; do
    : >all
    for ((i = 0; i < rounds; i++)); do
        echo "native $(native $depth)" >>all
        echo "libprof-cpu:250 $(ours $depth cpu:250)" >>all
        echo "libprof-task-clock:$rate $(ours $depth task-clock:$rate)" >>all
        [ -n "$gperf" ] && echo "gperftools-$rate $(gperftools $depth)" >>all
        command -v perf >/dev/null && echo "perf-record-g-$rate $(perf_record $depth)" >>all
    done
    awk -v depth=$depth '
        function median(s,   v, n, i, j, t) { n = split(s, v, " ");
            for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j] + 0 < v[j-1] + 0; j--) { t = v[j];
                v[j] = v[j-1]; v[j-1] = t } return v[int((n + 1) / 2)] }
        { cpu[$1] = cpu[$1] " " $2; hits[$1] = hits[$1] " " $3; if (!seen[$1]++) order[++k] = $1 }
        END { base = median(cpu["native"]); for (i = 2; i <= k; i++) { n = median(hits[order[i]]);
            c = median(cpu[order[i]])
              printf "| %d | %s | %d | %.2f %% | %.0f |\n", depth, order[i], n,
                  100 * (c / base - 1), n ? (c - base) / n : 0 } }' all
done
[ -n "$gperf" ] || echo "gperftools: not installed (libgoogle-perftools4)" >&2
