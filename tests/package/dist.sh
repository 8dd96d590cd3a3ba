# dist.sh - sourced by check.sh: `make dist` and `make rpm`. The tree needs no more than it may,
# works where it is unpacked, for any user, and two builds are the same bytes.
# CHECK_DIST=all compiles for the second build, too; else that one only links and packs.
dist_missing() {
    for archive in libdw.a libelf.a libbz2.a liblzma.a libz.a libjansson.a libprotobuf-c.a \
        libpfm.a libstdc++.a; do
        case $(gcc -print-file-name=$archive) in /*) ;; *) echo "no $archive" ;; esac
    done
    command -v dpkg-query >/dev/null || echo "no dpkg, which knows the licences"
    # since 2.38, headers give strtol and others names that older ones do not have
    [ "$(ldd --version | sed -n '1s/.*\.//p')" -le 37 ] || echo "glibc is newer than 2.37"
}
versions_needed() { # FILE
    readelf -W -V "$1" 2>/dev/null | awk '/^Version/ { on = /needs/ } on' |
        grep -o 'GLIBC_[0-9.]*' | sort -Vu
}
as_nobody() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}
dist_cases() {
    export SOURCE_DATE_EPOCH=1000000000
    make -s -C "$top" dist O="$build" >log 2>&1 || { result dist "$(tail -3 log)"; return; }
    archive=$(ls "$build"/libprof-*.tar.gz) name=$(basename "$archive" .tar.gz)
    mkdir unpacked "with blank" user && tar -C unpacked -xzf "$archive" &&
        tar -C "with blank" -xzf "$archive"
    tree=$tmp/unpacked/$name

    # ---- what is in it ----
    equal dist-contents 'bin/prof
include/libprof.h
include/libprof_agent.h
include/libprof_format.h
lib/libprof/libpfm.so.4
lib/libprof/libprof.so
lib/libprof/libprof_names.so
lib/libprof/libprof_workers.so
share/bash-completion/completions/prof
share/doc/libprof/copyright
share/pkgconfig/libprof.pc
share/zsh/site-functions/_prof' "$(cd "$tree" && find . -type f | sed 's|^\./||' |
        grep -v -e '^share/man/' -e '/licences/' -e '\.md$' -e '\.png$' | LC_ALL=C sort)"
    result dist-one-folder "$(tar -tzf "$archive" | grep -v "^$name/")"
    equal dist-owner '0/0' "$(tar --numeric-owner -tvzf "$archive" | awk '{ print $2 }' | sort -u)"
    result dist-modes "$(find "$tree" ! -type d ! -type f; find "$tree" ! -perm -o=r
        find "$tree" -perm /go=w)"
    files="$tree/bin/prof $tree/lib/libprof/*.so*"
    result dist-needed "$(for file in $files; do
        readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vx -e libc.so.6 \
            -e libm.so.6 -e libdl.so.2 -e libpthread.so.0 -e librt.so.1 -e ld-linux-x86-64.so.2 |
            sed "s|^|$file: |"
    done)"
    result dist-glibc "$(for file in $files; do
        newest=$(versions_needed "$file" | tail -1)
        [ "$(printf '%s\nGLIBC_2.31\n' "$newest" | sort -V | tail -1)" = GLIBC_2.31 ] &&
            [ -n "$newest" ] || echo "$file: ${newest:-none}"
    done)"
    result dist-no-build-paths "$(strings -a $files "$tree/share/pkgconfig/libprof.pc" | grep -F \
        -e "$build" -e "$tmp" -e "$top/preload" -e "$top/report" | head -1)"
    # each package whose archives are inside, and each licence that their files refer to
    result dist-licences "$(cd "$tree/share/doc/libprof/licences" &&
        for source in elfutils jansson protobuf-c xz-utils bzip2 zlib gcc glibc libpfm4; do
            grep -q "^    $source" ../copyright || echo "no $source"
        done
        [ "$(grep -c '^    [a-z]' ../copyright)" -le "$(grep -lis 'copyright' * | wc -l)" ] ||
            echo "fewer files than packages"
        for text in $(grep -oh '/usr/share/common-licenses/L*GPL-[0-9.]*[0-9]' * | sort -u); do
            [ -s "${text##*/}" ] || echo "no ${text##*/}"
        done)"

    # ---- what it does ----
    works dist "$tree" "$tree/lib/libprof/libprof.so"
    equal dist-pkg-config "$tree/lib/libprof/libprof.so" "$(PKG_CONFIG_PATH=$tree/share/pkgconfig \
        pkg-config --variable=preload libprof | xargs realpath)"
    chmod 755 "$tmp" && chmod 777 user && cp "$build/examples/fib" user/
    (cd user && as_nobody "$tree/bin/prof" run --no-report -e LD_DEBUG=files \
        -e LD_DEBUG_OUTPUT=loaded -e PROF_EVENTS=page-faults -o p.prof -- ./fib -t 2 28 >out 2>err)
    result dist-user "$([ -s user/p.prof ] || cat user/err)"
    for library in libprof_names.so libpfm.so.4; do
        result dist-opens-$library "$(cat user/loaded.* | grep -q \
            "calling init: $tree/lib/libprof/$library" || head -3 user/err)"
    done
    gcc -O1 "$top/tests/package/names.c" -o names 2>log && ./names libunwind.so.8 >want &&
        ./names "$tree/lib/libprof/libprof_names.so" >got
    result dist-names "$(cat log; [ "$(grep -c "^0 .*, 1 .., start [1-9]" want)" = 3 ] ||
            echo "libunwind has no names"
        diff want got)"
    blank="$tmp/with blank/$name/bin/prof"
    result dist-blank-run "$(cd user && as_nobody env LD_DEBUG=files LD_DEBUG_OUTPUT=blank \
        "$blank" run -e PROF_EVENTS=page-faults ./fib -t 2 26 2>&1 >out |
        grep -q '  parallelism [0-9]' || echo "no report"
        for library in libprof_names.so libpfm.so.4; do
            cat blank.* | grep -q "calling init: .*/lib/$library" || echo "no $library"
        done)"
    result dist-blank-report "$(cd user && as_nobody "$blank" report p.prof 2>&1 |
        grep -q '  parallelism [0-9]' || echo "no report")"
    result dist-blank-export "$(cd user && as_nobody "$blank" export -f folded -o p.folded \
        p.prof 2>&1 && grep -q fib p.folded || echo "no stacks")"
    if [ -s "$build/view/head.html" ]; then
        result dist-blank-view "$(cd user && as_nobody "$blank" view -o p.html p.prof 2>&1 |
            grep -v 'p.html is written'; grep -q '</html>' p.html || echo "no page")"
    fi

    # ---- libgcc_s ----
    # What leaves libprof's frames by an exception or a cancellation costs what it costs with the
    # libprof.so of this machine.
    cat >throws.cpp <<'C'
