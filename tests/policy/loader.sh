# loader.sh - sourced by check.sh: libprof's look-ups of symbols. The program's dlerror() does not
# show them, and its own error stays. libgcc_s's unwinder is meant, not that of a libunwind that the
# program is linked with, which would open a pipe.
loader=$tmp/loader
mkdir "$loader"
# Before glibc 2.34, libprof cannot keep the program's error (preload/base/lookup.c).
pending=
readelf -W --dyn-syms "$(ldconfig -p | sed -n 's|^.libc\.so\.6 (.*x86-64.* => ||p' | head -1)" |
    grep -q __libc_dlerror_result || pending=-DNONE_PENDING
gcc -O1 -w $pending "$here/dlerror.c" -o "$loader/errors" -pthread -ldl &&
    gcc -O1 -w -fno-builtin -DOWN_FREE $pending "$here/dlerror.c" -o "$loader/own-free" \
        -pthread -ldl ||
    echo "FAIL policy: dlerror.c does not compile"
printf '%s\n' '#include <omp.h>' 'int run(void) { int n = 0;' \
    '_Pragma("omp parallel num_threads(2) reduction(+: n)")' \
    '{ _Pragma("omp single") { _Pragma("omp task") n++; } } return n; }' >"$loader/omp.c"
printf '%s\n' '#include <tbb/task_group.h>' 'extern "C" int run(void) { int n = 0;' \
    'tbb::task_group g; g.run([&] { n++; }); g.wait(); return n; }' >"$loader/tbb.cpp"
gcc -O1 -w -fopenmp -shared -fPIC "$loader/omp.c" -o "$loader/gomp.so" ||
    echo "FAIL policy: a plugin does not compile"
plugins=gomp
if has_tbb renamed-tbb dlerror-pending-tbb; then
    plugins='gomp tbb'
    g++ -O1 -w -shared -fPIC "$loader/tbb.cpp" -o "$loader/tbb.so" -ltbb ||
        echo "FAIL policy: a plugin does not compile"
fi
# A runtime of another name, as wheels of Python's have it, is found where it is loaded. The new
# name is as long as the old one, so the copy is only edited.
renamed() { # LIBRARY OLD NEW PLUGIN
    sed "s/$2/$3/g" "$(ldconfig -p | sed -n "s|^.$1 (.*x86-64.* => ||p" | head -1)" \
        >"$loader/$3" && sed "s/$2/$3/g" "$loader/$4.so" >"$loader/$4-renamed.so" &&
        readelf -d "$loader/$4-renamed.so" | grep -q "NEEDED.*$3" || echo 'not renamed'
}
renamed libgomp.so.1 'libgomp.so.1' libg0mp.so.1 gomp
[ "$plugins" = gomp ] || renamed libtbb.so.12 'libtbb.so.12' libtxx.so.12 tbb
for plugin in $plugins; do
    wants renamed-$plugin && found "$(export LD_LIBRARY_PATH="$loader"
        same "$loader/errors" "$loader/$plugin-renamed.so"; quiet
        got=$("$prof" report --json "$tmp"/run/errors.*.prof | jq '.program.spawns')
        [ "${got:-0}" -gt 0 ] || echo "spawns: $got")"
done
wants dlerror-start && found "$(same "$loader/errors"; quiet
    grep -qx 'at the start: no error' "$tmp/out" || cat "$tmp/out")"
if [ -z "$pending" ]; then
    wants dlerror-pending-thread && found "$(same "$loader/errors"; quiet
        grep -q '^a thread: /nonexistent' "$tmp/out" || cat "$tmp/out")"
else
    echo 'SKIP policy/dlerror-pending-thread: this glibc has no __libc_dlerror_result'
fi
# (libtbb and LLVM's libomp look symbols up themselves at the first construct.)
wants dlerror-pending-gomp && found "$(same "$loader/errors" "$loader/gomp.so"; quiet
    grep -q 'the first construct: /nonexistent' "$tmp/out" || cat "$tmp/out")"
[ "$plugins" = gomp ] ||
    ! wants dlerror-pending-tbb || found "$(same "$loader/errors" "$loader/tbb.so"; quiet)"
