# words.sh - sourced by check.sh: what prof bench computes from given trials, and states of them.

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
# more than the native trials have: what of their time is work, and what is idle, is not known
derives idle-is-too-long '[500000000,null,null,null,null,null]' '.points[1] |
    [.idle.mean_ns, .work_ns, .inflation_ns, .gap_b, .curves.idle_specific,
    .curves.inflation_specific]'
says idle-is-too-long-words \
    'Idle time and work inflation with 2 workers are not known: the profiled' \
    'trials were idle for 500 ms, and the native ones have 120 ms in all'
has_words idle-is-too-long-shares '^ *2  *83.3  *0.0  *0.0  *416.7  *0.0  *-  *-  '
has idle-is-too-long-figures '^ *2  60.0 ms  500 ms  *-  *-  *- ' out

# T_1 of its own for each P: what P = 4 has more is gap A, not inflation
given '{"p": [1,2,4], "baseline": [100,100], "native": {"1": [100,100], "2": [60,60], "4": [50,50]},
    "one": {"2": [110,110], "4": [200,200]}, "idle": {"2": 10},
        "machine": {"cpus": 4, "allowed_cpus": 4}}'
derives work-by-p '[[0,1000,1000],[0,1818,1666],[0,2000,2000]]' \
    '[.points[] | [.inflation_ns, (.curves.maximal, .curves.actual) * 1000 | floor]]'

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
derives baseline-implausible '["one_worker",100000000]' '[.baseline, .t_s.mean_ns]'
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

# ---- findings: of the profiled trial whose time is the nearest to the mean, 70 ms of 75 ----
edit() { jq "$1" given.json >more.json && mv more.json given.json; } # FILTER
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [60,70,95]}, "findings": {
    "1": ['"$(finding memory 0.5)"'],
    "2": ['"$(finding serial 0.31),$(finding io 0.2),$(finding sleep 0.1),$(finding wait 0.06)"']}}'
edit '.trials |= map(if .kind == "profiled" and .round != 1 then .profile.findings = [] else . end)'
derives findings '[["serial",31000000],["io",20000000],["sleep",10000000],["wait",6000000]]' \
    '[.findings[] | [.id, .gain_ns]]'
derives findings-place '["f","/x/a.c",7,0.31,62000000,27900000,34100000]' '.findings[0] |
    [(.place | .function, .file, .line), .share, .worker_ns, .gain_low_ns, .gain_high_ns]'
has_words findings-text \
    '^  1[.] 31 % (28 to 34) of the elapsed time: f (a.c:7) has serial. Change it.$'
has findings-third '^  3[.] 10 % (9 to 11)' out
has_not findings-at-most-three 'has wait' out
has findings-more '^  [.][.][.] 1 more (--json)$' out
derives findings-are-no-words 0 \
    '[.words[] | select(.mark != "word" and .mark != "warning")] | length'
given '{"p": [1,2], "native": {"1": [100,100], "2": [60,60]}}'
derives findings-none '[]' .findings
has_words findings-none-text 'No cause costs 5 % of the elapsed time or more'
given '{"p": [1,2], "native": {"1": [100,100], "2": [60,60]}, "findings": false}'
derives findings-unknown null .findings
has_words findings-unknown-text 'What limits it is not known: the profile has no clock of time'
edit '.format_version = 1 | del(.trials[].profile.findings)'        # of before
derives findings-of-before '[null,2]' '[.findings, .points[1].curves.linear]'

# ---- what the cores' time went into ----
# T_1 100, T_2 75, T_4 50: S 4/3 and 2
given '{"p": [1,2,4], "native": {"1": [100,100], "2": [75,75], "4": [50,50]},
    "machine": {"cpus": 4, "allowed_cpus": 4}}'
derives serial-fraction '[null,500,333]' '[.points[].serial_fraction |
    if . then . * 1000 + 1e-6 | floor else null end]'
derives serial-fraction-interval '[null,0,0]' '[.points[].serial_fraction_half_interval]'
derives efficiency '[1000,666,500]' '[.points[].efficiency * 1000 + 1e-6 | floor]'
has_words serial-fraction-text '^ *2  *66.7 .*  50.0  *0.0  *1.00  *0.00$'
# 4.303 / sqrt 3 for three trials, of 100 and of 51; at 1, T_s is estimated from the same T_1
given '{"p": [1,2], "native": {"1": [100,101,99], "2": [51,52,50]}}'
derives intervals '[[0,0,null],[98039,5360,5577]]' '[(.points[0] | [.efficiency_half_interval,
    .work_growth_half_interval, .serial_fraction_half_interval]), [.points[1] | (.efficiency,
    .efficiency_half_interval, .serial_fraction_half_interval) * 100000 + 1e-6 | floor]]'
