# brief.sh - a part of run.sh: the report on one screen. It has the answer, six figures, the
# functions and spawn sites that matter, and never hides what is not certain.
profiles basic bound paths hostile wide off-cpu deep empty big
judged_profile
victim_program
for run in fib narrow busy taskloop turns asleep parent sleeper before coarse; do grain $run; done

brief() { # NAME COLUMNS FILE [OPTIONS]: into NAME.txt
    to=$1 columns=$2
    shift 2
    COLUMNS=$columns "$prof" report "$@" >"$to.txt" 2>/dev/null
}
lines() { grep -c '' "$1"; }
at_most() { # NAME MOST FILE
    [ "$(lines "$3")" -le "$2" ] && pass "$1" || fail "$1" "$(lines "$3") lines"
}

# ---- one screen, at every width ----
for kind in bound paths fib hostile wide off-cpu deep; do
    for width in 60 80 140 300; do
        brief screen $width $kind.prof
        at_most brief-screen-$kind-$width 40 screen.txt
        equal brief-width-$kind-$width '' "$(awk -v w=$width 'length > w' screen.txt | head -1)"
        has_not brief-blanks-$kind-$width ' $' screen.txt
    done
done
for kind in basic bound paths fib; do
    for width in 80 100; do
        brief screen $width $kind.prof
        at_most brief-24-lines-$kind-$width 24 screen.txt
    done
done
"$prof" report paths.prof 2>/dev/null >pipe.txt
brief hundred 100 paths.prof
equal brief-width-of-a-pipe 0 "$(cmp pipe.txt hundred.txt >/dev/null; echo $?)"

# ---- the answer and the figures ----
brief fib 900 fib.prof
has_words brief-finding fib.txt \
    '^  The runtime took 1.630 s, 82 % of the worker time: overhead of' \
    'tasking.* 8,000,000 of them, the most of one site, are tasks of task_group at' \
    'app+0x400fff. Make the grain larger: more work in each task.$'
has_words brief-figures fib.txt '^  work 1.001 s   span 2.000 ms   parallelism 500.5   idle 6 %  ' \
    'overhead 82 % (sampled)   8,000,000 tasks   0 stolen$'
# A site has its own share of the function's, not all of it. Samples that do not show which site
# has most name none.
./gen halves 650 350 >halves.prof
brief halves 900 halves.prof
has_words brief-part-of-function halves.txt '^  Change first: app+0x402000, 100 % (+- [0-9]*) of' \
    'the critical path, 65 % (+- [1-9]) of it in tasks of parallel_for at [^,]*. Verdict: '
./gen halves 260 240 >even.prof
brief even 900 even.prof
has brief-no-part 'Change first: app+0x402000, 100 % (+- [0-9]*) of the critical path. Ver' even.txt
# the finding's sentence names what to do: there is one action
has_not brief-one-action 'first:' fib.txt
# a busy machine costs most, and the program has a fault that costs nearly as much
grain both-faults tasks=4000000 work=1000 span=1 dispatch=400 own=100 sleep=500 delay=600000000
brief second 900 both-faults.prof
has brief-first-the-machine "Do first: run it again where nothing else needs the processors" \
    second.txt
has brief-second '^  Second: The runtime took 400.000 ms, 20 % .* Make the grain larger' second.txt
has_not brief-no-second 'Second:' fib.txt
# where the machine was busy, the program's own fault is named as well
grain shared tasks=40 on=1 work=600 span=400 root=380 longest=20 blocked=1500 delay=1400000000 \
    elapsed=1300
brief shared 900 shared.prof
has brief-then-change '^  Then change: app+0x402000, in tasks of task_group .*, 51 % .* Verdict' \
    shared.txt
equal brief-one-first 1 "$(grep -c 'Do first\|Change first' shared.txt)"
has_not brief-then-not 'Then change' second.txt
# two workers that had work all the time gain nothing by a shorter critical path: more of them do
./gen run 100 300 2 >scales.prof
brief scales 900 scales.prof
has brief-scales '^  100 % of its worker time was the program.s own work' scales.txt
has brief-for-more '^  For more than its 2 workers, change first: app+0x402000, 100 %' scales.txt
./gen run 100 90 2 >scarce.prof
brief scarce 900 scarce.prof
has brief-for-its-own '^  Change first: app+0x402000, 100 %' scarce.txt
# nested regions have more threads than slots: the shares are of all threads' time
grain crowd work=1000 span=200 blocked=2800 longest=10 crowd=2000
brief crowd 900 crowd.prof
has brief-crowd '^  2 workers (4.0 threads on average), ' crowd.txt
has brief-crowd-share 'off the CPU for 2.800 s, 70 % of all threads. time' crowd.txt
has_not brief-crowd-no-slots 'worker time' crowd.txt
has_not brief-no-crowd 'threads on average' fib.txt
brief narrow 900 narrow.prof
has brief-uneven '^  3 tasks of task_group at .* cannot share 2 workers evenly: split them' \
    narrow.txt
