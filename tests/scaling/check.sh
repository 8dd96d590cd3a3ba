#!/bin/sh
# check.sh BUILD - prof bench: its arithmetic and words on given trials, hostile files, and runs of
# which the structure, not the times, are checked. One PASS or FAIL line a case.
build=$(cd "$1" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
prof=$build/prof
tmp=$(mktemp -d) || exit 1
. "$here/../cpu.sh"
trap 'rm -rf "$tmp" "$cpu_tmp"' EXIT
cd "$tmp" || exit 1
unset COLUMNS NO_COLOR PROF_OUTPUT PROF_CLOCK PROF_BURDEN LD_PRELOAD OMP_NUM_THREADS
export LC_ALL=C TZ=UTC
echo 'leak:libdw.so' >lsan        # what libdw keeps to the end
export LSAN_OPTIONS="suppressions=$tmp/lsan:print_suppressions=0"

pass() { echo "PASS scaling/$1"; }
fail() { echo "FAIL scaling/$1: $(echo "$2" | head -c 500 | tr '\n' ' ')"; }
equal() { # NAME EXPECTED ACTUAL
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "expected <$2>, got <$3>"; fi
}
has() { # NAME PATTERN FILE
    if grep -q -e "$2" "$3"; then pass "$1"; else fail "$1" "no <$2> in $(head -c 300 "$3")"; fi
}
has_not() { # NAME PATTERN FILE
    if grep -q -e "$2" "$3"; then fail "$1" "found $(grep -e "$2" "$3" | head -1)"; else pass \
        "$1"; fi
}
status() { # NAME EXPECTED COMMAND...
    name=$1 expected=$2
    shift 2
    "$@" >out 2>err
    equal "$name" "$expected" $?
}
given() { # TRIALS: makes given.json
    echo "$1" | jq -f "$here/trials.jq" >given.json || fail given "$1"
}
derived() { # FILTER: of given.json
    "$prof" bench --from given.json --json | jq -c ".derived | $1" 2>&1
}
causes() { derived '[.words[] | select(.mark == "cause") | .cause] | join(" ")'; }
warnings() { derived '[.words[] | select(.mark == "warning") | .cause] | join(" ")'; }
derives() { equal "$1" "$2" "$(derived "$3")"; }          # NAME EXPECTED FILTER
cause() { given "$3"; equal "$1" "\"$2\"" "$(causes)"; }  # NAME CAUSES TRIALS
# NAME REGEX...: of one of the words, unbroken; a blank stands between the parts
says() { name=$1; shift; derives "$name" 1 "[.words[].text | select(test(\"$*\"))] | length"; }
has_words() { "$prof" bench --from given.json >out; has "$1" "$2" out; }    # NAME PATTERN

# ---- arithmetic: Acar, Chargueraud, Rainey, section 2, by hand ----
# T_s 100, T_1 120, T_2 (60 + 100) / 2 = 80, I_2 20: W_2 = 160 - 20 = 140, F_2 = 20
given '{"p": [1,2], "baseline": [90,110], "native": {"1": [100,140], "2": [60,100]},
    "idle": {"2": 20}, "span": 20, "burdened": 25}'
derives means '[120000000,80000000,100000000]' \
    '[.points[0].native.mean_ns, .points[1].native.mean_ns, .t_s.mean_ns]'
derives work-and-inflation '[140000000,20000000]' '.points[1] | [.work_ns, .inflation_ns]'
derives fact-2.4 80000000 \
    '(.points[0].native.mean_ns + .points[1].idle.mean_ns + .points[1].inflation_ns) / 2'
# linear 2, maximal 2 x 100 / 120, idle-specific 200 / 140, inflation-specific 200 / 140, actual 100
# / 80 (not the mean of 100/60 and 100/100)
derives curves '[2,1666,1428,1428,1250]' '.points[1].curves |
    [.linear, (.maximal, .idle_specific, .inflation_specific, .actual) * 1000 | floor] | .[0] = 2'
derives gaps '[333,238,238,416]' '.points[1] | [.gap_a, .gap_b, .gap_c, .gap_d | . * 1000 | floor]'
derives curves-at-1 '[1,833,833,833,833]' '.points[0].curves |
    [1, (.maximal, .idle_specific, .inflation_specific, .actual) * 1000 | floor]'
derives shares-add-up 1 \
    '(.t_s.mean_ns + (.points[0].native.mean_ns - .t_s.mean_ns) + .points[1].idle.mean_ns +
    .points[1].inflation_ns) / (2 * .points[1].native.mean_ns)'
derives speedup-by-medians 1500 '.points[1].speedup * 1000 | floor'
# 12.71 x standard deviation 20 sqrt 2 / sqrt 2 for two trials
derives interval '[254,2]' '.points[1].native | [(.half_interval_ns / 1e6 | floor), .n]'
# T1 100, span 20, burdened 25: min(2, 5), 100 / (50 + 42.5)
derives bounds '[2,1081,2]' '[.points[1].upper, (.points[1].lower * 1000 | floor), .bounds_p]'
given '{"p": [1,2], "native": {"1": [100,101,99,100,300], "2": [50,50,50,50,50]}}'
derives median '[100000000,140000000,99000000,300000000]' \
    '.points[0].native | [.median_ns, .mean_ns, .min_ns, .max_ns]'
equal outliers '"spread outliers"' "$(warnings)"
# idle time before libprof started, and slots without a thread: (2 x 100 - 150) + 7 + 3 + (2 - 1) x
# 10
given '{"p": [1,2], "native": {"1": [200], "2": [110]}, "idle": {"2": 7}}'
jq '.trials |= map(if .kind == "profiled" and .p == 2
    then .profile += { elapsed_ns: 100000000, startup_ns: 10000000, threads_ns: 150000000,
        search_ns: 3000000 } else . end)' given.json >more.json
mv more.json given.json
derives idle-absent '[70000000,3000000,7000000,60000000]' \
    '.points[1] | [.idle.mean_ns, .idle_search_ns, .idle_sleep_ns, .idle_absent_ns]'