says efficiency-margin 'With 2 workers it is 1.96 [+]- 0.1[0-9]* times as fast as its own work' \
    'without tasking .estimated.: an efficiency of 98 %[.]'
given '{"p": [1,2], "native": {"1": [100,120,80], "2": [85,90,110]}}'
says efficiency-within-margin \
    'do not show that it is faster or slower with 2 workers than .*: the speedup is 1.0. [+]- 0[.]'
given '{"p": [1,2], "native": {"1": [100], "2": [51]}}'
says efficiency-no-margin 'it is 1.96 .one trial each: how far that may be off is unknown. times'
derives efficiency-no-interval '[null,null]' \
    '.points[1] | [.efficiency_half_interval, .serial_fraction_half_interval]'
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [48,48,48]}}'
derives efficiency-above-all '[1041,-40]' \
    '.points[1] | [.efficiency, .serial_fraction | . * 1000 | trunc]'
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [51,51,51]}}'
edit '.trials |= map(if .profile then del(.profile) + { no_tasks: true } else . end)'
says no-tasks 'The program has no tasks, as far as libprof sees'
derives no-tasks-no-findings null .findings
# work of the profiles that grew from 100 to 175; 80 ms are neither T_1 nor idle
inflated='"p": [1,2], "native": {"1": [100,100,100], "2": [90,90,90]},
    "work": {"1": 100, "2": 175}'
given "{$inflated}"
derives work-growth '[1,1.75,80000000]' \
    '[.points[0].work_growth, (.points[1] | .work_growth, .inflation_ns)]'
given "{$inflated, \"copies\": [180,180]}"
derives copies 1800 '.copies_slowdown * 1000'
has_words copies-text 'Copies: 2 of the one-worker program at once take 1.80 times as long as one'
given "{$inflated, \"blocked\": {\"2\": 70}}"
derives inflation-blocked '[70000000,10000000]' \
    '.points[1] | [.inflation_blocked_ns, .inflation_user_ns]'
given "{$inflated, \"overhead\": {\"2\": 60}}"
derives inflation-scheduling '[60000000,20000000]' \
    '.points[1] | [.inflation_scheduling_ns, .inflation_user_ns]'
given "{$inflated, \"machine\": {\"loop_all_ns\": [1700000, 1700000]}}"
derives machine-slowdown 1.7 .machine_slowdown
# 2 sqrt (120 + 50) ms by samples of 1 ms
given "{$inflated, "'"functions": [
    {"function": "sweep", "file": "m.c", "work_ns": [50e6, 120e6], "samples": [50, 120]},
    {"function": "calm", "file": "", "work_ns": [50e6, 51e6], "samples": [50, 51]}]}'
derives grown '[["sweep","m.c",50000000,120000000,70000000,26076]]' '[.grown[] | [.function, .file,
    .one_worker_ns, .work_ns, .growth_ns, (.half_interval_ns / 1000 | floor)]]'
has_words grown-text '^ *50.0 ms  *120 ms  *70.0 ms  *26.1 ms  sweep  *m.c$'
# so few samples show no growth
given "{$inflated, "'"functions": [{"function": "sweep", "file": "m.c", "work_ns": [50e6, 80e6],
    "samples": [10, 16]}]}'
derives not-grown '[]' .grown
# the largest first, at most three
given "{$inflated, "'"functions": [
    {"function": "a", "file": "", "work_ns": [50e6, 120e6], "samples": [500, 1200]},
    {"function": "b", "file": "", "work_ns": [50e6, 170e6], "samples": [500, 1700]},
    {"function": "c", "file": "", "work_ns": [50e6, 90e6], "samples": [500, 900]},
    {"function": "d", "file": "", "work_ns": [50e6, 150e6], "samples": [500, 1500]}]}'
derives grown-order '["b","d","a"]' '[.grown[].function]'

# ---- the bounds of the profile ----
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [75,75,75]}, "idle": {"2": 50}, "span": 50,
    "exact": false}'
has_words bounds-not-exact 'whose span is NOT EXACT'
derives bounds-of-two '[133,100,200]' '.points[1] | [.speedup, .lower, .upper | . * 100 | floor]'
# Loops that were cut for 2 workers and allow more: span 20, of their iterations 0.1.
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [60,60,60]}, "idle": {"2": 20},
    "span": 20, "divisible": 0.1, "by_program": 20}'