wants free-by-dlsym && found "$(same "$loader/own-free" $(printf "$loader/%s.so " $plugins); quiet
    [ "$(cat "$tmp/status")" = 0 ] || cat "$tmp/status")"
# What is in stdio's buffers at the first thread is written once, also by valgrind.
if command -v valgrind >/dev/null; then
    wants valgrind-output && found "$(same valgrind -q "$loader/errors"; quiet)"
    # libc's memory for a thread of libprof's is no leak of the program's
    printf '%s\n' '#include <pthread.h>' '#include <stdio.h>' \
        'static void *count(void *a) { for (volatile int i = 0; i < 1000000; i++) {} return a; }' \
        'int main(void) { pthread_t t; pthread_create(&t, 0, count, 0); pthread_join(t, 0);' \
        'puts("counted"); return 0; }' >"$loader/count.c"
    gcc -w "$loader/count.c" -o "$loader/count" -pthread || echo "FAIL policy: count.c"
    wants valgrind-leaks &&
        found "$(same valgrind -q --leak-check=full --error-exitcode=9 "$loader/count"
        quiet; [ "$(cat "$tmp/status")" = 0 ] || cat "$tmp/err")"
else
    echo "SKIP policy/valgrind-output: no valgrind"
fi
printf '%s\n' '#include <fcntl.h>' '#include <pthread.h>' '#include <stdio.h>' \
    'static void show(const char *when)' \
    '{ printf("%s:", when); for (int i = 0; i < 100; i++)' \
    'if (fcntl(i, F_GETFD) >= 0) printf(" %d", i); puts(""); }' \
    'static void *nothing(void *a) { return a; }' \
    'int main(void) { pthread_t t; show("at the start"); pthread_create(&t, 0, nothing, 0);' \
    'pthread_join(t, 0); show("after a thread"); return 0; }' >"$loader/open.c"
if gcc -w "$loader/open.c" -o "$loader/open" -Wl,--no-as-needed -l:libunwind.so.8 -pthread \
    2>/dev/null; then
    wants descriptors-libunwind && found "$(same "$loader/open"; quiet)"
else
    echo "SKIP policy/descriptors-libunwind: this machine has no libunwind.so.8 to link with"
fi
# A plug-in with a libgcc_s of its own beside it, newer than the system's. libprof has loaded none.
mkdir "$loader/newer"
printf '%s\n' 'int newer(void) { return 7; }' >"$loader/newer.c"
printf '%s\n' 'GCC_99.0 { newer; };' >"$loader/newer.map"
printf '%s\n' 'int newer(void); int run(void) { return newer(); }' >"$loader/uses-newer.c"
printf '%s\n' '#include <dlfcn.h>' '#include <stdio.h>' '#include <string.h>' \
    'int main(int argc, char **argv) { char line[512]; int found = 0;' \
    'FILE *f = fopen("/proc/self/maps", "r"); while (fgets(line, sizeof line, f))' \
    'found |= strstr(line, "libgcc_s") != 0; printf("libgcc_s %d\n", found);' \
    'void *h = dlopen(argv[1], RTLD_NOW); int (*run)(void) = h ? dlsym(h, "run") : 0;' \
    'puts(h ? "loaded" : dlerror()); return run ? run() : 1; }' >"$loader/loads.c"
if gcc -shared -fPIC "$loader/newer.c" -o "$loader/newer/libgcc_s.so.1" -nostdlib \
    -Wl,-soname,libgcc_s.so.1 -Wl,--version-script="$loader/newer.map" &&
    gcc -shared -fPIC "$loader/uses-newer.c" -o "$loader/newer/plugin.so" -nostdlib \
        -Wl,-rpath,"$loader/newer" "$loader/newer/libgcc_s.so.1" &&
    gcc -O1 -w "$loader/loads.c" -o "$loader/loads" -ldl; then
    wants newer-libgcc && found "$(same "$loader/loads" "$loader/newer/plugin.so"; quiet
        [ "$(cat "$tmp/status")" = 7 ] || cat "$tmp/out")"
else
    echo "FAIL policy: a plug-in with its own libgcc_s does not compile"
fi
