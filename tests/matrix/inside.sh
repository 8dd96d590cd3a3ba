#!/bin/sh
# inside.sh prepare|SUITE - in a root file system of the matrix, of which /src is the tree.
#   prepare   installs what libprof and its tests need, notes the versions, builds
#   SUITE     runs it
# Both write to /tmp/matrix.
out=/tmp/matrix
cd /src || exit 1

version() { # NAME LIBRARY: of the package with the library that the loader finds
    file=$(ldconfig -p | sed -n "s/^.$2 .*=> //p" | head -1)
    package=$(dpkg -S "$(readlink -f "${file:-/nonexistent}")" 2>/dev/null | sed 's/:.*//')
    is=$([ -n "$package" ] && dpkg-query -W -f='${Version}' "$package")
    is=${is#*:} is=${is%%-*}
    printf '\t%s %s' "$1" "${is:-none}"
}

versions() {
    printf 'glibc %s' "$(ldd --version | sed -n '1s/.* //p')"
    printf '\tgcc %s' "$(gcc -dumpfullversion)"
    printf '\tclang %s' "$(clang --version | sed -n '1s/.*version \([0-9.]*\).*/\1/p')"
    version oneTBB libtbb.so.12
    version libgomp libgomp.so.1
    version libomp libomp.so.5
    version libunwind libunwind.so.8
}

wrapped='gcc g++ clang clang++'
# Before glibc 2.34 a program that uses libprof.h, dlsym, timers or openpty needs libraries of its
# own for that. gcc 10 links no `omp target` if compilers for other devices are not installed.
wrap() {
    [ "$(ldd --version | sed -n '1s/.*\.//p')" -lt 34 ] || return 0
    target='int main() { _Pragma("omp target") ; }'
    for compiler in $wrapped; do
        here=
        links() { echo "$target" | /usr/bin/$compiler -fopenmp "$@" -x c - -o /tmp/target; }
        links 2>/dev/null || ! links -foffload=disable 2>/dev/null || here=-foffload=disable
        cat >/usr/local/bin/$compiler <<END
#!/bin/sh
for option; do
    case \$option in -c | -E | -S | -fsyntax-only) exec /usr/bin/$compiler "\$@" ;; esac
done
exec /usr/bin/$compiler $here "\$@" -Wl,--push-state,--no-as-needed -ldl -lrt -lutil -Wl,--pop-state
END
        chmod +x /usr/local/bin/$compiler
    done
}

case $1 in
prepare)
    # The dependences are those of make deps-test. What is not of them: procps and the like, which a
    # machine has.
    { apt-get update -qq && make deps-test &&
        env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            procps file git ca-certificates less mount python3; } >$out/deps.log 2>&1 ||
        echo "FAIL matrix: $(tail -1 $out/deps.log)"
    for compiler in $wrapped; do rm -f /usr/local/bin/$compiler; done
    versions >$out/versions
    [ -z "$FOREIGN" ] || exit 0         # a cross compiler builds, outside
    make -j"$JOBS" all >$out/build.log 2>&1 || exit 1
    grep -m1 'warning: ' $out/build.log | sed 's/^/FAIL matrix: the compiler warns: /'
    wrap
    # What this release cannot build, its suites will say.
    make -k -j"$JOBS" examples programs $(ls tests/unit/test_*.c |
        sed 's,tests/\(.*\)\.c,build/\1,') >>$out/build.log 2>&1
    exit 0 ;;
*)
    wrap
    # An emulator has no real time, and libomp's programs need a second cross compiler.
    [ -z "$FOREIGN" ] || export CHECK_REAL= CHECK_COMPILERS=gcc CHECK_WORKERS="1 2 4"
    timeout $((HOURS * 3600)) python3 tests/run.py build all "$1" >$out/"$1".log 2>&1
    code=$?
    [ $code -ne 124 ] || echo "FAIL $1: more than $HOURS hours" >>$out/"$1".log
    exit 0 ;;
esac
