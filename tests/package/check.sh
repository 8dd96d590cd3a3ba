#!/bin/sh
# check.sh BUILD [CASE...] - `make install`, `make dist`, `make deb`: everything is where it is
# looked for, in a tree of its own; the package depends on all that its ELF files load; what is
# installed profiles a program.
# One PASS or FAIL line a case.
build=$(cd "$1" && pwd) || exit 1
shift
top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
unset PROF_LIBRARY LD_PRELOAD PROF_OUTPUT
suite=package only=$* failures=0
. "$top/tests/case.sh"
equal() { # NAME EXPECTED ACTUAL
    result "$1" "$([ "$2" = "$3" ] || echo "expected <$2>, got <$3>")"
}
# What a tree of ours does, wherever it lies. TREE is where /, or its prefix's parent, is.
works() { # NAME PREFIX LIBRARY
    result "$1-prof" "$("$2/bin/prof" --version | grep -q '^prof (libprof) [0-9]' ||
        echo "no version")"
    mkdir -p "$1" && (cd "$1" && "$2/bin/prof" run --report-to report.txt "$build/examples/fib" \
        -t 2 20 >out 2>err)
    result "$1-run" "$(grep -q '  parallelism [0-9]' "$1/report.txt" || cat "$1/err")"
    (cd "$1" && LD_PRELOAD=$3 PROF_OUTPUT=preloaded.prof "$build/examples/fib" -t 2 20 >out 2>err)
    result "$1-workers" "$([ -r "${3%.so}_workers.so" ] || echo "no ${3%.so}_workers.so")"
    result "$1-preload" "$([ -s "$1/preloaded.prof" ] || cat "$1/err")"
    equal "$1-manuals" "$(cd "$top/docs/man" && ls | sort | tr '\n' ' ')" \
        "$(cd "$2/share/man" && ls man1 man7 | grep '\.[17]' | sed 's/\.gz$//' | sort |
        tr '\n' ' ')"
    if command -v man >/dev/null; then
        result "$1-man" "$(MANPATH=$2/share/man man -w prof-report libprof 2>&1 | grep -v "^$2")"
    else
        result "$1-man" 'SKIP no man'
    fi
    equal "$1-pages" "$(cd "$top" && ls README.md CONTRIBUTING.md docs/*.md docs/pictures/*.png)" \
        "$(cd "$2/share/doc/libprof" && ls README.md CONTRIBUTING.md docs/*.md docs/pictures/*.png)"
    result "$1-links" "$(dead_links "$2/share/doc/libprof")"
    result "$1-completion" "$(bash --norc -c '. "$0"; complete -p prof' \
        "$2/share/bash-completion/completions/prof" 2>&1 | grep -v -- '-F _prof prof')"
}

. "$top/tests/package/pages.sh"

# ---- make install ----
if wants install; then
make -s -C "$top" install O="$build" DESTDIR= PREFIX="$tmp/usr" >log 2>&1 ||
    result install "$(tail -3 log)"
works install "$tmp/usr" "$tmp/usr/lib/libprof/libprof.so"
cat >named.c <<'C'
#include <libprof.h>
int main(void) { libprof_region_start("r"); libprof_region_stop("r"); return 0; }
C
pc() { PKG_CONFIG_PATH=$tmp/usr/share/pkgconfig pkg-config "$@" 2>&1; }
result install-pkg-config "$(
    gcc $(pc --cflags libprof) named.c $(pc --libs libprof) -o named 2>&1 &&
    ./named || echo "status $?")"
equal install-pkg-config-links-nothing 0 "$(ldd named | grep -c libprof)"
equal install-pkg-config-preload "$tmp/usr/lib/libprof/libprof.so" \
    "$(pc --variable=preload libprof)"
equal install-pkg-config-version "$("$build/prof" --version | sed 's/.* //')" \
    "$(pc --modversion libprof)"
make -s -C "$top" uninstall O="$build" DESTDIR= PREFIX="$tmp/usr" >log 2>&1
equal install-uninstall '' "$(find "$tmp/usr" -type f -o -type l)"
fi

# ---- make dist ----
! wants dist || . "$top/tests/package/dist.sh"

# ---- the first minutes ----
. "$top/tests/package/first.sh"

