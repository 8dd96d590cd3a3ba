# merge.sh - a part of run.sh: profiles whose sum is known.
gcc -O1 -Wall -I"$include" "$here/spoil.c" -o spoil -lz 2>gcc.log ||
    fail build-spoil "$(cat gcc.log)"
peak_program
profiles basic bound paths scaled steep random
lines_profile
# FILE: by $filter
facts() { "$prof" report --json --paths "$@" 2>/dev/null | jq -c "$filter"; }
shows() { # NAME FILE EXPECTED FILTER
    filter=$4
    equal "$1" "$(printf %s "$3" | jq -c .)" "$(facts "$2")"
}

# Three runs of one: every figure is three times that of one, every share the same.
for i in 1 2 3; do
    STARTED=${i}000000000000 ./gen paths >run$i.prof
done
status merge-runs 0 "$prof" merge --as runs -o three.prof run1.prof run2.prof run3.prof
has merge-says '^prof: three.prof is merged from 3 files$' err
equal merge-private 600 "$(stat -c %a three.prof)"
filter='.program | [.work_ns, .span_ns, .burdened_span_ns, .tasks, .spawns, .steals, .elapsed_ns,
    .cpu_ns, .idle_ns, .own_ns]'
equal merge-runs-totals "$(facts paths.prof | jq -c 'map(. * 3)')" "$(facts three.prof)"
filter='.program | [.workers, .parallelism, .burdened_parallelism, .burden_ns, .exact, .exe, .clock,
    .complete]'
equal merge-runs-ratios "$(facts paths.prof)" "$(facts three.prof)"
filter='[.functions[] |
    [.function, (.self, .all | .work_ns, .span_ns, .overhead_ns, .idleness_ns, .samples,
    .samples_on_span)]]'
equal merge-runs-functions "$(facts paths.prof | jq -c 'map([.[0]] + (.[1:] | map(. * 3)))')" \
    "$(facts three.prof)"
filter='[.paths[] | [.node, .parent, .function, .self.work_ns * 3, .self.span_ns * 3,
    .self.tasks * 3]]'
expected=$(facts paths.prof)
filter='[.paths[] | [.node, .parent, .function, .self.work_ns, .self.span_ns, .self.tasks]]'
equal merge-runs-paths "$expected" "$(facts three.prof)"
filter='[.sites[] | [.construct, .tasks, .work_ns, .span_ns, .local_work_ns, .on_span.local_span_ns,
    .on_span.count]]'
equal merge-runs-sites "$(facts paths.prof | jq -c 'map([.[0]] + (.[1:] | map(. * 3)))')" \
    "$(facts three.prof)"
shows merge-runs-regions three.prof '[9,1800000000,451200000,150000000]' \
    '.regions[0] | [.count, .work_ns, .burdened_span_ns, .max_span_ns]'
shows merge-runs-inputs three.prof \
    '[3600000000, 3, "runs", 3, ["run1.prof",1000000000,"run2.prof",1000000000,
        "run3.prof",1000000000]]' \
    '[.ledger.total_ns, (.threads | length), .merged.as, .merged.profiles,
        [.merged.inputs[] | .profile, .work_ns]]'
COLUMNS=200 "$prof" report --full three.prof >runs.txt 2>/dev/null
has merge-runs-words \
    'MERGED from 3 runs, as if one after the other: work, span, times and counts are SUMS' runs.txt
has merge-runs-mean 'The average run has work 1.000 s, span 250.000 ms, elapsed 600.000 ms' \
    runs.txt
"$prof" view -o three.html three.prof 2>/dev/null && has merge-view 'MERGED from 3 runs' three.html

# Costs in thirds of a ns are rounded, as sums: those of the parts are those of the whole.
status merge-scaled 0 "$prof" merge --as runs -o thirds.prof scaled.prof run1.prof
shows merge-scaled-sums thirds.prof '[1001666668,250333334,1001666668,250333334,250333334]' \
    '[.program.work_ns, .program.span_ns, ([.sites[].local_work_ns] | add),
    ([.sites[].on_span.local_span_ns] | add), ([.paths[].self.span_ns] | add)]'

