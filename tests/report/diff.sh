# diff.sh - a part of run.sh: profiles whose difference is known.
gcc -O1 -Wall -Wextra "$here/stats_check.c" "$here/../../report/analysis/stats.c" -I"$include" \
    -I"$here/../../report" -o stats_check -lm 2>gcc.log || fail build-stats "$(head -3 gcc.log)"
equal diff-statistics '235 checks' "$(./stats_check)"

profiles basic paths bound counter names wide empty steep flat deep scaled recursion random
lines_profile

# Four runs a side: f halves, g stays. The p is gnuplot's: t = -34.98742631, 4.411764706 degrees of
# freedom.
four_runs
i=0
for f in 50 51 49 52; do
    ./gen run $f 300 2 >b$i.prof
    i=$((i + 1))
done
# The rows of a document in JSON are written one by one: it needs little more memory than the text.
peak_program
text=$(./peak "$prof" diff -p -M blocked -o /dev/null deep.prof deep.prof 2>err) ||
    fail diff-memory-text "$(cat err)"
document=$(./peak "$prof" diff -p --json -o deep.json deep.prof deep.prof 2>err) ||
    fail diff-memory-json "$(cat err)"
nm "$prof" 2>/dev/null | grep -q __asan_init || # (a sanitizer keeps what was freed)
    result diff-memory "$([ "$document" -le $((text + text / 2)) ] ||
        echo "JSON needs $document KiB, text $text")"
equal diff-deep-rows true "$(jq -c '.paths | length >= 20000' deep.json)"
compare a?.prof -- b?.prof --paths >diff.json
equal diff-span '[101000000,50500000,-50500000,-0.5,3864167,1.45504565,true]' \
    "$(jq -c '.program.span_ns |
    [.a, .b, .change, .relative, (.margin | floor), (.p * 1e14 | round / 1e8), .significant]' \
    diff.json)"
equal diff-runs '[[100000000,102000000,98000000,104000000],[50000000,51000000,49000000,52000000]]' \
    "$(jq -c '.program.span_ns | [.a_runs, .b_runs]' diff.json)"
equal diff-unchanged '[300000000,300000000,0,false]' "$(jq -c '.functions[] |
    select(.function == "app+0x403000") | .self.work_ns |
    [.a, .b, .change, .significant]' diff.json)"
equal diff-function '["app+0x402000",-50500000,true]' "$(jq -c '.functions[0] |
    [.function, .self.span_ns.change, .self.span_ns.significant]' diff.json)"
equal diff-parallelism '[3.97,6.94]' "$(jq -c '.paths[0].parallelism |
    map(. * 100 | round / 100)' diff.json)"
equal diff-tree '["(program)","app+0x401000","app+0x402000","app+0x403000"]' \
    "$(jq -c '[.paths[].function | select(startswith("[") | not)]' diff.json)"
for metric in work_ns span_ns idleness_ns overhead_ns blocked_ns; do
    sum=$(jq -c "[.paths[].self.$metric.change] | add" diff.json)
    equal "diff-sum-$metric" "$sum" "$(jq -c ".paths[0].all.$metric.change" diff.json)"
    equal "diff-functions-sum-$metric" "$sum" \
        "$(jq -c "[.functions[].self.$metric.change] | add" diff.json)"
done
equal diff-sum-is-the-program "$(jq '.program.work_ns.change' diff.json)" \
    "$(jq '[.functions[].self.work_ns.change] | add' diff.json)"
equal diff-mirrored '[50500000,1.45504565]' "$(compare b?.prof -- a?.prof |
    jq -c '.program.span_ns | [.change, (.p * 1e14 | round / 1e8)]')"
equal diff-itself '[0,false,0,false]' "$(compare a?.prof -- a?.prof |
    jq -c '[.program.span_ns.change, .program.span_ns.significant,
    ([.functions[].self.work_ns.change] | add), ([.functions[].self[].significant] | any)]')"
"$prof" diff --full a?.prof -- b?.prof >diff.txt 2>/dev/null
"$prof" diff --full b?.prof -- a?.prof 2>/dev/null | tr -s '\n ' ' ' >mirrored.txt
has_words diff-words diff.txt 'Span fell 50.0 %, from 101 ms to 50.5 ms (-50.5 ms, +- 3.86 ms).'
has diff-words-rise 'Span rose to 2.0 times its value, from 50.5 ms to 101 ms' mirrored.txt
has diff-text-program \
    '^  Span  *101 ms  *2.6 %  *50.5 ms  *2.6 %  *-50.5 ms  *-50.0 %  *+- 3.86 ms  \*$' diff.txt
