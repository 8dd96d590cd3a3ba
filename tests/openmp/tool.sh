# tool.sh - sourced by check.sh. A tool of the program's own, and a libomp that is linked into the
# program: the main thread's work of 74 is all that libprof sees, and the report names what it
# misses.
tool() { # COMPILER FLAGS CONSTRUCT LINES: how many lines libprof writes
    $1 -O2 $2 -I"$here/../../include" "$here/tool.c" -o "$tmp/tool" -ldl 2>"$tmp/err" ||
        { echo "SKIP openmp/$1/tool-${2##*-}: $(head -1 "$tmp/err")"; return; }
    rm -f "$tmp/p.prof"
    PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$(preload) timeout 60 "$tmp/tool" >"$tmp/out" 2>&1 ||
        echo "status $?" >>"$tmp/out"
    said=$(grep -c "^libprof: the program's own ompt_start_tool" "$tmp/out")
    got="$said $(wc -l <"$tmp/out") $("$build/prof" report --json "$tmp/p.prof" 2>&1 |
        jq -c '.program | [.work_ns, .exact, .lower_bound_constructs]')"
    expected="$4 $4 [74,false,[\"$3\"]]" wrong=
    [ "$got" = "$expected" ] || wrong="$got, expected $expected; $(head -c 200 "$tmp/out")"
    verdict "$1/tool-${2##*-}" "$wrong" tests/openmp/tool.c
}
if wanted tool; then
    if uses clang; then tool clang "-fopenmp -DOWN" "OpenMP (another tool has it)" 1; fi
    if uses clang; then         # as natively: no tool listens
        printf '%s\n' '#include <omp.h>' '#include <stdio.h>' 'int main(void) {' \
            '_Pragma("omp parallel num_threads(2)") ;' \
            'return printf("%d\n", omp_control_tool(1, 0, 0)) < 0; }' >"$tmp/control.c"
        wrong=$(cd "$tmp" && { clang -w -fopenmp control.c -o control &&
            [ "$(./control)" = -2 ]; } 2>&1 || echo 'it does not run natively'
            PROF_OUTPUT=p.prof LD_PRELOAD=$(preload) timeout 60 ./control 2>&1 | grep -vx -e -2)
        verdict clang/tool-control "$wrong" tests/openmp/tool.sh
    fi
    if uses gcc; then
        tool gcc -DSTATIC "OpenMP (libomp linked statically)" 0
        tool gcc -rdynamic "OpenMP (libomp linked statically)" 0
    fi
fi
