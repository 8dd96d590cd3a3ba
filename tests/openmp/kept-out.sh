# kept-out.sh - sourced by check.sh. The user keeps libprof out of libomp: one line on stderr says
# so, and the profile.
kept_out() { # SETTING CONSTRUCT
    rm -f "$tmp/p.prof"
    env "$1" OMP_NUM_THREADS=2 PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$(preload) \
        timeout 60 "$program" region >"$tmp/out" 2>"$tmp/err" || echo "status $?"
    cat "$tmp/out"
    [ "$(wc -l <"$tmp/err")" = 1 ] &&
        grep -q "^libprof: ${1%%=*}.* OpenMP is not profiled" "$tmp/err" ||
        echo "said: $(head -c 200 "$tmp/err")"
    "$build/prof" report --json "$tmp/p.prof" 2>&1 | jq -e --arg name "$2" '.program |
        .exact == false and .lower_bound_constructs == [$name]' >/dev/null 2>&1 || echo "not named"
}
program=$build/openmp/constructs-clang
if wanted kept-out && uses clang && [ -x "$program" ]; then
    verdict clang/kept-out-OMP_TOOL \
        "$(kept_out OMP_TOOL=disabled "OpenMP (OMP_TOOL=disabled)")" tests/openmp/kept-out.sh
    verdict clang/kept-out-OMP_TOOL_LIBRARIES \
        "$(kept_out OMP_TOOL_LIBRARIES=none.so "OpenMP (another tool has it)")" \
        tests/openmp/kept-out.sh
fi