# a profiled run that takes twice as long: between 20 and 10
given '{"p": [1,2], "native": {"1": [100,100], "2": [60,60]},
    "profiled": {"1": [200,200], "2": [120,120]}, "idle": {"2": 20}}'
derives perturbation '[2,20000000,10000000,10000000]' '.points[1] |
    [.perturbation, .idle.mean_ns, .idle_low_ns, .inflation_error_ns]'
equal perturbed '"perturbed"' "$(warnings)"
given '{"p": [1,2], "native": {"1": [100,100], "2": [60,60]}, "idle": {"2": 500}}'
derives idle-is-limited '[120000000,0,null]' '.points[1] |
    [.idle.mean_ns, .work_ns, .curves.inflation_specific]'

# T_1 of its own for each P: what P = 4 has more is gap A, not inflation
given '{"p": [1,2,4], "baseline": [100,100], "native": {"1": [100,100], "2": [60,60], "4": [50,50]},
    "one": {"2": [110,110], "4": [200,200]}, "idle": {"2": 10},
        "machine": {"cpus": 4, "allowed_cpus": 4}}'
derives work-by-p '[[0,1000,1000],[0,1818,1666],[0,2000,2000]]' \
    '[.points[] | [.inflation_ns, (.curves.maximal, .curves.actual) * 1000 | floor]]'
has_words work-by-p-curvature 'The maximal speedup flattens'

# ---- what the baseline is ----
given '{"p": [1,2], "native": {"1": [100,100], "2": [50,50]}, "elision": [80,80]}'
derives baseline-elision '["elision",80000000,false]' \
    '[.baseline, .t_s.mean_ns, .elision_estimated]'
# 20 of 100 ms of the one-worker profile are the runtime's
given '{"p": [1,2], "native": {"1": [100,100], "2": [50,50]}, "overhead": {"1": 20, "2": 20}}'
derives baseline-estimate '["estimate",80000000,true]' \
    '[.baseline, .t_s.mean_ns, .elision_estimated]'
has_words estimate-is-said 'T_s = 80.0 ms, ESTIMATED'
given '{"p": [1,2], "native": {"1": [100,100], "2": [50,50]}, "overhead": {"1": 20}, "samples": 3}'
derives baseline-one-worker '["one_worker",100000000]' '[.baseline, .t_s.mean_ns]'
given '{"p": [1,2], "native": {"1": [100,100], "2": [50,50]}, "baseline": [50,50],
    "elision": [80,80]}'
derives elision-curve '[1,1250]' '[(.points[0].curves, .points[1].curves) | .maximal, .elision] |
    [.[2], .[3] * 1000]'

# 20 ms of overhead are no overhead of ten tasks
given '{"p": [1,2], "native": {"1": [100,100], "2": [50,50]}, "overhead": {"1": 20, "2": 20},
    "tasks": 10}'
equal baseline-implausible '["one_worker",100000000,"scales"]' \
    "$(derived '[.baseline, .t_s.mean_ns, (.words[] | select(.mark == "cause") | .cause)]')"
"$prof" bench --from given.json >out
has implausible-is-said 'the 20 % of the one-worker profiles that look like the' out
# two runtimes: three threads in two slots, of which one sleeps while another works
given '{"p": [1,2], "native": {"1": [100,100], "2": [50,50]}, "runtimes": 2, "threads": 3,
    "idle": {"2": 48}}'
jq '.trials |= map(if .kind == "profiled" and .p == 2 then .profile.threads_ns = 147000000
    elif .profile then .profile.threads = 1 else . end)' given.json >more.json
mv more.json given.json
equal two-runtimes '[1000000,1000000,0,-1000000]' "$(derived '.points[1] |
    [.idle.mean_ns, .idle_sleep_ns, .idle_absent_ns, .inflation_ns]')"
equal two-runtimes-no-warning 0 "$(derived '.words[].text' | grep -c 'more threads than that')"
jq '.trials |= map(if .profile then .profile.runtimes = 1 else . end)' given.json >more.json
mv more.json given.json
equal one-runtime-warning 1 "$(derived '.words[].text' | grep -c 'more threads than that')"

# ---- causes ----
cause cause-scales 'scales' '{"p": [1,2], "native": {"1": [100,100,100], "2": [51,51,51]}}'
cause cause-tasking 'tasking' '{"p": [1,2], "native": {"1": [100,100,100], "2": [51,51,51]},
    "elision": [40,40]}'
cause cause-algorithm 'algorithm' '{"p": [1,2], "native": {"1": [100,100,100], "2": [51,51,51]},
    "baseline": [40,40], "elision": [99,99]}'
cause cause-parallelism 'parallelism' '{"p": [1,2], "native": {"1": [100,100,100], "2": [75,75,75]},
    "idle": {"2": 50}, "span": 50}'
has_words cause-parallelism-place 'Most of the critical path is in f (a.c)'
cause cause-idle 'idle' '{"p": [1,2], "native": {"1": [100,100,100], "2": [75,75,75]},
    "idle": {"2": 50}}'
inflated='"p": [1,2], "native": {"1": [100,100,100], "2": [90,90,90]}'
cause cause-inflation 'inflation' "{$inflated}"
given "{$inflated, \"copies\": [180,180]}"
derives cause-memory '["memory",1800]' \
    '[(.words[] | select(.mark == "cause") | .cause), .copies_slowdown * 1000]'
cause cause-sharing 'sharing' "{$inflated, \"copies\": [101,101]}"
cause cause-sharing-by-slope 'sharing' \
    '{"p": [1,2], "native": {"1": [100,100,100], "2": [130,130,130]}}'
given "{$inflated, \"blocked\": {\"2\": 70}}"
derives cause-blocked '["blocked",70000000,10000000]' \
    '[(.words[] | select(.mark == "cause") | .cause), .points[1].inflation_blocked_ns,
    .points[1].inflation_user_ns]'
