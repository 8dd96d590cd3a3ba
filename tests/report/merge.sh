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

# Nothing stays of a prof that is killed as it writes; not every file system names files later.
if strace -o calls true 2>/dev/null; then
    # a leak check does not work under ptrace
    with_link() { # INJECTED OUTPUT
        ASAN_OPTIONS=detect_leaks=0 strace -f -e "inject=linkat:$1" -o calls \
            "$prof" merge -o "$2" paths.prof >/dev/null 2>&1
    }
    mkdir kept
    for when in new replaced; do
        with_link signal=KILL kept/a.prof
        equal merge-killed-$when "$(ls kept)" "$(test $when = new || echo a.prof)"
        "$prof" merge -o kept/a.prof paths.prof 2>/dev/null
    done
    with_link error=EXDEV kept/b.prof
    equal merge-no-link "$(facts kept/a.prof)" "$(facts kept/b.prof)"
    equal merge-no-link-files 'a.prof b.prof' "$(ls kept | tr '\n' ' ' | sed 's/ $//')"
else
    skip merge-killed "no strace"
fi

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
one_line merge-as 'the kinds are job, processes, runs' \
    "$prof" merge --as ranks -o out.prof basic.prof
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

# ---- the ranks of a job: which behave alike, and where each was sampled ----
./gen rank 0 6 300 0 0 350 >rank0.prof
for r in 1 2 3 4 5; do ./gen rank $r 6 10 90 200 350 >rank$r.prof; done
"$prof" merge -o ranks.prof rank[0-9].prof 2>/dev/null
filter='[.program.work_ns, .program.span_ns, .merged.as,
    (.job.alike | map([.count, .like, .ranks])),
    (.job.samples | .rank, .function, .samples)]'
shows merge-ranks ranks.prof '[800000000,350000000,"job",[[5,1,"1-5"],[1,0,"0"]],
    [0,1,1,2,2,3,3,4,4,5,5],[0,0,1,0,1,0,1,0,1,0,1],
    [300000,10000,90000,10000,90000,10000,90000,10000,90000,10000,90000]]' "$filter"
"$prof" merge -o half1.prof rank[0-2].prof 2>/dev/null
"$prof" merge -o half2.prof rank[3-5].prof 2>/dev/null
"$prof" merge -o halves.prof half1.prof half2.prof 2>/dev/null
equal merge-ranks-halves "$("$prof" report --json ranks.prof 2>/dev/null | jq -c .job)" \
    "$("$prof" report --json halves.prof 2>/dev/null | jq -c .job)"
"$prof" merge --as processes -o ranks2.prof rank[0-9].prof 2>/dev/null
shows merge-ranks-of-a-job ranks2.prof '[6,null]' '[(.job.ranks | length), .job.samples]'
"$prof" report --full ranks.prof 2>/dev/null >ranks.txt
has merge-ranks-alike '^ *5 *1 *100 ms *66.7  1-5$' ranks.txt
has merge-ranks-differ \
    '0: at least 100 % of the samples are in app+0x402000; of all those like 1 at most 10 %' \
    ranks.txt
# of many ranks each has few nodes: what is not known may all be in the other function
for r in 0 1 2 3 4 5; do
    ./gen rank $r 20000 $((r ? 10 : 300)) $((r ? 90 : 20)) $((r ? 200 : 0)) 350 20 >rank$r.prof
done
"$prof" merge -o cut.prof rank[0-9].prof 2>/dev/null
shows merge-ranks-cut cut.prof '[320000,8,307000,41500]' '.job | [.ranks[0].samples, (.samples |
    (.rank | map(select(. == 0)) | length), (.samples[:8] | add), (.samples[8:16] | add))]'
"$prof" report --full cut.prof 2>/dev/null >ranks.txt
has merge-ranks-cut-words 'at least 94 % .*of all those like 1 at most 69 %' ranks.txt

# ---- a folder, and several processes together ----
mkdir ranks && for r in 0 1 2 3 4 5; do cp rank$r.prof ranks/$r.prof; done
cp rank1.prof ranks/10.prof
echo no >ranks/notes.txt
"$prof" merge -o folder.prof ranks 2>err
has merge-folder 'merged from 7 files' err
shows merge-folder-order folder.prof \
    '["0.prof","1.prof","2.prof","3.prof","4.prof","5.prof","10.prof"]' \
    '[.merged.inputs[].profile | sub(".*/"; "")]'
