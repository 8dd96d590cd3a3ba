# objects.sh - sourced by check.sh. Tasks with objects of their own (objects.cpp).
object() { # CASE
    want=$("$tmp/objects" --expect $1)
    for p in 1 2 4; do
        for i in $(seq "$repeats"); do
            OMP_NUM_THREADS=$p PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$(preload) timeout 60 \
                "$tmp/objects" $1 ||
                { echo "P=$p: status $?"; return; }
            got=$("$build/prof" report --json "$tmp/p.prof" 2>/dev/null | jq -c '[.program.work_ns,
                .program.span_ns, (.program.certainty.span_ns | IN("exact", "as executed")),
                ([.sites[].on_span.local_span_ns] | add)]')
            [ "$got" = "$want" ] || { echo "P=$p: $got, expected $want"; return; }
        done
    done
}
objects() { # COMPILER
    case $1 in gcc) cxx=g++ ;; clang) cxx=clang++ ;; esac
    $cxx -O2 -g -fopenmp -I"$here/../../include" \
        "$here/objects.cpp" -o "$tmp/objects" 2>"$tmp/err" ||
        { echo "SKIP openmp/$1/objects: $(head -1 "$tmp/err")"; return; }
    for case in $("$tmp/objects"); do
        verdict $1/objects-$case "$(object $case)" tests/openmp/objects.cpp
    done
}
if wanted objects; then
    for compiler in $compilers; do objects $compiler; done
fi
