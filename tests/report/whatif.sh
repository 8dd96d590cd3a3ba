# whatif.sh - a part of run.sh: scenarios of a profile, in JSON, text and prof whatif.
profiles basic empty hostile whatif
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
equal whatif-file-region-finding '[[null,null,null]]' \
    "$(jq -c '[.candidates[] | select(.region) | [.finding, .gain_ns, .span_margin_ns]]' w.json)"
equal whatif-file-regions '["sort"]' "$(jq -c '[.candidates[] | select(.region) | .name]' w.json)"
status whatif-file-text 0 "$prof" whatif whatif.prof
status whatif-file-empty 0 "$prof" whatif empty.prof
status whatif-file-hostile 0 "$prof" whatif hostile.prof
has_not whatif-hostile-raw "$(printf '[\001-\010\013-\037\177]')" out
# ---- what the table of candidates claims ----
# a program with functions at the addresses of grain's code; no instruction of it runs
for name in start chew serial; do
    echo ".globl $name; .type $name, %function; $name: .skip 0x1000; .size $name, 0x1000"
done | tr ';' '\n' >code.s
gcc -shared -nostdlib -Wl,-Ttext=0x401000 code.s -o code.so 2>gcc.log ||
    fail build-code "$(cat gcc.log)"
table() { # NAME KEY=VALUE...: NAME.txt, NAME.json
    name=$1
    shift
    ./gen grain app="$PWD/code.so" "$@" >"$name.prof"
    COLUMNS=400 "$prof" whatif "$name.prof" >"$name.txt" 2>err
    "$prof" whatif --json "$name.prof" >"$name.json" 2>err
}
candidate() { # NAME FILTER EXPECTED: of chew in NAME.json
    equal "$1" "$3" \
        "$(jq -c ".candidates[] | select(.name == \"chew\") | $2" "${1#whatif-}.json")"
}
# Tasks of chew have 100 of 101 ms of the span, 88 samples of it. Other tasks of chew, which no
# sample hit there, have 0.5 ms: that is little.
table unhit-little work=1000 span=100 hits=88 root=0.5 then=10 then-span=0.5 unhit=9
candidate whatif-unhit-little '.samples_on_span, .parallelism_at_most > 15' "$(printf '88\ntrue')"
has_not whatif-unhit-little-words 'No sample\|[?]' unhit-little.txt
# they have 30 ms: whose, nothing shows
table unhit-much work=1000 span=70 hits=88 root=0.5 then=100 then-span=30 unhit=90
candidate whatif-unhit-much .parallelism_at_most null
has whatif-unhit-much-words '[?]: not known. Tasks in which the candidate runs have up to 30 % of' \
    unhit-much.txt
# 20 of 28 samples hit it: its share is 71 +- 20 %, and parallelism is bounded by the most of it
table few work=140 span=40 hits=20 root=8
candidate whatif-few '.span_margin_ns / 1e6 | . > 8 and . < 14' true
has whatif-few-margin '^ *8[0-9.]*  *1[0-9.]* .* 20  .*chew$' few.txt
has whatif-few-legend 'by how much % span may be off by chance' few.txt
# a long run of the same has a narrow one, and so a lower bound
table many work=14000 span=4000 hits=2000 root=800
equal whatif-narrow true "$(jq -s '[.[].candidates[] | select(.name == "chew")] |
    .[0].parallelism_at_most > 1.2 * .[1].parallelism_at_most' few.json many.json)"
# libprof took off more than is left: nothing bounds a speedup
table tiny tasks=3000000 work=20 span=1 root=1 longest=1 own=104 elapsed=430 sleep=700 hits=1
has_words whatif-tiny tiny.txt \
    'Parallelism is about 10.50, an estimate: libprof took 104 ms of its own cost' \
    'off the strands, and no more than that is left. So neither this nor the table bounds'
has_not whatif-tiny-claims 'par. at most\|At most:\|^Parallelism is 1' tiny.txt
equal whatif-tiny-json '[true,false]' "$(jq -sc 'map(.estimated)' tiny.json many.json)"
# ---- the findings of the report decide what is proposed first ----
# tasks of chew have a third of the span of serial's code, but others idle next to chew
table gains work=600 span=100 root=300 tasks=12 on=1 sleep=300
equal whatif-findings "$("$prof" report --json gains.prof 2>/dev/null | jq -c .findings)" \
    "$(jq -c .findings gains.json)"
equal whatif-finding-first true "$(jq -c '.candidates | map(select(.region | not)) |
    .[0].finding != null and .[0].span_ns < .[-1].span_ns and .[-1].finding == null' gains.json)"
has whatif-finding-text "^ .* $(jq -r '.candidates[0] | .finding + "  *" + .name' gains.json)$" \
    gains.txt
# what is found at a spawn site is about the code of its tasks: chew
table bodies tasks=100000 on=30 work=300 span=20 hits=20 root=60 dispatch=700 own=10 longest=0.01
equal whatif-finding-at-site '[["chew",true],false]' "$(jq -c '.findings[0] as $f |
    [(.candidates[0] | [.name, .finding == $f.id and .gain_ns == $f.gain_ns]),
        $f.place.function == "chew"]' bodies.json)"
lines_profile
"$prof" whatif --json lines.prof >lines.json 2>err
# and not about the code around the site
equal whatif-findings-named '[true,[]]' "$(jq -c '.candidates as $c |
    [([.findings[].place.function | select(IN($c[].name | sub("@.*"; "")))] | length > 1),
        [$c[] | select(.finding).name]]' lines.json)"
for kind in gains lines few partly; do
    [ $kind = partly ] && table partly work=600 span=100 root=200 also=1 tasks=12 on=1 sleep=300
    equal whatif-by-gain-$kind '[true,true]' "$(jq -c '
        [.candidates[] | select(.region | not)] as $c | .findings as $f |
        [($c | map(.gain_ns // 0) | . == (sort | reverse)),
            ($c | all(. as $x | .finding == null or
                any($f[]; .id == $x.finding and .gain_ns == $x.gain_ns)))]' $kind.json)"
done

# ---- runs of a program ----
if [ -r "$build/libprof.so" ]; then
    gcc -O1 -I"$include" "$here/fading.c" -o fading -pthread -ldl 2>gcc.log ||
        fail build-fading "$(cat gcc.log)"
    tried() { # RUNS: a plan, and one pair of the slow-down experiment, which are four runs
        rm -f runs
        PROF_CLOCK=virtual "$prof" whatif -t 100 --validate -n 1 -f heavy -- ./fading runs "$1"
    }
    mkdir 'a%pb%e'
    TMPDIR=$tmp/a%pb%e status whatif-percent-in-tmpdir 0 tried 99
    equal whatif-runs dddd "$(cat runs)"
    equal whatif-leaves-nothing '' "$(ls 'a%pb%e')"
    # the profile of an earlier run does not count for it
    status whatif-run-without-profile 2 tried 4
    has whatif-run-without-profile-line 'failed in the slow-down experiment' err
    (ulimit -n 4; exec "$prof" whatif -- true) >out 2>err
    equal whatif-no-process 2 $?
    has whatif-no-process-line '^prof: cannot start a process: Too many open files$' err
    # a parent that ignores SIGCHLD: so does each run's program
    rm -f runs
    PROF_CLOCK=virtual env --ignore-signal=CHLD "$prof" whatif -t 100 --validate -n 1 -f heavy -- \
        ./fading runs 99 >out 2>err
    equal whatif-ignored-signal iiii "$(cat runs)"
fi