one_line merge-folder-empty 'no [*].prof in it' "$prof" merge -o x.prof "$here"
one_line merge-mpi-alone 'no launcher has started this' "$prof" merge --mpi -o x.prof ranks
together() { # SIZE ARGUMENT...: prints the status of process 0
    size=$1
    shift
    for rank in $(seq 1 $((size - 1))); do
        PMI_RANK=$rank PMI_SIZE=$size "$prof" merge --mpi "$@" 2>err.$rank &
    done
    PMI_RANK=0 PMI_SIZE=$size "$prof" merge --mpi "$@" 2>err.0
    echo $?
    wait
}
for n in 2 3 5 8 9; do
    equal merge-together-$n 0 "$(together $n -o together.prof ranks)"
    equal merge-together-$n-same '' "$(cmp folder.prof together.prof 2>&1
        ls -d together.prof.* 2>/dev/null)"
    rm -f together.prof
done
cp random.prof ranks/2.prof
equal merge-together-bad 2 "$(together 3 -o together.prof ranks)"
has merge-together-bad-said 'merged from 6 files; 1 left out' err.0
equal merge-together-keep 0 "$(together 3 -k -o together.prof ranks)"
# a process that cannot leave its sum
mkdir -p full.prof.parts/1.prof
equal merge-together-failed 2 "$(together 2 -k -o full.prof ranks)"
has merge-together-failed-said 'full.prof.parts/1' err.0

# ranks of two workers each: elapsed 300 ms, outside MPI 300 and five times 100
./gen rank 0 6 300 0 0 350 1 2 >rank0.prof
for r in 1 2 3 4 5; do ./gen rank $r 6 10 90 200 350 1 2 >rank$r.prof; done
"$prof" merge -o hybrid.prof rank[0-9].prof 2>/dev/null
shows merge-ranks-hybrid hybrid.prof '[0.2222,0.4444,0.5,0.4444,1,null]' '.job.efficiencies |
    [.parallel, .mpi, .threads, .load_balance, .communication, .transfer] |
    map(if . then . * 10000 | floor / 10000 else . end)'
"$prof" report --full hybrid.prof 2>/dev/null | tr -s '\n ' ' ' >words
has merge-ranks-hybrid-words 'hybrid) 22.2 % = MPI 44.4 % x threads 50.0 %' words
# and of one worker
shows merge-ranks-pop ranks.prof '[0.4444,0.4444,1,0.4444,1,0.8571]' '.job.efficiencies |
    [.parallel, .mpi, .threads, .load_balance, .communication, .serialisation] |
    map(. * 10000 | floor / 10000)'
mpi_ns='[.findings[] | select(.id == "mpi") | .worker_ns] | add'
# a function that one rank alone executes
./gen rank 0 3 300 10 0 310 >rank0.prof
./gen rank 1 3 0 100 210 310 >rank1.prof
./gen rank 2 3 0 100 210 310 >rank2.prof
"$prof" merge -o alone.prof rank[0-2].prof 2>/dev/null
shows merge-ranks-alone alone.prof 420000000 "$mpi_ns"
"$prof" merge -o even.prof rank[12].prof 2>/dev/null
"$prof" report even.prof 2>/dev/null | tr -s '\n ' ' ' >words
has_not merge-ranks-even 'times the mean work' words
# one whose rank has no more work than the other
./gen rank 0 2 300 10 0 310 >rank0.prof
./gen rank 1 2 0 310 0 310 >rank1.prof
"$prof" merge -o equals.prof rank[01].prof 2>/dev/null
for r in 0 1 2; do
    ./gen rank $r 3 $((r ? 100 : 300)) 0 0 500 >rank$r.prof
done
# all ranks are there, but one
"$prof" merge -o two.prof rank[01].prof 2>/dev/null
"$prof" report --full two.prof 2>/dev/null | tr -s '\n ' ' ' >words
has merge-ranks-lacking 'Of the 3 ranks of this job, 2 are here: work and times lack' words
# prof check has a job's time in MPI, which idle does not contain, and POP's figures; diff has it
"$prof" check -f json -r 'idle < 1%' -r 'mpi >= 42%' -r 'collectives <= 46%' \
    -r 'load-balance < 0.56' -r 'communication > 0.9' alone.prof >out 2>/dev/null
