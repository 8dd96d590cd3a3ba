# site_tasks.sh - sourced by check.sh. A loop's chunks are counted beside a thread's task, which is
# none of them. site_tasks.c derives the numbers.
site_tasks() { # COMPILER
    $1 -fopenmp -O2 -g -I"$here/../../include" "$here/site_tasks.c" -o "$tmp/site_tasks" -pthread
    for p in 2 4; do          # libomp hands a whole loop to a team of one
        OMP_NUM_THREADS=$p PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$(preload) timeout 60 \
            "$tmp/site_tasks"
        got=$("$build/prof" report --json "$tmp/p.prof" | jq -c '[.program.work_ns,
            .program.span_ns, (.sites[] | select(.construct | startswith("parallel")) |
            .tasks_of_mean, .mean_task_ns)]')
        [ "$(echo "$got" | jq '. == [1432,39,200,7]')" = true ] ||
            { echo "P=$p: $got, expected [1432,39,200,7]"; return; }
    done
}
for compiler in $compilers; do
    if wanted site_tasks; then
        verdict "$compiler/site_tasks" "$(site_tasks "$compiler" 2>&1)" tests/openmp/site_tasks.c
    fi
done