cause cause-scheduling 'scheduling' "{$inflated, \"overhead\": {\"2\": 60}}"
cause cause-machine 'machine' "{$inflated, \"machine\": {\"loop_all_ns\": [1700000, 1700000]}}"
cause cause-load 'load' "{$inflated, \"delay\": 30}"
# others may use what the program leaves free
given "{$inflated, \"other\": 90, \"blocked\": {\"2\": 70}}"
derives cause-is-not-load '["blocked"]' '[.words[] | select(.mark == "cause") | .cause]'
cause idle-by-load 'load' '{"p": [1,2], "native": {"1": [100,100,100], "2": [75,75,75]},
    "idle": {"2": 50}, "delay": 30, "span": 50}'
given "{$inflated, "'"functions": [
    {"function": "sweep", "file": "m.c", "work_ns": [50e6, 120e6], "samples": [50, 120]},
    {"function": "calm", "file": "", "work_ns": [50e6, 51e6], "samples": [50, 51]}]}'
has_words where-it-grew 'the work grew most in sweep (50.0 ms with one worker, 120 ms with 2)'
has_not where-it-did-not 'calm' out
# the largest first
cause causes-by-share 'inflation parallelism tasking' \
    '{"p": [1,2], "native": {"1": [100,100,100], "2": [100,100,100]}, "idle": {"2": 30}, "span": 50,
    "elision": [88,88]}'
# within its error it is no cause
cause noise-is-no-cause 'none' '{"p": [1,2], "native": {"1": [80,100,120], "2": [45,75,105]}}'
cause noise-does-not-scale 'none' '{"p": [1,2], "native": {"1": [100,100,100], "2": [40,50,65]}}'
# three points have a curvature; an inflation-specific speedup that falls, an idle-specific one that
# does not rise
given '{"p": [1,2,4], "native": {"1": [100,100], "2": [60,60], "4": [80,80]},
    "machine": {"cpus": 4, "allowed_cpus": 4}}'
has_words curve-falls 'inflation-specific speedup falls at the end'
given '{"p": [1,2,4], "native": {"1": [100,100], "2": [60,60], "4": [59,59]},
    "idle": {"2": 20, "4": 136}, "machine": {"cpus": 4, "allowed_cpus": 4}}'
has_words curve-flattens 'idle-time-specific speedup flattens'
given '{"p": [1,2], "native": {"1": [100,100], "2": [100,100]}, "span": 1}'
has_words below-the-bound 'below the burdened lower bound'
says below-the-bound-work 'went into the program.s own code: it is work that became slower'
# half of the workers' time is the runtime's, for 100,000 tasks of 500 ns: it is grain that explains
# it
given '{"p": [1,2], "native": {"1": [100,100], "2": [100,100]}, "span": 1, "work": 150,
    "overhead": {"1": 10, "2": 100}, "idle": {"2": 30}}'
says below-the-bound-ledger \
    'Of the workers. time in the profiled trials: overhead of the runtime 50 %, idle time 15 %.' \
    'Tasks have 500 ns of the program.s own code each: make them larger'
derives below-the-bound-says 0 \
    '[.words[].text | select(test("neither parallelism nor grain size"))] | length'
# 0.94 within an error of more than what is missing to the bound
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [50,106,160]}, "span": 10, "burdened": 18}'
says near-the-bound \
    '0.94, is outside the bounds of the profile, 1.24 to 2.00, but by less than its error,' \
    '[+]- 1.22: these trials do not show on which side it is'
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [55,56,57]}, "span": 20}'
says within-the-bounds '1.79 [+]- 0.0[0-9]*, is within the bounds of the profile, 1.19 to 2.00'
given '{"p": [1,2], "native": {"1": [100,100], "2": [51,51]}, "span": 90}'
has_words above-the-bound 'above the upper bound'

# Loops that were cut for 2 workers and allow more: span 20, of their iterations 0.1.
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [75,75,75]}, "idle": {"2": 50},
    "span": 20, "divisible": 0.1}'
equal cause-chunks '"chunks"' "$(causes)"
says cause-chunks-words \
    'parallelism is 5.00 as its loops were cut for 2 workers, .* their iterations allow about 1,000'
derives cause-chunks-no-path 0 \
    '[.words[].text | select(test("Shorten the critical path"))] | length'
given '{"p": [1,2,4], "native": {"1": [100,101,100], "2": [51,51,51], "4": [26,26,26]},
    "machine": {"cpus": 4, "allowed_cpus": 4}, "span": 50, "divisible": 1}'
derives divided-bounds '[[1,2,2],[1,2,4],true]' \
    '[[.points[].upper], [.points[].upper_divided], .loops_divide]'
says divided-above-the-cut \
    '3.85, is above 2.00, .* of the loops as they were cut .* what their iterations allow, 4.00'
has_words divided-text '"loops divided"'
has divided-column 'lower  upper  loops divided' out
# a bench of before: no divided span
jq 'del(.trials[].profile.span_divisible_ns)' given.json >more.json
mv more.json given.json
derives divided-unknown '[[1,2,2],false]' '[[.points[].upper_divided], .loops_divide]'

# ---- what the trials are worth ----
steady='"native": {"1": [100,100], "2": [51,51], "4": [50,50]}'
given "{\"p\": [1,2,4], $steady}"
equal oversubscribed '"oversubscribed"' "$(warnings)"
derives oversubscribed-is-not-judged '[2,2,[false,false,true]]' \
    '[.judged_p, .bounds_p, [.points[].oversubscribed]]'
given '{"p": [1,2,4], '"$steady"', "machine":
    {"cpus": 8, "allowed_cpus": 8, "quota_cores": 2.5, "throttled_ns": 5e8}}'
derives quota '["oversubscribed throttled",2]' \
    '[([.words[] | select(.mark == "warning") | .cause] | join(" ")), .cores]'
given "{\"p\": [1,2], $steady, \"other\": 20}"
equal other-load '"load"' "$(warnings)"
given "{\"p\": [1,2], $steady, \"steal\": 5}"
equal steal '"steal"' "$(warnings)"
given '{"p": [1,2], '"$steady"', "machine": {"loop_one_ns": [1000000, 1200000],
    "loop_all_ns": [1000000, 1200000], "governor": "powersave"}}'