has_words bounds-by-program 'for the loops as the program cut them, whatever P is'
given '{"p": [1,2,4], "native": {"1": [100,101,100], "2": [51,51,51], "4": [26,26,26]},
    "machine": {"cpus": 4, "allowed_cpus": 4}, "span": 50, "divisible": 1}'
derives divided-bounds '[[1,2,2],[1,2,4],true]' \
    '[[.points[].upper], [.points[].upper_divided], .loops_divide]'
has_words divided-text '"loops divided"'
has divided-column 'lower  upper  loops divided' out
# a bench of before: no divided span
edit 'del(.trials[].profile.span_divisible_ns)'
derives divided-unknown '[[1,2,2],false]' '[[.points[].upper_divided], .loops_divide]'
# A span with outliers of 50, without them of 1.
given '{"p": [1,2,4], "native": {"1": [100,101,100], "2": [51,51,51], "4": [26,26,26]},
    "machine": {"cpus": 4, "allowed_cpus": 4}, "span": 50, "typical": 1}'
derives outliers-bounds '[[1,2,2],[1,2,4],true]' \
    '[[.points[].upper], [.points[].upper_typical], .has_outliers]'
has_words outliers-text 'Without them parallelism is about'
# Work and span are estimates, so nothing bounds the speedup.
taken='"p": [1,2], "native": {"1": [200,202,201], "2": [150,151,149]}, "work": 150, "span": 30,
    "idle": {"2": 90}, "overhead": {"1": 100}'
given "{$taken, \"taken\": 210}"
derives estimated-in-json true .bounds_estimated
has_words estimated-table ' -* about -*$'
has_words estimated-text '! These rest on work and span, which are estimates here: libprof took 210'
given "{$taken, \"libprof\": 0.6}"
derives estimated-by-samples true .bounds_estimated
has_words estimated-by-samples-text 'here: 60 % of the samples in'
given "{$taken, \"few_steals\": 1, \"burdened\": 40}"
has_words few-steals '! lower rests on what a steal takes, by 1 steal of that profile: too few'
given "{$taken}"
derives not-estimated false .bounds_estimated
# T_1 is 693 ms, of which 212 are on a CPU and 470 for lack of one. 89.6 % of the CPU time is the
# runtime's. So without tasks 22 ms need a CPU, and wait for one as much less.
busy='"p": [1,2], "native": {"1": [693,1130,256], "2": [646,900,400]}, "work": 100,
    "overhead": {"1": 89.6}, "taken": 210, "profiled": {"1": [1760], "2": [1390]}'
given "{$busy}"
edit '.trials |= map(if .kind == "native" then .cpu_ns = 212e6 | .delay_ns = .wall_ns - 223e6
    else . end)'
derives busy-baseline true '.baseline == "estimate" and .t_s.mean_ns < 200e6'
has_words busy-source 'it is T_1 less the 89.6 % of its CPU time, and of the time in'
has_words busy-warning '! For [5-7][0-9] % of T_1, others had the CPU, while it could have run'

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
given "{\"p\": [1,2], $steady}"
edit '.trials[0].output = "7"'
equal output-varies '"output_varies"' "$(warnings)"
given "{\"p\": [1,2], $steady}"
edit '.trials |= map(if .p == 1 then .cpu_ns *= 2 else . end)'
equal more-cores-than-workers '"control"' "$(warnings)"
given "{\"p\": [1,2], $steady, \"threads\": 2}"
equal more-threads-than-workers '"control"' "$(warnings)"
# what is in use already is no advice
given "{\"p\": [1,2], $steady, \"threads\": 2}"
says remedy-both '[-]-control affinity, or .P. in its arguments, may[.]$'
given "{\"p\": [1,2], $steady, \"threads\": 2, \"placeholder\": true}"
says remedy-affinity 'does not reach the program[.] --control affinity may[.]$'
given "{\"p\": [1,2], $steady, \"threads\": 2, \"control\": \"affinity\"}"
says remedy-placeholder 'does not reach the program[.] .P. in its arguments may[.]$'
given "{\"p\": [1,2], $steady, \"threads\": 2, \"control\": \"affinity\", \"placeholder\": true}"
says remedy-none 'does not reach the program[.] It may set its own number[.]$'
given "{\"p\": [1,2], $steady, \"threads\": 1}"
equal fewer-threads-than-workers '"workers"' "$(warnings)"
# main worked as well, outside of tasks
given "{\"p\": [1,2], $steady, \"threads\": 1, \"busy\": 2}"
equal main-and-one-thread '""' "$(warnings)"
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
