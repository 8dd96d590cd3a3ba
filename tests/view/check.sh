#!/bin/sh
# check.sh BUILD [CASE...] - prof view's page in a browser without a screen, on the profile of a
# real run, an empty one, some with 100,000 contexts or call paths, and such whose names would like
# to be markup. First what it shows when it is opened; then drive.mjs uses it. One PASS or FAIL line
# a case; SKIP where there is no chromium, prof has no page, or npm cannot get puppeteer-core.
# PROF_SCREENSHOTS=DIR keeps pictures, PROF_TIMES=1 prints when the large pages could be used.
build=$(cd "$1" && pwd) || exit 1
shift
here=$(cd "$(dirname "$0")" && pwd)
prof=$build/prof
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
[ -z "$PROF_SCREENSHOTS" ] || { mkdir -p "$PROF_SCREENSHOTS" &&
    PROF_SCREENSHOTS=$(cd "$PROF_SCREENSHOTS" && pwd) && export PROF_SCREENSHOTS; }
cd "$tmp" || exit 1
browser=$(command -v chromium || command -v chromium-browser) ||
    { echo "SKIP view: no chromium (make check-view installs it)"; exit 0; }

gcc -O1 -I"$here/../../include" "$here"/../report/gen_profile/*.c -o gen 2>gcc.log ||
    { echo "FAIL view: $(head -c 300 gcc.log)"; exit 1; }
PROF_OUTPUT=real.prof LD_PRELOAD=$build/libprof.so "$build/examples/quicksort" -t 2 \
    5000000 >/dev/null 2>&1
for kind in empty hostile names deep flat paths off-cpu timeline timed scaled big large; do ./gen \
    $kind >$kind.prof; done
"$prof" view real.prof -o real.html 2>err || {
    grep -q 'built without its page' err && { echo "SKIP view: $(head -1 err)"; exit 0; }
    echo "FAIL view: $(head -c 300 err)"
    exit 1; }

suite=view only=$* failures=0
. "$here/../case.sh"
# What the page is once its script has run, and what the console said.
page() { # KIND
    "$prof" view "$1.prof" -o "$1.html" 2>/dev/null || echo "status $?"
    timeout 300 "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr \
        --virtual-time-budget=10000 --dump-dom "file://$tmp/$1.html" 2>"$1.log" |
        perl -0pe 's/<script.*?<\/script>//sg' >"$1.dom"     # what a person sees, not the script
    grep 'CONSOLE' "$1.log" | grep -v 'favicon' | head -3
    [ -s "$1.dom" ] || echo "no page"
}
real() {
    page real
    for words in 'What limits it' 'Parallelism' 'Where the time went' \
        'Functions: span beside idleness' partition; do
        grep -q "$words" real.dom || echo "no $words"
    done
    grep -c '<svg\|<canvas' real.dom | grep -q '^0' && echo "nothing is drawn"
    grep -o 'NaN\|undefined' real.dom | sort | uniq -c
    grep -oE '(src|href)="(https?:)?//[^"]*' real.html | head -2
}
wants real && found "$(real)"
for kind in empty paths off-cpu deep flat scaled big large; do
    wants $kind && found "$(page $kind)"
done
# CPU time counts from libprof's start, as elapsed time does.
./gen cpu 103.1 2000000 700000 300000 >cpu.prof
wants cpu && found "$(page cpu; grep -q '101 ms CPU' cpu.dom || grep -o '[0-9.]* ms CPU' cpu.dom)"
# A job: its idle time is outside MPI, if that is known, and no scheduler moves work between its
# ranks.
job() { # KIND IDLE: idle time and what it is of
    page "$1"
    grep -q "<dt>Idle</dt><dd>$2</dd>" "$1.dom" || grep -o '<dt>Idle</dt>.\{80\}' "$1.dom"
    grep -q 'No scheduler moves work from rank to rank' "$1.dom" &&
        ! grep -q 'at least (burdened)\|<th[^>]*>at least<\|NaN\|undefined' "$1.dom" ||
        echo "bounds"
}
./gen ranks 250 300 >ranks.prof
./gen ranks 250 300 virtual >costs.prof
wants job && found "$(job ranks '10.0 %</dd><dd class="hint">of worker time, outside MPI')"
wants job-virtual && found "$(job costs '20.0 %</dd><dd class="hint">of worker time')"
# Names are text: no element of theirs, no script of theirs, and the policy forbids one that would
# slip through.
hostile() { # KIND
    page $1
    grep -o '<img src=x[^>]*>\|<script>alert[^<]*\|onerror=[a-z(]*' $1.dom | head -2
    grep -q "Content-Security-Policy" $1.html || echo "no policy"
}
for kind in hostile names; do wants $kind && found "$(hostile $kind)"; done

# ---- used ----
wants drive || exit $failures
gcc -O1 -g -fopenmp "$here/changed.c" -o changed || echo "FAIL view/diff: it is not built"
PROF_OUTPUT=before.prof LD_PRELOAD=$build/libprof.so ./changed 100 150 200 250 150
PROF_OUTPUT=after.prof LD_PRELOAD=$build/libprof.so ./changed 300 50 100 400 150
"$prof" view --diff before.prof -o changed.html after.prof 2>err ||
    echo "FAIL view/diff: $(head -1 err)"
"$prof" diff --json --paths before.prof after.prof >changed.json 2>/dev/null
./gen whatif >whatif.prof
./gen waits 60 1200 15 7 >waits.prof
"$prof" view -o waits.html waits.prof 2>err || echo "FAIL view/waits: $(head -1 err)"
"$prof" view --bench "$here/../fuzz/bench.json" -o whatif.html whatif.prof 2>err ||
    echo "FAIL view/bench: $(head -1 err)"
# strands of which 30 took far longer than their like
./gen grain tasks=3000 on=1 work=30000 root=0 span=100 longest=100 workers=40 typical=10 \
    outliers=30 >noisy.prof
"$prof" view -o noisy.html noisy.prof 2>err || echo "FAIL view/noisy: $(head -1 err)"
# a loop of 16 chunks, 1000 iterations; the same loop of two shares
for loop in loop=divide_simple shares=divide_static; do
    PROF_CLOCK=virtual PROF_OUTPUT=${loop%=*}.prof LD_PRELOAD=$build/libprof.so \
        "$build/programs/constructs" "${loop#*=}" 2 >/dev/null 2>&1
    "$prof" view -o "${loop%=*}.html" "${loop%=*}.prof" 2>err ||
        echo "FAIL view/${loop%=*}: $(head -1 err)"
done
# chunks of a guided schedule: a profile does not have who chose their size; chunks of 16 iterations
for loop in chunks=divide_guided sized=divide_dynamic_chunk; do
    PROF_CLOCK=virtual OMP_NUM_THREADS=2 PROF_OUTPUT=${loop%=*}.prof LD_PRELOAD=$build/libprof.so \
        "$build/openmp/constructs-gcc" "${loop#*=}" 2 >/dev/null 2>&1
    "$prof" view -o "${loop%=*}.html" "${loop%=*}.prof" 2>err ||
        echo "FAIL view/${loop%=*}: $(head -1 err)"
done
"$prof" view --physical -o physical.html real.prof 2>err ||
    echo "FAIL view/physical: $(head -1 err)"
# two runs as one, and a program without tasks
"$prof" merge -o merged.prof before.prof after.prof 2>err || echo "FAIL view/merged: $(head -1 err)"
ZERO=56,64 ./gen run 100 0 1 >serial.prof
# the ranks of a job, of which the first does otherwise
./gen rank 0 6 300 0 0 350 >rank0.prof
for r in 1 2 3 4 5; do ./gen rank $r 6 10 90 200 350 >rank$r.prof; done
"$prof" merge -o ranks.prof rank[0-5].prof 2>err || echo "FAIL view/ranks: $(head -1 err)"
for kind in merged serial ranks; do "$prof" view -o $kind.html $kind.prof 2>err ||
    echo "FAIL view/$kind: $(head -1 err)"; done
for kind in off-cpu paths timeline; do "$prof" view -o $kind.html $kind.prof 2>err ||
    echo "FAIL view/$kind: $(head -1 err)"; done
for kind in tasks-ready tasks-ready-unknown; do
    ./gen $kind >$kind.prof
    "$prof" view -o $kind.html $kind.prof 2>err || echo "FAIL view/$kind: $(head -1 err)"
done
"$prof" view -o timed.html timed.prof 2>err || echo "FAIL view/timed: $(head -1 err)"
gcc -O2 -g "$here/../sampling/halves.c" -o halves -pthread || echo "FAIL view/halves: not built"
PROF_OUTPUT=halves.prof LD_PRELOAD=$build/libprof.so ./halves >/dev/null
"$prof" view -o halves.html halves.prof 2>err || echo "FAIL view/halves: $(head -1 err)"
# code without a name in the source, and waits for a lock
# all is bound at the start: the dynamic linker, where a sample may hit it, has no caller there
g++ -O1 -g -fopenmp -Wl,-z,now "$here/regions.cpp" -o regions ||
    echo "FAIL view/regions: not built"
gcc -O1 -g "$here/locked.c" -o locked -pthread || echo "FAIL view/locked: not built"
for kind in regions locked; do
    PROF_OUTPUT=$kind.prof LD_PRELOAD=$build/libprof.so ./$kind >/dev/null
    "$prof" view -o $kind.html $kind.prof 2>err || echo "FAIL view/$kind: $(head -1 err)"
done
PROF_OUTPUT=locked2.prof LD_PRELOAD=$build/libprof.so ./locked 2 >/dev/null
"$prof" view --diff locked.prof -o locked-changed.html locked2.prof 2>err ||
    echo "FAIL view/locked-changed: $(head -1 err)"
echo 'int main(void) { return 0; }' >nothing.c && gcc nothing.c -o nothing &&
    "$prof" run -o nothing.prof -- ./nothing >/dev/null 2>&1
"$prof" view -o nothing.html nothing.prof 2>err || echo "FAIL view/nothing: $(head -1 err)"
"$prof" view --all-frames -o all-frames.html regions.prof 2>err ||
    echo "FAIL view/all-frames: $(head -1 err)"
./gen grain tasks=1000 work=1000 span=9 sleep=990 longest=1 delay=0 ready=700000000 >ready.prof
"$prof" view -o ready.html ready.prof 2>err || echo "FAIL view/ready: $(head -1 err)"
for kind in real scaled whatif waits off-cpu paths after; do "$prof" report --json --paths \
    $kind.prof >$kind.json 2>/dev/null; done
. "$here/short.sh"
modules=$build/view-test
mkdir -p "$modules"
if cmp -s "$here/package-lock.json" "$modules/installed" ||
    { cp "$here/package.json" "$here/package-lock.json" "$modules/" &&
    (cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund \
    --loglevel=error >npm.log 2>&1) && cp "$here/package-lock.json" "$modules/installed"; }; then
    cases=$(echo "$only" | tr ' ' '\n' | sed -n 's/^drive-//p' | paste -sd '|')
    [ -z "$cases" ] || export PROF_CASES="^($cases)\$"
    cases=$(echo "$case_beyond" | tr ' ' '\n' | sed -n 's/^drive-//p' | paste -sd '|')
    [ -z "$cases" ] || export PROF_CASES_NOT="^($cases)\$"
    timeout 1200 node "$here/drive.mjs" "$modules" "$browser" "$tmp" 2>&1 || failures=1
else
    echo "SKIP view/drive: $(tail -1 "$modules/npm.log" 2>/dev/null || echo no npm)"
fi
exit $failures
