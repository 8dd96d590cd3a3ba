#!/bin/sh
# deb.sh ROOT VERSION OUT PAGE - makes OUT/libprof_VERSION_ARCH.deb of ROOT, into which `make
# install` has installed below /usr. The list of installed files is the Makefile's `install` target;
# this script adds only what a Debian package needs besides. dpkg-shlibdeps computes the
# dependences: from the libraries of the ELF files, and from those that libprof.so loads by itself.
# PAGE is prof view's page, which holds licences. DEBFULLNAME and DEBEMAIL, or git's user, name the
# maintainer.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$1" && pwd) version=$2 out=$(cd "$3" && pwd)
arch=$(dpkg --print-architecture)
library=$(find "$root/usr/lib" -name libprof.so -type f)
others=$(find "$root/usr/lib" -name 'libprof_*.so' -type f)
doc=$root/usr/share/doc/libprof
person=${DEBFULLNAME:-$(git config user.name 2>/dev/null || id -un)}
address=${DEBEMAIL:-$(git config user.email 2>/dev/null || echo "$(id -un)@$(hostname)")}
maintainer="$person <$address>"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/prof" \
    "$library" $others
find "$root/usr/share/man" -type f ! -name '*.gz' -exec gzip -9n {} +
mkdir -p "$doc"
# the licences of what is in prof view's page stand in the page; Debian has a file of Apache's
{ cat "$here/copyright"; sh "$here/page-licences.sh" "$4" |
    awk 'BEGIN { RS = "\n----\n" }
    /Apache License/ {
        sub(/\n.*/, "\n\nApache License 2.0: /usr/share/common-licenses/Apache-2.0\n") }
            { printf "%s%s", sep, $0; sep = "\n----\n" }'
} >"$doc/copyright"
# Debian's changelog is the section of this version in CHANGELOG.md; the package has no other one
changes() {
    awk -v version="## $version" '/^## / { ours = $0 == version; next }
        ours && /^- / { printf "%s%s", sep, $0; sep = "\n"; next }
        ours && /^ / { sub(/^ */, " "); printf "%s", $0 }' "$here/../../CHANGELOG.md" | tr \
            -d '*`' | fold -s -w 74 |
        sed 's/ *$//' | sed 's/^- /  * /; t; s/^/    /'
}
{ printf 'libprof (%s) unstable; urgency=low\n\n' "$version"; changes
  printf '\n\n -- %s  %s\n' "$maintainer" "$(date -R -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}")"; } |
      gzip -9n >"$doc/changelog.gz"
rm -f "$doc/CHANGELOG.md"

# it is preloaded: nothing is ever linked with it
mkdir -p "$root/usr/share/lintian/overrides"
echo 'libprof: shared-library-lacks-version' >"$root/usr/share/lintian/overrides/libprof"

# gdb reads it when it loads libprof.so, and does not stop at samples
auto=$root/usr/share/gdb/auto-load${library#"$root"}-gdb.gdb
mkdir -p "${auto%/*}"
echo 'handle SIG60 nostop noprint pass' >"$auto"

# libraries that libprof.so opens by name: linked with, so that dpkg-shlibdeps sees them
loaded=$(strings "$library" | grep -x 'lib\(unwind\|pfm\)\.so\.[0-9]*' | sort -u | sed 's/^/-l:/')
echo 'int main(void) { return 0; }' | gcc -x c - -o "$work/loads" -Wl,--no-as-needed $loaded
mkdir "$work/debian"
cat >"$work/debian/control" <<C
Source: libprof
Maintainer: $maintainer

Package: libprof
Architecture: $arch
C
(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info --warnings=0 -e"$root/usr/bin/prof" \
    -e"$library" $(printf ' -e%s' $others) -e"$work/loads" >depends 2>log) ||
    { cat "$work/log" >&2; exit 1; }
mkdir -p "$root/DEBIAN"
echo 'activate-noawait ldconfig' >"$root/DEBIAN/triggers"
(cd "$root" && find usr -type f -exec md5sum {} + | sort -k 2 >DEBIAN/md5sums)
cat >"$root/DEBIAN/control" <<C
Package: libprof
Version: $version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
$(sed -n 's/^shlibs:Depends=/Depends: /p' "$work/depends")
Recommends: less
Suggests: binutils, gnuplot-nox, libdebuginfod1, valgrind
Section: devel
Priority: optional
Description: why a task-parallel program does not scale
 libprof is preloaded into unmodified, optimised programs of oneTBB, OpenMP
 and threads, and measures their work and span while they run in parallel.
 .
 The command prof shows what limits the program, which code is on its
 critical path, and what more cores would bring: as text, as a page for a
 browser, and in the formats of other tools.
C
chmod -R u+rwX,go+rX,go-w "$root"
dpkg-deb --root-owner-group -Zxz --build "$root" "$out/libprof_${version}_$arch.deb" >/dev/null
echo "$out/libprof_${version}_$arch.deb"