#include <cstdio>
#include <libprof.h>
#include <tbb/task_group.h>
int main()
{
    int caught = 0;
    for (int i = 0; i < 3; i++) {
        tbb::task_group tasks;
        try {
            tasks.run([] { libprof_cost(2); throw 1; });
            tasks.wait();
        } catch (int n) { caught += n; }
        libprof_cost(10);
    }
    std::printf("%d\n", caught);
}
C
    cat >cancels.c <<'C'
#include <libprof.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_t sleeper;
static void *sleeps(void *unused) { for (;;) pause(); }
static void is_cancelled(void *unused) { libprof_cost(100); puts("cancelled"); }
static void *joins(void *unused)
{
    pthread_cleanup_push(is_cancelled, 0);
    pthread_join(sleeper, 0);
    pthread_cleanup_pop(0);
    return unused;
}
int main(void)
{
    pthread_t joiner;
    pthread_create(&sleeper, 0, sleeps, 0);
    pthread_create(&joiner, 0, joins, 0);
    pthread_cancel(joiner);
    pthread_join(joiner, 0);
    return 0;
}
C
    g++ -O1 -I"$top/include" throws.cpp -o throws -ltbb 2>log &&
        gcc -O1 -w -I"$top/include" cancels.c -o cancels -pthread 2>>log ||
        result dist-programs "$(cat log)"
    for program in throws cancels; do
        for preload in "$build/libprof.so" "$tree/lib/libprof/libprof.so"; do
            rm -f left.prof
            PROF_CLOCK=virtual PROF_OUTPUT=left.prof PROF_QUIET=1 LD_PRELOAD=$preload \
                ./$program 2>&1
            "$build/prof" report --json left.prof | jq '.program | .work_ns, .span_ns, .complete'
            echo
        done >left
        equal "dist-$program" "$(sed '/^$/q' left)" "$(sed '1,/^$/d' left)"
        result "dist-$program-costs" "$(grep -q '^[1-9][0-9]$\|^[1-9][0-9][0-9]$' left || cat left)"
    done
    # and where there is none, programs of C
    hidden=$(readlink -f "$(gcc -print-file-name=libgcc_s.so.1)")
    if unshare -rm mount --bind /dev/null "$hidden" 2>/dev/null; then
        result dist-no-libgcc "$(unshare -rm sh -c 'mount --bind /dev/null "$0" && exec "$@"' \
            "$hidden" "$tree/bin/prof" run -c virtual -o c.prof "$build/examples/tiny/fib" 10 2>&1 |
            grep -q '  parallelism [0-9]' || echo "no report")"
    else
        echo "SKIP package/dist-no-libgcc: no user namespaces"
    fi

    # ---- again, elsewhere ----
    mkdir -p again/build && (cd "$top" && cp -a Makefile CHANGELOG.md README.md CONTRIBUTING.md \
        agents arch docs include preload report unwind "$tmp/again/") &&
        cp -a "$build/obj" "$build/gen" "$build"/*.so "$build/prof" again/build/
    [ ! -e "$build/view" ] || cp -a "$build/view" again/build/
    [ "$CHECK_DIST" != all ] || rm -rf again/build/obj
    (umask 077 && make -s -C again dist) >log 2>&1
    result dist-same "$(cmp again/build/"$name.tar.gz" "$archive" 2>&1 || tail -3 log)"

    # ---- make rpm ----
    command -v rpmbuild >/dev/null || { echo "SKIP package/rpm: no rpmbuild"; return; }
    make -s -C "$top" rpm O="$build" >log 2>&1 || { result rpm "$(tail -3 log)"; return; }
    rpm=$(ls "$build"/rpm/*.rpm)
    equal rpm-contents "$(cd "$tree" && find bin include lib share -type f | sed 's|^|/usr/|' |
        LC_ALL=C sort)" "$(rpm -qpl "$rpm" | while read -r path; do
            [ ! -f "$tree/${path#/usr/}" ] || echo "$path"; done | LC_ALL=C sort)"
    result rpm-requires "$(rpm -qpR "$rpm" | grep -v -e '^lib\(c\|m\|dl\|pthread\)\.so' \
        -e '^rpmlib(' -e '^rtld(GNU_HASH)')"
    equal rpm-provides "libprof" "$(rpm -qp --provides "$rpm" | grep -v '^pkgconfig(libprof)' |
        sed 's/[ (].*//' | sort -u)"
}
# On a glibc that is too new, one line says where to build.
mkdir newer && printf '#!/bin/sh\necho "ldd (GLIBC) 2.38"\n' >newer/ldd && chmod +x newer/ldd
equal dist-newer-glibc 'make dist: glibc 2.38 is too new' "$({ PATH=$tmp/newer:$PATH \
    sh "$top/docs/packaging/dist/glibc.sh" newer/libraries 2>&1 && echo "made: "; } |
    sed 's/:[^:]*$//')"
missing=$(dist_missing)
if [ -z "$missing" ]; then
    dist_cases
else
    echo "SKIP package/dist: $(echo $missing) (make deps-dist)"
fi