# ---- make deb ----
wants deb || exit $failures
if ! command -v dpkg-deb >/dev/null || ! command -v dpkg-shlibdeps >/dev/null; then
    echo "SKIP package/deb: no dpkg-dev"
    exit $failures
fi
make -s -C "$top" deb O="$build" >log 2>&1 || result deb "$(tail -3 log)"
deb=$(ls "$build"/deb/*.deb) && mkdir root && dpkg-deb -x "$deb" root ||
    result deb-unpacks "$(tail -3 log)"
multiarch=$(gcc -print-multiarch)
works deb "$tmp/root/usr" "$tmp/root/usr/lib/$multiarch/libprof.so"
equal deb-owner 'root/root' "$(dpkg-deb -c "$deb" | awk '{ print $2 }' | sort -u)"
result deb-no-build-paths "$(strings root/usr/bin/prof "root/usr/lib/$multiarch/libprof.so" \
    root/usr/lib/$multiarch/pkgconfig/libprof.pc | grep -e "$build" -e "$tmp" | head -1)"
result deb-gdb "$(grep -qs 'handle SIG60' \
    "root/usr/share/gdb/auto-load/usr/lib/$multiarch/libprof.so-gdb.gdb" || echo 'gdb stops')"
zcat root/usr/share/doc/libprof/changelog.gz >changes
result deb-changelog "$(head -1 changes | grep -q "^libprof ($("$build/prof" --version |
    sed 's/.* //')) " && grep -q '^  \* .' changes || head -3 changes)"
# every library that is linked with, or loaded by name, is of a package that it depends on
dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/^ *//; s/ .*//' >depends
# The file is the one that the loader would take: ldconfig lists those of other ABIs (libx32,
# lib32), too.
needed() { # prints NAME FILE
    gcc -x c /dev/null -shared -nostdlib -Wl,--no-as-needed -l:libunwind.so.8 -l:libpfm.so.4 \
        -o loads.so 2>&1 | sed 's/^/loads.so /'
    for file in root/usr/bin/prof root/usr/lib/$multiarch/libprof*.so loads.so; do
        names=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
        for name in $names; do ldd "./$file" | awk -v name="$name" \
            '$1 == name { print name, $3 } $1 == "/lib64/" name { print name, $1 }'; done
        ldd "./$file" | grep 'not found'
        echo "$(echo "$names" | wc -w) names" >&2
    done
}
# The package of FILE. Where / and /usr are one, dpkg knows a file by the name that it was installed
# with.
owner() { # FILE
    for path in "$1" "/usr$1" "${1#/usr}" "$(realpath "$1")" \
        "$(realpath "$1" | sed 's|^/usr||')"; do
        package=$(dpkg -S "$path" 2>/dev/null) && echo "$package" | sed 's/:.*//' && return
    done
}
needed >libraries 2>counted
result deb-depends "$(sort -u libraries | while read -r library file; do
    package=$(owner "$file" | head -1)
    grep -qx "${package:-none}" depends || echo "$library is of ${package:-no package}"
done; [ "$(wc -l <libraries)" = "$(awk '{ n += $1 } END { print n }' counted)" ] ||
    echo "resolved: $(cat libraries)")"
result deb-depends-nothing-else "$(grep -e 'x32\|lib32\|i386' depends)"
# into a database of its own, as root only; and out again
if [ "$(id -u)" = 0 ]; then
    mkdir -p clean/var/lib/dpkg/info clean/var/lib/dpkg/updates && : >clean/var/lib/dpkg/status
    result deb-installs "$(dpkg --root="$tmp/clean" --force-depends --force-script-chrootless \
        -i "$deb" >log 2>&1 && clean/usr/bin/prof help >/dev/null || tail -3 log)"
    result deb-removed "$(dpkg --root="$tmp/clean" --force-script-chrootless -P libprof >log 2>&1 ||
        tail -3 log; find clean/usr -type f 2>/dev/null)"
else
    for case in deb-installs deb-removed; do echo "SKIP package/$case: needs root"; done
fi
if command -v lintian >/dev/null; then
    result deb-lintian "$(lintian --allow-root "$deb" 2>&1 | grep -v bogus-mail-host)"
else
    echo "SKIP package/lintian: not installed"
fi
exit $failures
