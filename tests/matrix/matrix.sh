#!/bin/sh
# matrix.sh "RELEASE..." "SUITE..." - builds libprof in a minimal root file system of each release
# of Debian and runs the suites there. Prints one line a release and suite, with the versions of
# what it ran on, and writes docs/PLATFORMS.md, where the rows of other releases and suites stay.
# Needs root. `make matrix RELEASES="trixie" SUITES="programs openmp"` calls it.
# RELEASE-arm64: the same of 64-bit Arm, which qemu-user runs. This machine's cross compiler builds.
#   MATRIX_ROOTS=DIR    where the root file systems are kept, about 1 GB each
#                       (/var/tmp/libprof-matrix), those of the suite dist 150 MB; with one that is
#                       there, nothing is downloaded
#   MATRIX_KEEP=1       builds on what the last run has built there
#   MATRIX_JOBS=2       of make
#   MATRIX_HOURS=2      the time that a suite has
#   MATRIX_PAGE=FILE    written in place of docs/PLATFORMS.md
#   CHECK_REPEATS=2     of programs and openmp: how often a case runs on a number of workers
#   CHECK_WORKERS="1 4" of the same: these numbers of workers
#   CHECK_DAGS="4m,5 4" of predict: these settings alone
# Packages come from the mirror of the machine's own apt configuration. A release that the mirror
# does not have is skipped. A Release file may be an old snapshot's, whose time is over.
releases=$1 suites=$2
tree=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
here=$tree/tests/matrix
roots=${MATRIX_ROOTS:-/var/tmp/libprof-matrix}
page=${MATRIX_PAGE:-$tree/docs/PLATFORMS.md}
[ "$(id -u)" = 0 ] || { echo "SKIP matrix: needs root"; exit 0; }
mkdir -p "$roots" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap '[ -z "$inside" ] || kill -9 "$inside"; exit 143' INT TERM
export FOREIGN= # 1: the root file system is of another processor
inside= # the process that has the root file system's as its children

mirror() {
    apt-get indextargets --format '$(LABEL) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        sed -n 's/^Debian main //p' | head -1
}

# How this machine reaches it, and that an old snapshot will do.
apt_settings() {
    apt-config dump --format '%f "%v";%n' Acquire::http Acquire::https | grep -v '""'
    echo 'Acquire::Check-Valid-Until "false";'
    echo 'Acquire::Check-Date "false";'
}

# Programs of the root file system's architecture run by qemu-user, in it too (F).
run_foreign() {
    misc=/proc/sys/fs/binfmt_misc qemu=$(command -v qemu-aarch64-static) || return 1
    [ -e $misc/register ] || mount -t binfmt_misc none $misc || return 1
    [ -e $misc/qemu-aarch64 ] || printf '%s%s:%s:F' \
        ':qemu-aarch64:M::\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xb7\0:\xff\xff\xff\xff' \
        '\xff\xff\xff\0\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff' "$qemu" |
        sed 's/\\0/\\x00/g' >$misc/register
}

# The suites that do not compile, of a tree whose libprof and programs this machine has built.
build_foreign() { # ROOT
    root_option=--sysroot=$1
    make -C "$1/src" -k -j"${MATRIX_JOBS:-2}" CC="aarch64-linux-gnu-gcc $root_option" \
        CXX="aarch64-linux-gnu-g++ $root_option" CLANG= VIEW=0 all programs \
        >"$1/tmp/matrix/build.log" 2>&1
}

make_root() { # RELEASE NAME VARIANT PACKAGES
    [ ! -e "$roots/$2" ] || return 0
    from=$(mirror)
    [ -n "$from" ] || { echo "apt has no mirror of Debian" >"$tmp/log"; return 1; }
    apt_settings >"$tmp/apt.conf"
    rm -rf "$roots/$2.part"
    of=
    case $1 in *-arm64) of=--architectures=arm64; run_foreign >"$tmp/log" 2>&1 || return 1 ;; esac
    mmdebstrap $of --variant="$3" --aptopt="$tmp/apt.conf" --include="$4" "${1%-*}" \
        "$roots/$2.part" "deb $from ${1%-*} main" >"$tmp/log" 2>&1 ||
        { rm -rf "$roots/$2.part"; return 1; }
    mv "$roots/$2.part" "$roots/$2"
}

# The files that git knows, as they are now. (The Makefile takes all files of a folder. So none may
# stay that git does not know any more.)
copy_tree() { # ROOT
    mkdir -p "$1/src" || return
    for file in "$1"/src/* "$1"/src/.[!.]*; do
        case $file in */build) [ -z "$MATRIX_KEEP" ] || continue ;; esac
        rm -rf "$file"
    done
    git -C "$tree" ls-files -z |
        tar -C "$tree" --null -T - -cf - | tar -C "$1/src" --no-same-owner -xf -
}

# Runs COMMAND in the root file system, as the first process of its own, with what a machine has
# mounted. All of it ends with COMMAND.
enter() { # ROOT COMMAND...
    unshare --mount --pid --fork --kill-child --propagation private sh -c '
        root=$1
        shift
        mount -t proc proc "$root/proc" &&
            mount --rbind /sys "$root/sys" && mount --make-rslave "$root/sys" &&
            mount --rbind /dev "$root/dev" && mount --make-rslave "$root/dev" &&
            mount -t tmpfs tmpfs "$root/dev/shm" || exit 125
        cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
        exec chroot "$root" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 TMPDIR=/tmp \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            JOBS="${MATRIX_JOBS:-2}" HOURS="${MATRIX_HOURS:-2}" \
            FOREIGN="$FOREIGN" \
            ${CHECK_REPEATS:+CHECK_REPEATS="$CHECK_REPEATS"} \
            ${CHECK_WORKERS:+CHECK_WORKERS="$CHECK_WORKERS"} \
            ${CHECK_DAGS:+CHECK_DAGS="$CHECK_DAGS"} "$@"' sh "$@" &
    inside=$!
    wait $inside
    code=$?
    inside=
    return $code
}

