#!/bin/sh
# run.sh BUILD - tests of prof's post-mortem side on profiles that gen_profile writes. One line a
# case. Needs gcc, g++, jq, binutils, protoc, callgrind_annotate; valgrind, gnuplot, pprof and clang
# are used where they are.
build=$(cd "$1" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
include=$here/../../include
prof=$build/prof
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
unset COLUMNS NO_COLOR PROF_OUTPUT PROF_CLOCK PROF_BURDEN LD_PRELOAD
export LC_ALL=C TZ=UTC
failed=0

pass() { echo "PASS report/$1"; }
fail() { failed=1; echo "FAIL report/$1: $2" | tr '\n' ' '; echo; }
result() { # NAME DETAIL: empty detail passes
    if [ -z "$2" ]; then pass "$1"; else fail "$1" "$2"; fi
}
equal() { # NAME EXPECTED ACTUAL
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "expected <$2>, got <$3>"; fi
}
status() { # NAME EXPECTED COMMAND...: exit status
    name=$1 expected=$2
    shift 2
    "$@" >out 2>err
    equal "$name" "$expected" $?
}
json() { # NAME FILTER EXPECTED FILE [OPTIONS]
    name=$1 filter=$2 expected=$3 file=$4
    shift 4
    equal "$name" "$expected" "$("$prof" report --json "$@" "$file" 2>/dev/null | jq -c "$filter" 2>&1)"
}
has() { # NAME PATTERN FILE
    if grep -q -e "$2" "$3"; then pass "$1"; else fail "$1" "no <$2>"; fi
}
has_not() { # NAME PATTERN FILE
    if grep -q -e "$2" "$3"; then fail "$1" "found $(grep -e "$2" "$3" | head -1 | cut -c1-100)"; else pass "$1"; fi
}

gcc -std=gnu11 -O1 -Wall -I"$include" "$here/gen_profile.c" -o gen 2>gcc.log && pass build-gen || fail build-gen "$(cat gcc.log)"
gcc -std=gnu11 -O1 -Wall -I"$include" "$here/damage.c" -o damage 2>gcc.log && pass build-damage || fail build-damage "$(cat gcc.log)"
for kind in basic empty big hostile bound counter wide longer paths off-cpu deep flat whatif; do
    ./gen $kind >$kind.prof || fail gen-$kind "status $?"
done

# ---- totals ----
json totals '.program | [.work_ns, .span_ns, .burdened_span_ns, .parallelism, .spawns, .syncs, .steals, .tasks, .elapsed_ns, .workers, .idle_ns, .exact, .complete]' \
    '[1000000000,250000000,260000000,4,1999,1001,12,2000,600000000,2,100000000,true,true]' basic.prof
json burdened-parallelism '.program.burdened_parallelism * 1000 | floor' 3846 basic.prof
json average-strand '.program.avg_maximal_strand_ns' 200000 basic.prof
json burden '.program | [.burden_ns, .burden_source, .burden_steals]' '[200000,"measured",12]' basic.prof
json speedup-processors '[.program.speedup[].p]' '[2,4,8,16,32,64,128]' basic.prof
json speedup-upper '[.program.speedup[].upper]' '[2,4,4,4,4,4,4]' basic.prof
# T1 / (T1/2 + 1.7 x 260 ms) = 1000 / 942 = 1.0615711
json speedup-lower '.program.speedup[0].lower * 10000 | floor' 10615 basic.prof
json span-sums '[.sites[].on_span.local_span_ns] | add' 250000000 basic.prof
json work-sums '[.sites[].local_work_ns] | add' 1000000000 basic.prof
json shares '[.sites[].on_span.share_of_span]' '[0.48,0.32,0.2]' basic.prof
json contexts-add-up '.sites[] | select(.construct == "parallel_for") | [.invocations, .tasks, .steals, .work_ns, .span_ns, .parallelism, .local_work_ns, .local_span_ns]' \
    '[56,112,14,800000000,250000000,3.2,400000000,250000000]' basic.prof
json top-caller '.sites[] | select(.construct == "task_group") | .top_caller' \
    '{"count":4,"work_ns":400000000,"span_ns":45000000,"parallelism":8.88888888888889}' basic.prof
json on-span '.sites[] | select(.construct == "task_group") | .on_span | [.count, .work_ns, .span_ns, .local_work_ns, .top_caller.parallelism]' \
    '[1,160000000,80000000,80000000,null]' basic.prof
json root-row '.sites[] | select(.outside_tasks) | [.function, .local_work_ns, .local_span_ns]' '["(outside every task)",200000000,50000000]' basic.prof
json regions '.regions' '[{"name":"sort","count":3,"work_ns":600000000,"span_ns":150000000,"burdened_span_ns":150400000,"parallelism":4,"burdened_parallelism":3.98936170212766,"max_span_ns":150000000}]' basic.prof
json threads '.threads[0] | [.tid, .kind, .busy_ns, .work_ns, .tasks]' '[4242,"main",500000000,1000000000,2000]' basic.prof
json settings '.settings' '{"PROF_CLOCK":"tsc"}' basic.prof
json notes '.notes' '[{"kind":"hint","name":"hint-name","text":"a hint","count":3}]' basic.prof
json format-version '[.format_version, has("raw")]' '[3,false]' basic.prof
json off-cpu '.sampling | [.off_cpu_samples, has("looks_blocked")]' '[40,false]' off-cpu.prof
json raw '[.raw, (.sites | length)]' '[true,3]' basic.prof --raw
json longer-entries '.program | [.work_ns, .span_ns, .burdened_span_ns]' '[1000000000,250000000,260000000]' longer.prof
json longer-sites '[.sites[].on_span.local_span_ns]' '[120000000,80000000,50000000]' longer.prof
json counter '.program | [.unit, .clock, .work_ns, .burden_source, .strand_is_short]' '["instructions","instructions",1000000000,"default",true]' counter.prof
json bound '.program | [.exact, .lower_bound_constructs, .complete, .end, .exit_status]' '[false,["parallel_pipeline","flow_graph"],false,"signal",11]' bound.prof
json bound-site '[.sites[] | select(.lower_bound) | .construct]' '["parallel_for"]' bound.prof
json empty '.program | [.work_ns, .parallelism, .burdened_parallelism, .speedup]' '[0,null,null,[]]' empty.prof
json big '[.program.span_ns, ([.sites[].on_span.local_span_ns] | add), (.sites | length)]' '[100000,100000,1001]' big.prof
"$prof" report --json wide.prof >wide.json 2>/dev/null
has wide-caps '"work_ns": 9223372036854775807' wide.json
equal json-array '["basic","empty"]' "$("$prof" report --json basic.prof empty.prof 2>/dev/null | jq -c '[.[].profile | rtrimstr(".prof")]')"

# ---- CSV ----
"$prof" report --csv --totals basic.prof empty.prof 2>/dev/null >totals.csv
equal csv-totals '"basic.prof","/nowhere/app","tsc","ns",1000000000,250000000,260000000,4,3.84615384615,1999,1001,2000,12,600000000,1100000000,2,100000000,5000000,200000,1' \
    "$(sed -n 2p totals.csv | tr -d '\r')"
equal csv-one-header 3 "$(grep -c '' totals.csv)"
equal csv-undefined ',,' "$(sed -n 3p totals.csv | grep -o ',0,0,0,,,0' | cut -c7-8)"
"$prof" report --csv basic.prof hostile.prof 2>/dev/null >sites.csv
equal csv-columns 1 "$(sed 's/"[^"]*"/x/g; s/""//g' sites.csv | head -4 | awk -F, '{print NF}' | sort -u | grep -c '')"
equal csv-rows 7 "$(grep -c "$(printf '\r')\$" sites.csv)"
has_not csv-no-controls "$(printf '\033')" sites.csv

# Cilkscale's: 600 / 150 ms, 150 ms + 2 x 200 us; 1000 / 250, 260
equal csv-cilkscale 'tag,work (seconds),span (seconds),parallelism,burdened_span (seconds),burdened_parallelism|"sort",0.6,0.15,4,0.1504,3.98936|,1,0.25,4,0.26,3.84615|' \
    "$("$prof" report --cilkscale basic.prof 2>/dev/null | tr -d '\r' | tr '\n' '|')"
equal csv-cilkscale-unit 'tag,work (instructions)' "$("$prof" report --cilkscale counter.prof 2>/dev/null | head -1 | cut -d, -f1-2)"
equal csv-cilkscale-files 1 "$("$prof" report --cilkscale basic.prof empty.prof 2>/dev/null | grep -c '^tag')"
equal csv-cilkscale-empty ',0,0,0,0,0' "$("$prof" report --cilkscale empty.prof 2>/dev/null | tail -1 | tr -d '\r')"

# ---- text ----
"$prof" report basic.prof >basic.txt 2>err
for line in 'Work  *1.000 s' 'Span  *250.000 ms' 'Burdened span  *260.000 ms' 'Parallelism  *4.00' 'Burdened parallelism  *3.85' \
    'Spawns  *1,999' 'Syncs  *1,001' 'Average maximal strand  *200.000 us' 'measured from 12 steals in this run' \
    '2 *1.06 - 2.00' '48.0 *120 ms' 'sort$' 'hint-name (3): a hint'; do
    has "text: $line" "$line" basic.txt
done
has_not text-exact-says-nothing 'LOWER BOUND' basic.txt
has_not text-no-warning '500 instructions' basic.txt
"$prof" report bound.prof >bound.txt 2>/dev/null
has text-bound 'span is a LOWER BOUND: parallel_pipeline (7), flow_graph (2)' bound.txt
has text-bound-mark 'parallel_for \*' bound.txt
has text-crashed 'CRASHED' bound.txt
has text-signal 'killed by SIGSEGV' bound.txt
has text-lost 'LOST: memory (5): events dropped' bound.txt
"$prof" report counter.prof >counter.txt 2>/dev/null
has text-counter-unit 'Work  *1,000,000,000 (exact)$' counter.txt
has text-short-strand 'less of the program.s own code than 500 instructions' counter.txt
has text-no-steals 'default: no steals in this run' counter.txt
"$prof" report empty.prof >empty.txt 2>/dev/null
has text-empty 'No tasks were seen' empty.txt
for width in 80 100 120 160 250; do
    COLUMNS=$width "$prof" report -m all --frames basic.prof bound.prof hostile.prof big.prof counter.prof 2>/dev/null >wide.txt
    equal width-$width 0 "$(awk -v w=$width 'length > w' wide.txt | grep -c '')"
    has_not trailing-blanks-$width ' $' wide.txt
done
"$prof" report --all big.prof 2>/dev/null >all.txt
equal all-rows 1000 "$(grep -c 'task_group$' all.txt)"
"$prof" report -n 3 big.prof 2>/dev/null >three.txt
has limit '\.\.\. 998 more' three.txt
json sort-count '[.sites[].invocations]' '[56,8,1]' basic.prof -s count
json sort-work '[.sites[].construct]' '["","parallel_for","task_group"]' basic.prof -s work
json sort-parallelism '[.sites[].construct]' '["task_group","","parallel_for"]' basic.prof -s parallelism
json sort-name '[.sites[].construct]' '["parallel_for","task_group",""]' basic.prof -s name
"$prof" report -o file.txt basic.prof 2>/dev/null
equal output-file 0 "$(cmp basic.txt file.txt >/dev/null; echo $?)"

# ---- hostile strings ----
"$prof" report -m all --frames hostile.prof >hostile.txt 2>hostile.err
has_not hostile-text "$(printf '[\001-\010\013-\037\177\200-\237]')" hostile.txt
has_not hostile-stderr "$(printf '[\001-\010\013-\037\177\200-\237]')" hostile.err
"$prof" report --json hostile.prof >hostile.json 2>/dev/null
equal hostile-json 3 "$(jq '.sites | length' hostile.json)"
has hostile-json-whole '<script>alert(1)</script>' hostile.json
has_not hostile-json-raw "$(printf '[\001-\010\013-\037\177]')" hostile.json

# ---- what if ----
json whatif-scenarios '.whatif.scenarios | map([.name, .work_ns, .span_ns, .parallelism_made_parallel, .parallelism_made_faster, .limit, .estimated])' \
    '[["sort 4x",900000000,200000000,5,4.5,false,false],["ns::leaf<int>(char) 1.5x",950000000,250000000,4,3.8,false,true],["sort 4x, ns::leaf<int>(char) 1.5x",850000000,125000000,8,6.8,false,true],["sort at no cost",800000000,0,0,0,true,false]]' whatif.prof
json whatif-candidates '.whatif.candidates | map([.name, .code, .regions, .samples])' '[["sort",false,3,0],["ns::leaf<int>(char)",true,0,17],["gone",false,0,0]]' whatif.prof
json whatif-terms '.whatif.scenarios | map([.terms[] | [.candidate, .factor]])' '[[[0,4]],[[1,1.5]],[[0,4],[1,1.5]],[[0,null]]]' whatif.prof
json whatif-absent '.whatif' null basic.prof
"$prof" report whatif.prof >whatif.txt 2>err
has whatif-text '125 ms  *-50.0  *8.00  *6.80  sort 4x, ns::leaf<int>(char) 1.5x' whatif.txt
has whatif-text-base '250 ms  *0.0  *4.00  *4.00  nothing is changed' whatif.txt
has whatif-text-gone 'gone never ran' whatif.txt
has whatif-text-samples 'counts by its samples, here 17' whatif.txt
# The first context's strands are 120 ms of the span, split by samples on it: 1 in 0x402000, 3 below
# a call that spawns.
"$prof" whatif --json --factor 4 whatif.prof >w.json 2>err
equal whatif-file '[4,4,4]' "$(jq -c '[.parallelism, .factor, (.whatif.scenarios | length)]' w.json)"
equal whatif-file-regions '["sort"]' "$(jq -c '[.candidates[] | select(.region) | .name]' w.json)"
status whatif-file-text 0 "$prof" whatif whatif.prof
status whatif-file-empty 0 "$prof" whatif empty.prof
status whatif-file-hostile 0 "$prof" whatif hostile.prof
has_not whatif-hostile-raw "$(printf '[\001-\010\013-\037\177]')" out

# ---- errors: one line, status 2 ----
one_line() { # NAME PATTERN COMMAND...
    name=$1 pattern=$2
    shift 2
    "$@" >out 2>err
    code=$?
    if [ $code = 2 ] && [ ! -s out ] && [ "$(grep -c '' err)" = 1 ] && grep -q -e "^prof: .*$pattern" err; then
        pass "$name"
    else
        fail "$name" "status $code, $(head -c 300 err)"
    fi
}
for what in version:'version 2' count:'outside the file' count-wrap:'outside the file' offset:'outside the file' align:aligned \
    overlap:overlaps twice:'two sections' entry:'too short' zero-entry:'outside the file' totals:missing strings:missing sections:sizes \
    header:sizes table:sizes size:truncated crc:checksum exe:reference string-edge:reference site:reference parent:reference \
    id:reference node-parent:reference node-root:reference node-two-roots:reference node-kind:reference \
    node-sample:reference node-order:reference node-context:reference construct:reference build-id:reference region:reference ns-den:reference whatif-name:reference whatif-candidate:reference whatif-factor:reference \
    whatif-terms:reference whatif-first:reference whatif-none:reference unterminated:terminated; do
    ./gen bad "${what%%:*}" >bad.prof || fail "bad-${what%%:*}" 'not generated'
    one_line "bad-${what%%:*}" "bad.prof: .*${what#*:}" "$prof" report bad.prof
done
: >none.prof
truncate -s 3G sparse.prof
head -c 100000 /dev/urandom >random.prof
one_line empty-file 'none.prof: empty file' "$prof" report none.prof
one_line sparse-file 'sparse.prof: not a libprof profile' "$prof" report sparse.prof
one_line random-file 'not a libprof profile' "$prof" report random.prof
one_line no-file 'missing.prof: No such file' "$prof" report missing.prof
one_line directory 'a directory' "$prof" report /tmp
one_line device 'not a regular file' "$prof" report /dev/zero
{ cat basic.prof; echo; } >tail.prof
one_line appended 'bytes follow' "$prof" report tail.prof
mkdir nothing
one_line no-profile 'no \*.prof' sh -c "cd nothing && '$prof' report"
one_line whatif-bad-factor '--factor 1: a number' "$prof" whatif -x 1 basic.prof
one_line whatif-bad-target '--target many: a number' "$prof" whatif -t many basic.prof
one_line whatif-two-files 'one profile' "$prof" whatif basic.prof empty.prof
one_line whatif-no-program 'which program' "$prof" whatif --
one_line bad-sort 'the keys are span, work' "$prof" report --sort colour basic.prof
one_line bad-measure 'the kinds are' "$prof" report --measure ' ' basic.prof
one_line bad-limit 'not a number' "$prof" report --limit -1 basic.prof
one_line bad-option 'unrecognized option' "$prof" report --nonsense basic.prof
one_line bad-output 'No such file' "$prof" report -o /nonexistent/x basic.prof
one_line bad-command 'no such command' "$prof" frobnicate
one_line run-nothing 'which program' "$prof" run
one_line run-bad-env 'KEY=VALUE' "$prof" run -e nonsense true
[ -w /dev/full ] && status full-disk 2 sh -c "'$prof' report basic.prof >/dev/full"
status one-bad-of-two 2 "$prof" report none.prof basic.prof
has the-good-one-is-shown 'Parallelism  *4.00' out
status version 0 "$prof" --version
has version-text '^prof (libprof) [0-9]' out
for command in run report annotate diff merge view export doctor; do
    status help-$command 0 "$prof" help $command
    has help-$command-text "^usage: prof $command" out
done

# ---- call paths ----
functions() { "$prof" report --json "$@" 2>/dev/null | jq -c '[.functions[] | [.function, .self.work_ns, .self.span_ns, .self.overhead_ns, .self.idleness_ns, .self.samples, .self.samples_on_span]] | sort'; }
# root: 200 ms of work, 50 of span, all to its one sampled function; context 0: 300 = 225 + 75 by 3
# : 1, 120 = 30 + 90 by 1 : 3, the runtime's frame is its caller's overhead; contexts 1 and 2, one
# logical place: 400 + 100, 80 + 0
equal paths-functions '[["[libprof]",0,0,0,0,0,0],["[parallel_for+task_group]",500000000,80000000,0,0,0,0],["app+0x401010",0,0,0,0,0,0],["app+0x401020",0,0,0,0,0,0],["app+0x401030",200000000,50000000,0,100000000,4,1],["app+0x402000",225000000,30000000,0,0,3,1],["app+0x402020",75000000,90000000,75000000,0,1,3]]' "$(functions paths.prof)"
json paths-inclusive '[.functions[] | select(.function == "app+0x401010") | .all | [.work_ns, .span_ns, .overhead_ns, .idleness_ns, .samples]]' '[[1000000000,250000000,75000000,100000000,8]]' paths.prof
json paths-parallelism '[.functions[] | select(.function == "app+0x402020") | .parallelism]' '[3.38235294117647]' paths.prof
json paths-verdict '[.functions[] | select(.function == "app+0x401030" or .function == "app+0x402000" or .function == "app+0x402020") | .verdict]' \
    '["fine-grained: coarsen","serial on the critical path: parallelise","scales: optimise serially"]' paths.prof
# what no task executes is serial, on the critical path or beside it: two workers
for given in '20 12 serial on the critical path: parallelise' '200 12 serial beside the critical path, while others idle' \
    '700 40 serial on the critical path: parallelise' '900 40 serial on the critical path: parallelise'; do
    set -- $given
    ./gen paths $1 $2 >idles.prof
    json "paths-idles-$1-$2" '[.functions[] | select(.function == "app+0x401030") | .verdict]' "[\"${given#* * }\"]" idles.prof
done
json paths-sampling '.sampling | [.source, .samples, .samples_on_span, .samples_in_libprof, .overhead_ns.other]' '["thread CPU timer",8,5,1,75000000]' paths.prof
# libprof's part of a site's strands: its work is what was measured, or less by that part. Not of so few samples that
# they say nothing, and not where libprof has a twentieth at most.
own_of() { "$prof" report --json $1.prof 2>/dev/null | jq -c '[.sites[] | [.construct, .samples, .samples_in_libprof, .local_work_ns, .local_work_at_least_ns]] | sort'; }
./gen own-share 12 >share.prof
equal own-share '[["",4,1,200000000,null],["parallel_for",4,12,400000000,100000000],["task_group",1,3,400000000,null]]' "$(own_of share)"
COLUMNS=200 "$prof" report share.prof >share.txt 2>/dev/null
has own-share-text "~ 75 % of the samples in strands of app.0x40[0-9a-f]*, parallel_for are libprof's: the local work is 400 ms, from which" share.txt
has own-share-least 'or less, but not below 100 ms$' share.txt
has own-share-mark 'parallel_for ~$' share.txt
./gen own-share 9 >share.prof
equal own-share-few '["parallel_for",4,9,400000000,null]' "$(own_of share | jq -c .[1])"
"$prof" report share.prof 2>/dev/null >share.txt
equal own-share-few-text 0 "$(grep -c "samples in strands" share.txt)"
json paths-tree '[.paths[] | [.node, .parent, .function]]' \
    '[[0,null,"(program)"],[1,0,"app+0x401010"],[2,1,"app+0x401020"],[3,2,"app+0x402000"],[4,2,"app+0x402020"],[5,1,"app+0x401030"],[6,0,"[libprof]"],[7,2,"[libprof]"],[8,4,"[parallel_for+task_group]"],[9,4,"[libprof]"]]' paths.prof --paths
json paths-physical '[.paths[] | .function] | sort | map(select(startswith("lib")))' '["libprof.so+0x800010","libtbb.so.12+0x700100","libtbb.so.12+0x700200"]' paths.prof --paths --physical
json paths-overhead-pattern '[.functions[] | select(.function == "app+0x402000") | .self.overhead_ns]' '[225000000]' paths.prof --overhead 0x402000
json ledger '.ledger | [.total_ns, .work_ns, .overhead_in_strands_ns, .search_ns, .sleep_ns, .overhead_between_strands_ns, .without_thread_ns]' \
    '[1200000000,925000000,75000000,40000000,60000000,20000000,0]' paths.prof
for metric in work:1000000000 span:250000000 idleness:100000000 overhead:75000000; do
    equal "folded-${metric%:*}" "${metric#*:}" "$("$prof" export -M "${metric%:*}" paths.prof 2>/dev/null | awk '{ s += $NF } END { printf "%d", s }')"
done
equal folded-lines 'app+0x401010;app+0x401020;app+0x402000 30000000
app+0x401010;app+0x401020;app+0x402020 90000000
app+0x401010;app+0x401020;app+0x402020;[parallel_for+task_group] 80000000
app+0x401010;app+0x401030 50000000' "$("$prof" export --format folded paths.prof 2>/dev/null | sort)"
equal folded-stray-metric 2 "$("$prof" export -M bogus paths.prof >out 2>err; echo $?)"
has folded-metric-line 'the metrics are span, work, idleness, overhead' err
equal folded-format 2 "$("$prof" export -f bogus paths.prof >out 2>err; echo $?)"
equal folded-big 1000003 "$("$prof" export deep.prof | awk '{ s += $NF } END { printf "%d", s }')"
for kind in deep flat; do
    status "paths-$kind" 0 timeout 20 "$prof" report --paths --callers --lines $kind.prof
    equal "paths-$kind-sum" '[1000003,1000003]' "$("$prof" report --json --paths $kind.prof | jq -c '[([.paths[].self.work_ns] | add), ([.paths[].self.span_ns] | add)]')"
done
"$prof" report --paths --callers --lines paths.prof >paths.txt 2>err
has paths-text 'Functions: span beside idleness' paths.txt
has paths-text-verdict 'serial on the critical path: parallelise' paths.txt
# where there is no room the advice goes before the verdict
COLUMNS=80 "$prof" report paths.prof >narrow.txt 2>/dev/null
has paths-narrow-verdict 'app+0x401030 *serial on the critical path$' narrow.txt
equal paths-narrow '' "$(awk 'length > 80' narrow.txt | head -1)"
has paths-text-ledger 'Check: work, overhead, searching and libprof are on the CPU' paths.txt
has paths-text-samples 'work is split by 8 samples' paths.txt
"$prof" report --paths -M blocked off-cpu.prof 2>/dev/null | tr -s '\n ' ' ' >off-cpu.txt
has off-cpu-text 'Blocked time is split by 40 off-CPU samples, 10 ms apart' off-cpu.txt
has paths-text-callers 'Functions and their callers' paths.txt
equal paths-quiet 0 "$(grep -vc 'cannot be opened' err)"
# Of 8 samples' weight three were samples: 3, 1 and 4. 64 / (9 + 1 + 16) = 2.46.
./gen late >late.prof
"$prof" report --json late.prof >late.json 2>/dev/null
equal late-equal '[8,2.46,5,5]' "$(jq -c '.sampling | [.samples, (.equal_samples * 100 | round / 100), .samples_on_span, .equal_samples_on_span]' late.json)"
equal paths-equal '[8,8,5,5]' "$("$prof" report --json paths.prof 2>/dev/null | jq -c '.sampling | [.samples, .equal_samples, .samples_on_span, .equal_samples_on_span]')"
COLUMNS=200 "$prof" report late.prof >late.txt 2>/dev/null
# Wilson's interval of a half, of 2.46 and of 8 samples: 1.96 / 2 / sqrt(n + 3.84)
has late-half 'work is split by 8 samples, a half of it +- 39.0 points' late.txt
has late-said 'Many samples came late.*all say as much as 2 on time' late.txt
has paths-half 'work is split by 8 samples, a half of it +- 28.5 points' paths.txt
has_not paths-not-late 'came late' paths.txt
# 1 of 5 on the critical path: Wilson's ends are 3.6 and 62.4 %
has paths-margin '^ *[0-9.]* *42.4 .*app+0x402000' paths.txt
"$prof" merge --as runs -o late2.prof late.prof paths.prof 2>/dev/null
equal late-merged '[16,7.53]' "$("$prof" report --json late2.prof 2>/dev/null | jq -c '.sampling | [.samples, (.equal_samples * 100 | round / 100)]')"
./gen late-wrong >wrong.prof
status late-wrong 2 "$prof" report wrong.prof
# no share of no samples
./gen unhit >unhit.prof
"$prof" report --lines --callers unhit.prof >unhit.txt 2>/dev/null
has unhit-said 'No sample hit the program: costs stand at the spawn, in brackets' unhit.txt
has_not unhit-margin '[+]- [0-9]' unhit.txt
COLUMNS=80 "$prof" report --paths --callers --lines paths.prof 2>/dev/null | awk '{ if (length($0) > 80) print }' >long.txt
equal paths-narrow '' "$(cat long.txt)"
"$prof" report --csv --paths paths.prof >paths.csv 2>/dev/null
equal paths-csv '11 22' "$(wc -l <paths.csv | tr -d ' ') $(head -1 paths.csv | tr ',' '\n' | wc -l | tr -d ' ')"
json without-paths '[has("functions"), has("sampling")]' '[false,false]' basic.prof
# ---- prediction ----
. "$here/predict.sh"

# ---- damage ----
damage() { # NAME FILE HOW... : every variant is refused
    name=$1
    shift
    tries=$(./damage "$@") && pass "$name ($tries)" || fail "$name" "$tries"
}
./gen bound >victim.prof
damage cut-at-sections victim.prof sections "$prof" report
damage cut-every-97 victim.prof truncate 97 "$prof" report
damage flip victim.prof flip 2000 "$prof" report
damage flip-dag victim-dag.prof flip 500 "$prof" predict
damage cut-dag victim-dag.prof sections "$prof" predict
damage flip-json victim.prof flip 200 "$prof" report --json
vg=
if command -v valgrind >/dev/null && ! nm "$prof" 2>/dev/null | grep -q __asan_init; then
    vg="valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite"
    for kind in basic hostile wide longer; do
        status valgrind-$kind 0 $vg "$prof" report -m all --frames $kind.prof
        has_not valgrind-$kind-silent '^==' err
    done
    status valgrind-paths 0 $vg "$prof" report --paths --callers --lines paths.prof
    # adds nodes while it reads nodes
    ./gen large /nowhere/app 0 0x400000 0x500000 3000 2000 >grows.prof
    status valgrind-grows 0 $vg "$prof" report --paths grows.prof
    has_not valgrind-grows-silent '^==' err
    status valgrind-paths-json 0 $vg "$prof" report --json --paths paths.prof
    status valgrind-folded 0 $vg "$prof" export wide.prof
    status valgrind-json 0 $vg "$prof" report --json hostile.prof bound.prof
    $vg "$prof" predict -P 1,5,64 victim-dag.prof >out 2>err && pass valgrind-predict || fail valgrind-predict "$(tail -3 err)"
    damage valgrind-sections victim.prof sections $vg "$prof" report
    damage valgrind-flip victim.prof flip 25 $vg "$prof" report
else
    echo "SKIP report/valgrind: not installed, or prof has a sanitizer"
fi

. "$here/exports.sh"
. "$here/corpus.sh"
. "$here/matrix.sh"
. "$here/terminal.sh"
. "$here/opening.sh"
. "$here/comfort.sh"

# ---- a person's own lines ----
site_lines() { # PREFIX PROFILE: every marked line is found, with its function
    "$prof" report --json "$2" 2>err >sites.json
    for mark in direct outlined standard helper twice templated; do
        line=$(grep -n "// SITE $mark\$" "$here/sites.cpp" | cut -d: -f1)
        equal "$1-$mark" "\"sites.cpp:$line\"" \
            "$(jq -c --arg c $mark '.sites[] | select(.construct == $c) | (.file | sub(".*/"; "")) + ":" + (.line | tostring)' sites.json)"
    done
}
build_sites() { # OUTPUT COMPILER FLAGS...
    output=$1
    shift
    "$@" -std=c++17 -Wall -I"$here/include" "$here/sites.cpp" -o "$output" 2>gcc.log || fail "build-$output" "$(head -3 gcc.log)"
}
profile_of() { # PROGRAM: a profile with its real addresses
    BUILD_ID=$(readelf -n "./$1" | sed -n 's/.*Build ID: //p') ./gen sites $("./$1") >"$1.prof"
}
build_sites sites g++ -O2 -g
profile_of sites
site_lines g++ sites.prof
equal merged 1 "$(jq '[.sites[] | select(.construct == "twice")] | length' sites.json)"
equal merged-sums 2 "$(jq '.sites[] | select(.construct == "twice") | .invocations' sites.json)"
equal merged-addresses 2 "$(jq '.sites[] | select(.construct == "twice") | .addresses | length' sites.json)"
json raw-apart '[.sites[] | select(.construct == "twice")] | length' 2 sites.prof --raw
has_not library-never-first '"function": "\(void \)\?\(tbb\|std\)::[^i]*run' sites.json
json nobodys '.sites[] | select(.construct == "internal") | .function' '"tbb::detail::d1::internal(char const*)"' sites.prof
COLUMNS=120 "$prof" report --frames sites.prof >sites.txt
has lambda-name 'standard::{lambda' sites.txt
has frames-header 'oneapi/tbb/fake.h:' sites.txt
has anonymous-namespace '(anonymous namespace)::Matrix::multiply' sites.txt
equal build-id-silent 0 "$(grep -c '' err)"

for variant in '-O0 -g' '-O2 -g -gdwarf-4' '-O3 -g -fno-pie -no-pie' '-O2 -g -gsplit-dwarf'; do
    name=sites$(echo "$variant" | tr -d ' ')
    build_sites "$name" g++ $variant
    profile_of "$name"
    site_lines "g++$(echo "$variant" | tr -d ' ')" "$name.prof"
done
if command -v clang++ >/dev/null; then
    build_sites sites-clang clang++ -O2 -g
    if [ -x sites-clang ]; then
        profile_of sites-clang
        site_lines clang sites-clang.prof
    fi
else
    echo "SKIP report/clang: not installed"
fi

# The same program with less and less to go by. Its build id stays.
cp sites separate
objcopy --only-keep-debug separate separate.debug
strip separate
(objcopy --add-gnu-debuglink=separate.debug separate)
profile_of separate
site_lines debuglink separate.prof
cp sites symbols
strip -g symbols
profile_of symbols
json symbols-only '.sites[] | select(.construct == "direct") | [.function, .file, (.code | sub("0x[0-9a-f]+"; "N"))]' '["direct()",null,"symbols+N"]' symbols.prof
"$prof" report symbols.prof 2>/dev/null >symbols.txt
has symbols-only-text 'direct  *symbols+0x[0-9a-f]*' symbols.txt
cp sites stripped
strip stripped
profile_of stripped
json stripped '.sites[] | select(.construct == "direct") | [(.function | sub("0x[0-9a-f]+"; "N")), .file]' '["stripped+N",null]' stripped.prof
cp sites changed
profile_of changed
build_sites changed g++ -O2 -g -DCHANGED=1 -Wl,--build-id=0x1234567890
json changed '.sites[] | select(.construct == "direct") | [(.function | sub("0x[0-9a-f]+"; "N")), .file]' '["changed+N",null]' changed.prof
one=$("$prof" report changed.prof 2>&1 >/dev/null)
equal changed-says-so 1 "$(echo "$one" | grep -c 'not the file that was profiled (its build id differs)')"
rm changed
equal gone-says-so 1 "$("$prof" report changed.prof 2>&1 >/dev/null | grep -c 'cannot be opened')"

. "$here/annotate.sh"
. "$here/diff.sh"
. "$here/merge.sh"
. "$here/limits.sh"
. "$here/verdicts.sh"
. "$here/output.sh"

# ---- prof run: the program's own output, status and death ----
cat >victim.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void got(int sig) { printf("signal %d\n", sig); fflush(stdout); _exit(40 + sig); }
int main(int argc, char **argv)
{
    if (!strcmp(argv[1], "exit")) return atoi(argv[2]);
    if (!strcmp(argv[1], "die")) { signal(atoi(argv[2]), SIG_DFL); raise(atoi(argv[2])); }
    if (!strcmp(argv[1], "env")) { puts(getenv(argv[2]) ? getenv(argv[2]) : "(none)"); return 0; }
    if (!strcmp(argv[1], "wait")) { signal(atoi(argv[2]), got); puts("ready"); fflush(stdout); sleep(20); return 1; }
    if (!strcmp(argv[1], "cd")) { if (chdir("/")) return 1; return 0; }
    return 99;
}
C
gcc -O1 victim.c -o victim 2>gcc.log || fail build-victim "$(cat gcc.log)"
gcc -O1 -static victim.c -o victim-static 2>gcc.log || fail build-static "$(cat gcc.log)"
if [ -r "$build/libprof.so" ]; then
    for code in 0 1 2 77 126 127 255; do
        status run-exit-$code $code "$prof" run --no-report ./victim exit $code
    done
    for sig in 9 15 6 11; do
        sh -c '"$1" run --no-report ./victim die $2; exit $?' - "$prof" $sig >out 2>err
        equal run-signal-$sig $((128 + sig)) $?
    done
    equal run-no-core 0 "$(ls | grep -c '^core')"
    for sig in 1 2 3 10 12 15; do
        rm -f signal.out
        "$prof" run --no-report ./victim wait $sig >signal.out 2>/dev/null &
        pid=$!
        tries=0
        until grep -qs ready signal.out || [ $tries = 100 ]; do sleep 0.05; tries=$((tries + 1)); done
        kill -$sig $pid
        wait $pid
        equal forward-$sig "$((40 + sig)) 1" "$? $(grep -c "signal $sig" signal.out)"
    done
    status run-missing 127 "$prof" run ./missing
    has run-missing-line '^prof: ./missing: No such file or directory$' err
    status run-not-executable 126 "$prof" run ./victim.c
    has run-not-executable-line '^prof: ./victim.c: Permission denied$' err
    status run-static 7 "$prof" run ./victim-static exit 7
    has run-static-line 'statically linked: LD_PRELOAD does not reach it' err
    rm -f ./*.prof
    status run-report 5 "$prof" run ./victim exit 5
    equal run-stdout-untouched 0 "$(wc -c <out | tr -d ' ')"
    has run-report-on-stderr 'Parallelism profile' err
    equal run-default-name 1 "$(ls victim.*.prof | grep -c '^victim\.[0-9]*\.prof$')"
    status run-output 0 "$prof" run -o mine.prof --report-to mine.txt ./victim cd
    has run-report-to 'Parallelism profile' mine.txt
    equal run-output-name 0 "$([ -s mine.prof ]; echo $?)"
    equal run-clock virtual "$("$prof" run --no-report -c virtual -- ./victim env PROF_CLOCK 2>/dev/null)"
    equal run-burden cilkview "$("$prof" run --no-report -b cilkview -- ./victim env PROF_BURDEN 2>/dev/null)"
    equal run-env 'a=b' "$("$prof" run --no-report -e X=a=b -- ./victim env X 2>/dev/null)"
        equal run-preload-kept 0 "$(LD_PRELOAD=$tmp/nix.so "$prof" run --no-report ./victim env LD_PRELOAD 2>/dev/null | grep -q "libprof.so:$tmp/nix.so"; echo $?)"
    status run-json 0 "$prof" run --json --report-to run.json ./victim exit 0
    equal run-json-valid 3 "$(jq .format_version run.json)"
else
    echo "SKIP report/run: no libprof.so in $build"
fi

# ---- doctor ----
"$prof" doctor >doctor.txt 2>err
equal doctor-lines 0 "$(grep -vc '^\[\(ok\|--\|!!\)\] [^:]*: .' doctor.txt)"
has doctor-waits '^\[ok\] time off the CPU: ' doctor.txt
status doctor-static 1 "$prof" doctor ./victim-static
has doctor-static-line '^\[!!\] ./victim-static: is statically linked' out
head -c 9000 victim >victim-half; chmod +x victim-half
status doctor-half 1 "$prof" doctor ./victim-half
has doctor-half-line '^\[!!\] ./victim-half: is damaged: the file ends before the program does; copy' out
head -c 100 victim >victim-half
status doctor-less 1 "$prof" doctor ./victim-half
has doctor-less-line '^\[!!\] ./victim-half: is damaged: the file ends' out
status doctor-dynamic 0 "$prof" doctor ./victim
has doctor-dynamic-line '^\[ok\] ./victim: dynamically linked' out
has doctor-stripped 'debug information: stripped' "$("$prof" doctor ./stripped >stripped.txt; echo stripped.txt)"
has doctor-lines-known 'debug information: DWARF with line tables' "$("$prof" doctor ./sites >known.txt; echo known.txt)"
status doctor-missing 1 "$prof" doctor ./missing
gcc -O1 -fopenmp victim.c -o victim-omp -Wl,--no-as-needed -lgomp 2>/dev/null && "$prof" doctor ./victim-omp >omp.txt &&
    has doctor-openmp 'OpenMP: libgomp is seen by its entry points' omp.txt
# a runtime that is linked into the program
cat >inside.c <<'END'
#ifdef GOMP
void GOMP_parallel(void) {}
#else
void __kmpc_fork_call(void) {}
#endif
#ifdef TOOLS
void ompt_start_tool(void) {}
#endif
int main(void) { return 0; }
END
said() { # NAME FLAGS WHAT: one line of OpenMP, that it is a problem; prof run says so, too
    gcc $2 inside.c -o inside
    status doctor-$1 1 "$prof" doctor ./inside
    equal doctor-$1-once 1 "$(grep -c "OpenMP" out)"
    has doctor-$1-line "^\\[!!\\] OpenMP: $3" out
    [ ! -f "$build/libprof.so" ] || has run-$1 "^prof: ./inside has ${3%% *} linked into it: " "$("$prof" run ./inside 2>inside.txt; echo inside.txt)"
}
said gomp-inside -DGOMP 'libgomp is linked into the program itself: its calls are invisible'
said gomp-inside-exported '-DGOMP -rdynamic -s' 'libgomp is linked into the program itself: its calls are invisible'
said omp-inside -DOMP 'libomp is linked into the program itself: its calls are invisible'
said omp-inside-tools -DTOOLS 'libomp is linked into the program itself: regions and tasks are seen, but not '
exit $failed