has diff-text-runs '4 runs (a0.prof, ...)' diff.txt
has_not diff-no-color "$(printf '\033')" diff.txt
has_not diff-no-inflation 'inflation' diff.txt

# Noise is called noise: the same spread around nearly the same mean.
for i in 0 1 2 3; do
    ./gen run $((100 + (i * 7) % 5)) $((300 + (i * 11) % 13)) 2 >c$i.prof
    ./gen run $((100 + (i * 3 + 1) % 5)).5 $((300 + (i * 5 + 3) % 13)) 2 >d$i.prof
done
"$prof" diff --full c?.prof -- d?.prof >noise.txt 2>/dev/null
has diff-noise 'Span did not change beyond the noise of the runs' noise.txt
has diff-noise-work 'Work did not change beyond the noise of the runs' noise.txt
equal diff-noise-marks false "$(compare c?.prof -- d?.prof |
    jq '[.functions[].self[].significant | select(. != null)] | any')"

# Certain changes within a total that is noise: f's work moves to g, run by run.
for i in 0 1 2 3; do
    ./gen run 100 $((300 + (i * 40) % 100)) 2 >c$i.prof
    ./gen run 20 $((380 + (i * 60) % 100)) 2 >d$i.prof
done
compare c?.prof -- d?.prof >moved.json
equal diff-within-noise '[false,["app+0x402000",-80000000,true],["app+0x403000",85000000,true]]' \
    "$(jq -c '[.program.work_ns.significant] + ([.functions[] |
    select(.function | test("0x40[23]000")) |
    [.function, (.self.work_ns | .change, .significant)]] | sort)' moved.json)"

# Waits by place, with the noise of the runs: f's waits for a critical section fall to a third, g's
# for a lock stay the same, and a place in B has none in A.
for i in 0 1 2 3; do
    ./gen waits $((90 + (i * 7) % 5)) $((100 + i)) >c$i.prof
    ./gen waits $((30 + (i * 3) % 5)) $((100 + i)) 5 7 >d$i.prof
done
compare c?.prof -- d?.prof >waits.json
equal diff-waits "$(rows '[["app+0x40300f", "lock", 0, 5000000, true, 7],
    ["app+0x40200f", "critical", 91750000, 32000000, true, 101.5]]')" \
    "$(jq -c '[.waits | sort_by(.construct) | reverse[] |
    [.function, .construct, .waited_ns.a, .waited_ns.b, .waited_ns.significant, .count.b]]' \
    waits.json)"
equal diff-waits-order '["critical","lock"]' "$(jq -c '[.waits[].construct]' waits.json)"
equal diff-waits-none '[]' "$(jq -c .waits diff.json)"
"$prof" diff --full c?.prof -- d?.prof >waits.txt 2>/dev/null
has_words diff-waits-text waits.txt '^  91.8 ms  32.0 ms  -59.8 ms   -65.1 %  +- 3.06 ms ' \
    '\*  102  102 .*app+0x40200f .*critical$'
"$prof" diff --full c0.prof c1.prof >waits.txt 2>/dev/null
has_not diff-waits-one-run '90.0 ms .*\*.*critical$' waits.txt
has_not diff-no-waits 'Waits for others' diff.txt

# Findings, by cause and place. A run of 200 ms without a finding has a gain of 0 to 10 ms.
COLUMNS=160 "$prof" diff --full c?.prof -- d?.prof >found.txt 2>/dev/null
found='[.findings[] | [.id, .place.function, .a, .b, .fate, .significant]]'
equal diff-finding-shrank '["contention","app+0x40200f",45875000,16000000,"shrank",true]' \
    "$(jq -c "$found[0]" waits.json)"
equal diff-finding-share '[0.229375,0.08]' "$(jq -c '.findings[0] | [.a_share, .b_share]' \
    waits.json)"