# The suite dist. The programs are linked with names of glibc 2.31, too, so that they run there.
# Their runtimes are the release's own.
run_dist() { # RELEASE
    root=$roots/$1-dist
    make_root "$1" "$1-dist" essential "$([ "$1" = bullseye ] || echo libtbb12,)libgomp1" || {
        echo "SKIP matrix/$1/dist: no root file system ($(tail -1 "$tmp/log" | cut -c 1-120))"
        return 0
    }
    into=$root/tmp/matrix old="-O1 -g -I$tree/include -L$tree/build/dist/glibc"
    old="$old -Wl,--no-as-needed,--allow-shlib-undefined" # libgomp is this machine's
    rm -rf "$into" && mkdir -p "$into" && chmod 755 "$into" &&
        cp "$tree"/build/libprof-*.tar.gz "$here/dist.sh" "$into/" &&
        gcc $old -fPIC -shared "$tree/examples/tiny/tiny.c" -o "$into/libtiny.so" -lpthread &&
        gcc $old "$tree/examples/tiny/fib.c" -o "$into/threads" -L"$into" -ltiny \
            -Wl,-rpath,'$ORIGIN' -lpthread &&
        gcc $old -fopenmp "$tree/examples/openmp/fib.c" -o "$into/openmp" -lm -lpthread &&
        { [ "$1" = bullseye ] || cp "$tree/build/examples/fib" "$into/tbb"; } || return 1
    enter "$root" sh /tmp/matrix/dist.sh >"$into/dist.log" 2>&1
    told "$1" dist "$into/dist.log" "$(sed -n 's/^on //p' "$into/dist.log")"
}

# A suite's row: RELEASE SUITE PASSED FAILED SKIPPED DATE COMMIT CASES
row() { # RELEASE SUITE LOG
    today=$(date -u +%F)
    sed -n 's/^FAIL \([^ :]*\).*/\1/p' "$3" | sort -u >"$tmp/cases"
    more=$(($(wc -l <"$tmp/cases") - 12))
    cases=$(head -12 "$tmp/cases" | tr '\n' ' ')
    [ $more -le 0 ] || cases="$cases and $more more"
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$(grep -c '^PASS ' "$3")" \
        "$(grep -c '^FAIL ' "$3")" "$(grep -c '^SKIP ' "$3")" "$today" "$commit" "$cases"
}

# What is known so far: a run may be stopped.
write_page() {
    awk -f "$here/page.awk" -v versions="$tmp/versions" -v rows="$tmp/rows" \
        -v releases="$(sed -n 's/^RELEASES ?= //p' "$tree/Makefile")" \
        -v suites="$(sed -n 's/^SUITES ?= //p' "$tree/Makefile")" \
        "$([ -e "$page" ] && echo "$page" || echo /dev/null)" >"$tmp/page" &&
        cp "$tmp/page" "$page"
}

told() { # RELEASE SUITE LOG VERSIONS: its row and its line
    row "$1" "$2" "$3" >"$tmp/row"
    cat "$tmp/row" >>"$tmp/rows"
    write_page
    IFS='	' read -r _ _ passed failed skipped _ _ cases <"$tmp/row"
    result=PASS
    [ "$failed" = 0 ] && [ "$passed" != 0 ] || { result=FAIL; status=1; }
    echo "$result matrix/$1/$2: $passed passed, $failed failed, $skipped skipped" \
        "($(echo "$4" | tr '\t' ' '))"
    [ -z "$cases" ] || echo "     $cases(all of it: $3)"
}

commit=$(git -C "$tree" rev-parse --short HEAD)
git -C "$tree" diff --quiet HEAD || commit="$commit+"
status=0
: >"$tmp/versions"
: >"$tmp/rows"
built= dist=
for suite in $suites; do
    if [ "$suite" = dist ]; then dist=1; else built="$built $suite"; fi
done
[ -z "$dist" ] || make -s -C "$tree" dist examples || exit 1
for release in $releases; do
    [ -z "$dist" ] || run_dist "$release" || status=1
    [ -n "$built" ] || continue
    make_root "$release" "$release" apt make || {
        echo "SKIP matrix/$release: no root file system ($(tail -1 "$tmp/log" | cut -c 1-120))"
        continue
    }
    root=$roots/$release
    copy_tree "$root" || exit 1
    mkdir -p "$root/tmp/matrix"
    FOREIGN=
    case $release in *-arm64) FOREIGN=1; run_foreign ;; esac
    if ! enter "$root" sh /src/tests/matrix/inside.sh prepare ||
        { [ -n "$FOREIGN" ] && ! build_foreign "$root"; }; then
        echo "FAIL matrix/$release: not built ($root/tmp/matrix/build.log)"
        status=1
    fi
    versions=$(cat "$root/tmp/matrix/versions")
    printf '%s\t%s\n' "$release" "$versions" >>"$tmp/versions"
    for suite in $built; do
        enter "$root" sh /src/tests/matrix/inside.sh "$suite"
        told "$release" "$suite" "$root/tmp/matrix/$suite.log" "$versions"
    done
done
exit $status
