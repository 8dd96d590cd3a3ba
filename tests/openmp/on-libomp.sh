# on-libomp.sh - sourced by check.sh. gcc's code on libomp: the names of its calls give its
# schedules, libomp reports everything else. A sample of the cases.
on_libomp() { # CASE
    no_runs
    for p in 1 2 4; do
        export OMP_NUM_THREADS=$p
        "$program" --expect $1 >"$tmp/expect"
        for _ in $(seq "$repeats"); do
            [ -n "$wrong" ] || one_run "$program" $1 "$omp" "P=$p: "
        done
    done
    compare_runs
    echo "$wrong"
}
program=$build/openmp/constructs-gcc omp=$(libomp_of gcc-on-libomp) spawns=1 whatif=
if wanted gcc-on-libomp && uses gcc && [ -x "$program" ] && [ -n "$omp" ]; then
    for case in fib group nested loop_static loop_dynamic loop_runtime ordered_dynamic \
        doacross_dynamic_2 doacross_wave_dynamic old_region old_nested old_loop_static \
        old_loop_dynamic; do
        verdict gcc-on-libomp/$case "$(on_libomp $case)" "$(where $case)"
    done
fi