equal frequency '"frequency governor"' "$(warnings)"
given "{\"p\": [1,2], $steady, \"machine\": {\"loop_all_ns\": [1300000, 1300000], \"smt\": true}}"
equal shared-cores '"cores"' "$(warnings)"
given '{"p": [1,2], "native": {"1": [10,10], "2": [6,6]}}'
equal short '"short"' "$(warnings)"
given '{"p": [1,2], "native": {"1": [100], "2": [51]}}'
derives one-trial '["one_trial",null]' '[(.words[] | select(.mark == "warning") | .cause),
    .points[1].native.half_interval_ns]'
given "{\"p\": [1,2], $steady, \"output\": {\"1\": \"1\", \"2\": \"2\"}}"
equal output-by-p '"output"' "$(warnings)"
given "{\"p\": [1,2], $steady, \"interrupted\": true}"
equal interrupted '"interrupted"' "$(warnings)"
edit() { jq "$1" given.json >more.json && mv more.json given.json; } # FILTER
given "{\"p\": [1,2], $steady}"
edit '.trials[0].output = "7"'
equal output-varies '"output_varies"' "$(warnings)"
given "{\"p\": [1,2], $steady}"
edit '.trials |= map(if .p == 1 then .cpu_ns *= 2 else . end)'
equal more-cores-than-workers '"control"' "$(warnings)"
given "{\"p\": [1,2], $steady, \"threads\": 2}"
equal more-threads-than-workers '"control"' "$(warnings)"
given "{\"p\": [1,2], $steady, \"threads\": 1}"
equal fewer-threads-than-workers '"workers"' "$(warnings)"
given "{\"p\": [1,2], $steady}"
edit '.trials[1] += { wall_ns: 1, exit_status: 3 }'
derives failed-is-left-out '["failed",1,100000000]' \
    '[(.words[] | select(.mark == "warning") | .cause), (.points[0].native | .n, .mean_ns)]'
given "{\"p\": [1,2], $steady}"
edit '.trials |= map(.exit_status = 3)'
derives all-with-one-status '["status",2]' '[(.words[] | select(.mark == "warning") | .cause),
    .points[0].native.n]'
given "{\"p\": [1,2], $steady}"
edit '.trials |= map(if .p == 2 then del(.exit_status) | .signal = 11 else . end)'
derives all-failed-at-2 '[null,"failed"]' \
    '[.judged_p, (.words[] | select(.mark == "warning") | .cause)]'
has_words nothing-to-compare 'Nothing to compare'
given "{\"p\": [1,2], $steady}"
edit 'del(.trials[].profile)'
derives without-profiles '[null,null,2]' \
    '[.bounds_p, .points[1].curves.idle_specific, .points[1].curves.linear]'
has_words without-profiles-said 'There are no profiles with tasks'

# ---- forms ----
given '{"p": [1,2,4], "baseline": [90,110], "native": {"1": [100,140], "2": [60,100], "4": [70,80]},
    "idle": {"2": 20, "4": 30}, "span": 20, "burdened": 25}'
"$prof" bench --from given.json --json >once.json
"$prof" bench --from once.json --json >twice.json
equal saved-is-the-same 0 "$(cmp once.json twice.json >/dev/null; echo $?)"
"$prof" bench --from given.json --csv >given.csv
equal csv '4 28' "$(awk -F, '{ print NF }' given.csv | sort -u |
    sed "s/^/$(grep -c '' given.csv) /")"
equal csv-values '2,0,2,80000000,80000000,60000000,100000000' \
    "$(sed -n 3p given.csv | cut -d, -f 1-7)"
for width in 80 100 140 200; do
    COLUMNS=$width "$prof" bench --from given.json >wide.txt
    equal width-$width 0 "$(awk -v w=$width 'length > w' wide.txt | grep -c '')"
    has_not trailing-blanks-$width ' $' wide.txt
done
has strip '\[[.*]*\]' wide.txt
has bar '[#a.~]\{60\}  62 + 12 + 12 + 12 %' wide.txt
if command -v gnuplot >/dev/null; then
    for kind in given quotes; do
        [ $kind = quotes ] && edit '.command = ["./a'"'"'pp", "{/b}\\n"] | del(.trials[].profile)'
        "$prof" bench --from given.json --gnuplot >$kind.gnuplot
        gnuplot -e "set terminal svg; set output '$kind.svg'" $kind.gnuplot 2>err
        equal gnuplot-$kind '0 1' "$(wc -c <err | tr -d ' ') $(grep -c '</svg>' $kind.svg)"
    done
    has gnuplot-curves 'idle-time-specific' given.svg
    equal gnuplot-data '2 2 1.66667 1.66667 1.42857 1.42857 1.25' \
        "$(sed -n '/^.factored <</,/^END/p' given.gnuplot | sed -n 3p)"
else
    echo "SKIP scaling/gnuplot: not installed"
fi

# ---- files that nobody wrote for us ----
given '{"p": [1,2], "baseline": [90,110], "native": {"1": [100,140], "2": [60,100]},
    "idle": {"2": 20}}'
edit '.command = ["\u001b[31mred", "a\nb"] | .critical = "\u001b]0;x\u0007" |
    .baseline = "\u001b[1m" | .machine.cpu = "\u202e" | .machine.host = "\u009b"'
