# brief.sh - a part of run.sh: the report on one screen. It has the findings, the figures, the
# functions and spawn sites that matter, and never hides what is not certain.
profiles basic bound paths hostile wide off-cpu deep empty big wait-kinds
judged_profile
victim_program
for run in fib turns parent sleeper; do grain $run; done

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
for kind in basic paths fib judged wait-kinds; do
    brief screen 80 $kind.prof
    at_most brief-24-lines-$kind 24 screen.txt
    brief screen 100 $kind.prof
    at_most brief-20-lines-$kind 20 screen.txt
done
"$prof" report paths.prof 2>/dev/null >pipe.txt
brief hundred 100 paths.prof
equal brief-width-of-a-pipe 0 "$(cmp pipe.txt hundred.txt >/dev/null; echo $?)"

# ---- the answer and the figures ----
brief fib 900 fib.prof
equal brief-finding "$(of_json '.findings[0] | "  1. \([.gain_ns, .gain_low_ns, .gain_high_ns] |
    map(. / 1e7 | round) | "\(.[0]) % (\(.[1]) to \(.[2]))"). \(.text) \(.remedy)"' fib.prof |
    tr -d '"')" "$(grep '^  1[.] ' fib.txt)"
has_words brief-figures fib.txt '^  work 1.001 s   span 2.000 ms   parallelism 500.5   idle 6 %,' \
    'overhead 82 % (sampled) of the worker time   8,000,000 tasks   0 stolen$'
has brief-bound-of-all 'at most 500.5 times as fast as one worker' fib.txt
# strands that took far longer than comparable ones may not do so again
grain near tasks=3000 on=1 work=30000 root=0 span=100 longest=100 workers=40 typical=96 outliers=30
brief near 900 near.prof
has brief-bound-typical 'at most 312.5 times as fast' near.txt
grain busy
brief busy 900 busy.prof
has brief-no-finding '^  No cause costs 5 % of the elapsed time or more[.]$' busy.txt
# nested regions have more threads than slots: the shares are of all threads' time
grain crowd work=1000 span=200 blocked=2800 longest=10 crowd=2000
brief crowd 900 crowd.prof
has brief-crowd-base "idle 0 %, overhead 0 % (sampled) of all threads' time" crowd.txt
has brief-crowd '^  2 workers (4.0 threads on average), ' crowd.txt
has_not brief-crowd-no-slots 'worker time' crowd.txt
has_not brief-no-crowd 'threads on average' fib.txt
grain doubtful tasks=60 on=1 work=100 span=60 beside=3 hits=2 longest=8 root=0 sleep=100 elapsed=100
brief doubtful 900 doubtful.prof
has brief-doubtful-table '40.0  *36.9' doubtful.txt
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
has_not brief-own-bound 'Bound: ' own.txt

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

# what the full report notes on waits and children, this one notes, too
brief turns 300 turns.prof
has brief-threads-waited '^  ! Span is a LOWER BOUND, parallelism may be lower: threads waited' \
    turns.txt
brief parent 300 parent.prof
has brief-children '^  The program made 2 child processes, which no figure here contains' parent.txt
brief sleeper 300 sleeper.prof
has brief-sleeper 'Strands slept or waited 98 % of the worker time' sleeper.txt

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
at_most brief-untasked-lines 8 untasked.txt
has brief-untasked-samples 'Where its 10 samples hit: 70 % in app+0x404000, 30 % in app+0x402000' \
    untasked.txt
has_not brief-untasked-nothing-else 'Next\|% span\|parallelism [0-9]' untasked.txt

# ---- tables ----
brief paths 200 paths.prof
brief judged 200 judged.prof
has brief-function '^ *20.0  *[0-9.]*  *100.0  *20.0  app+0x401030  *serial$' judged.txt
has brief-functions '^ *% span  *+-  *% idle  *% work  *function  *verdict$' judged.txt
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
has brief-colour "${escape}\[33mserial" colour.txt
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
        mkdir -p locked && chmod 0 locked       # PATH may have a folder that is another user's
        PATH=$tmp/locked:$PATH $as_nobody "$nobodys" run -- no-such >locked.txt 2>&1
        equal locked-folder-status 127 $?
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

# ---- the rows of the tables take what is left of the screen, which longer answers take ----
rows() { sed -n "/^ *% span.*$2/,/^\$/p" "$1" | grep -c '^ *[0-9][0-9.]* '; }
for kind in paths wait-kinds; do brief $kind 100 $kind.prof; done
equal brief-rows-few 2 "$(rows paths.txt 'spawned in')"
[ "$(rows wait-kinds.txt 'spawned in')" -lt 2 ] && pass brief-rows-fewer ||
    fail brief-rows-fewer "$(rows wait-kinds.txt 'spawned in') rows"
