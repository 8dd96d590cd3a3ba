#!/bin/sh
# check.sh BUILD - the rooms of the sources stand in layers: arrows.sh beside this file finds no
# arrow up. And it finds those that are planted here. Each file of libprof.so includes forbid.h
# last. What depends on the processor is in arch/.
build=$(cd "$1" && pwd)
suite=layers only= failures=0
. "$(dirname "$0")/../case.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

pass() { result "$1" ''; }
fail() { result "$1" "$2"; }

violations=$(sh "$root/tests/layers/arrows.sh" "$build/obj" 2>&1) && pass arrows ||
    fail arrows "$(echo "$violations" | head -5 | tr '\n' ';')"

# A copy of prof's sources and objects, in which something is planted.
mkdir -p "$tmp/tests/layers" "$tmp/obj"
(cd "$root" && cp --parents $(find report include unwind arch \( -name '*.[chS]' -o \
    -name '*.def' \) -not -path '*/node_modules/*') "$tmp/")
cp -r "$build/obj/report" "$tmp/obj/"
sed '/^# prof$/,/^# libprof.so$/!d; /^# libprof.so$/d' \
    "$root/tests/layers/rooms" >"$tmp/tests/layers/rooms"
is() { # NAME LINE: that line, and no other, is said of the copy
    found=$(sh "$root/tests/layers/arrows.sh" "$tmp/obj" "$tmp" 2>&1)
    status=$?
    if [ "$status" != 1 ] && [ -n "$2" ]; then fail "$1" "status $status"
    elif [ "$found" != "$2" ]; then fail "$1" "$found"
    else pass "$1"; fi
}
planted() { # FILE TEXT: FILE and its object with TEXT at the end
    cp "$tmp/$1" "$tmp/kept.c"
    cp "$tmp/obj/${1%.c}.o" "$tmp/kept.o"
    echo "$2" >>"$tmp/$1"
    gcc -w -std=gnu11 -I"$tmp/include" -I"$tmp/report" -c "$tmp/$1" -o "$tmp/obj/${1%.c}.o"
}
restore() { mv "$tmp/kept.c" "$tmp/$1" && mv "$tmp/kept.o" "$tmp/obj/${1%.c}.o"; }

is copy ''
planted report/profile/newest.c '#include "analysis/stats.h"'
is include-up \
    'report/profile/newest.c includes report/analysis/stats.h of report/analysis: an arrow up'
restore report/profile/newest.c
planted report/profile/newest.c \
    'extern double stats_student_95(double df);
    double planted(void) { return stats_student_95(3); }'
is call-up 'report/profile/newest.c uses stats_student_95 of report/analysis: an arrow up'
restore report/profile/newest.c
planted report/diff/forms.c 'extern void bench_free(void *b); void planted(void) { bench_free(0); }'
arrow='an arrow that tests/layers/rooms does not have'
is call-sideways "report/diff/forms.c uses bench_free of report/bench: $arrow"
restore report/diff/forms.c
planted report/base/format.c \
    'extern void progress_done(void); void planted(void) { progress_done(); }'
is circle 'files use each other in a circle: report/base/format.c report/base/progress.c'
restore report/base/format.c
: >"$tmp/report/lost.c"
is no-room 'report/lost.c stands in no room'
rm "$tmp/report/lost.c"
echo 'report/late: report/later' >>"$tmp/tests/layers/rooms"
is not-below 'tests/layers/rooms: report/late names report/later, which is not below it'

# The same for libprof.so: nothing of the engine may be known in base/.
rm -rf "${tmp:?}"/* && mkdir -p "$tmp/tests/layers" "$tmp/obj"
(cd "$root" && cp --parents $(find arch preload unwind agents include -name '*.[chS]') "$tmp/")
cp -r "$build/obj/arch" "$build/obj/preload" "$build/obj/unwind" "$build/obj/agents" "$tmp/obj/"
sed '/^# libprof.so$/,$!d' "$root/tests/layers/rooms" >"$tmp/tests/layers/rooms"
is libprof-copy ''
echo '#include "engine/engine.h"' >>"$tmp/preload/base/lock.c"
is libprof-include-up \
    'preload/base/lock.c includes preload/engine/engine.h of preload/engine: an arrow up'

# ---- names that must not appear in libprof.so ----
unforbidden() { # ROOT: its files whose last #include is not forbid.h, and that the list has not
    cd "$1" && find preload unwind agents -name '*.c' | sort | while read -r file; do
        grep -q "^$file: " "$root/tests/layers/forbid" && continue
        last=$(grep '^ *# *include' "$file" | grep -v '\.def"' | tail -1)
        [ "$last" = '#include "base/forbid.h"' ] || echo "$file"
    done
}
# those of the list that need not be in it
needless() {
    cd "$root" && sed -n 's/^\([^#:]*\): .*/\1/p' tests/layers/forbid | while read -r file; do
        { [ -r "$file" ] && ! grep -q '"base/forbid.h"' "$file"; } || echo "$file"
    done
}
lacking=$(unforbidden "$root" | tr '\n' ' ')
[ -z "$lacking" ] && pass forbid || fail forbid "forbid.h is not the last include of: $lacking"
needless=$(needless | tr '\n' ' ')
[ -z "$needless" ] && pass forbid-list || fail forbid-list "tests/layers/forbid has: $needless"
echo '#include "base/memory.h"' >>"$tmp/preload/base/lock.c"
sed -i '/forbid\.h/d' "$tmp/unwind/call_tree.c"
[ "$(unforbidden "$tmp" | tr '\n' ' ')" = 'preload/base/lock.c unwind/call_tree.c ' ] &&
    pass forbid-planted || fail forbid-planted "$(unforbidden "$tmp" | tr '\n' ' ')"

# ---- what depends on the processor ----
# Assembly, macros, built-in functions and registers of one processor, outside arch/. An assembler
# name and an empty statement are of no processor.
of_processor() { # ROOT
    cd "$1" && grep -rnE --include='*.[chS]' \
        '__(x86_64|aarch64|i386)__|__builtin_ia32|<cpuid|intrin\.h>|gregs\[|REG_R[A-Z0-9]|__asm__' \
        preload unwind agents report | grep -v 'report/view/node_modules' |
        grep -vE '__asm__( volatile)?\(""|__asm__\((TBB|"[a-z]+"\))' | sed 's/:.*//' | sort -u |
        tr '\n' ' '
}
found=$(of_processor "$root")
[ -z "$found" ] && pass processor || fail processor "outside arch/: $found"
echo 'static inline void f(void) { __asm__ volatile("pause"); }' >>"$tmp/preload/base/lock.h"
[ "$(of_processor "$tmp" 2>"$tmp/none")" = 'preload/base/lock.h ' ] && pass processor-planted ||
    fail processor-planted "$(of_processor "$tmp")"
exit $failures
