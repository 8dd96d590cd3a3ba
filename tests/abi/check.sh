#!/bin/sh
# The preloaded object's surface: what it exports, what it needs, how it is linked.
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
suite=abi only=$* failures=0
. "$here/../case.sh"
so=$build/libprof.so
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

nm -D --defined-only "$so" | awk '{print $3}' | sort >"$tmp/exports"
wants exports &&
    found "$(sort "$here/exports.txt" | diff - "$tmp/exports" | grep '^[<>]' | tr '\n' ' ')"

# No allocator, stdio, locale or environment of the application's; no lazily allocated TLS.
nm -D -u "$so" | awk '{print $2}' | sed 's/@.*//' | sort >"$tmp/undefined"
sed '/^#/d; /^$/d' "$here/allowed.txt" | sort >"$tmp/allowed"
wants undefined && found "$(comm -13 "$tmp/allowed" "$tmp/undefined" | tr '\n' ' ')"
wants allowed-has-reasons && found "$(awk '/^#/ { reason = 1; next } /^$/ { reason = 0; next }
    !reason { print }' "$here/allowed.txt")"
wants no-tls-get-addr && found "$(grep -x __tls_get_addr "$tmp/undefined")"

# Before glibc 2.34 parts of libc are libraries of their own.
parts=$(ldd --version | sed -n '1s/.*\.//p' |
    awk '$1 < 34 { print "-e libdl.so.2 -e libpthread.so.0" }')
readelf -d "$so" >"$tmp/dynamic"
wants needed && found "$(sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' "$tmp/dynamic" |
    grep -vx -e libc.so.6 -e ld-linux-x86-64.so.2 $parts | tr '\n' ' ')"
wants no-textrel && found "$(grep -o TEXTREL "$tmp/dynamic" | head -1)"
wants nodelete && found "$(grep -q NODELETE "$tmp/dynamic" || echo 'no NODELETE flag')"

# A lock is a struct lock, and one of the process is in the list that fork walks: declared by
# LOCK_DEFINE. An object's is a field. Words that are taken by an atomic exchange of 0 for 1, and
# words whose names say that they are locks, are locks that fork does not know.
undeclared() { # SOURCES...
    grep -nE -e 'exchange_n\([^,]*, *1, *__ATOMIC_ACQUIRE|atomic_flag|spin_(lock|unlock)' \
        -e 'u?int(8|16|32|64)?(_t)? +(\**[a-z_]*_)?lock *[;=\[]' \
        -e '^ *(static +)?struct lock +[a-z_]+( *=.*)?;.*' "$@" /dev/null |
        grep -vE -e 'preload/base/lock\.[ch]:' -e '__atomic_exchange_n\(&real->nodes_lock' \
            -e 'nodes_lock;' -e '^[^:]*:[0-9]+:    +struct lock +[a-z_]+;' \
            -e 'counter.c:[0-9]+: +uint32_t lock;'
}
src=$here/../..
wants locks &&
    found "$(undeclared "$src"/preload/*/*.[ch] "$src"/unwind/*.[ch] "$src"/agents/*/*.[ch])"
cat >"$tmp/bad.c" <<'END'
static uint32_t some_lock;
static struct lock other;
    uint32_t lock;
    static uint32_t lock = 0;
while (__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE))
spin_lock(&x);
END
wants locks-refused &&
    found "$([ "$(undeclared "$tmp/bad.c" | wc -l)" = 6 ] || undeclared "$tmp/bad.c")"
# Every LOCK_DEFINE and LOCK_LISTED of the sources is in the list.
wants locks-listed &&
    found "$(want=$(grep -hoE '^LOCK_(DEFINE|LISTED)\([a-z]' "$src"/preload/*/*.c \
    "$src"/unwind/*.c "$src"/agents/*/*.c | wc -l)
    at=$(nm "$so" | awk '$3 == "__start_prof_locks" { print $1 }')
    end=$(nm "$so" | awk '$3 == "__stop_prof_locks" { print $1 }')
    [ $(((0x$end - 0x$at) / 24)) = "$want" ] ||
        echo "$(((0x$end - 0x$at) / 24)) in the list, $want in the sources")"

# The public headers stand alone in every language they promise.
for std in gnu99 gnu11 gnu17; do
    wants header-$std && found "$(echo '#include "libprof.h"
#include "libprof_format.h"
int main(void)
{
    libprof_region_start("r");
    libprof_region_stop("r");
    libprof_cost(1);
    return libprof_active();
}' | gcc -std=$std -Wall -Wextra -Werror -I"$here/../../include" -xc - -o "$tmp/c" 2>&1 |
        head -3)"
done
for std in c++11 c++17 c++20; do
    wants header-$std && found "$(echo '#include "libprof.h"
#include "libprof_format.h"
int main() { libprof_region r("r"); libprof_cost(1); return libprof_active(); }' |
        g++ -std=$std -Wall -Wextra -Werror -I"$here/../../include" -xc++ - -o "$tmp/cc" 2>&1 |
        head -3)"
done
# Without the preload the annotations do nothing and need no library.
wants header-inert && found "$("$tmp/c"; [ $? = 0 ] || echo "status $?")"
# Installing into a directory of one's own gives a prof that finds its library.
wants install && found "$(make -s -C "$here/../.." install O="$build" DESTDIR="$tmp/root" \
    PREFIX=/usr >"$tmp/log" 2>&1 || head -3 "$tmp/log"
    "$tmp/root/usr/bin/prof" run --no-report -o "$tmp/p" /bin/true 2>"$tmp/log" || cat "$tmp/log"
    [ -s "$tmp/p" ] || echo 'no profile from the installed prof')"
exit $failures
