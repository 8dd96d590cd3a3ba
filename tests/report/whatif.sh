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
equal whatif-file-regions '["sort"]' "$(jq -c '[.candidates[] | select(.region) | .name]' w.json)"
status whatif-file-text 0 "$prof" whatif whatif.prof
status whatif-file-empty 0 "$prof" whatif empty.prof
status whatif-file-hostile 0 "$prof" whatif hostile.prof
has_not whatif-hostile-raw "$(printf '[\001-\010\013-\037\177]')" out
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