# Processes: the span is that of the longest, and so is the critical path.
STARTED=1000000000000 ./gen run 300 100 2 >long.prof
STARTED=1000100000000 ./gen run 100 300 2 tsc /nowhere/other >short.prof
STARTED=5000000000000 ./gen run 200 200 2 tsc /nowhere/third >late.prof
status merge-processes 0 "$prof" merge -o job.prof short.prof long.prof late.prof
shows merge-processes-totals job.prof '[1200000000,300000000,500000000,4,false,["processes"],
    1000000000000]' '.program |
        [.work_ns, .span_ns, .elapsed_ns, .workers, .exact, .lower_bound_constructs,
        .start_unix_ns]'
shows merge-processes-span job.prof '[["app+0x402000",300000000,300000]]' \
    '[.functions[] | select(.self.span_ns > 0) | [.function, .self.span_ns, .self.samples_on_span]]'
shows merge-processes-work job.prof '[["app+0x402000",300000000],["app+0x403000",100000000],
    ["other+0x402000",100000000],["other+0x403000",300000000],["third+0x402000",200000000],
        ["third+0x403000",200000000]]' '[.functions[] | select(.self.work_ns > 0) |
            [.function, .self.work_ns]] | sort'
COLUMNS=400 "$prof" report --full job.prof >job.txt 2>/dev/null
has_words merge-processes-words job.txt \
    'MERGED from 3 processes side by side: work, times of threads and counts are SUMS.' \
    'Span.*LONGEST process (long.prof, pid 4242).*sum of the spans, 600.000 ms'
has merge-processes-bound 'span is a LOWER BOUND: processes (3)' job.txt
has merge-processes-commands 'Not all have the command' job.txt
filter='[.program.work_ns, .program.span_ns, .program.elapsed_ns, .program.workers,
    ([.paths[].self.work_ns] | add), ([.paths[].self.span_ns] | add)]'
"$prof" merge -o job2.prof late.prof long.prof short.prof 2>/dev/null
equal merge-any-order "$(facts job.prof)" "$(facts job2.prof)"
shows merge-sums-hold job.prof '[1200000000,300000000,500000000,4,1200000000,300000000]' "$filter"

# Grouping and threads make no difference; the same as a whole, again.
"$prof" merge -o part.prof short.prof long.prof 2>/dev/null
"$prof" merge -o again.prof part.prof late.prof 2>/dev/null
equal merge-of-merged 0 "$(cmp again.prof job.prof >cmp.txt 2>&1; echo $?)"
for kind in basic paths scaled names recursion steep bound longer hostile wide; do ./gen \
    $kind >m-$kind.prof; done
for i in 1 2 3; do BUILD_ID=$i$i$i$i ./gen sites $(./sites) >sites$i.prof; done
for as in runs processes; do
    sums=
    for j in 1 2 3 8; do
        "$prof" merge --as $as -j $j -o many.prof m-*.prof run?.prof lines.prof sites*.prof 2>err
        sums="$sums $(md5sum <many.prof | cut -c1-8)"
    done
    equal merge-threads-$as 1 "$(echo $sums | tr ' ' '\n' | sort -u | grep -c .)"
    "$prof" merge --as $as -o half1.prof m-*.prof run1.prof 2>/dev/null
    "$prof" merge --as $as -o half2.prof run2.prof run3.prof lines.prof sites*.prof 2>/dev/null
    "$prof" merge --as $as -o halves.prof half1.prof half2.prof 2>/dev/null
    filter='[.program.work_ns, .program.span_ns, .program.elapsed_ns, .program.workers,
        (.sites | length), (.paths | length), (.merged.inputs | length)]'
    equal merge-halves-$as "$(facts many.prof)" "$(facts halves.prof)"
    for command in report 'report -p -c -l -m all --frames' annotate 'export -f pprof' \
        'export -f callgrind' 'report --json'; do
        status "merge-reads-$as-$(echo $command | tr -d ' ')" 0 sh \
            -c "'$prof' $command many.prof 2>/dev/null >out"
    done
done
# an input that was merged in the other mode counts as one, and names its number of profiles
"$prof" merge -o nested.prof three.prof long.prof 2>/dev/null
shows merge-nested nested.prof '[4,[3,1],750000000,false]' \
    '[.merged.profiles, (.merged.inputs | map(.profiles)), .program.span_ns, .program.exact]'
"$prof" merge -o single.prof paths.prof 2>/dev/null
filter='[.program.work_ns, .program.span_ns, .program.exact, [.functions[] |
    [.function, .self, .all]], [.paths[] | [.function, .self]]]'
