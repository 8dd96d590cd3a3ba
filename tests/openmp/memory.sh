# memory.sh - sourced by check.sh. What libprof keeps of tasks that others may depend on does not
# grow with their number, but with the number of addresses: some 300 bytes each. The time that
# libprof takes to find them is not the creator's.
memory_of() { # WHAT TASKS: the most memory in use, in kB
    OMP_NUM_THREADS=2 PROF_CLOCK=tsc PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$(preload) \
        timeout 60 "$tmp/memory" $1 $2 | cut -d ' ' -f 1
}
memory() { # WHAT
    few=$(memory_of $1 20000) many=$(memory_of $1 200000) most=20000
    [ $1 != addresses ] || most=72000
    [ $((many - few)) -lt $most ] || echo "$few kB for 20000 tasks, $many for 200000"
}
memory_time() {
    native=$(OMP_NUM_THREADS=1 timeout 60 "$tmp/memory" addresses 200000)
    OMP_NUM_THREADS=1 PROF_CLOCK=tsc PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$(preload) \
        timeout 60 "$tmp/memory" addresses 200000 >/dev/null
    work=$("$build/prof" report --json "$tmp/p.prof" 2>&1 | jq .program.work_ns)
    [ "$work" -lt $((${native#* } * 10000)) ] || echo "$work ns of work, ${native#* } us natively"
}
if wanted memory && uses gcc; then
    gcc -O2 -fopenmp "$here/memory.c" -o "$tmp/memory" || failures=1
    for what in readers rounds addresses; do
        verdict gcc/memory-$what "$(memory $what)" tests/openmp/memory.c
    done
    verdict gcc/memory-time "$(patiently memory_time)" tests/openmp/memory.c
fi
