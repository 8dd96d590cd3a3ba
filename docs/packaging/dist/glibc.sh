#!/bin/sh
# glibc.sh DIR - makes DIR/libc.so and the like for the linker: the names of this machine's glibc,
# each with the newest version that glibc 2.31 has as well. What is linked with them asks for
# nothing newer. A name that is younger than glibc 2.31 is not there, and the link fails.
#
# WHY not a root file system of an old release: that takes root, the network and ten minutes. And
# its compiler and its elfutils would be old ones, too. WHY not .symver: it does not reach into the
# archives of Debian.
set -e
minor=$(ldd --version | sed -n '1s/.*\.//p')
if [ "$minor" -gt 37 ]; then
    echo "make dist: glibc 2.$minor is too new: its headers give strtol and others names that" \
        "2.31 does not have. Build on Debian 12; what it builds runs here, too." >&2
    exit 1
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)

library() { # FILE NEWEST
    file=$(gcc -print-file-name="$1")
    readelf -W --dyn-syms "$file" | awk -v newest="$2" -v map="$out/$1.map" \
        -f "$here/glibc.awk" >"$out/$1.s"
    gcc -shared -nostdlib -Wl,-soname,"$1" -Wl,--version-script="$out/$1.map" "$out/$1.s" \
        -o "$out/$1"
}
# libc.so.6 itself has no version 2.31
library libc.so.6 2.30
library ld-linux-x86-64.so.2 2.30
library libm.so.6 2.31
# Since 2.34 their functions are in libc, without new versions. Before, they have to be loaded.
library libpthread.so.0 2.30
library libdl.so.2 2.30
for name in libm.so.6 libpthread.so.0 libdl.so.2; do ln -sf $name "$out/${name%.*}"; done
echo "GROUP($out/libc.so.6 $(gcc -print-file-name=libc_nonshared.a)" \
    "AS_NEEDED($out/ld-linux-x86-64.so.2))" >"$out/libc.so"
