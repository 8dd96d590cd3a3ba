# first.sh - a part of run.sh: what a user asks for first is on the first screen.

# ---- PROF_EVENTS: the counts that were asked for are in every form ----
grain counted tasks=200 event=12345
grain uncounted tasks=200
COLUMNS=80 "$prof" report counted.prof >screen.txt 2>/dev/null
has events-screen '12,345 page-faults' screen.txt
has events-screen-all ' 7 a.*' screen.txt
has_not events-screen-clean "$escape" screen.txt
equal events-screen-width '' "$(awk 'length > 80' screen.txt)"
has events-full '^  page-faults  *12,345' counted.txt
has_not events-only-asked 'page-faults' uncounted.txt
json events-json '.settings["event:page-faults"]' '"12345"' counted.prof
cp counted.prof again.prof
"$prof" merge --as runs -o twice.prof counted.prof again.prof >/dev/null 2>err
"$prof" report --json twice.prof 2>/dev/null >twice.json
equal events-merged 24690 "$(jq -r '.settings["event:page-faults"]' twice.json)"
PROF_EVENTS=page-faults "$prof" run -o serial.prof --report-to serial.txt true 2>err
if "$prof" report --json serial.prof 2>/dev/null | grep -q 'event:page-faults'; then
    has events-serial '[0-9] page-faults' serial.txt
else
    echo "SKIP report/events-serial: no perf events here"
fi

# ---- prof diff: one screen, then --full ----
profiles basic bound paths wide deep
for pair in "basic.prof bound.prof" "basic.prof paths.prof" "wide.prof paths.prof" \
    "paths.prof deep.prof" "deep.prof wide.prof" "counted.prof uncounted.prof"; do
    for width in 80 100 140; do
        # shellcheck disable=SC2086  # two words
        COLUMNS=$width "$prof" diff $pair >screen.txt 2>err
        lines=$(grep -c '' screen.txt)
        result "diff-screen-${pair%%.*}-$width" "$([ "$lines" -le 40 ] || echo "$lines lines")"
    done
done
"$prof" diff basic.prof paths.prof >screen.txt 2>err
has diff-screen-words '^What changed' screen.txt
has diff-screen-functions '^Functions' screen.txt
has_not diff-screen-paths '^Call paths' screen.txt
has diff-screen-next 'Next: prof diff --full basic.prof paths.prof' screen.txt
for option in --full -a '-n 3' --all-frames; do
    # shellcheck disable=SC2086  # words
    "$prof" diff $option basic.prof paths.prof >screen.txt 2>err
    has "diff-full $option" '^Call paths' screen.txt
done

# ---- prof annotate: the program's own files first, then headers ----
cat >hashed.cpp <<'C'
#include <ctime>
#include <unordered_map>
static volatile long sum;
int main()
{
    std::unordered_map<long, long> map;
    for (long i = 0; i < 1000; i++)
        map[i] = i;
    const std::clock_t start = std::clock();
    do
        for (long i = 0; i < 100000; i++)
            sum = sum + map.find(i % 1000)->second;
    while (std::clock() - start < CLOCKS_PER_SEC / 2);
}
C
g++ -O0 -g hashed.cpp -o hashed && "$prof" run --no-report -o hashed.prof ./hashed 2>err
"$prof" annotate --json --all hashed.prof >hashed.json 2>err
result annotate-has-headers "$(jq -r '.files[].file' hashed.json | grep -q '/c++/' ||
    echo 'no sample in a header')"
equal annotate-own-first hashed.cpp "$(jq -r '.files[0].file | sub(".*/"; "")' hashed.json)"
# a sample may be in the C library's clock, whose source is no header
equal annotate-headers-last true "$(jq '[.files[].file | endswith("/hashed.cpp") | not] |
    . == sort and any' hashed.json)"