equal diff-finding-one 1 "$(jq '.findings | length' waits.json)"
has_words diff-finding-words found.txt '^  Finding contention at app+0x40200f shrank from a gain' \
    'of 45.9 ms, 23 % of the elapsed time, to 16.0 ms, 8 % (-29.9 ms, +- [0-9.]* ms)[.]$'
has diff-finding-table '^ *45.9 ms  *23  *16.0 ms  *8 .*  \*  shrank  contention  app+0x40200f$' \
    found.txt
finding() { # NAME A B EXPECTED: the findings of two profiles of waits
    ./gen waits $2 >one.prof
    ./gen waits $3 >two.prof
    equal "diff-finding-$1" "$4" "$(compare one.prof two.prof | jq -c "$found | sort")"
}
finding appeared '30 100' '30 100 50 7' "$(rows '[
    ["contention", "app+0x40200f", 15000000, 15000000, "same", false],
    ["contention", "app+0x40300f", 0, 25000000, "appeared", true]]')"
finding vanished '30 100 50 7' '30 100' "$(rows '[
    ["contention", "app+0x40200f", 15000000, 15000000, "same", false],
    ["contention", "app+0x40300f", 25000000, 0, "vanished", true]]')"
finding grew '30 100' '90 100' '[["contention","app+0x40200f",15000000,45000000,"grew",true]]'
finding within '90 100' '94 100' '[["contention","app+0x40200f",45000000,47000000,"same",false]]'
# 9 ms are no finding, 11 ms are one: no more than 2 ms need be between them
finding threshold '18 100' '22 100' '[["contention","app+0x40200f",0,11000000,"same",false]]'
finding other-id '0 0 0 0 90 9' '90 100' "$(rows '[
    ["contention", "app+0x40200f", 0, 45000000, "appeared", true],
    ["ordered", "app+0x40400f", 45000000, 0, "vanished", true]]')"
finding none '1 1' '1 1' '[]'
equal diff-finding-none-words 1 "$(compare one.prof two.prof | jq -r '.words[]' |
    grep -c '^No finding on either side has a gain of 5 % of the elapsed time[.]$')"

# With one run a side, the noise of totals is not known. Parts of work and span have that of
# sampling: 1000 of 4000 samples are +- 1.34 points of 400 ms a side.
./gen run 1 3 2 >one.prof
./gen run 1.1 2.9 2 >two.prof
compare one.prof two.prof >one.json
equal diff-one-run-unknown '[null,null]' "$(jq -c '.program.span_ns | [.p, .significant]' one.json)"
equal diff-one-run-sampling 'true' "$(jq '.functions[] | select(.function == "app+0x402000") |
    .self.work_ns | (.margin > 75000 and .margin < 77500 and .significant)' one.json)"
equal diff-one-run-words 1 "$(jq -r '.remarks[]' one.json |
    grep -c 'One run a side: how far runs differ by chance is not known')"
./gen run 1.02 2.98 2 >two.prof
equal diff-one-run-within '[20000,false]' "$(compare one.prof two.prof |
    jq -c '.functions[] | select(.function == "app+0x402000") | .self.work_ns |
    [.change, .significant]')"
# one run against several: the noise is that of the several
equal diff-one-against-four '[true,true]' "$(compare a?.prof -- b0.prof |
    jq -c '[.program.span_ns.significant, ([.remarks[] | contains("One run in B")] | any)]')"
# the virtual clock has no noise at all
./gen run 100 300 2 virtual >one.prof
./gen run 100.000001 300 2 virtual >two.prof
equal diff-virtual '[1,0,true]' "$(compare one.prof two.prof | jq -c '.program.span_ns |
    [.change, .p, .significant]')"

# Tasks, blocked time, and costs in other units.
equal diff-blocked-and-tasks '[0,0]' "$(compare paths.prof paths.prof |
    jq -c '[.program.tasks.change, ([.functions[].self.blocked_ns.change] | add)]')"
equal diff-tasks 128 "$(compare --paths paths.prof paths.prof | jq '[.paths[].self.tasks.a] | add')"
status diff-units 2 "$prof" diff basic.prof counter.prof
has diff-units-line '^prof: A counts ns and B instructions' err
equal diff-units-nothing 0 "$(wc -c <out | tr -d ' ')"
"$prof" diff --full one.prof a0.prof >clock.txt 2>/dev/null
has diff-clocks 'Different clocks, virtual and tsc' clock.txt
./gen run 100 300 2 tsc /nowhere/other >other.prof
"$prof" diff --full a0.prof other.prof >other.txt 2>/dev/null
has diff-programs 'Different programs, app and other' other.txt
has diff-lower-bound 'The span of B is a LOWER BOUND' \
    "$("$prof" diff --full basic.prof bound.prof >bound.txt 2>/dev/null; echo bound.txt)"
