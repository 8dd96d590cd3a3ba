#!/bin/sh
# dist.sh - in a root file system of the matrix that has essential packages only: unpacks the
# archive of `make dist` that stands beside this script, and profiles the programs that do, as a
# user without rights. One PASS or FAIL line a case.
here=$(cd "$(dirname "$0")" && pwd)
cd "$here" || exit 1
mkdir -p user "with blank" /opt/libprof && chmod 777 user
for at in /opt/libprof "with blank"; do tar -C "$at" -xzf libprof-*.tar.gz || exit 1; done
prof=$(echo /opt/libprof/libprof-*/bin/prof)
blank=$(echo "$here/with blank"/libprof-*/bin/prof)
library=${prof%/bin/prof}/lib/libprof
cd user || exit 1
echo "on glibc $(ldd --version | sed -n '1s/.* //p')"

case_of() { # NAME COMMAND...: passes if COMMAND succeeds
    name=$1
    shift
    if "$@" >log 2>&1; then echo "PASS dist/$name"; else
        echo "FAIL dist/$name: $(tail -3 log | cut -c 1-300 | tr '\n' ' ')"; fi
}
user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
runs() { # PROGRAM CONSTRUCT
    user "$prof" run --report-to "$1.txt" -o "$1.prof" -- "../$1" 22 &&
        grep -q '  parallelism [0-9]' "$1.txt" && grep -q "$2" "$1.txt"
}
opens() { # LIBRARY
    user "$prof" run --no-report -o l.prof -e LD_DEBUG=files -e LD_DEBUG_OUTPUT=loaded \
        -e PROF_EVENTS=page-faults -- ../threads 15 && cat loaded.* &&
        grep -q "calling init: $library/$1" loaded.*
}
loads_all() { # FILE...: no library and no version is missing
    for file; do ! ldd "$file" 2>&1 | grep 'not found' || return 1; done
}
exports() { # FORMAT
    user "$blank" export -f "$1" -o "threads.$1" threads.prof && [ -s "threads.$1" ]
}

case_of loads loads_all "$prof" "$library"/*.so*
case_of version user "$prof" --version
case_of threads runs threads pthread_create
case_of openmp runs openmp 'omp\|task'
if [ -x ../tbb ]; then case_of tbb runs tbb task_group; else
    echo "SKIP dist/tbb: the release has no libtbb.so.12"; fi
case_of opens-names opens libprof_names.so
case_of opens-pfm opens libpfm.so.4
case_of doctor user "$prof" doctor ../threads
case_of blank-run user "$blank" run --report-to blank.txt -o blank.prof -- ../threads 15
case_of blank-report user "$blank" report threads.prof
case_of blank-view user "$blank" view -o threads.html threads.prof
for format in folded pprof speedscope callgrind firefox; do case_of "export-$format" exports $format
done
case_of annotate user "$prof" annotate threads.prof
case_of archive user "$prof" archive -o threads.tgz threads.prof
case_of preload user env LD_PRELOAD="$library/libprof.so" PROF_OUTPUT=by_hand.prof ../threads 15
case_of preload-report user "$prof" report by_hand.prof
