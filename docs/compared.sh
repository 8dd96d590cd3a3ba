#!/bin/sh
# compared.sh BUILD - prints docs/COMPARED.md: what prof, perf, gperftools and heaptrack print first
# of the programs in examples/faults. Needs these tools (Debian: linux-perf, google-perftools,
# heaptrack), g++ and gcc. Write it over the page: the page has the figures of this machine.
build=$(cd "$1" && pwd) || exit 2
top=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
unset NO_COLOR LD_PRELOAD $(env | sed -n 's/^\(PROF_[A-Z_]*\)=.*/\1/p')
export LC_ALL=C COLUMNS=96 OMP_NUM_THREADS=2
profiler=$(ldconfig -p | sed -n 's/.*=> \(.*libprofiler.so[^ ]*\)/\1/p' | head -1)

quote() { sed 's/[[:space:]]*$//; s/^/    /; s/^ *$//'; }
sources=$(cd "$top/examples/faults" && ls -- *.c *.cpp)
for source in $sources; do
    name=${source%.*}
    case $source in
    *.cpp) g++ -O2 -g "$top/examples/faults/$source" -o "$name" -ltbb || exit 1 ;;
    *) gcc -O2 -g -fopenmp "$top/examples/faults/$source" -o "$name" || exit 1 ;;
    esac
    "$build/prof" run -o "$name.prof" --report-to "$name.report" -- "./$name" >/dev/null 2>&1
    perf record -q -e cpu-clock --call-graph dwarf,4096 -o "$name.perf" "./$name" >/dev/null 2>&1
    LD_PRELOAD=$profiler CPUPROFILE=$name.gperf "./$name" >/dev/null 2>&1
    heaptrack -o "$name.heap" "./$name" >/dev/null 2>&1
done

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
version() { dpkg-query -W -f '${Version}' "$1"; }
echo '# Compared with other profilers'
echo
fmt -w 100 <<END
The folder \`examples/faults\` has five programs, each with one planted fault: the line with
\`// fault\`. This page shows what four profilers print first of each: \`prof run\`; the start of
\`perf report\`; the start of gperftools' \`google-pprof --text\`; the summary of heaptrack, which
records memory and shows that memory is not the fault. Each was run once, on two cores, with its
defaults (perf with \`-e cpu-clock --call-graph dwarf\`: this machine counts no cycles).

\`docs/compared.sh build\` has printed this page, on $(date +%F), on $(nproc) cores of $cpu. prof is
of commit $(git -C "$top" rev-parse --short HEAD), perf $(perf --version | sed 's/perf version //'),
gperftools $(version google-perftools), heaptrack $(version heaptrack).
END
for source in $sources; do
    name=${source%.*}
    line=$(sed -n '/fault/=' "$top/examples/faults/$source" | tail -1)
    what=$(sed -n '1s/^[^-]* - \(.*\)/\1/; 1s/ \*\/$//; 1p' "$top/examples/faults/$source")
    printf '\n## %s\n\n' "$name"
    echo "The program is $what The line: \`$source:$line\`." | fmt -w 100
    printf '\nprof:\n\n'
    sed -n '3,/^  work/p' "$name.report" | sed '/^  - Names/d' | quote
    printf '\nperf:\n\n'
    perf report -i "$name.perf" --stdio --no-children -g caller --max-stack 6 2>/dev/null |
        sed '/^#/d; /^$/d' | head -12 | cut -c1-96 | quote
    printf '\ngperftools:\n\n'
    google-pprof --text "$name" "$name.gperf" 2>/dev/null | head -4 | cut -c1-96 | quote
    printf '\nheaptrack:\n\n'
    heaptrack_print -f "$name".heap.* -p 0 -a 0 -T 0 2>/dev/null |
        grep -E '^(peak heap|total memory leaked)' | quote
done
