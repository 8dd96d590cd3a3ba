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
unset PROF_SYMBOLS DEBUGINFOD_URLS COLUMNS NO_COLOR PROF_OUTPUT PROF_CLOCK PROF_BURDEN LD_PRELOAD
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
# FILTER is applied to prof report's JSON of FILE; OPTIONS are prof's.
of_json() { # FILTER FILE... [OPTIONS]
    of_filter=$1
    shift
    "$prof" report --json "$@" 2>/dev/null | jq -c "$of_filter" 2>&1
}
rows() { jq -cn "$1"; } # JSON: on one line
# EXPECTED is JSON on any number of lines.
json() { # NAME FILTER EXPECTED FILE [OPTIONS]
    name=$1 filter=$2 expected=$(printf %s "$3" | jq -c . 2>&1)
    shift 3
    equal "$name" "$expected" "$(of_json "$filter" "$@")"
}
has() { # NAME PATTERN FILE
    if grep -q -e "$2" "$3"; then pass "$1"; else fail "$1" "no <$2>"; fi
}
has_words() { # NAME FILE PATTERN...: the patterns, with a blank between
    name=$1 file=$2
    shift 2
    has "$name" "$*" "$file"
}
has_not() { # NAME PATTERN FILE
    found=$(grep -e "$2" "$3" | head -1 | cut -c1-100)
    if [ -n "$found" ]; then fail "$1" "found $found"; else pass "$1"; fi
}

