# cut.sh - sourced by check.sh: what prof says of OpenMP's loops, by who chose the size of chunks.

# Prints what is wrong with the figures and words on a loop of cut.c. HOW: the words are of a loop
# that the program cut, or of one where the profile does not show who did (either). BY_RUNTIME,
# SIZED: are there such chunks?
cut_words() { # PROGRAM LOOP HOW BY_RUNTIME SIZED BY_PROGRAM
    for p in 2 4; do
        PROF_CLOCK=virtual PROF_DAG=1m OMP_NUM_THREADS=$p PROF_OUTPUT=$tmp/p$p.prof \
            LD_PRELOAD=$build/libprof.so $1 $2 >out 2>err || echo "status $?: $(head -1 err)"
    done
    "$prof" report --json p2.prof >p.json
    says "[.program.chunks | .by_runtime > 0, .sized_by_program > 0, .by_program] ==
        [$4, $5, $6]" "chunks $(jq -c .program.chunks p.json)"
    says ".program.certainty.span_ns == if $4 then \"as executed\" else \"exact\" end" \
        "the span is $(jq -c .program.certainty.span_ns p.json)"
    "$prof" bench -t 1 -n 2,3 -e PROF_CLOCK=virtual $1 $2 >bench.txt 2>err
    for command in 'report --full p2.prof' 'whatif p2.prof' 'predict p2.prof' \
        'diff p2.prof p4.prof' bench; do
        case $command in
        bench) cat bench.txt ;;
        *) "$prof" $command 2>/dev/null ;;
        esac | tr -s '\n ' ' ' >text
        case $command:$3 in
        diff*:program) ! grep -o 'Loops were cut.\{40\}' text ;;
        diff*:either) grep -q 'workers, unless the program sets their chunk or grain size:' text ;;
        *:program) grep -q 'the program cut \(its loops\|them\)' text &&
            ! grep -o '.\{30\}cut for.\{30\}\|More workers.\{30\}' text ;;
        *:either)
            either='more workers, or a smaller chunk or grain size\|as the loops were cut;'
            grep -qi "$either" text ;;
        esac || echo "$command does not say who cut it"
    done
}

# gcc divides a static loop in the program, so its iterations are not counted: they limit nothing.
cut_shares() {
    PROF_CLOCK=virtual OMP_NUM_THREADS=2 run ./cut-gcc shares
    tr -s '\n ' ' ' <words >text
    grep -q 'Not among these iterations is what threads of a region do outside .* static loops' \
        text || echo "the words: $(cat text)"
    ! grep -o 'load balance begins to cost' text
}

for cc in gcc clang; do
    $cc -O2 -g -fopenmp -I"$here/../../include" "$here/cut.c" -o cut-$cc 2>err ||
        { echo "SKIP verdicts/cut-$cc: $(head -1 err)"; continue; }
    for loop in dynamic nowait; do
        result cut-$loop-$cc "$(cut_words ./cut-$cc $loop program true true 0)"
    done
    for loop in grainsize num_tasks; do
        result cut-$loop-$cc "$(cut_words ./cut-$cc $loop program false false 8)"
    done
    result cut-guided-$cc "$(cut_words ./cut-$cc guided either true false 0)"
    result cut-runtime-$cc "$(OMP_SCHEDULE=dynamic,50 \
        cut_words ./cut-$cc runtime either true false 0)"
    [ $cc != gcc ] || result cut-shares "$(cut_shares)"
    result cut-threads-$cc "$(cut_words ./cut-$cc threads either true false 0)"
done
