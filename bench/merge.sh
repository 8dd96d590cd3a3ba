#!/bin/bash
# merge.sh [-p PROF] [-c CONTEXTS] [-d FOLDER] [RANKS...] - what `prof merge` of a job's ranks
# costs: made-up profiles (merge.c) of CONTEXTS contexts (10,000), of each number of RANKS (100
# 1000). They lie in FOLDER (TMPDIR): 10,000 contexts are 2.6 MB a rank. What does not fit into
# memory is read from the disk: see MB/s.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
prof=$here/build/prof contexts=10000 folder=
while getopts p:c:d: o; do
    case $o in
    p) prof=$(realpath "$OPTARG") ;;
    c) contexts=$OPTARG ;;
    d) folder=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
tmp=$(mktemp -d ${folder:+-p "$folder"}) || exit 1
trap 'rm -rf "$tmp"' EXIT
cc -O2 -I"$here/include" "$here/bench/merge.c" -o "$tmp/ranks" -lz || exit 1

table ranks contexts order 'files, MB' 'elapsed, s' 'CPU, s' 'MB/s' 'peak, MB' 'result, MB'
[ $# -gt 0 ] || set -- 100 1000
for ranks; do
    for order in same any; do
        mkdir "$tmp/job"
        "$tmp/ranks" "$tmp/job" "$ranks" "$contexts" $([ $order = any ] && echo any) || exit 1
        size=$(du -sm "$tmp/job" | cut -f1)
        # by its own name: 10,000 files are within what one command may have
        ( cd "$tmp/job" && seq -f %g.prof 0 $((ranks - 1)) |
            xargs -x -n "$ranks" /usr/bin/time -f '%e %U %S %M' -o "$tmp/time" \
                "$prof" merge -o "$tmp/job.prof" 2>"$tmp/err" ) || cat "$tmp/err"
        awk -v ranks="$ranks" -v contexts="$contexts" -v order=$order -v size="$size" \
            -v result="$(stat -c %s "$tmp/job.prof")" '{
                printf "| %d | %d | %s | %d | %.1f | %.1f | %.0f | %.0f | %.1f |\n", ranks,
                    contexts, order, size, $1, $2 + $3, size / $1, $4 / 1024, result / 1048576 }' \
            "$tmp/time"
        rm -rf "$tmp/job" "$tmp/job.prof"
    done
done