build_tool() { # NAME SOURCE...
    tool=$1
    shift
    gcc -std=gnu11 -O1 -Wall -I"$include" "$@" -o "$tool" 2>gcc.log && pass "build-$tool" ||
        fail "build-$tool" "$(cat gcc.log)"
}
build_tool gen "$here"/gen_profile/*.c
build_tool damage "$here/damage.c"
for kind in basic empty big hostile bound counter wide longer paths off-cpu deep flat whatif; do
    ./gen $kind >$kind.prof || fail gen-$kind "status $?"
done

# ---- totals ----
json totals '.program | [.work_ns, .span_ns, .burdened_span_ns, .parallelism, .spawns, .syncs,
        .steals, .tasks, .elapsed_ns, .workers, .idle_ns, .exact, .complete]' \
    '[1000000000, 250000000, 260000000, 4, 1999, 1001,
        12, 2000, 600000000, 2, 100000000, true, true]' basic.prof
json burdened-parallelism '.program.burdened_parallelism * 1000 | floor' 3846 basic.prof
json average-strand '.program.avg_maximal_strand_ns' 200000 basic.prof
json burden '.program | [.burden_ns, .burden_source, .burden_steals]' '[200000,"measured",12]' \
    basic.prof
json speedup-processors '[.program.speedup[].p]' '[2,4,8,16,32,64,128]' basic.prof
json speedup-upper '[.program.speedup[].upper]' '[2,4,4,4,4,4,4]' basic.prof
# T1 / (T1/2 + 1.7 x 260 ms) = 1000 / 942 = 1.0615711
json speedup-lower '.program.speedup[0].lower * 10000 | floor' 10615 basic.prof
json span-sums '[.sites[].on_span.local_span_ns] | add' 250000000 basic.prof
json work-sums '[.sites[].local_work_ns] | add' 1000000000 basic.prof
json shares '[.sites[].on_span.share_of_span]' '[0.48,0.32,0.2]' basic.prof
json contexts-add-up '.sites[] | select(.construct == "parallel_for") |
        [.invocations, .tasks, .steals, .work_ns, .span_ns, .parallelism,
            .local_work_ns, .local_span_ns]' \
    '[56, 112, 14, 800000000, 250000000, 3.2, 400000000, 250000000]' basic.prof
json top-caller '.sites[] | select(.construct == "task_group") | .top_caller' '
    {"count": 4, "work_ns": 400000000, "span_ns": 45000000, "parallelism": 8.88888888888889}' \
    basic.prof
json on-span '.sites[] | select(.construct == "task_group") | .on_span |
        [.count, .work_ns, .span_ns, .local_work_ns, .top_caller.parallelism]' \
    '[1,160000000,80000000,80000000,null]' basic.prof
json root-row '.sites[] | select(.outside_tasks) | [.function, .local_work_ns, .local_span_ns]' \
    '["(outside every task)",200000000,50000000]' basic.prof
json regions '.regions' '[{"name": "sort", "count": 3, "work_ns": 600000000, "span_ns": 150000000,
    "burdened_span_ns": 150400000, "parallelism": 4, "burdened_parallelism": 3.98936170212766,
    "max_span_ns": 150000000}]' basic.prof
json threads '.threads[0] | [.tid, .kind, .busy_ns, .work_ns, .tasks]' \
    '[4242,"main",500000000,1000000000,2000]' basic.prof
json settings '.settings' '{"PROF_CLOCK":"tsc"}' basic.prof
json notes '.notes' '[{"kind": "hint", "name": "hint-name", "text": "a hint", "count": 3}]' \
    basic.prof
json format-version '[.format_version, has("raw")]' '[4,false]' basic.prof
json off-cpu '.sampling | [.off_cpu_samples, has("looks_blocked")]' '[40,false]' off-cpu.prof
json raw '[.raw, (.sites | length)]' '[true,3]' basic.prof --raw
json longer-entries '.program | [.work_ns, .span_ns, .burdened_span_ns]' \
    '[1000000000,250000000,260000000]' longer.prof
json longer-sites '[.sites[].on_span.local_span_ns]' '[120000000,80000000,50000000]' longer.prof
json counter '.program | [.unit, .clock, .work_ns, .burden_source, .strand_is_short]' \
    '["instructions","instructions",1000000000,"default",true]' counter.prof
json bound '.program | [.exact, .lower_bound_constructs, .complete, .end, .exit_status]' \
    '[false,["parallel_pipeline","flow_graph"],false,"signal",11]' bound.prof
json bound-site '[.sites[] | select(.lower_bound) | .construct]' '["parallel_for"]' bound.prof
json empty '.program | [.work_ns, .parallelism, .burdened_parallelism, .speedup]' \
    '[0,null,null,[]]' empty.prof
json big '[.program.span_ns, ([.sites[].on_span.local_span_ns] | add), (.sites | length)]' \
    '[100000,100000,1001]' big.prof
"$prof" report --json wide.prof >wide.json 2>/dev/null
has wide-caps '"work_ns": 9223372036854775807' wide.json
equal json-array '["basic","empty"]' \
    "$(of_json '[.[].profile | rtrimstr(".prof")]' basic.prof empty.prof)"

# ---- CSV ----
"$prof" report --csv --totals basic.prof empty.prof 2>/dev/null >totals.csv
equal csv-totals '"basic.prof","/nowhere/app","tsc","ns",'"1000000000,250000000,260000000,4,"\
"3.84615384615,1999,1001,2000,12,600000000,1100000000,2,100000000,5000000,200000,1,," \
    "$(sed -n 2p totals.csv | tr -d '\r')"
equal csv-one-header 3 "$(grep -c '' totals.csv)"
equal csv-undefined ',,' "$(sed -n 3p totals.csv | grep -o ',0,0,0,,,0' | cut -c7-8)"
"$prof" report --csv basic.prof hostile.prof 2>/dev/null >sites.csv
equal csv-columns 1 "$(sed 's/"[^"]*"/x/g; s/""//g' sites.csv | head -4 |
    awk -F, '{ print NF }' | sort -u | grep -c '')"
equal csv-rows 7 "$(grep -c "$(printf '\r')\$" sites.csv)"
has_not csv-no-controls "$(printf '\033')" sites.csv

# Cilkscale's: 600 / 150 ms, 150 ms + 2 x 200 us; 1000 / 250, 260
cat >cilkscale.csv <<'END'
tag,work (seconds),span (seconds),parallelism,burdened_span (seconds),burdened_parallelism
"sort",0.6,0.15,4,0.1504,3.98936
,1,0.25,4,0.26,3.84615
END
cilkscale() { "$prof" report --cilkscale "$@" 2>/dev/null | tr -d '\r'; }
equal csv-cilkscale "$(cat cilkscale.csv)" "$(cilkscale basic.prof)"
equal csv-cilkscale-unit 'tag,work (instructions)' \
    "$(cilkscale counter.prof | head -1 | cut -d, -f1-2)"
equal csv-cilkscale-files 1 "$(cilkscale basic.prof empty.prof | grep -c '^tag')"
equal csv-cilkscale-empty ',0,0,0,0,0' "$(cilkscale empty.prof | tail -1)"

# ---- text ----
"$prof" report --full basic.prof >basic.txt 2>err
while read -r line; do has "text: $line" "$line" basic.txt; done <<'END'
Work  *1.000 s
Span  *250.000 ms
Burdened span  *260.000 ms
Parallelism  *4.00
Burdened parallelism  *3.85
Spawns  *1,999
Syncs  *1,001
Average maximal strand  *200.000 us
measured from 12 steals in this run
2 *1.06 - 2.00
48.0 *120 ms
sort$
hint-name (3): a hint
END
has_not text-exact-says-nothing 'LOWER BOUND' basic.txt
has_not text-no-warning '500 instructions' basic.txt
"$prof" report --full bound.prof >bound.txt 2>/dev/null
has text-bound 'span is a LOWER BOUND: parallel_pipeline (7), flow_graph (2)' bound.txt
has text-bound-mark 'parallel_for \*' bound.txt
has text-crashed 'CRASHED' bound.txt
has text-signal 'killed by SIGSEGV' bound.txt
has text-lost 'LOST: memory (5): events dropped' bound.txt
"$prof" report --full counter.prof >counter.txt 2>/dev/null
has text-counter-unit 'Work  *1,000,000,000 (exact)$' counter.txt
has text-short-strand 'less of the program.s own code than 500 instructions' counter.txt
has text-no-steals 'default: no steals in this run' counter.txt
"$prof" report --full empty.prof >empty.txt 2>/dev/null
has text-empty 'No tasks were seen' empty.txt
for width in 80 100 120 160 250; do
    COLUMNS=$width "$prof" report -m all --frames basic.prof bound.prof hostile.prof big.prof \
        counter.prof 2>/dev/null >wide.txt
    equal width-$width 0 "$(awk -v w=$width 'length > w' wide.txt | grep -c '')"
    has_not trailing-blanks-$width ' $' wide.txt
done
"$prof" report --full --all big.prof 2>/dev/null >all.txt
equal all-rows 1000 "$(grep -c 'task_group$' all.txt)"
"$prof" report --full -n 3 big.prof 2>/dev/null >three.txt
has limit '\.\.\. 998 more' three.txt
json sort-count '[.sites[].invocations]' '[56,8,1]' basic.prof -s count
json sort-work '[.sites[].construct]' '["","parallel_for","task_group"]' basic.prof -s work
json sort-parallelism '[.sites[].construct]' '["task_group","","parallel_for"]' basic.prof \
    -s parallelism
json sort-name '[.sites[].construct]' '["parallel_for","task_group",""]' basic.prof -s name
"$prof" report --full -o file.txt basic.prof 2>/dev/null
equal output-file 0 "$(cmp basic.txt file.txt >/dev/null; echo $?)"

# ---- hostile strings ----
"$prof" report --full -m all --frames hostile.prof >hostile.txt 2>hostile.err
has_not hostile-text "$(printf '[\001-\010\013-\037\177\200-\237]')" hostile.txt
has_not hostile-stderr "$(printf '[\001-\010\013-\037\177\200-\237]')" hostile.err
"$prof" report --json hostile.prof >hostile.json 2>/dev/null
equal hostile-json 3 "$(jq '.sites | length' hostile.json)"
has hostile-json-whole '<script>alert(1)</script>' hostile.json
has_not hostile-json-raw "$(printf '[\001-\010\013-\037\177]')" hostile.json

# ---- what if ----
json whatif-scenarios '.whatif.scenarios | map([.name, .work_ns, .span_ns,
        .parallelism_made_parallel, .parallelism_made_faster, .limit, .estimated])' \
    '[["sort 4x", 900000000, 200000000, 5, 4.5, false, false],
      ["ns::leaf<int>(char) 1.5x", 950000000, 250000000, 4, 3.8, false, true],
      ["sort 4x, ns::leaf<int>(char) 1.5x", 850000000, 125000000, 8, 6.8, false, true],
      ["sort at no cost", 800000000, 0, 0, 0, true, false]]' whatif.prof
json whatif-candidates '.whatif.candidates | map([.name, .code, .regions, .samples])' \
    '[["sort",false,3,0], ["ns::leaf<int>(char)",true,0,17], ["gone",false,0,0]]' whatif.prof
json whatif-terms '.whatif.scenarios | map([.terms[] | [.candidate, .factor]])' \
    '[[[0,4]], [[1,1.5]], [[0,4],[1,1.5]], [[0,null]]]' whatif.prof
json whatif-absent '.whatif' null basic.prof
"$prof" report --full whatif.prof >whatif.txt 2>err
has whatif-text '125 ms  *-50.0  *8.00  *6.80  sort 4x, ns::leaf<int>(char) 1.5x' whatif.txt
has whatif-text-base '250 ms  *0.0  *4.00  *4.00  nothing is changed' whatif.txt
has whatif-text-gone 'gone never ran' whatif.txt
has whatif-text-samples 'counts by its samples, here 17' whatif.txt
./gen whatif-few >few.prof
COLUMNS=200 "$prof" report --full few.prof >few.txt 2>err
has whatif-few 'has only 15 samples: what it would save is a guess. A longer run gives more' few.txt
has whatif-few-rate 'and so does PROF_SAMPLE=task-clock:1000 where perf events are allowed' few.txt
# The first context's strands are 120 ms of the span, split by samples on it: 1 in 0x402000, 3 below
# a call that spawns.
"$prof" whatif --json --factor 4 whatif.prof >w.json 2>err
equal whatif-file '[4,4,4]' \
    "$(jq -c '[.parallelism, .factor, (.whatif.scenarios | length)]' w.json)"
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
    if [ $code = 2 ] && [ ! -s out ] && [ "$(grep -c '' err)" = 1 ] &&
        grep -q -e "^prof: .*$pattern" err; then
        pass "$name"
    else
        fail "$name" "status $code, $(head -c 300 err)"
    fi
}
bad() { # KIND WORDS: what gen makes of KIND is refused with WORDS
    ./gen bad "$1" >bad.prof || fail "bad-$1" 'not generated'
    one_line "bad-$1" "bad.prof: .*$2" "$prof" report bad.prof
}
while read -r kind words; do bad "$kind" "$words" </dev/null; done <<'END'
version version 2
count outside the file
count-wrap outside the file
offset outside the file
align aligned
overlap overlaps
twice two sections
entry too short
zero-entry outside the file
totals missing
strings missing
sections sizes
header sizes
table sizes
size truncated
crc checksum
unterminated terminated
END
for kind in exe string-edge site parent id node-parent node-root node-two-roots node-kind \
    node-sample node-order node-context construct build-id region ns-den whatif-name \
    whatif-candidate whatif-factor whatif-terms whatif-first whatif-none typical-context \
    typical-order chunks-order chunks-context; do
    bad $kind reference
done
for kind in typical-span typical-twice typical-none typical-more typical-short; do
    bad $kind 'typical span or outliers'
done
for kind in width long bins twice headless rows name row bin order none; do
    bad timeline-$kind 'the timeline makes no sense'
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
status one-bad-of-two 2 "$prof" report --full none.prof basic.prof
has the-good-one-is-shown 'Parallelism  *4.00' out
status version 0 "$prof" --version
has version-text '^prof (libprof) [0-9]' out
for command in run report annotate diff check merge view export archive doctor; do
    status help-$command 0 "$prof" help $command
    has help-$command-text "^usage: prof $command" out
done

. "$here/paths.sh"
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
    $vg "$prof" predict -P 1,5,64 victim-dag.prof >out 2>err && pass valgrind-predict ||
        fail valgrind-predict "$(tail -3 err)"
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

. "$here/sites.sh"
. "$here/annotate.sh"
. "$here/elsewhere.sh"
. "$here/elements.sh"
. "$here/locked.sh"
. "$here/diff.sh"
. "$here/requirements.sh"
. "$here/merge.sh"
. "$here/timeline.sh"
. "$here/limits.sh"
. "$here/verdicts.sh"
. "$here/standstill.sh"
. "$here/output.sh"
. "$here/widths.sh"

. "$here/launch.sh"
. "$here/watch.sh"
. "$here/brief.sh"
exit $failed
