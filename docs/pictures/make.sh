#!/bin/sh
# make.sh BUILD - makes the pictures of README.md: profiles examples/similar and quicksort, writes
# prof view's pages of them, and takes a picture of each page in chromium. It needs what `make
# check-view` installs. The pictures stand beside this script; a picture has at most 200 KB.
build=$(cd "${1:-build}" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
browser=$(command -v chromium || command -v chromium-browser) ||
    { echo "no chromium: make check-view installs it" >&2; exit 1; }
modules=$build/view-test
mkdir -p "$modules"
cmp -s "$here/../../tests/view/package-lock.json" "$modules/installed" ||
    { cp "$here/../../tests/view/package.json" "$here/../../tests/view/package-lock.json" \
    "$modules/" &&
      (cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund \
      --loglevel=error >npm.log 2>&1) &&
      cp "$modules/package-lock.json" "$modules/installed"; } || { cat \
      "$modules/npm.log" >&2; exit 1; }
# With the right to do so (root) the run goes before other programs, so that the picture is not one
# of a busy machine.
priority=$(chrt -f 10 true 2>/dev/null && echo "chrt -f 10")
cd "$build" || exit 1
picture() { # NAME PROGRAM ARGUMENTS...
    name=$1
    shift
    PROF_SAMPLE=task-clock:2000 $priority ./prof run --no-report -o "$tmp/$name.prof" "$@" \
        >/dev/null &&
        ./prof view -o "$tmp/$name.html" "$tmp/$name.prof" &&
        node "$here/shoot.mjs" "$modules" "$browser" "$tmp/$name.html" "$name" "$here/$name.png"
}
picture page examples/similar -t 2 || exit 1
picture span examples/quicksort -t 2 10000000 || exit 1
for picture in page span; do
    [ "$(wc -c <"$here/$picture.png")" -le 200000 ] ||
        { echo "$picture.png has more than 200 KB" >&2; exit 1; }
done
