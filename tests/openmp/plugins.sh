# plugins.sh - sourced by check.sh. Runtimes that only one object sees, several in one process: each
# of three calls of each object costs 3 and a region of work 186, span 13 + 8 + 24 + 1.
make_plugins() {
    include=-I$here/../../include gomp=$(gcc -print-file-name=libgomp.so.1)
    gcc -O2 $include "$here/plugins.c" -o "$tmp/plugin" -ldl &&
        gcc -O2 -g -fPIC -shared -fopenmp -DPLUGIN $include "$here/plugins.c" -o "$tmp/gcc.so" ||
        return
    # another libgomp, by a name of the same length
    sed 's/libgomp\.so\.1/liby0mp.so.1/g' "$gomp" >"$tmp/liby0mp.so.1" &&
        sed 's/libgomp\.so\.1/liby0mp.so.1/g' "$tmp/gcc.so" >"$tmp/other.so"
    clang -O2 -g -fPIC -shared -fopenmp -DPLUGIN $include \
        "$here/plugins.c" -o "$tmp/clang.so" 2>/dev/null
    :
}
plugins() { # OBJECT...
    paths=
    for o; do paths="$paths $tmp/$o.so"; done
    expected=$(($# * 3 * 189)),$(($# * 3 * 49))
    for i in $(seq "$repeats"); do
        rm -f "$tmp/p.prof"
        LD_LIBRARY_PATH=$tmp PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$(preload) \
            timeout 60 "$tmp/plugin" $paths >"$tmp/out" 2>&1 || { echo "status $? $(cat "$tmp/out")"
            return; }
        got=$("$build/prof" report --csv --totals "$tmp/p.prof" 2>&1 | tail -1 | cut -d, -f5,6)
        [ "$got" = $expected ] || { echo "$got, expected $expected"; return; }
    done
}
if wanted plugins && uses gcc; then
    make_plugins || failures=1
    for objects in gcc other clang "gcc other" "other gcc" "gcc clang" "clang other gcc"; do
        case $objects in *clang*) [ -f "$tmp/clang.so" ] || continue ;; esac
        verdict "plugins-$(echo $objects | tr ' ' -)" "$(plugins $objects)" tests/openmp/plugins.c
    done
fi