"$prof" bench --from given.json >out
has_not no-controls "$(printf '[\001-\010\013-\037\177\302\233]')" out
size=$(wc -c <given.json)
broken=''
for k in $(seq 0 37 "$size"); do
    head -c "$k" given.json >cut.json
    "$prof" bench --from cut.json >out 2>err
    code=$?
    [ $code = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q '^prof: cut.json: ' err ||
        broken="$broken $k:$code"
done
equal cut-short '' "$broken"
broken=''
for value in null '""' '[]' '{}' -1 1e308 -0.0 1e-300 9007199254740993 '"x"' '[[]]' \
    '[1e308,1e308]'; do
    for key in format_version kind command baseline control processors rounds machine critical \
        functions trials .machine.allowed_cpus .machine.loop_one_ns \
        .trials[0].p .trials[0].kind .trials[0].wall_ns .trials[0].exit_status .trials[2].profile \
        .trials[2].profile.elapsed_ns .trials[2].profile.threads_ns \
        .trials[2].profile.span_ns .trials[2].profile.work_ns .processors[1] .machine.cpus \
        .machine.quota_cores; do
        case $key in .*) path=$key ;; *) path=.$key ;; esac
        jq "$path = $value" given.json >odd.json
        for form in '' --json --csv --gnuplot; do
            "$prof" bench $form --from odd.json >out 2>err
            code=$?
            { [ $code = 0 ] && [ ! -s err ]; } || { [ $code = 2 ] && [ "$(wc -l <err)" = \
                1 ]; } || broken="$broken $path=$value$form:$code"
            [ "$form" = --json ] && [ $code = 0 ] && { jq . out >/dev/null 2>&1 ||
                broken="$broken $path=$value:json"; }
        done
    done
done
equal odd-values '' "$broken"
for time in 9.3e18 1e28; do
    jq ".start_unix_ns = $time" given.json >odd.json
    "$prof" bench --from odd.json >out
    has "no-such-time $time" '^  at an unknown time, ' out
done
status no-such-file 2 "$prof" bench --from nowhere.json
has no-such-file-line '^prof: nowhere.json: No such file' err
echo '{"format_version": 1, "kind": "profile"}' >other.json
status another-json 2 "$prof" bench --from other.json
has another-json-line 'other.json: not what prof bench --json writes' err
if command -v valgrind >/dev/null && ! nm "$prof" 2>/dev/null | grep -q __asan_init; then
    for form in '' --json --gnuplot; do
        status valgrind$form 0 valgrind -q --error-exitcode=99 --leak-check=full \
            --errors-for-leak-kinds=definite "$prof" bench $form --from given.json
    done
fi
[ -w /dev/full ] && status full-disk 2 sh -c "'$prof' bench --from given.json >/dev/full"

# ---- options ----
for p in 0 1025 2-1 x 1, ,1 1-99 -1 1,,2 99999999999999999999; do
    status "processors-$p" 2 "$prof" bench "-P$p" true
    has "processors-$p-line" "^prof: --processors $p: " err
done
status trials 2 "$prof" bench -n 0 true
has trials-line '^prof: --trials 0: ' err
status env 2 "$prof" bench -e novalue true
status control 2 "$prof" bench --control magic true
has control-line '^prof: --control magic: runtime, affinity or none' err
status no-program 2 "$prof" bench
status from-and-program 2 "$prof" bench --from given.json true
status from-and-trials 2 "$prof" bench --from given.json --copies
status not-found 127 "$prof" bench ./nowhere
has not-found-line '^prof: ./nowhere: No such file' err
status help 0 "$prof" help bench

# ---- runs ----
# Which trials run, in which order: every other round goes backwards.
cat >log.sh <<'END'
case $LD_PRELOAD in
*libprof.so*) kind=profiled ;;
*libprof_workers.so*) kind=native ;;
'') kind=plain ;;
*) kind=other ;;
esac
echo "${1:-$kind} $PROF_WORKERS $OMP_NUM_THREADS $OMP_THREAD_LIMIT" >>log
END
status order 0 "$prof" bench -n 2 -P 2,3 --control runtime --baseline 'sh log.sh baseline' \
    --elision 'sh log.sh elision' --json sh log.sh
cp out order.json
cat >want <<'END'
profiled 2 2 2
baseline
elision
native 1 1 1
profiled 1 1 1
native 2 2 2
profiled 2 2 2
native 3 3 3
profiled 3 3 3
profiled 3 3 3
native 3 3 3
profiled 2 2 2
native 2 2 2
profiled 1 1 1
native 1 1 1
elision
baseline
END
equal order-of-rounds "$(cat want)" "$(sed 's/ *$//; 1s/.*/profiled 2 2 2/' log)"
equal one-is-added '[1,2,3]' "$(jq -c .processors order.json)"
equal order-in-the-file \
    '["baseline","elision","native","profiled","native","profiled","native","profiled"]' \
    "$(jq -c '[.trials[:8][].kind]' order.json)"
equal rounds-in-the-file '[8,8]' "$(jq -c '[.trials | group_by(.round)[] | length]' order.json)"
# {P}, settings, input that is the same in every trial
printf 'a\nb\n' >input
rm -f log
status placeholder 0 "$prof" bench -n 1 -P 1,2 --control none -e MINE=7 -- sh \
    -c 'echo "$0 $MINE $(wc -l)" >>log' 'p{P}q' <input
equal placeholder-and-input '1 p1q 7 2,2 p2q 7 2,' "$(sed 1d log | sort | uniq -c |
    awk '{ print $1 / 2 * 1, $2, $3, $4 }' | sed 's/^1 p1q/1 p1q/; s/^1 p2q/2 p2q/' | tr '\n' ',')"
# the number of workers reaches the runtime, in native trials and in profiled ones
g++ -std=c++17 -O2 -fopenmp "$here/threads.cpp" -o threads -ltbb -pthread 2>gcc.log ||
    fail build "$(cat gcc.log)"
cores=$(nproc)
for how in tbb openmp affinity; do
    rm -f log
    status control-$how 0 "$prof" bench -n 2 -P 1 --json ./threads "$PWD/log" $how
    cp out $how.json
    [ $how = openmp ] && want=runtime || want=$how
    [ $how = tbb ] && want=runtime
    equal control-$how-chosen "$want" "$(jq -r .control $how.json)"
    equal control-$how-native 'native 1' "$(sed 1d log | grep native | sort -u)"
    equal control-$how-profiled 'profiled 1' "$(sed 1d log | grep profiled | sort -u)"
    equal control-$how-warm-up 1 "$(head -1 log | grep -c "^profiled [0-9]*$")"
