# faults.sh - sourced by check.sh: examples/faults, five programs with one planted fault each. The
# screen names the function or the line to change.
faults=$here/../../examples/faults
named() { # PROGRAM WORDS...: in the report on one screen
    run "./$1"
    COLUMNS=900 "$prof" report p.prof 2>/dev/null >screen
    name=$1
    shift
    for words; do
        grep -q "$words" screen || echo "$name: no <$words> in: $(sed -n 3,7p screen)"
    done
}
line() { sed -n "/$2/=" "$faults/$1"; } # FILE PATTERN

ready=true
for name in load tokens counts; do
    g++ -O2 -g "$faults/$name.cpp" -o $name -ltbb 2>err || ready=false
done
for name in rows cells; do
    gcc -O2 -g -fopenmp "$faults/$name.c" -o $name 2>err || ready=false
done
if $ready; then
    result fault-load "$(patiently named load \
        "called by load (load.cpp:$(line load.cpp 'burn(150000)')).*serial on the critical path")"
    result fault-tokens "$(patiently named tokens \
        "parallel_pipeline at main (tokens.cpp:$(line tokens.cpp fault)).*more tokens")"
    result fault-rows "$(patiently named rows \
        "the parallel region at main (rows.c:$(line rows.c 'fault \*')).*balance it")"
    result fault-cells "$(patiently named cells \
        "overhead of tasking.*tasks spawned at main (cells.c:$(line cells.c 'omp task'))")"
    result fault-counts "$(patiently named counts \
        "slept, or waited for locks.*was in update (counts.cpp:")"
else
    echo "SKIP verdicts/fault: $(head -1 err)"
fi
