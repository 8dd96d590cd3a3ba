#!/bin/bash
# mpi.sh [-l LIBRARY] [-n PAIRS] [-m "MPIS..."] [NAME...] - what libprof costs a message of MPI. Two
# ranks, natively and with libprof by turns: the medians, and the median of the pairs' differences,
# in ns a message (of halo, a message with its share of some us of computation). The difference's
# quartiles show how much of it is noise. NAME: latency, bandwidth, halo, allreduce.
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/bench/print_table.sh"
library=$here/build/libprof.so pairs=11 mpis='openmpi mpich'
while getopts l:n:m: option; do
    case $option in
    l) library=$(realpath "$OPTARG") ;;
    n) pairs=$OPTARG ;;
    m) mpis=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

launch() { # MPI COMMAND...
    launch_mpi=$1
    shift
    case $launch_mpi in
    openmpi) timeout 60 mpirun.openmpi --oversubscribe -n 2 "$@" ;;
    mpich) timeout 60 mpiexec.mpich -n 2 "$@" ;;
    esac </dev/null 2>/dev/null
}

table MPI benchmark bytes 'native, ns' 'libprof, ns' 'difference, ns' quartiles
for mpi in $mpis; do
    command -v "mpicc.$mpi" >/dev/null || continue
    "mpicc.$mpi" -O2 -g -w "$here/bench/mpi.c" -o "$dir/mpi" || exit 1
    while read -r name bytes count; do
        [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "$name" && continue
        for ((i = 0; i < pairs; i++)); do
            native=$(launch "$mpi" "$dir/mpi" "$name" "$bytes" "$count")
            ours=$(launch "$mpi" env LD_PRELOAD="$library" PROF_OUTPUT="$dir/%p.prof" \
                "$dir/mpi" "$name" "$bytes" "$count")
            rm -f "$dir"/*.prof
            [ -n "$native" ] && [ -n "$ours" ] && echo "$native $ours"
        done >"$dir/pairs"
        awk -v mpi="$mpi" -v name="$name" -v bytes="$bytes" '
            function sort(a, n,    i, j, t) {
                for (i = 2; i <= n; i++)
                    for (j = i; j > 1 && a[j] < a[j - 1]; j--) {
                        t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
                    }
            }
            function at(a, n, share) { return a[1 + int((n - 1) * share + 0.5)] }
            { a[NR] = $1 + 0; b[NR] = $2 + 0; d[NR] = $2 - $1 }
            END {
                if (!NR) { printf "| %s | %s | %d | | | no run | |\n", mpi, name, bytes; exit }
                sort(a, NR); sort(b, NR); sort(d, NR)
                printf "| %s | %s | %d | %.0f | %.0f | %+.0f | %+.0f to %+.0f |\n", mpi, name,
                    bytes, at(a, NR, 0.5), at(b, NR, 0.5), at(d, NR, 0.5), at(d, NR, 0.25),
                    at(d, NR, 0.75)
            }' "$dir/pairs"
    done <<'END'
latency 8 50000
latency 1024 50000
latency 65536 5000
latency 1048576 500
bandwidth 8 5000
bandwidth 1024 5000
bandwidth 65536 200
halo 1024 50000
halo 65536 5000
allreduce 8 50000
END
done