equal merge-check-job '["met","met","met","met","met"]' "$(jq -c '[.requirements[].verdict]' out)"
"$prof" check -r 'mpi < 5%' basic.prof >out 2>/dev/null
has merge-check-no-job '! mpi < 5%: basic.prof: it is no profile of an MPI job' out
"$prof" diff --full alone.prof equals.prof >out 2>/dev/null
has merge-diff-job '^  Time in MPI  *420 ms  *0.0 ns  *-420 ms' out
# no command that runs the program runs a job
"$prof" whatif two.prof >out 2>/dev/null
has merge-whatif-no-jobs 'prof whatif runs no jobs. Make the code faster' out
printf '#!/bin/sh\n' >mpirun.test && chmod +x mpirun.test
PROF_OUTPUT=launcher.prof "$prof" run --no-report -- ./mpirun.test -n 2 ./app >out 2>err
has merge-run-launcher '^prof: ./mpirun.test starts a job: to profile it as one, run' err
one_line merge-whatif-launcher 'mpirun.openmpi starts a job, and prof whatif does not know jobs' \
    "$prof" whatif -- mpirun.openmpi -n 2 ./app
# the threads' work is in ns, as all costs of a merged file
"$prof" merge --as runs -o threads.prof scaled.prof bound.prof 2>/dev/null
for f in scaled bound; do "$prof" report --json $f.prof 2>/dev/null; done |
    jq -s -c '[.[].threads[].work_ns | round] | sort' >expected
equal merge-threads-work "$(cat expected)" "$("$prof" report --json threads.prof 2>/dev/null |
    jq -c '[.threads[].work_ns | round] | sort')"
rm -rf full.prof.parts
# what an earlier merge left is not taken for this one's
mkdir -p stale.prof.parts
echo '1.2.3 1 0' >stale.prof.parts/1.done
echo 1.2.3 >stale.prof.parts/0.begun
cp run1.prof stale.prof.parts/1.prof
equal merge-together-stale 0 "$(together 2 -k -o stale.prof ranks)"
shows merge-together-stale-inputs stale.prof '[6,null]' \
    '[.merged.profiles, (.merged.inputs[] | select(.profile | test("run1"))) // null]'
# a process whose sum nobody takes: process 0 has failed before
mkdir -p left.prof.parts
echo 1.2.3 >left.prof.parts/0.begun
PMI_RANK=1 PMI_SIZE=2 timeout 60 "$prof" merge --mpi -k -o left.prof ranks 2>err.1 &
left=$!
for i in $(seq 50); do
    [ ! -e left.prof.parts/1.done ] || break
    sleep 1
done
rm -f left.prof.parts/0.begun
wait $left
equal merge-together-left 2 $?
has merge-together-left-said 'the process that was to take it has ended' err.1
rm -rf left.prof.parts
# a part of the ranks, whose own paths ended after the job's
for r in 1 2; do JOB_SPAN=349 ./gen rank $r 3 10 90 200 350 >rank$r.prof; done
"$prof" merge -o part.prof rank1.prof rank2.prof 2>/dev/null
shows merge-part-of-a-job part.prof '[350000000,350000000,2]' \
    '[.program.span_ns, .program.span_divisible_ns, (.job.ranks | length)]'

