# words.sh - sourced by check.sh: what prof bench computes from given trials, and says of them.

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
equal idle-is-too-long-causes '""' "$(causes)"
has_words idle-is-too-long-bars ' + ? + ? %$'
has idle-is-too-long-figures '^ *2  60.0 ms  500 ms  *-  *-  *- ' out

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
cause cause-sleeps 'scales' '{"p": [1,2], "on_cpu": 0.12,
    "native": {"1": [100,100,100], "2": [51,51,51]}}'
has_words cause-sleeps-words 'its threads do not use their CPUs'
cause cause-tasking 'tasking' '{"p": [1,2], "native": {"1": [100,100,100], "2": [51,51,51]},
    "elision": [40,40]}'
# what others took from one worker is not the cost of tasks: of 700 ms, 70 were on a CPU
given '{"p": [1,2], "on_cpu": 0.1, "overhead": {"1": 90},
    "native": {"1": [700,700,700], "2": [500,500,500]}, "profiled": {"2": [500]}}'
says cause-tasking-cpu 'takes 6 % of the cores .gap A.: 63.0 ms of the 70.0 ms of CPU time that'
says cause-tasking-off 'For 99 % of that time, no CPU worked'
given '{"p": [1,2], "on_cpu": 0.1, "native": {"1": [700,700,700], "2": [500,500,500]},
    "elision": [100,100]}'
says cause-elision-cpu 'takes 6 % of the cores .gap A.: 60.0 ms of the 70.0 ms of CPU time that'
cause cause-algorithm 'algorithm' '{"p": [1,2], "native": {"1": [100,100,100], "2": [51,51,51]},
    "baseline": [40,40], "elision": [99,99]}'
cause cause-parallelism 'parallelism' '{"p": [1,2], "native": {"1": [100,100,100], "2": [75,75,75]},
    "idle": {"2": 50}, "span": 50}'
has_words cause-parallelism-place 'Most of the critical path is in f (a.c)'
# a span that is not exact may be shorter or longer: it bounds nothing
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [75,75,75]}, "idle": {"2": 50}, "span": 50,
    "exact": false}'
says cause-parallelism-not-exact 'parallelism is 2.00 .not exact., less than ten times 2'
has_words bounds-not-exact 'whose span is NOT EXACT'
# a greedy schedule of the dag has at most (P - 1) x span of idle time
cause cause-beside-parallelism 'idle parallelism' \
    '{"p": [1,2], "native": {"1": [100,100,100], "2": [75,75,75]}, "idle": {"2": 50}, "span": 10}'
says cause-beside-parallelism-part \
    'Lack of parallelism: up to 7 % of the cores. time is idle for it .gap B; 10.0 ms of 150 ms.'
says cause-beside-parallelism-rest \
    '27 % of the cores. time is idle for something else .gap B; 40.0 ms of 150 ms.: the dag' \
    'explains at most .P - 1. x span, 10.0 ms'
jq '(.trials[] | select(.profile) | .profile.exact) = false' given.json >more.json
mv more.json given.json
says cause-beside-parallelism-not-exact 'explains at most .P - 1. x span, 10.0 ms .not exact.[.]'
derives cause-beside-parallelism-shares '[266,66]' \
    '[.words[] | select(.mark == "cause") | .share * 1000 | floor]'
cause cause-not-parallelism 'idle' \
    '{"p": [1,2], "native": {"1": [100,100,100], "2": [75,75,75]}, "idle": {"2": 50}, "span": 6}'
cause cause-idle 'idle' '{"p": [1,2], "native": {"1": [100,100,100], "2": [75,75,75]},
    "idle": {"2": 50}}'
# Strands that kept each other out: the profile has these waits, and they are idle time.
kept='"p": [1,2], "native": {"1": [500,500,500], "2": [410,410,410]}, "work": 500, "span": 10,
    "waited": "f (a.c:7, critical)"'
given "{$kept, \"idle\": {\"2\": 310}, \"waits\": {\"2\": 300}}"
equal cause-waits '"waits"' "$(causes)"
says cause-waits-words '37 % of the cores. time is idle because strands kept each other out' \
    '.gap B; 300 ms of 820 ms, measured.: they waited to enter critical sections or take locks,' \
    'longest in f .a.c:7, critical.[.]'