has diff-crashed 'B has figures of a program that had not ended, or died of a signal' bound.txt

# Work inflation: g costs half as much again when two threads work.
for i in 0 1 2; do
    ./gen run $((100 + i)) $((300 - i)) 1 >p1-$i.prof
    ./gen run $((101 - i)) $((449 + i)) 2 >p2-$i.prof
done
"$prof" diff --full p1-?.prof -- p2-?.prof >inflation.txt 2>/dev/null
has diff-workers 'Different numbers of workers: A had 1 slot, B 2 slots' inflation.txt
has diff-inflation 'Work inflation: the work costs 1.38x on several workers' inflation.txt
has diff-inflation-table '1.51x .* app+0x401000 > app+0x403000$' inflation.txt
compare p1-?.prof -- p2-?.prof >inflation.json
equal diff-inflation-json '[1.505,1.375]' \
    "$(jq -c '[(.functions[] | select(.function == "app+0x403000") | .inflation), .work_inflation] |
    map(. * 1000 | round / 1000)' inflation.json)"
"$prof" diff --full p2-?.prof -- p1-?.prof >inflation.txt 2>/dev/null
has_not diff-deflation 'Work inflation' inflation.txt

# A program that was rebuilt: other addresses, lines, name, place; the compiler's choice of copies.
mkdir -p rebuilt/a/b
sed '1,4s|^|// moved\n|' "$here/sites.cpp" >rebuilt/a/b/sites.cpp
cp "$here/record.h" rebuilt/a/b/
cp -r "$here/include" rebuilt/a/b/include
(cd rebuilt && g++ -std=c++17 -O3 -g -fno-pie -no-pie -Ia/b/include a/b/sites.cpp \
    -o renamed 2>gcc.log) || fail build-rebuilt "$(head -3 rebuilt/gcc.log)"
BUILD_ID=$(build_id rebuilt/renamed) ./gen lines \
    $(rebuilt/renamed) >rebuilt.prof
compare lines.prof rebuilt.prof --paths >rebuilt.json
equal diff-rebuilt '["direct",1000,1000],["helper",4000,4000],["outlined",2000,2000]' \
    "$(jq -c '.functions[] | select(.function == "direct" or .function == "helper"
    or .function == "outlined") | [.function, .self.work_ns.a, .self.work_ns.b]' rebuilt.json |
        sort | paste -sd,)"
equal diff-rebuilt-paths 0 \
    "$(jq -c '[.paths[] |
    select(.self.work_ns.change != 0 and (.function | contains("0x") | not))] |
    length' rebuilt.json)"
equal diff-rebuilt-line true "$(jq --argjson n "$(grep -n '// SITE helper$' rebuilt/a/b/sites.cpp |
    cut -d: -f1)" '[.paths[] | select(.function == "helper") | .line == $n] | all' rebuilt.json)"

# The page: each path has its cost before. Its columns are converted to ns only once.
page_json() { sed -n 's/.*<script type="application.json" id="profile">\(.*\)<\/script>.*/\1/p' \
    "$1" | head -1; }
if "$prof" view -o changed.html b0.prof --diff a0.prof 2>err; then
    page_json changed.html >changed.json
    equal diff-view '[100000000,"a0.prof",true]' "$(jq -c '(.columns.paths.parent | length) as $n |
        [.before.span_ns[0], .before.profile,
        (.before | [.span_ns, .work_ns, .idleness_ns, .overhead_ns] | map(length == $n) |
            all)]' changed.json)"
    has diff-view-words 'Span fell 50.0 %' changed.json
    "$prof" view -o scaled.html scaled.prof 2>/dev/null
    equal view-columns-ns "$("$prof" report --json scaled.prof 2>/dev/null |
        jq -c '.program | [.work_ns, .span_ns]')" \
        "$(page_json scaled.html | jq -c '[.columns.paths.self | (.work_ns, .span_ns) | add]')"
    status diff-view-units 2 "$prof" view -o none.html counter.prof --diff basic.prof
    status diff-view-missing 2 "$prof" view -o none.html b0.prof --diff missing.prof
    equal diff-view-nothing 0 "$(ls none.html 2>/dev/null | grep -c .)"
    "$prof" view -o hostile.html b0.prof --diff names.prof 2>/dev/null
    equal diff-view-hostile 0 "$(grep -c '<script>alert' hostile.html)"
    [ -z "$vg" ] || status valgrind-diff-view 0 $vg "$prof" view -o none.html paths.prof --diff \
        names.prof
