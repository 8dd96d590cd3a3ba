# cut.sh - sourced by check.sh: OpenMP's loops, by who chose the size of chunks.

# Prints what is wrong with the figures of a loop of cut.c. BY_RUNTIME, SIZED: are there such
# chunks?
cut_by() { # PROGRAM LOOP BY_RUNTIME SIZED BY_PROGRAM
    PROF_CLOCK=virtual OMP_NUM_THREADS=2 run $1 $2
    says "[.program.chunks | .by_runtime > 0, .sized_by_program > 0, .by_program] ==
        [$3, $4, $5]" "chunks $(jq -c .program.chunks p.json)"
    says ".program.certainty.span_ns == if $3 then \"as executed\" else \"exact\" end" \
        "the span is $(jq -c .program.certainty.span_ns p.json)"
}

for cc in gcc clang; do
    $cc -O2 -g -fopenmp -I"$here/../../include" "$here/cut.c" -o cut-$cc 2>err ||
        { echo "SKIP verdicts/cut-$cc: $(head -1 err)"; continue; }
    for loop in dynamic nowait; do
        result cut-$loop-$cc "$(cut_by ./cut-$cc $loop true true 0)"
    done
    for loop in grainsize num_tasks; do
        result cut-$loop-$cc "$(cut_by ./cut-$cc $loop false false 8)"
    done
    result cut-guided-$cc "$(cut_by ./cut-$cc guided true false 0)"
    result cut-runtime-$cc "$(OMP_SCHEDULE=dynamic,50 \
        cut_by ./cut-$cc runtime true false 0)"
    result cut-threads-$cc "$(cut_by ./cut-$cc threads true false 0)"
done