done
if [ "$cores" -ge 2 ]; then
    for how in tbb openmp affinity; do
        rm -f log
        status two-$how 0 "$prof" bench -n 3 -P 2 --json ./threads "$PWD/log" $how
        equal two-$how-threads 'native 1,native 2,profiled 1,profiled 2,' \
            "$(sed 1d log | sort -u | tr '\n' ',')"
    done
else
    echo "SKIP scaling/two: one core"
fi
equal threads-of-one 1 "$(jq .derived.points[0].threads tbb.json)"
idle_of_one() { # of two trials
    "$prof" bench -n 2 -P 1 --json ./threads "$PWD/log" tbb 2>/dev/null |
        jq -r '.derived.points[0] |
        if .idle.mean_ns < 0.2 * .profiled.mean_ns then empty
        else "\(.idle.mean_ns) ns idle of \(.profiled.mean_ns)" end' 2>&1
}
case_of scaling/idle-of-one "$(patiently idle_of_one)"

# -o: files, no rest; what is shown is what is saved
rm -rf kept && mkdir kept
status output 0 "$prof" bench -n 2 -P 1,2 -o kept/b "$build/examples/cilksort" a parallel 20
equal output-files 'b.gnuplot b.json b.p1.prof b.p2.prof' \
    "$(ls -A kept | tr '\n' ' ' | sed 's/ $//')"
has output-said 'wrote kept/b.json, kept/b.gnuplot' err
"$prof" bench --from kept/b.json >again
equal output-again 0 "$(cmp out again >/dev/null; echo $?)"
equal output-profile '[1,2]' "$("$prof" report --json kept/b.p1.prof kept/b.p2.prof 2>/dev/null |
    jq -c '[.[].program.workers]')"
equal output-trials '[4,4]' "$(jq -c '[.trials | group_by(.kind)[] | length]' kept/b.json)"
status output-nowhere 2 "$prof" bench -n 1 -P 1 -o nowhere/b true
mkdir scratch
TMPDIR=$PWD/scratch status nothing-left 0 "$prof" bench -n 1 -P 1 ./threads "$PWD/log"
equal nothing-left-behind '' "$(ls -A scratch)"
# a directory whose name PROF_OUTPUT would take for something else, and a program that goes
# elsewhere
mkdir 'a%p b'
TMPDIR="$PWD/a%p b" status odd-directory 0 "$prof" bench -n 1 -P 1 --json sh \
    -c 'cd /; exec "$0" "$1"' "$PWD/threads" "$PWD/log"
equal odd-directory-profile true "$(jq -c '[.trials[] | select(.kind == "profiled") |
    has("profile")] | all' out)"

# exact bounds: the virtual clock's work and span do not depend on the schedule
status virtual 0 "$prof" bench -n 1 -P 1,2 -e PROF_CLOCK=virtual -e PROF_BURDEN=7 --json -- \
    "$build/programs/constructs" fib_one '{P}'
cp out virtual.json
PROF_CLOCK=virtual PROF_BURDEN=7 "$prof" run --no-report -o v.prof -- "$build/programs/constructs" \
    fib_one 2 >/dev/null 2>&1
equal virtual-bounds "$("$prof" report --json v.prof | jq -c '.program.speedup[0] |
    [(.lower * 1e12 | floor), .upper]')" \
    "$(jq -c '.derived.points[1] | [(.lower * 1e12 | floor), .upper]' virtual.json)"
equal virtual-estimates-nothing '["one_worker",null]' "$(jq -c '.derived |
    [.baseline, .points[1].inflation_scheduling_ns]' virtual.json)"

# Built-in causes by the virtual clock: every figure has a closed form, whatever the machine is
# (tests/scaling/virtual.cpp)
g++ -std=c++17 -O2 -I"$here/../../include" "$here/virtual.cpp" -o virtual -ltbb -ldl 2>gcc.log ||
    fail build "$(cat gcc.log)"
# CAUSE T_1 SERIAL GROWN OPTIONS...: T_P = SERIAL + (T_1 - SERIAL + GROWN) / P, I_P = (P - 1)
# SERIAL, F_P = GROWN, a jq expression of $p
declared() {
    cause=$1 one=$2 serial=$3 grown=$4
    shift 4
    status virtual-$cause 0 "$prof" bench -P 1,2,4,8 -n 2 --copies -e PROF_CLOCK=virtual --json \
        "$@" -- ./virtual $cause '{P}' '{COPIES}'
    cp out $cause.json
    equal virtual-$cause-figures \
        "$(jq -nc --argjson one "$one" --argjson serial "$serial" "[1, 2, 4, 8 | . as \$p |
            ($grown) as \$f | "'
            [$serial + ($one - $serial + $f) / $p, ($p - 1) * $serial, $f, 0]]')" \
        "$(jq -c '[.derived.points[] |
        [.native.mean_ns, .idle.mean_ns, .inflation_ns, .inflation_error_ns]]' $cause.json)"
}
convicted() { jq -c '[.derived.words[] | select(.mark == "cause") | .cause]' $1.json; }
declared memory 3360000 0 'if $p > 2 then 840 * 3000 * ($p / 2 - 1) else 0 end'
equal virtual-memory-convicted '["memory"]' "$(convicted memory)"
equal virtual-memory-copies 3.25 "$(jq .derived.copies_slowdown memory.json)"
# P T_s / W_P, and what is missing to P T_s / T_1
equal virtual-memory-curves '[[1,1,0],[2,2,0],[4,2285,1714],[8,2461,5538]]' \
    "$(jq -c '[.derived.points[] | [.p, .curves.inflation_specific, .gap_c] | if .[0] < 3 then .
    else [.[0], (.[1:][] * 1000 | floor)] end]' memory.json)"
equal virtual-memory-flattens 1 "$(jq -r '.derived.words[].text' memory.json |
    grep -c 'inflation-specific speedup flattens: .*bandwidth')"
declared sharing 3360000 0 '840 * 3000 * ($p * $p - 1)'
equal virtual-sharing-convicted '["sharing",1]' \
    "$(jq -c '[(.derived.words[] | select(.mark == "cause") | .cause), .derived.copies_slowdown]' \
    sharing.json)"