fi

# Forms, orders, errors.
"$prof" diff --csv --paths a?.prof -- b?.prof >diff.csv 2>/dev/null
equal diff-csv "$(($(jq '.functions + .paths | length' diff.json) + 1)) 79" \
    "$(wc -l <diff.csv | tr -d ' ') $(sed 's/"[^"]*"//g' diff.csv | awk -F, '{ print NF }' |
    sort -u | tr '\n' ' ' | sed 's/ $//')"
equal diff-csv-value '-50500000' "$(tr -d '\r' <diff.csv |
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "span_ns_change") k = i }
    /^function.*0x402000/ { print $k }')"
first() { compare "$@" | jq -r '.functions[0].function'; }
equal diff-by-work app+0x403000 "$(first p1-?.prof -- p2-?.prof -M work)"
equal diff-sort-name "$(compare a?.prof -- b?.prof -s name | jq -c '[.functions[].function] |
    sort')" "$(compare -s name a?.prof -- b?.prof | jq -c '[.functions[].function]')"
equal diff-sort-b app+0x403000 "$(first -M work -s b a?.prof -- b?.prof)"
for width in 80 100 140 200; do
    COLUMNS=$width "$prof" diff --full basic.prof paths.prof >wide.txt 2>/dev/null
    COLUMNS=$width "$prof" diff --full p1-?.prof -- p2-?.prof >>wide.txt 2>/dev/null
    equal diff-width-$width '' "$(awk -v w=$width 'length > w' wide.txt | head -1)"
    has_not diff-blanks-$width ' $' wide.txt
done
for kind in paths names wide empty basic steep flat; do
    status diff-$kind 0 "$prof" diff $kind.prof recursion.prof
    has_not diff-$kind-clean "$(printf '[\001-\010\013-\037\177\200-\237]')" out
    has_not diff-$kind-numbers 'nan\|inf ' out
done
one_line diff-one 'diff takes two FILEs, or A... -- B...' "$prof" diff basic.prof
one_line diff-three 'diff takes two FILEs, or A... -- B...' "$prof" diff basic.prof basic.prof \
    basic.prof
one_line diff-no-b 'diff takes two FILEs, or A... -- B...' "$prof" diff basic.prof --
one_line diff-metric 'the metrics are span, work' "$prof" diff -M colour basic.prof basic.prof
one_line diff-sort 'the keys are change' "$prof" diff -s colour basic.prof basic.prof
one_line diff-limit 'not a number of rows' "$prof" diff basic.prof -- -n x basic.prof
one_line diff-damaged 'not a libprof profile' "$prof" diff random.prof a0.prof
status diff-some-damaged 2 "$prof" diff a?.prof random.prof -- b?.prof
has diff-some-damaged-said '1 of 5 files of A could not be read' out
[ -w /dev/full ] && status diff-full-disk 2 sh -c "'$prof' diff a0.prof b0.prof >/dev/full"
damage diff-flip bound.prof flip 100 "$prof" diff empty.prof
if [ -n "$vg" ]; then
    status valgrind-diff 0 $vg "$prof" diff a0.prof a1.prof -- paths.prof
    has_not valgrind-diff-silent '^==' err
    status valgrind-diff-inflation 0 $vg "$prof" diff p1-?.prof -- p2-?.prof
    status valgrind-diff-json 0 $vg "$prof" diff --json --paths names.prof wide.prof
    status valgrind-diff-csv 0 $vg "$prof" diff --csv --paths names.prof wide.prof
    status valgrind-diff-units 2 $vg "$prof" diff basic.prof counter.prof
    has_not valgrind-diff-units-silent '^==' err
fi