# ranks of two runs: what MPI_Finalize gave to all, or one rank twice
several='[[.notes[] | select(.name == "ranks of several jobs") | [.kind, .count]], .program.exact]'
./gen rank 0 2 100 0 500 200 >rank0.prof
./gen rank 1 2 100 0 500 200 >rank1.prof
JOB_SPAN=200.000001 ./gen rank 1 2 100 0 500 200 >other1.prof
JOB_SPAN=210 ./gen rank 1 2 100 0 500 200 >longer1.prof
./gen rank 0 3 100 0 500 200 >of3.prof
"$prof" merge -o job.prof rank0.prof rank1.prof 2>/dev/null
shows merge-one-job job.prof '[[],true]' "$several"
"$prof" merge -o span.prof rank0.prof other1.prof 2>/dev/null
shows merge-several-jobs-span span.prof '[[["not_exact",2]],false]' "$several"
"$prof" merge -j 2 -o threads.prof rank0.prof other1.prof 2>/dev/null
shows merge-several-jobs-threads threads.prof '[[["not_exact",2]],false]' "$several"
"$prof" merge -o again.prof job.prof rank1.prof 2>/dev/null
shows merge-several-jobs-twice again.prof '[[["not_exact",3]],false]' "$several"
"$prof" merge -o size.prof rank1.prof of3.prof 2>/dev/null
shows merge-several-jobs-size size.prof '[[["not_exact",2]],false]' "$several"
"$prof" merge -o one.prof rank0.prof 2>/dev/null
"$prof" merge -o parts.prof one.prof longer1.prof 2>/dev/null
shows merge-several-jobs-merged parts.prof '[[["not_exact",2]],false]' "$several"
"$prof" merge -o parts.prof one.prof rank1.prof 2>/dev/null
shows merge-one-job-merged parts.prof '[[],true]' "$several"
"$prof" report span.prof 2>/dev/null | tr -s '\n ' ' ' >words
has merge-several-jobs-words 'Span is NOT EXACT.*ranks of several jobs' words

# ranks that wait for most of the run: 30 and 20 ms of work differ, 30 and 29 do not
for r in 0 1 2 3; do
    ./gen rank $r 4 $((r == 3 ? 20 : 30 - r % 2)) 0 970 200 >rank$r.prof
done
"$prof" merge -o small.prof rank[0-3].prof 2>/dev/null
shows merge-ranks-small-work small.prof '["0-2","3"]' '[.job.alike[].ranks]'

# ranks that sleep inside strands: nobody takes a rank's work meanwhile
for r in 0 1; do BLOCKED=300 ./gen rank $r 2 75 25 0 150 >rank$r.prof; done
"$prof" merge -o asleep.prof rank[01].prof 2>/dev/null
shows merge-ranks-asleep asleep.prof null "$mpi_ns"

# the time in MPI_Init is no part of the finding
for r in 0 1; do BLOCKED=300 ENDS=400 ./gen rank $r 2 100 0 100 200 >rank$r.prof; done
"$prof" merge -o starts.prof rank[01].prof 2>/dev/null
shows merge-ranks-starts starts.prof 200000000 "$mpi_ns"

# sends that waited for late receivers, 150 ms of 200
for r in 0 1; do LATE_RECEIVER=150 ./gen rank $r 2 100 0 200 300 >rank$r.prof; done
"$prof" merge -o receivers.prof rank[01].prof 2>/dev/null
shows merge-ranks-receivers receivers.prof '[[150000000,150000000],300000000,100000000]' \
    '[[.job.ranks[].late_receiver_ns], .ledger.mpi_late_receiver_ns, .ledger.mpi_collective_ns]'
shows merge-ranks-receivers-found receivers.prof 400000000 "$mpi_ns"
"$prof" report --full receivers.prof 2>/dev/null | tr -s '\n ' ' ' >words
has merge-ranks-receivers-ledger '400 ms in MPI: waiting for other ranks' words
status merge-ranks-receivers-check 1 "$prof" check -r 'late-receivers < 40%' receivers.prof

# what a poll waits for is not known
for r in 0 1; do ENDS_IN=MPI_Testany ENDS=400 ./gen rank $r 2 100 0 100 200 >rank$r.prof; done
"$prof" merge -o polls.prof rank[01].prof 2>/dev/null
"$prof" report --full polls.prof 2>/dev/null | tr -s '\n ' ' ' >words
shows merge-ranks-polls-found polls.prof 1000000000 "$mpi_ns"
has merge-ranks-polls-ledger 'in MPI: transfers, own work, polls, waits of files' words
shows merge-ranks-polls-for polls.prof '["waits or transfer"]' '[.job.calls[].for]'

# POP's efficiencies of a region, which rank 2 is never in: work 120, 60, 0 of 150 ms
pop='.regions[] | [.job.ranks, .job.work_ns, .job.in_mpi_ns] + (.job.efficiencies |
    [.parallel, .load_balance, .communication, .threads, .serialisation]) |
    map(if . and . < 2 then . * 10000 | round / 10000 else . end)'