brief judged 900 judged.prof
has_words brief-span judged.txt \
    '^  Too little parallelism (4.00) explains up to 100.000 ms of idle' \
    'time, 8 % of the worker time. Parallelism 4.00 is less than ten times its 2 workers'
has_not brief-no-second-action 'Shorten the critical path' judged.txt
brief busy 900 busy.prof
has brief-no-finding "^  100 % of its worker time was the program's own work" busy.txt
# a share of 20 % with a margin of 41 says little, that of all such strands is exact
has_words brief-serial judged.txt 'Change first: the code outside every task, 20 % of the' \
    'critical path, where 10 of 10 samples hit app+0x401030[.] Verdict: serial on the critical' \
    'path: parallelise.$'
# a share of 40 % with a margin of 37 is no advice: another share is known
grain doubtful tasks=60 on=1 work=100 span=60 beside=3 hits=2 longest=8 root=0 sleep=100 elapsed=100
brief doubtful 900 doubtful.prof
has brief-doubtful-table '40.0  *36.9' doubtful.txt
has brief-doubtful 'Change first: app+0x402000, .*, 100 % of the idle time. Verdict' doubtful.txt
has_not brief-doubtful-span '%.* of the critical path. Verdict' doubtful.txt
grain too_few tasks=12 work=1000 span=49 on=1 sleep=990 longest=90 threads=2
brief too_few 900 too_few.prof
has brief-few-tasks '^  Do first: make more and smaller tasks there' too_few.txt
brief taskloop 900 taskloop.prof
has brief-undeferred 'libgomp: 64 for each thread' taskloop.txt
has_not brief-undeferred-once 'first:' taskloop.txt
# no sample hit the runtime in strands: the function to change is the critical path's
grain dispatch tasks=400 work=200 span=185 dispatch=126 longest=1 elapsed=220 threads=2 on=1
brief dispatch 900 dispatch.prof
has brief-overhead-between 'Change first: .*, [1-9][0-9]* % .*of the critical path. Verdict' \
    dispatch.txt
# figures that are not exact have their mark
./gen run 100 300 2 >plain.prof
./gen grain construct=parallel flags=4 tasks=4 invocations=1 threads=2 work=100 span=60 longest=60 \
    elapsed=70 >executed.prof
brief executed 900 executed.prof
has brief-as-executed 'span [0-9.]* ms (as executed)   parallelism [0-9.]* (as executed)' \
    executed.txt
has brief-as-executed-site 'parallel +$' executed.txt
has brief-as-executed-words '^  The span there is + as executed' executed.txt
./gen own-share 20 >own.prof
brief own 900 own.prof
has brief-estimated 'work 1.000 s (estimated)' own.txt
has brief-own '^  ! [0-9]* % of the samples in strands are libprof' own.txt
has brief-own-bound \
    'is about 4.00, an estimate: 73 % of the samples .*libprof.s[.] So this bounds no speedup' \
    own.txt

# ---- what is not certain has a line ----
brief bound 80 bound.prof
has brief-bound 'span 250.000 ms (lower bound)   parallelism 4.00 (upper bound)' bound.txt
equal brief-bound-names 1 "$(tr -s '\n ' ' ' <bound.txt |
    grep -c 'Span is a LOWER BOUND, .*: parallel_pipeline (7), flow_graph (2)')"
has brief-crashed '^  ! CRASHED' bound.txt
has brief-signal 'killed by SIGSEGV$' bound.txt
has brief-lost '^  ! LOST: memory (5): events dropped$' bound.txt
has brief-bound-site 'parallel_for \*$' bound.txt
./gen dag-unsure >unsure.prof
brief unsure 80 unsure.prof
has brief-not-exact '^  ! Span is NOT EXACT, .*: two groups (1)$' unsure.txt
has brief-not-exact-figure '(not exact)' unsure.txt
brief basic 80 basic.prof
has_not brief-exact-says-nothing 'BOUND\|(exact)\|LOST' basic.txt
has brief-hint '^  - hint-name (3): a hint$' basic.txt
cp basic.prof again.prof
"$prof" merge --as runs -o two.prof basic.prof again.prof 2>/dev/null
brief two 80 two.prof
has brief-merged '^  ! MERGED from 2 runs: work, span, times and counts are their SUMS$' two.txt