given "{$kept, \"idle\": {\"2\": 310}, \"waits\": {\"2\": 200}}"
equal cause-beside-waits '"waits idle"' "$(causes)"
says cause-beside-waits-words '13 % of the cores. time is idle for something else .gap B; 110 ms'
given "{$kept, \"idle\": {\"2\": 310}, \"waits\": {\"2\": 200}, \"delay\": 50}"
equal cause-waits-and-load '"waits load"' "$(causes)"
# no words may say whose fault idle time is that no profile explains
given "{$kept, \"idle\": {\"2\": 310}}"
derives idle-is-not-the-scheduler 0 '[.words[].text | select(test("scheduler, not the"))] | length'
# two threads that sleep in one mutex: their work is the same on one CPU, and tasks are off the CPU
asleep='"p": [1,2], "native": {"1": [1200,1200], "2": [1180,1180]}, "work": 802, "span": 401,
    "idle": {"2": 20}, "blocked": {"1": 1600, "2": 1580}'
given "{$asleep, "'"functions": [{"function": "outside", "file": "m.c", "work_ns": [90e6, 167e6],
    "samples": [67, 124]}]}'
equal cause-asleep '"blocked"' "$(causes)"
says cause-asleep-words 'is not work that grew: the profiles have 802 ms of work with one worker' \
    'and 802 ms with 2[.] In the profiled trials with 2 workers, tasks were off the CPU for 1.58 s'
derives asleep-did-not-grow 0 '[.words[].text | select(test("work grew most|Memory"))] | length'
# Locks, by samples: another 43 % of the strands' time in the profiled trials. The native ones are
# too noisy to show it.
locks='"p": [1,2], "native": {"1": [2900,2000,2950], "2": [2230,1900,2320]}, "work": 840,
    "span": 420, "divisible": 1, "sampled": {"2": 1000}, "lock": "insert (lock.cpp:7)"'
given "{$locks, \"locked\": {\"2\": 430}}"
says locks 'In the profiled trials with 2 workers, strands waited for locks and other threads for' \
    '43 % of the time in which samples found them .430 ms., longest in insert .lock.cpp:7.[.] No' \
    'bound contains that: what a lock protects runs one at a time'
derives locks-word 1 '[.words[] | select(.cause == "locks" and .mark == "word")] | length'
has_words locks-and-loops 'about 840 (estimated, if none waits for another)'
given "{$locks, \"locked\": {\"2\": 40}}"
derives no-locks 0 '[.words[].text | select(test("waited for locks"))] | length'
has_words no-locks-and-loops 'about 840 (estimated):'
given "{$locks, \"idle\": {\"2\": 1000}, \"locked\": {\"2\": 430}}"
says locks-and-chunks 'iterations allow about 840 .estimated, if none waits for another.[.]'
# One chunk is 53 times the others: their mean bounds nothing, and smaller chunks may not help.
chunk='But one chunk took 361 ms, 53 times the mean of the others of its loop: if one does'
given '{"p": [1,2], "native": {"1": [620,620,620], "2": [480,480,480]}, "work": 620, "span": 360,
    "divisible": 2.7, "idle": {"2": 300}, "long_chunk": "'"$chunk"'"}'
says long-chunk "iterations allow about 230 .estimated.[.] $chunk"
derives long-chunk-no-advice 0 '[.words[].text | select(test("Smaller chunks"))] | length'
has_words long-chunk-bound '^  ! But one chunk took 361 ms, 53 times the mean of the others'
# Work and span are estimates, so nothing bounds the speedup or explains idle time.
taken='"p": [1,2], "native": {"1": [200,202,201], "2": [150,151,149]}, "work": 150, "span": 30,
    "idle": {"2": 90}, "overhead": {"1": 100}'
given "{$taken, \"taken\": 210}"
says estimated-bounds 'is 1.34 [+]- 0.0[0-9]*[.] The bounds of the profile, 1.1[0-9]* to 2.00,' \
    'are estimates, and bound nothing: libprof took 210 ms of its own cost off the strands, and no'
says estimated-idle 'is idle .gap B; 90.0 ms of 300 ms.[.] Whether for lack of parallelism, the' \
    'profiles do not show: their work and span are estimates'
derives estimated-in-json true .bounds_estimated
has_words estimated-table ' -* about -*$'
has_words estimated-text '! These rest on work and span, which are estimates here'
given "{$taken, \"libprof\": 0.6}"
says estimated-by-samples 'and bound nothing: 60 % of the samples in strands are libprof.s'
given "{$taken, \"few_steals\": 1, \"burdened\": 40}"
has_words few-steals '! lower rests on what a steal takes, by 1 steal of that profile: too few'
given "{$taken}"
derives not-estimated '[false,0]' \
    '[.bounds_estimated, ([.words[].text | select(test("estimates"))] | length)]'