for workers in 1 2; do
    REGION='120 140 130' ./gen rank 0 3 200 100 100 350 1 $workers >rank0.prof
    REGION='60 150 80' ./gen rank 1 3 10 90 200 350 1 $workers >rank1.prof
    ./gen rank 2 3 10 90 200 350 1 $workers >rank2.prof
    "$prof" merge -o region.prof rank[0-2].prof 2>/dev/null
    "$prof" merge -o part.prof rank[01].prof 2>/dev/null
    "$prof" merge -o parts.prof part.prof rank2.prof 2>/dev/null
    case $workers in
    1) expected='[2,180000000,80000000,0.4,0.5,0.8,1,null]' ;;
    2) expected='[2,180000000,80000000,0.2,0.5385,0.8667,0.4286,null]' ;;
    esac
    shows merge-region-$workers region.prof "$expected" "$pop"
    shows merge-region-$workers-parts parts.prof "$expected" "$pop"
    "$prof" report --full region.prof 2>/dev/null | tr -s '\n ' ' ' >words$workers
done
has merge-region-asleep 'Time off the CPU outside MPI .* counts as communication, too' words1
has_not merge-region-asleep-not 'counts as communication' words2
shows merge-region-part part.prof '[null]' '[.regions[].job.efficiencies]'
has merge-region-words 'Regions of the job (POP) .* solve 2 150 ms 180 ms 20.0 53.8 86.7 42.9 ' \
    words2

# prof run as the ranks of a job: from 17 on, several profs merge. The program copies a made-up
# file.
cat >copy <<'END'
#!/bin/sh
[ "$PMI_RANK" = "$LOST" ] || cp "$RANKS/$PMI_RANK.prof" "$PROF_OUTPUT"
END
chmod +x copy
job_of() { # SIZE: runs it; the messages are in err.0 to err.SIZE-1
    for rank in $(seq 0 $(($1 - 1))); do
        [ $rank = "$DEAD" ] || PROF_DISABLE=1 RANKS=$PWD/jobs PMI_RANK=$rank PMI_SIZE=$1 \
            "$prof" run --no-report -o one-job.prof -- ./copy 2>err.$rank &
    done
    wait
}
mkdir jobs
for n in 16 17 40; do
    rm -f jobs/*
    for r in $(seq 0 $((n - 1))); do
        ./gen rank $r $n 3 10 $((r % 5)) 350 >jobs/$r.prof
    done
    "$prof" merge -o merged.prof jobs 2>/dev/null
    mkdir -p one-job.prof.ranks
    LOST= DEAD= job_of $n
    equal merge-run-$n '' "$(ls -d one-job.prof.ranks one-job.prof.parts 2>/dev/null)"
    has merge-run-$n-said "wrote one-job.prof, of $n ranks\$" err.0
    equal merge-run-$n-silent '' "$(cat err.[1-9] err.[1-9][0-9])"
    for file in merged one-job; do
        "$prof" report --json $file.prof 2>/dev/null | jq 'del(.profile, .merged)' >$file.json
    done
    equal merge-run-$n-same '' "$(cmp merged.json one-job.json 2>&1)"
done
# a rank whose prof was to merge those from 16 to 31 has none, another one leaves no file
LOST=33 DEAD=16 job_of 40
has merge-run-lost 'wrote one-job.prof, of 38 ranks; missing here: ranks 16, 33' err.0

# intervals of idle time: a merged file has their sums, and none if one input has none
STARTED=1000000000000 ./gen bad idle-good >idle.prof
STARTED=2000000000000 ./gen bad idle-good >idle-other.prof
filter='.idle_intervals | [.count, .ns, .starts, .start_ns, .wait_ns, .after_last.ns]'
json idle "$filter" '[2,70,1,5,30,40]' idle.prof
"$prof" merge --as runs -o idle-two.prof idle.prof idle-other.prof 2>/dev/null
json merge-idle "$filter" '[4,140,2,10,60,80]' idle-two.prof
json merge-idle-lengths '.idle_intervals.lengths' \
    '{"from_ns":[0,536870912],"count":[2,2],"ns":[60,80]}' idle-two.prof
STARTED=3000000000000 OMIT=39,40,43 ./gen bad idle-good >idle-old.prof
json idle-old .idle_intervals null idle-old.prof
"$prof" merge --as runs -o idle-mixed.prof idle.prof idle-old.prof 2>/dev/null
json merge-idle-mixed .idle_intervals null idle-mixed.prof