# No parallelism is below 1, as in the report: samples split work and span, each with an error.
./gen grain work=264 span=412 root=1 longest=10 >below.prof
equal diff-parallelism-least '[]' "$(compare --paths below.prof below.prof |
    jq -c '[(.functions + .paths)[].parallelism[] | select(. != null and . < 1)]')"
"$prof" diff --full below.prof below.prof >below.txt 2>/dev/null
has_not diff-parallelism-least-text '  0\.[0-9]*  0\.[0-9]*  app+0x402' below.txt

# The totals of the row (program) have no error of sampling, and with one run a side, that of the
# runs is not known: no mark beside "about the same".
./gen run 100 300 2 >one.prof
./gen run 100 298.8 2 >two.prof
"$prof" diff --all one.prof two.prof >same.txt 2>/dev/null
has diff-same-words 'Work is about the same: 400 ms, then 399 ms' same.txt
has_not diff-same-mark '[*~].*(program)$' same.txt
equal diff-same-json '[null,null]' "$(compare --paths one.prof two.prof |
    jq -c '.paths[0].all.work_ns | [.p, .significant]')"

# ---- the text has the functions of the program; the other forms have all ----
cat >each.cpp <<'END'
#include <algorithm>
#include <ctime>
#include <pthread.h>
static long sum;
static long list[1000];
static void *work(void *)
{
    for (clock_t start = clock(); clock() - start < CLOCKS_PER_SEC / 2;)
        sum += std::count(list, list + 1000, 7);
    return 0;
}
int main()
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    return pthread_join(t, 0);
}
END
if [ -r "$build/libprof.so" ] && g++ -std=c++17 -O0 -g each.cpp -o each -pthread 2>gcc.log; then
    "$prof" run --no-report -o each.prof ./each 2>err || fail each-run "$(head -3 err)"
    functions_of() { # FILE OPTIONS...: the table of functions
        output=$1
        shift
        "$prof" diff --all "$@" each.prof basic.prof 2>/dev/null |
            sed -n '/^Functions/,/^  \*/p' >"$output"
    }
    functions_of each.txt
    functions_of frames.txt --all-frames
    has_not diff-in-program 'count' each.txt
    has diff-in-program-function 'gone .* work  *each.cpp$' each.txt
    has diff-all-frames 'gone .* std::' frames.txt
    equal diff-all-frames-json true "$(compare each.prof basic.prof |
        jq -c 'any(.functions[]; .function | test("std::"))')"
else
    skip diff-in-program "$(head -1 gcc.log)"
fi
# time off the CPU in libc's code is that of its caller; what no sample shows is a sentence
echo 'int lock_word; int pthread_mutex_lock(void *m) { return lock_word += m != 0; }' >locks.c
gcc -shared -nostdlib -fPIC -O1 -Wl,--build-id=none locks.c -o libc.so.locks
lock=0x$(nm libc.so.locks | awk '$3 == "pthread_mutex_lock" { print $1 }')
of_lock() { ./gen grain libc="$PWD/libc.so.locks" yield=$lock lock=$lock tasks=400 on=1 work=400 \
    span=6 longest=1 "$@"; }
of_lock blocked=300 waited=8 >few.prof
of_lock blocked=900 waited=40 >many.prof
"$prof" diff --full few.prof many.prof >waits.txt 2>/dev/null
has_not diff-no-libc 'pthread_mutex_lock' waits.txt
has_not diff-no-blanks '\[blocked\]' waits.txt
has diff-waits-of-caller ' +320 ms .* app+0x402000' waits.txt
has diff-waits-unsampled \
    'strands, where no sample shows the function: 220 ms in A, 500 ms in B, +280 ms[.]$' waits.txt
"$prof" diff --full -M blocked few.prof many.prof >waits.txt 2>/dev/null
has diff-waits-leading '^  *220 ms  *500 ms  *+280 ms .* \[blocked\]' waits.txt
"$prof" diff --all-frames few.prof many.prof >waits.txt 2>/dev/null
has diff-waits-of-libc ' +320 ms .* pthread_mutex_lock  *libc.so' waits.txt
equal diff-waits-json "$(compare few.prof many.prof --paths | jq -c '.totals.blocked_ns')" \
    "$(compare --all-frames few.prof many.prof --paths | jq -c '.totals.blocked_ns')"