# T_1 is 693 ms, of which 212 are on a CPU and 470 for lack of one. 89.6 % of the CPU time is the
# runtime's. So without tasks 22 ms need a CPU, and wait for one as much less. The overhead does not
# vanish in the noise of what others took.
busy='"p": [1,2], "native": {"1": [693,1130,256], "2": [646,900,400]}, "work": 100,
    "overhead": {"1": 89.6}, "taken": 210, "profiled": {"1": [1760], "2": [1390]}'
given "{$busy}"
edit() { jq "$1" given.json >more.json && mv more.json given.json; } # FILTER
edit '.trials |= map(if .kind == "native" then .cpu_ns = 212e6 | .delay_ns = .wall_ns - 223e6
    else . end)'
derives busy-baseline true '.baseline == "estimate" and .t_s.mean_ns < 200e6'
derives busy-tasking 1 '[.words[] | select(.cause == "tasking")] | length'
says busy-tasking-words '190 ms of the 212 ms of CPU time that one worker needs go into making and'
has_words busy-source 'it is T_1 less the 89.6 % of its CPU time, and of the time in'
has_words busy-warning '! For [5-7][0-9] % of T_1, others had the CPU, while it could have run'
cause cause-unknown unknown '{"p": [1,2], "native": {"1": [100,100,100], "2": [90,90,90]}}'
says cause-unknown-words 'What took the time, the trials do not show'
# a speedup has its margin, and none is claimed that is within it
given '{"p": [1,2], "native": {"1": [100,120,80], "2": [85,90,110]}}'
says efficiency-within-margin \
    'do not show that it is faster or slower with 2 workers than .*: the speedup is 1.0. [+]- 0[.]'
given '{"p": [1,2], "native": {"1": [100,101,99], "2": [51,52,50]}}'
says efficiency-margin 'With 2 workers it is 1.96 [+]- 0.1[0-9]* times as fast as'
given '{"p": [1,2], "native": {"1": [100], "2": [51]}}'
says efficiency-no-margin 'it is 1.96 .one trial each: how far that may be off is unknown. times'
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [51,51,51]}}'
jq '.trials |= map(if .profile then del(.profile) + { no_tasks: true } else . end)' given.json \
    >more.json && mv more.json given.json
says no-tasks 'The program has no tasks, as far as libprof sees'
equal no-tasks-no-cause '""' "$(causes)"
# half of one worker's time is sleep: it is no work
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [51,51,51]}, "on_cpu": 0.2}'
says efficiency-off-cpu \
    'whose time is 98 % of the cores. time[.] For 80 % of that time, no CPU worked'
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [48,48,48]}}'
says efficiency-above-all '2.08 times as fast as .*, more than by their number[.]$'

inflated='"p": [1,2], "native": {"1": [100,100,100], "2": [90,90,90]},
    "work": {"1": 100, "2": 175}'
cause cause-inflation 'inflation' "{$inflated}"
# exact work that grew with {P} is not inflation, and T_1 is not that of this work
cause cause-work-by-p 'work_by_p' "{$inflated, \"placeholder\": true}"
says cause-work-by-p-words 'profiles have 100 ms of work with one worker and 175 ms with 2,' \
    '.*with --work-by-p, each P is compared'
cause cause-beside-work-by-p 'unknown work_by_p' '{"p": [1,2], "native": {"1": [100,100,100],
    "2": [200,200,200]}, "work": {"1": 100, "2": 200}, "placeholder": true}'
says cause-beside-work-by-p-words 'Another 50 % of the cores. time .gap C; 200 ms. is neither work'
# a growth that is less than half of the rest is not denied
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [200,200,200]},
    "work": {"1": 100, "2": 200}}'
says cause-partly-grown 'most of it is not work that grew: the profiles have 100 ms'
given "{$inflated, \"copies\": [180,180]}"
derives cause-memory '["memory",1800]' \
    '[(.words[] | select(.mark == "cause") | .cause), .copies_slowdown * 1000]'
cause cause-sharing 'sharing' "{$inflated, \"copies\": [101,101]}"
cause cause-sharing-by-slope 'sharing' \
    '{"p": [1,2], "native": {"1": [100,100,100], "2": [130,130,130]}, "work": {"1": 100, "2": 250}}'
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
# so few samples show no growth
given "{$inflated, "'"functions": [{"function": "sweep", "file": "m.c", "work_ns": [50e6, 80e6],
    "samples": [10, 16]}]}'