# what the full report says of waits and of children, this one says, too
brief turns 300 turns.prof
has brief-threads-waited '^  ! Span is a LOWER BOUND, parallelism may be lower: threads waited' \
    turns.txt
brief asleep 300 asleep.prof
has brief-off-cpu '^  The program was off the CPU for 902 ms of 1.01 s (89 %)' asleep.txt
brief parent 300 parent.prof
has brief-children '^  The program made 2 child processes, which no figure here contains' parent.txt
brief sleeper 300 sleeper.prof
has brief-sleeper 'Strands slept or waited 98 % of the worker time' sleeper.txt
has brief-sleeper-action '^  Do first: see what these strands wait for, and shorten or overlap' \
    sleeper.txt
has_not brief-sleeper-no-function 'Change first' sleeper.txt
has_not brief-sleeper-no-bound 'no number of cores' sleeper.txt
# the first thread slept before there were others: a longer run is no help
brief before 900 before.prof
has_not brief-not-longer 'let it run longer' before.txt
# few tasks are to be split: there is no second action
brief coarse 900 coarse.prof
has brief-split 'cannot share 2 workers evenly: split them' coarse.txt
has_not brief-split-once 'first:' coarse.txt

# ---- each end ----
ended() { # NAME END STATUS WORDS
    END=$2,$3 ./gen basic >ended.prof
    brief ended 80 ended.prof
    has "brief-end-$1" "$4" ended.txt
}
ended exit 1 3 'CPU, exit status 3$'
ended signal 2 15 'CPU, killed by SIGTERM$'
ended exec 4 0 'CPU, replaced itself (exec)$'
ended running 0 0 ' CPU$'

# ---- without tasks ----
brief empty 80 empty.prof
at_most brief-empty-lines 5 empty.txt
has brief-empty 'No tasks were seen' empty.txt
has brief-empty-try 'prof doctor /nowhere/empty' empty.txt
./gen recursion >untasked.prof
brief untasked 80 untasked.prof
at_most brief-untasked-lines 7 untasked.txt
has brief-untasked-samples 'Where its 10 samples hit: 70 % in app+0x404000, 30 % in app+0x402000' \
    untasked.txt
has_not brief-untasked-nothing-else 'Next\|% span\|parallelism [0-9]' untasked.txt

# ---- tables ----
brief paths 200 paths.prof
brief judged 200 judged.prof
has brief-functions '^ *% span  *+-  *% idle  *% work  *function  *verdict$' judged.txt
has_words brief-function judged.txt \
    '^ *20.0  *[0-9.]*  *100.0  *20.0  app+0x401030  *serial on the critical path: parallelise$'
has brief-site '^ *48.0  *40.0  *[0-9.]*  *112  *3.57 ms .*parallel_for$' paths.txt
has brief-next '^  Next: prof report --full paths.prof | prof view paths.prof | prof whatif paths' \
    paths.txt
has brief-next-without-paths '^  Next: prof report --full basic.prof$' basic.txt
brief big 100 big.prof
has_not brief-no-small-sites 'spawned in' big.txt

# ---- --full, and the options that need its tables ----
"$prof" report --full basic.prof 2>/dev/null >full.txt
has full '^3) Spawn sites$' full.txt
for options in '-s work' '-m top' '-n 3' -a --raw -p -c -l '-M idleness' --effort --frames; do
    "$prof" report $options paths.prof 2>/dev/null >full.txt
    has "full-by $options" '^1) Parallelism profile$' full.txt
done