equal merge-one "$(facts paths.prof)" "$(facts single.prof)"

./gen whatif >whatif.prof
"$prof" merge -o out.prof whatif.prof paths.prof 2>/dev/null
shows merge-whatif out.prof '["the files do not all have the same scenarios: none are merged"]' \
    '[.notes[] | select(.name == "what-if") | .text]'
"$prof" merge -o out2.prof out.prof long.prof 2>/dev/null
shows merge-whatif-again out2.prof \
    '["the files do not all have the same scenarios: none are merged"]' "$filter"
shows merge-whatif-none out2.prof null .whatif
# The same scenarios in all: sums; side by side the span of the longest, in each scenario.
filter='[.whatif.scenarios[] | [.name, .terms, .limit, .work_ns, .span_ns]], [.whatif.candidates[] |
    [.name, .code, .regions, .contexts, .samples]]'
for i in 1 2 3; do STARTED=${i}000000000000 ./gen whatif >w$i.prof; done
"$prof" merge --as runs -j 2 -o w.prof w1.prof w2.prof w3.prof 2>/dev/null
equal merge-whatif-runs "$(facts whatif.prof | jq -c 'if (.[0][1] | type) == "array"
    then map(.[3] *= 3 | .[4] *= 3) else map(.[2] *= 3 | .[3] *= 3 | .[4] *= 3) end')" \
        "$(facts w.prof)"
"$prof" merge -o w.prof w1.prof w2.prof w3.prof 2>/dev/null
equal merge-whatif-processes "$(facts whatif.prof | jq -c 'if (.[0][1] | type) == "array"
    then map(.[3] *= 3) else map(.[2] *= 3 | .[3] *= 3 | .[4] *= 3) end')" "$(facts w.prof)"
"$prof" merge -o w12.prof w1.prof w2.prof 2>/dev/null
"$prof" merge -o w123.prof w12.prof w3.prof 2>/dev/null
equal merge-whatif-parts "$(facts w.prof)" "$(facts w123.prof)"
"$prof" report --full w.prof >w.txt 2>/dev/null
has merge-whatif-shown '^[0-9]*) What if' w.txt

# A program at other addresses every time, and one of the same name that is another build.
for i in 1 2 3 4; do
    BUILD_ID=$(build_id ./sites) ./gen lines $(./sites) >aslr$i.prof
done
equal merge-aslr 4 "$(for i in 1 2 3 4; do jq -c '[.sites[].addresses]' <<X
$("$prof" report --json aslr$i.prof 2>/dev/null)
X
done | sort -u | grep -c .)"
"$prof" merge --as runs -o aslr.prof aslr?.prof 2>/dev/null
filter='[.lines[] | [.function, .line, .self.work_ns]] | sort'
equal merge-aslr-lines "$(facts aslr1.prof | jq -c 'map(.[2] *= 4)')" "$(facts aslr.prof)"
filter='[.sites[] | [.function, .line, .invocations]] | sort'
equal merge-aslr-sites "$(facts aslr1.prof | jq -c 'map(.[2] *= 4)')" "$(facts aslr.prof)"
has merge-aslr-source '// SITE helper$' "$("$prof" annotate aslr.prof >aslr.txt 2>/dev/null
    echo aslr.txt)"
BUILD_ID=00112233 ./gen lines $(./sites) >other-build.prof
"$prof" merge --as runs -o builds.prof aslr1.prof other-build.prof 2>/dev/null
filter='[([.lines[].self.work_ns] | add), .program.work_ns]'
equal merge-builds "[$(facts aslr1.prof | jq '.[0]'),$(($(facts aslr1.prof | jq '.[1]') * 2))]" \
    "$(facts builds.prof)"

# A file that does not fit is left out and named. The others are merged.
./gen run 1 1 2 virtual >virtual.prof
rm -f out.prof
status merge-clocks 2 "$prof" merge -o out.prof paths.prof virtual.prof
has merge-clocks-line \
    '^prof: virtual.prof: left out: its clock is virtual, that of the first file tsc$' err
