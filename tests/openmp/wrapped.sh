# wrapped.sh - sourced by check.sh. Another preloaded library wraps omp_set_lock: it gets each call,
# before libprof and after it. (libprof takes a free lock by libgomp's test.)
wrapped() { # LIBRARY...: preloaded in this order
    got=$(PROF_CLOCK=tsc PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$(echo "$*" | tr ' ' :) \
        timeout 60 "$tmp/wrapped" 2>&1)
    [ "$got" = 100 ] || echo "the wrapper got $got calls of 100"
}
if wanted wrapped && uses gcc; then
    if gcc -O1 -fopenmp "$here/wrapped.c" -o "$tmp/wrapped" &&
        gcc -O1 -fopenmp -DWRAPPER -fPIC -shared "$here/wrapped.c" -o "$tmp/wrapper.so" -ldl; then
        verdict gcc/wrapped-natively "$(wrapped "$tmp/wrapper.so")" tests/openmp/wrapped.c
        verdict gcc/wrapped-behind "$(wrapped "$build/libprof.so" "$tmp/wrapper.so")" \
            tests/openmp/wrapped.c
        verdict gcc/wrapped-before "$(wrapped "$tmp/wrapper.so" "$build/libprof.so")" \
            tests/openmp/wrapped.c
    else
        verdict gcc/wrapped 'it does not compile' tests/openmp/wrapped.c
    fi
fi