# ---- colours and links ----
"$prof" report judged.prof 2>/dev/null >pipe.txt
"$prof" report --color=always judged.prof 2>/dev/null >colour.txt
has brief-colour "${escape}\[31mserial on the critical path" colour.txt
equal brief-colour-width "$(sed "s/$escape\[[0-9;]*m//g" colour.txt | cksum)" "$(cksum <pipe.txt)"
NO_COLOR=1 "$prof" report --color auto judged.prof 2>/dev/null >colour.txt
has_not brief-no-colour "$escape" colour.txt
one_line color-what 'the values are auto, always, never' "$prof" report --color=mauve paths.prof
sites_program
profile_of sites
"$prof" report --links=always sites.prof 2>/dev/null >links.txt
has brief-links "$escape]8;;file://[^ ]*#[0-9]*$escape" links.txt
"$prof" report sites.prof 2>/dev/null >links.txt
has_not brief-no-links "$escape" links.txt

# ---- misspelt ----
one_line meant-option "unrecognized option .--fulll.; did you mean --full?" "$prof" report --fulll \
    basic.prof
one_line meant-command 'reprot: no such command; did you mean report?' "$prof" reprot
one_line meant-program './victim: no such command; did you mean prof run -- ./victim?' "$prof" \
    ./victim
one_line meant-none 'frobnicate: no such command (prof help lists them)' "$prof" frobnicate
one_line no-value 'a value is expected, not --' "$prof" run --report-to -- ./victim exit 0
equal no-file-of-dashes '' "$(ls -d -- -- 2>/dev/null)"

# ---- a folder that takes no files ----
if [ -r "$build/libprof.so" ]; then
    mkdir -p closed tmpdir && chmod 777 tmpdir && chmod 555 closed && chmod 755 "$tmp" "$work"
    cp "$build/prof" "$build/libprof.so" .      # which any user may read
    nobodys=$tmp/prof
    as_nobody=
    [ "$(id -u)" = 0 ] && as_nobody='setpriv --reuid=65534 --clear-groups'
    if (cd closed && $as_nobody sh -c ': >new' 2>/dev/null) || ! $as_nobody test -x "$nobodys"; then
        skip closed-folder "its files can be made, or prof cannot be reached"
    else
        (cd closed && TMPDIR=$tmp/tmpdir $as_nobody "$nobodys" run -- "$tmp/victim" exit 3) \
            >closed.txt 2>&1
        equal closed-folder-status 3 $?
        has closed-folder-said \
            "^prof: no profile can be written in .*: Permission denied; it goes to $tmp/tmpdir\$" \
            closed.txt
        (cd closed && TMPDIR=$tmp/tmpdir $as_nobody "$nobodys" run --no-report -o a.prof -- \
            "$tmp/victim" exit 0) >named.txt 2>&1
        has closed-folder-name "Permission denied; it goes to $tmp/tmpdir/a.prof\$" named.txt
        equal closed-folder-written 1 "$(ls tmpdir/victim.*.prof 2>/dev/null | grep -c .)"
    fi
    chmod 755 closed
fi

# ---- one screen: 28 lines of 100 columns, also of two findings or a long answer ----
screen() { # NAME LINES-AT-MOST
    lines=$(COLUMNS=100 "$prof" report "$1.prof" 2>/dev/null | tee "$1.screen" | wc -l)
    result "brief-screen-$1" "$([ "$lines" -le 28 ] || echo "$lines lines")"
}
thread='construct=pthread_create tasks=2 on=1 work=400 span=200 longest=200'
grain crammed $thread elapsed=1460 blocked=2339 delay=2330000000
grain mixed $thread elapsed=420 blocked=400 waited=8 delay=300000000
grain many-threads construct=pthread_create tasks=8 on=1 work=414 span=53 longest=53 workers=8 \
    elapsed=560 blocked=1100 delay=1095000000
grain little $thread elapsed=420 blocked=400 waited=8 delay=300000000 root=8
grain little-short $thread elapsed=420 root=8
for profile in crammed mixed many-threads little both-faults shared; do
    screen $profile
done
# what another sentence has is left out, and rows that hardly matter below a long answer
tr -s '\n ' ' ' <mixed.screen >mixed.words
equal brief-apart-once 1 "$(grep -o 'Work and span do not contain this' mixed.words | grep -c .)"
has_not brief-no-growth 'one run does not show: prof bench' crammed.screen
has brief-full-growth 'one run does not show: prof bench' crammed.txt
has_not brief-little-row '(outside every task)' little.screen
has brief-little-row-full '(outside every task)' little.txt
brief little-short 100 little-short.prof
has brief-little-row-short '(outside every task)' little-short.txt
# the second finding: how much and where; why is in the full report
grain waits-second construct=parallel tasks=4000 work=400 span=4 longest=1 elapsed=2000 locked=900 \
    sleep=1500 blocked=800 waited=38
brief waits-second 100 waits-second.prof
tr -s '\n ' ' ' <waits-second.txt >waits-second.words
has brief-second-short 'Second: Strands were off the CPU for 800.000 ms, .* and what it called[.]' \
    waits-second.words
has_not brief-second-without-why 'they slept, or waited for locks' waits-second.words
