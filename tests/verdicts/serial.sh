# serial.sh - sourced by check.sh: where parallelism is near the number of threads by chance, the
# report does not promise that a larger team helps, and names what limits the program instead.
no_team() { # PROGRAM MODE VERDICT: of `heavy`, as a regular expression
    run "$1" "$2"
    grep -o 'a larger team may get more parts\|the work was balanced' words
    says "[.functions[] | select(.function == \"heavy\") | .verdict | test(\"$3\")] == [true]" \
        "verdicts $(jq -c '[.functions[] | [.function, .verdict]]' p.json)"
}

stated() { # PROGRAM MODE VERDICT WORDS
    no_team "$1" "$2" "$3"
    tr -s '\n ' ' ' <words | grep -q "$4" || echo "the words: $(tr -s '\n ' ' ' <words)"
}

for cc in gcc clang; do
    if ! $cc -O2 -g -fopenmp "$here/serial.c" -o serial-$cc 2>err; then
        echo "SKIP verdicts/serial-$cc: $(head -1 err)"
        continue
    fi
    result serial-heavy-$cc "$(patiently stated ./serial-$cc heavy \
        '^imbalanced: 501 tasks, longest 2[0-9.]* x' 'One of 501 .* 1\?[0-9]* % of the crit')"
    # samples do not show the split, unless others idle beside it
    result serial-steps-$cc "$(patiently stated ./serial-$cc steps \
        "samples do not show|one thread's part|own [12][.]" 'From barrier to barrier of')"
    result serial-levels-$cc "$(patiently stated ./serial-$cc levels \
        '^parallelism of its own [12][.]|^one thread' 'From barrier to barrier of the region')"
    result serial-spine-$cc "$(patiently no_team ./serial-$cc spine '^serial on the critical path')"
    result serial-reader-$cc "$(patiently no_team ./serial-$cc reader '^serial on the critical')"
done
