# places.sh - sourced by check.sh: a flow graph's nodes of limited concurrency. Which message gives
# its place back first is the run's decision, unless there is one place.

places() { # NODE PLACES CERTAINTY NAMES: of the span; of what is as executed
    PROF_CLOCK=virtual run ./places "$1" "$2"
    says ".program | [.certainty.span_ns, .exact, .as_executed_constructs] ==
        [\"$3\", $([ "$3" = exact ] && echo true || echo false), $4]" \
        "the span is $(jq -c '.program | [.certainty.span_ns, .as_executed_constructs]' p.json)"
    says '.program.lower_bound_constructs == []' 'a lower bound'
    grep -q "Span .*($3)" <<END || COLUMNS=900 "$prof" report --full p.prof | head -20
$(COLUMNS=900 "$prof" report --full p.prof)
END
}

if g++ -std=c++17 -O2 -g -I"$here/../../include" "$here/places.cpp" -o places -ltbb 2>err; then
    result places-limiter-1 "$(places limiter 1 exact '[]')"
    serial='"serial flow graph node with messages of several strands"'
    result places-limiter-2 "$(places limiter 2 'as executed' \
        "[\"flow::limiter_node with a threshold above 1\",$serial]")"
    # nobody waits for a place, but the last node takes messages of parallel bodies
    result places-limiter-50 "$(places limiter 50 'as executed' "[$serial]")"
    result places-function-1 "$(places function 1 exact '[]')"
    result places-function-2 "$(places function 2 'as executed' \
        "[\"flow graph node with a concurrency limit above 1\",$serial]")"
else
    echo "SKIP verdicts/places: $(head -1 err)"
fi