equal virtual-sharing-falls 1 "$(jq -r '.derived.words[].text' sharing.json |
    grep -c 'inflation-specific speedup falls')"
declared serial 1340000 500000 0
equal virtual-serial-convicted '["parallelism"]' "$(convicted serial)"
equal virtual-serial-flattens 1 "$(jq -r '.derived.words[].text' serial.json |
    grep -c 'idle-time-specific speedup flattens')"
declared tasking 1176000 0 0 --elision './virtual elision 1 1'
equal virtual-tasking-convicted '["tasking",2857]' \
    "$(jq -c '[(.derived.words[] | select(.mark == "cause") | .cause, .share * 10000 |
    if type == "number" then floor else . end)]' tasking.json)"
declared all 4196000 500000 'if $p > 2 then 840 * 3000 * ($p / 2 - 1) else 0 end' --baseline \
    './virtual baseline 1 1'
equal virtual-all-convicted '["memory","parallelism"]' "$(convicted all)"
equal virtual-all-gap-a 3680 "$(jq '.derived.points[2].curves.maximal * 1000 | round' all.json)"
"$prof" bench --from memory.json >out
has virtual-said 'clock is virtual: costs are what the program declares' out
has_not virtual-machine 'Native trials are' out
equal virtual-again true "$("$prof" bench --from memory.json --json | jq .virtual)"
# the address of the inflation
"$prof" bench -P 1,8 -n 1 -e PROF_CLOCK=virtual -o virtual-kept -- ./virtual memory '{P}' \
    1 >/dev/null 2>&1
equal virtual-address '[3360000,10920000]' \
    "$("$prof" diff --json virtual-kept.p1.prof virtual-kept.p8.prof |
    jq -c '[.functions[] | select(.function == "[parallel_for]") | .self.work_ns | .a, .b]' 2>&1)"
status virtual-nothing 0 "$prof" bench -P 1,2 -n 1 -e PROF_CLOCK=virtual --baseline true --json -- \
    ./virtual memory '{P}' 1
has virtual-nothing-line 'prof: a trial (baseline, P = 1) declared no costs' err
equal virtual-nothing-left-out '["one_worker"]' "$(jq -c '[.derived.baseline]' out)"

# T_1^P: one worker, P in the arguments
rm -f log
status one-worker 0 "$prof" bench -n 1 -P 1,2 --control runtime --work-by-p --json sh \
    -c 'echo "$PROF_WORKERS $0" >>log' 'p{P}'
equal one-worker-trials '1 p1,1 p1,2 p2,2 p2,1 p2,' "$(sed 1d log | tr '\n' ',')"
equal one-worker-kinds '["native","profiled","native","profiled","one_worker"]' \
    "$(jq -c '[.trials[].kind]' out)"
status one-worker-uncontrolled 0 "$prof" bench -n 1 -P 1,2 --control none --work-by-p --json true
has one-worker-uncontrolled-line 'work-by-p is left out' err

# programs that fail
status failing-status 0 "$prof" bench -n 2 -P 1,2 --json sh -c 'echo why >&2; exit 3'
has failing-status-line 'prof: a trial (profiled, P = 2) ended with exit status 3: why' err
equal failing-status-said '["status"]' "$(jq -c '[.derived.words[] | select(.cause == "status") |
    .cause]' out)"
if [ "$cores" -ge 2 ]; then
    status failing-at-2 1 "$prof" bench -n 2 -P 1,2 --control none --json sh \
        -c '[ "$0" = 1 ] || kill -SEGV $$' '{P}'
    has failing-at-2-line 'prof: a trial (profiled, P = 2) ended with signal 11' err
fi
status crashing 1 "$prof" bench -n 2 -P 1 sh -c 'kill -SEGV $$'
has crashing-line 'prof: a trial (profiled, P = 1) ended with signal 11' err
rm -f calls
status crashing-sometimes 0 "$prof" bench -n 2 -P 1 --json sh \
    -c 'echo x >>calls; [ "$(grep -c x calls)" != 2 ] || kill -SEGV $$'
equal crashing-sometimes-said '["failed"]' \
    "$(jq -c '[.derived.words[] | select(.cause == "failed") | .cause]' out)"
equal crashing-sometimes-kept '[{"signal":11}]' \
    "$(jq -c '[.trials[] | select(.signal) | {signal}]' out)"
status elision-differs 0 "$prof" bench -n 1 -P 1 --elision 'echo 2' --json sh -c 'echo 1'
equal elision-differs-said 1 "$(jq -r '.derived.words[] | select(.cause == "output") | .text' out |
    grep -c "elision's output is another")"
status elision-same 0 "$prof" bench -n 1 -P 1 --elision 'echo 1' --json sh -c 'echo 1'
equal elision-same-quiet 0 "$(jq -r '.derived.words[].text' out | grep -c "output is another")"
# interrupted by a person: what there is is shown, nothing is left
rm -f calls
TMPDIR=$PWD/scratch "$prof" bench -n 50 -P 1 --json sh \
    -c 'echo x >>calls; [ "$(grep -c x calls)" != 6 ] || kill -INT $$' >out 2>err
equal interrupted-status 130 $?
equal interrupted-rest '[4,true]' "$(jq -c '[(.trials | length), .interrupted]' out)"
equal interrupted-leaves-nothing '' "$(ls -A scratch)"
rm -f calls
TMPDIR=$PWD/scratch "$prof" bench -n 50 -P 1 --json sh -c 'echo x >>calls; sleep 0.05' >out 2>err &
pid=$!
until [ "$(grep -c x calls 2>/dev/null)" -ge 6 ] 2>/dev/null || ! kill -0 $pid; do sleep 0.02; done
kill $pid
wait $pid
equal terminated-status 130 $?
equal terminated-said true "$(jq -c .interrupted out)"
equal terminated-leaves-nothing '' "$(ls -A scratch)"
# progress is for terminals
status no-progress 0 "$prof" bench -n 1 -P 1 --json true
equal no-progress-quiet '' "$(cat err)"
script -qec "'$prof' bench -n 2 -P 1 --json true >/dev/null" /dev/null >typed 2>&1
has progress '\[4/4\] native, P = 1, about .* left' typed
# copies: P processes at once, of one worker each
if [ "$cores" -ge 2 ]; then
    rm -f log
    status copies 0 "$prof" bench -n 1 -P 1,2 --copies --control runtime --json sh \
        -c 'echo "$PROF_WORKERS $0" >>log' 'p{P}'
    equal copies-trials '[["copies",2],["copies",2]]' \
        "$(jq -c '[.trials[] | select(.kind == "copies") | [.kind, .p]]' out)"
    equal copies-workers '1 p1' "$(tail -2 log | sort -u)"
    rm -f log
    status copies-input 0 "$prof" bench -n 1 -P 1,2 --copies --json sh \
        -c 'wc -c >>log; sleep 0.1' <input
    equal copies-input-whole 4 "$(sort -u log)"
