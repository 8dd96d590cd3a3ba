#!/bin/sh
# check.sh BUILD - the short part of the matrix, which make check-all runs: a newer release of
# Debian, built there, and the suites abi and programs, each case once on 1 and on 4 workers, and
# predict's with one setting of three. `make matrix` does the whole. Skipped: without root's rights,
# without mmdebstrap, where packages of that release cannot be had, or where no root file system can
# be entered, as in some containers.
here=$(cd "$(dirname "$0")" && pwd)
release=trixie
skip() { echo "SKIP matrix/$release: $1"; exit 0; }
[ "$(id -u)" = 0 ] || skip 'needs root'
command -v mmdebstrap >/dev/null || skip 'mmdebstrap is not installed'
[ "$(uname -m)" = x86_64 ] || skip 'on x86-64 only'
git -C "$here" rev-parse HEAD >/dev/null 2>&1 || skip 'needs the files that git knows'
unshare --mount --pid --fork --propagation private true 2>/dev/null ||
    skip 'no namespace of its own'
roots=$(mktemp -d) || exit 1
trap 'rm -rf "$roots"' EXIT
trap 'exit 143' INT TERM
MATRIX_ROOTS=$roots MATRIX_PAGE=$roots/page MATRIX_HOURS=1 CHECK_REPEATS=1 CHECK_WORKERS='1 4' \
    CHECK_DAGS='4m,5 4' sh "$here/matrix.sh" $release 'abi programs' >"$roots/lines"
cat "$roots/lines"
grep -q '^FAIL' "$roots/lines" || exit 0
grep -h '^FAIL' "$roots/$release/tmp/matrix/"*.log | head -20
tail -5 "$roots/$release/tmp/matrix/build.log" "$roots/$release/tmp/matrix/deps.log" | cut -c 1-200
exit 1
