# faults.sh - sourced by check.sh: examples/faults, programs with one planted fault each. The
# first finding names the cause.
faults=$here/../../examples/faults
named() { # PROGRAM ID [LINE]: the first finding on the program itself
    run "./$1"
    says "[.findings[] | select(.id != \"other_programs\")][0] | .id == \"$2\"${3:+ and
        .place.line == $3}" "$1: another cause, or another line"
}
line() { sed -n "/\/\/ $2\$/=" "$faults/$1"; } # FILE COMMENT

ready=true
for name in load counts; do
    g++ -O2 -g "$faults/$name.cpp" -o $name -ltbb 2>err || ready=false
done
for name in rows cells; do
    gcc -O2 -g -fopenmp "$faults/$name.c" -o $name 2>err || ready=false
done
if $ready; then
    result fault-load "$(patiently named load serial)"
    result fault-rows "$(patiently named rows imbalance)"
    result fault-cells "$(patiently named cells small_tasks)"
    result fault-counts "$(patiently named counts contention "$(line counts.cpp fault)")"
else
    echo "SKIP verdicts/fault: $(head -1 err)"
fi