fi

data_of() { # PAGE: the JSON in it
    sed -n 's/.*<script type="application\/json" id="profile">\(.*\)<\/script>.*/\1/p
        s/.*id="profile"[^>]*>\({.*}\)<.*/\1/p' "$1" | head -1
}
# prof view --bench: the trials in the page, and nothing said on its console
if "$prof" view kept/b.p2.prof --bench kept/b.json -o b.html 2>err; then
    equal view-data "$(jq -c '[.derived.points[].speedup * 1000 | floor]' kept/b.json)" \
        "$(data_of b.html | jq -c '[.bench.points[].speedup * 1000 | floor]')"
    "$prof" bench --from given.json --json >hostile.json
    "$prof" view kept/b.p2.prof --bench hostile.json -o hostile.html 2>err
    browser=$(command -v chromium || command -v chromium-browser)
    for page in b hostile; do
        if [ -z "$browser" ]; then echo "SKIP scaling/view-$page: no chromium"; continue; fi
        timeout 60 "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr \
            --virtual-time-budget=10000 --dump-dom "file://$tmp/$page.html" 2>log |
            perl -0pe 's/<script.*?<\/script>//sg' >dom
        equal view-$page-console '' "$(grep CONSOLE log | grep -v favicon | head -2)"
        has view-$page-words 'workers it is .* times as fast as' dom
        has view-$page-numbers 'inflation-specific' dom
        has_not view-$page-hidden 'id="scaling"[^>]*hidden' dom
        has_not view-$page-undefined 'NaN\|undefined' dom
    done
    "$prof" view kept/b.p2.prof -o plain.html 2>err
    [ -z "$browser" ] || timeout 60 "$browser" --headless --no-sandbox --disable-gpu \
        --virtual-time-budget=10000 --dump-dom "file://$tmp/plain.html" 2>log >dom
    [ -z "$browser" ] || has view-without 'id="scaling"[^>]*hidden' dom
    status view-bad-bench 2 "$prof" view kept/b.p2.prof --bench other.json -o bad.html
    has view-bad-bench-line 'other.json: not what prof bench' err
else
    echo "SKIP scaling/view: $(head -1 err)"
fi

# the examples do the same work in all their forms
for s in a b c d; do
    for mode in parallel baseline elision; do "$build/examples/cilksort" $s $mode \
        1 2>/dev/null; done | sort -u >sorted
    equal cilksort-$s "1 sorted" "$(grep -c '' sorted) $(grep -o 'sorted$' sorted)"
done
for c in scales serial grain memory cache sharing lock; do
    equal causes-$c "$c done" "$("$build/examples/causes" $c 2>/dev/null)"
done
# quicksort's fast partitions swap the same elements: the same tasks, and regions
for mode in '' fast; do
    PROF_OUTPUT=$PWD/q$mode.prof PROF_QUIET=1 PROF_CLOCK=virtual LD_PRELOAD=$build/libprof.so \
        "$build/examples/quicksort" -t 2 1000000 $mode 2>/dev/null >q$mode
    "$prof" report --json q$mode.prof 2>/dev/null |
        jq -c '[.program.tasks, (.regions[] | [.name, .count])]' >>q$mode
done
equal quicksort-fast "$(cat q)" "$(cat qfast)"
has quicksort-fast-regions '1000000 numbers sorted' qfast
for base in 0 1000; do "$build/examples/tree_sum" -t 2 100000 1000 $base 2>/dev/null; done | sort \
    -u >sums
equal tree_sum-in-parallel 1 "$(grep -c 'correct' sums)"
status documented 0 grep -q 'Xr prof-bench 1' "$here/../../docs/man/prof.1"
for option in $("$prof" help bench | grep -o -e '--[a-z][a-z-]*' | sort -u); do
    grep -q "\\\\-$(echo "${option#--}" | sed 's/-/.*-/g')" "$here/../../docs/man/prof-bench.1" ||
        echo "$option"
done >missing
equal documented-options '' "$(cat missing)"
# every word of the JSON for a cause is explained
for cause in $(grep -ho 'MARK_[A-Z]*, "[a-z_]*"\|^    warn_of(f, [a-z_]*, "[a-z_]*"' \
    "$here"/../../report/bench/*.c | grep -o '"[a-z_]*"' | tr -d '"' | sort -u); do
    grep -q "\`$cause\`" "$here/../../docs/SCALING.md" || echo "$cause"
done >missing
equal documented-causes '' "$(cat missing)"

# ---- bench/instructions.sh: a figure that no load of the machine changes ----
if command -v valgrind >/dev/null; then
    for run in first second; do
        bash "$here/../../bench/instructions.sh" -n 300 -l "$build/libprof.so" libgomp-task 2>err |
            awk -F ' *[|] *' '$3 == "task" { print $6, $7 }' >$run
    done
    # instructions differ by which task took longest: a hundredth; readings never
    paste -d' ' first second | awk '{
        same = $1 > 0 && $3 > 0.99 * $1 && $3 < 1.01 * $1 && $2 > 0 && $2 == $4
        print (same ? "same" : $0) }' >two
    equal instructions-repeat same "$(cat two err)"
else
    echo "SKIP scaling/instructions: no valgrind"
fi