shows merge-clocks-rest out.prof 1000000000 '.program.work_ns'
status merge-damaged 2 "$prof" merge -o out.prof random.prof paths.prof missing.prof
equal merge-damaged-lines 3 "$(grep -c '' err)"
has merge-damaged-line '^prof: random.prof: not a libprof profile$' err
has merge-damaged-said 'merged from 1 file; 2 left out' err
status merge-keep-going 0 "$prof" merge -k -o out.prof random.prof paths.prof missing.prof
rm -f out.prof
status merge-none 2 "$prof" merge -k -o out.prof random.prof missing.prof
equal merge-none-writes-nothing 0 "$(ls | grep -c '^out.prof')"
cp paths.prof p.prof
one_line merge-into-itself 'p.prof: would be merged into itself' "$prof" merge -o p.prof p.prof \
    basic.prof
equal merge-itself-untouched 0 "$(cmp p.prof paths.prof >/dev/null; echo $?)"
ln p.prof q.prof
one_line merge-twice 'given twice: it would count twice' "$prof" merge -o out.prof p.prof \
    basic.prof q.prof
one_line merge-no-output 'merge needs --output OUT' "$prof" merge basic.prof
one_line merge-no-file 'merge needs a FILE' "$prof" merge -o out.prof
one_line merge-as 'the kinds are processes, runs' "$prof" merge --as ranks -o out.prof basic.prof
one_line merge-jobs 'not a number of threads' "$prof" merge -j 0 -o out.prof basic.prof
one_line merge-unwritable 'No such file' "$prof" merge -o /nonexistent/out.prof basic.prof
status merge-hint 0 "$prof" merge -o out.prof run1.prof run2.prof
has merge-hint-line 'look like runs of one command, one after the other: --as runs' err
# A lower bound of a site stays one, and a crash stays known.
status merge-crashed 0 "$prof" merge --as runs -o out.prof basic.prof bound.prof
shows merge-crashed-facts out.prof '[false,false,"signal",11,["parallel_pipeline","flow_graph"],
    [true,false]]' '[.program.exact, .program.complete, .program.end, .program.exit_status,
        .program.lower_bound_constructs, ([.merged.inputs[].complete])]'
COLUMNS=200 "$prof" report --full out.prof >out.txt 2>/dev/null
has merge-crashed-words '1 of them crashed, 0 had not ended' out.txt

# Hostile lists of inputs.
for what in mode:0:3 name:4:0x7fffffff exe:8:0x7fffffff cmdline:12:0x7fffffff profiles:28:0 \
    modes:72:1; do
    file=job.prof
    rest=${what#*:}
    ./spoil $file 16 ${rest%:*} ${rest#*:} >spoiled.prof ||
        fail "merge-bad-${what%%:*}" 'not spoiled'
    one_line "merge-bad-${what%%:*}" 'a reference points outside its table' "$prof" report \
        spoiled.prof
done
damage merge-flip -50 job.prof flip 300 "$prof" report
damage merge-cut -50 job.prof sections "$prof" report

# Memory follows the threads and the result, not the number of files.
mkdir thousand
for i in $(seq 10); do cp steep.prof thousand/s$i.prof; done
few=$(./peak "$prof" merge -j 2 --as runs -o out.prof thousand/s*.prof 2>err) ||
    fail merge-few "$(cat err)"
for i in $(seq 11 1000); do cp steep.prof thousand/s$i.prof; done
many=$(./peak "$prof" merge -j 2 --as runs -o out.prof thousand/s*.prof 2>err) ||
    fail merge-thousand "$(cat err)"
# (a sanitizer keeps what was freed)
nm "$prof" 2>/dev/null | grep -q __asan_init ||
    result merge-memory "$([ "$many" -le $((few + 8192)) ] ||
    echo "10 files: $few KiB, 1000: $many KiB")"
filter='[.program.work_ns, (.paths | length), (.merged.inputs | length)]'
equal merge-thousand-sum '[1000003000,2000,1000]' "$(facts out.prof | sed 's/,200[0-9],/,2000,/')"
rm -r thousand
if [ -n "$vg" ]; then
    status valgrind-merge 0 $vg "$prof" merge -k -j 3 -o vg.prof m-basic.prof m-paths.prof \
        m-names.prof m-hostile.prof m-wide.prof long.prof job.prof
    has_not valgrind-merge-silent '^==' err
    status valgrind-merge-runs 0 $vg "$prof" merge --as runs -j 3 -o vg.prof m-basic.prof \
        m-paths.prof m-scaled.prof m-wide.prof three.prof
    status valgrind-merge-some 2 $vg "$prof" merge -o vg.prof random.prof m-paths.prof virtual.prof
    status valgrind-merge-report 0 $vg "$prof" report -p job.prof
fi