derives where-it-may-not-have-grown 0 '[.words[].text | select(test("work grew most"))] | length'
# the largest first
cause causes-by-share 'inflation parallelism tasking' \
    '{"p": [1,2], "native": {"1": [100,100,100], "2": [100,100,100]}, "idle": {"2": 30}, "span": 50,
    "elision": [88,88], "work": {"1": 100, "2": 170}}'
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
says below-the-bound-same-work 'own code, which did not cost more than with one worker[.]$'
given '{"p": [1,2], "native": {"1": [100,100], "2": [100,100]}, "span": 1,
    "work": {"1": 100, "2": 195}}'
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
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [60,60,60]}, "idle": {"2": 20},
    "span": 20, "divisible": 0.1}'
equal cause-chunks '"chunks"' "$(causes)"
says cause-chunks-words \
    'parallelism is 5.00 as its loops were cut for 2 workers, .* their iterations allow about 1,000'
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [60,60,60]}, "idle": {"2": 20},
    "span": 20, "divisible": 0.1, "by_program": 20}'
says cause-chunks-by-program 'parallelism is 5.00 as it cut its loops, .* allow about 1,000'
has_words bounds-by-program 'for the loops as the program cut them, whatever P is'
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [60,60,60]}, "idle": {"2": 20},
    "span": 20, "divisible": 0.1}'
derives cause-chunks-no-path 0 \
    '[.words[].text | select(test("Shorten the critical path"))] | length'
# Of 50 ms, 15 are for what does not divide, and 35 at most for the cut.
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [75,75,75]}, "idle": {"2": 50},
    "span": 50, "divisible": 15}'
equal cause-cut-and-rest '"chunks parallelism"' "$(causes)"
says cause-cut-part 'Up to 23 % of the cores. time is idle by the cut of loops .gap B; 35.0 ms of'
says cause-rest-part 'up to 10 % of the cores. time is idle for it .gap B; 15.0 ms of 150 ms.,' \
    'even if the loops divide .*: the parallelism is then about 6.[67]'
# Threads with equal parts do not wait for each other: all is for the rest of the path.
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [75,75,75]}, "idle": {"2": 50},
    "span": 50, "divisible": 15, "dag_idle": 16}'
derives cause-equal-parts '[["idle",226],["parallelism",100]]' \
    '[.words[] | select(.mark == "cause") | [.cause, (.share * 1000 | floor)]]'
says cause-equal-parts-rest 'the dag explains at most 16.0 ms[.]'
given '{"p": [1,2,4], "native": {"1": [100,101,100], "2": [51,51,51], "4": [26,26,26]},
    "machine": {"cpus": 4, "allowed_cpus": 4}, "span": 50, "divisible": 1}'
derives divided-bounds '[[1,2,2],[1,2,4],true]' \
    '[[.points[].upper], [.points[].upper_divided], .loops_divide]'
says divided-above-the-cut \
    '3.85, is above 2.00, .* as they were cut .* iterations allow, about 4.00 [(]estimated[)]'
# within its error it is above nothing, and shows no finer cut
given '{"p": [1,2], "native": {"1": [100,100,100], "2": [20,48,100]}, "span": 50, "divisible": 1}'
says divided-within-its-error \
    '2.08, is outside the bounds of the profile, .* to 2.00, but by less than its error'
given '{"p": [1,2,4], "native": {"1": [100,101,100], "2": [51,51,51], "4": [26,26,26]},
    "machine": {"cpus": 4, "allowed_cpus": 4}, "span": 50, "divisible": 1}'
has_words divided-text '"loops divided"'
has divided-column 'lower  upper  loops divided' out
# a bench of before: no divided span
jq 'del(.trials[].profile.span_divisible_ns)' given.json >more.json
mv more.json given.json
derives divided-unknown '[[1,2,2],false]' '[[.points[].upper_divided], .loops_divide]'

# A span with outliers of 50, without them of 1.
given '{"p": [1,2,4], "native": {"1": [100,101,100], "2": [51,51,51], "4": [26,26,26]},
    "machine": {"cpus": 4, "allowed_cpus": 4}, "span": 50, "typical": 1}'
derives outliers-bounds '[[1,2,2],[1,2,4],true]' \
    '[[.points[].upper], [.points[].upper_typical], .has_outliers]'
says outliers-above-the-span '3.85, is above 2.00, .* within 4.00, that without strands'
has_words outliers-text 'Without them parallelism is about'

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
