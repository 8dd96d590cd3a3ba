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
# the finding's sentence names what to do: there is one action
has_not brief-one-action 'first:' fib.txt
# a busy machine costs most, and the program has a fault that costs nearly as much
grain both-faults tasks=4000000 work=1000 span=1 dispatch=400 own=100 sleep=500 delay=600000000
brief second 900 both-faults.prof
has brief-first-the-machine "Do first: run it again where nothing else needs the processors" \
    second.txt
has brief-second '^  Second: The runtime took 400.000 ms, 20 % .* Make the grain larger' second.txt
has_not brief-no-second 'Second:' fib.txt
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
has_words brief-serial judged.txt 'Change first: app+0x401030, .* Verdict: serial on the critical' \
    'path: parallelise.$'
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
has brief-own-bound 'is 4.00, but 73 % of the samples .*libprof.s, so this bounds no speedup' \
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
one_line no-value 'a value is expected, not --' "$prof" run --repor -- ./victim exit 0
equal no-file-of-dashes '' "$(ls -d -- -- 2>/dev/null)"

# ---- a folder that takes no files ----
if [ -r "$build/libprof.so" ]; then
    mkdir -p closed tmpdir && chmod 777 tmpdir && chmod 555 closed && chmod 755 "$tmp" "$work"
    as_nobody=
    [ "$(id -u)" = 0 ] && as_nobody='setpriv --reuid=65534 --clear-groups'
    if (cd closed && $as_nobody sh -c ': >new' 2>/dev/null) ||
        ! (cd closed && $as_nobody "$prof" --version >/dev/null 2>&1); then
        echo "SKIP report/closed-folder: its files can be made, or prof cannot be reached"
    else
        (cd closed && TMPDIR=$tmp/tmpdir $as_nobody "$prof" run -- "$tmp/victim" exit 3) \
            >closed.txt 2>&1
        equal closed-folder-status 3 $?
        has closed-folder-said \
            "^prof: no profile can be written in .*: Permission denied; it goes to $tmp/tmpdir" \
            closed.txt
        equal closed-folder-written 1 "$(ls tmpdir/victim.*.prof 2>/dev/null | grep -c .)"
    fi
    chmod 755 closed
fi
