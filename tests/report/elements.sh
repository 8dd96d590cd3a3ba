# elements.sh - a part of run.sh: whose work code of headers below a runtime is.
# What code of a runtime's headers does with the program's elements is the program's work. Without
# debug information nothing was inlined that has a name.
build_elements() { # NAME FLAGS...
    output=$1
    shift
    g++ -std=c++17 -Wall "$@" -I"$here/include" "$here/elements.cpp" -o "$output" 2>gcc.log ||
        fail "build-$output" "$(head -3 gcc.log)"
    BUILD_ID=$(build_id "./$output") ./gen lines $("./$output") \
        >"$output.prof"
    for mark in partition plus vector brick; do
        json "$output-$mark" \
            "[.functions[] | select(.function | test(\"work_$mark\")) | .all.overhead_ns]" '[0]' \
            "$output.prof"
    done
    for mark in offer below; do
        json "$output-$mark" "[.functions[] | select(.function | test(\"overhead_$mark\")) |
            .all | .overhead_ns == .work_ns and .work_ns > 0]" '[true]' "$output.prof"
    done
}
build_elements elements -O2 -g
