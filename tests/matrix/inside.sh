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

case $1 in
prepare)
    # The dependences are those of make deps-test. What is not of them: procps and the like, which a
    # machine has.
    { apt-get update -qq && make deps-test &&
        env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            procps file git ca-certificates less python3-minimal; } >$out/deps.log 2>&1 ||
        echo "FAIL matrix: $(tail -1 $out/deps.log)"
    for compiler in gcc g++ clang clang++; do rm -f /usr/local/bin/$compiler; done  # see below
    versions >$out/versions
    [ -z "$FOREIGN" ] || exit 0         # a cross compiler builds, outside
    make -j"$JOBS" all >$out/build.log 2>&1 || exit 1
    # What this release cannot build, its suites will say.
    make -k -j"$JOBS" examples programs $(ls tests/unit/test_*.c |
        sed 's,tests/\(.*\)\.c,build/\1,') >>$out/build.log 2>&1
    exit 0 ;;
*)
    # Before glibc 2.34 a program that uses libprof.h, dlsym or dlopen needs -ldl; timers, -lrt.
    if [ "$(ldd --version | sed -n '1s/.*\.//p')" -lt 34 ]; then
        for compiler in gcc g++ clang clang++; do
            printf '#!/bin/sh\nexec /usr/bin/%s "$@" %s\n' $compiler \
                '-Wl,--no-as-needed -ldl -lrt -Wl,--as-needed' >/usr/local/bin/$compiler &&
                chmod +x /usr/local/bin/$compiler
        done
    fi
    # An emulator has no real time, and libomp's programs need a second cross compiler.
    [ -z "$FOREIGN" ] || export CHECK_REAL= CHECK_COMPILERS=gcc CHECK_WORKERS="1 2 4"
    # without oneTBB, there is nothing that programs can run
    ldconfig -p | grep -q 'libtbb.so.12 ' ||
        export MATRIX_RELEASE="$(. /etc/os-release && echo "$VERSION_CODENAME")"
    timeout $((HOURS * 3600)) sh tests/run.sh build "$1" >$out/"$1".log 2>&1
    code=$?
    [ $code -ne 124 ] || echo "FAIL $1: more than $HOURS hours" >>$out/"$1".log
    exit 0 ;;
esac
