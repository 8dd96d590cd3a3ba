# terminal.sh - a part of run.sh: what `prof report` does on a terminal, which script(1) makes, and
# does not elsewhere.
profiles basic empty deep
terminal() { # COMMAND [VARIABLE=VALUE...]: on a terminal 100 columns wide, into tty.txt
    command=$1
    shift
    env -u PROF_PAGER -u PAGER -u LESS -u NO_COLOR TERM=xterm "$@" timeout 60 script \
        -qec "stty rows 500 cols 100; $command; echo status \$?" tty.raw </dev/null >/dev/null 2>&1
    sed '1{/^Script started/d}; /^Script done/d' tty.raw | tr -d '\r' >tty.txt
}
if ! command -v script >/dev/null; then
    skip terminal "no script(1)"
else
    # ---- the pager ----
    terminal "'$prof' report --full basic.prof" PROF_PAGER="sed 's/^/PAGED/'" \
        PAGER="sed 's/^/OTHER/'"
    has pager 'PAGED.*libprof' tty.txt
    has_not pager-first OTHER tty.txt
    has pager-status 'status 0' tty.txt
    terminal "'$prof' report --full basic.prof" PAGER="sed 's/^/OTHER/'"
    has pager-second 'OTHER.*libprof' tty.txt
    for none in PROF_PAGER= PROF_PAGER=cat TERM=dumb; do
        terminal "'$prof' report --full basic.prof" $none
        has "pager-none $none" '3) Spawn sites' tty.txt
    done
    terminal "'$prof' report --full --no-pager basic.prof" PROF_PAGER="sed 's/^/PAGED/'"
    has_not pager-no PAGED tty.txt
    for options in --json --csv '-o file.txt'; do
        terminal "'$prof' report $options basic.prof" PROF_PAGER="sed 's/^/PAGED/'"
        has_not "pager-not-for $options" PAGED tty.txt
    done
    terminal "'$prof' report --full basic.prof | cat" PROF_PAGER="sed 's/^/PAGED/'"
    has_not pager-not-in-a-pipe PAGED tty.txt
    terminal "'$prof' report --full basic.prof" PROF_PAGER=/nowhere/pager
    has pager-missing '3) Spawn sites' tty.txt
    has pager-missing-status 'status 0' tty.txt
    terminal "'$prof' report --all -p deep.prof" PROF_PAGER='head -1'
    has pager-left-early 'status 0' tty.txt
    has_not pager-left-silently 'Broken pipe' tty.txt
    terminal "'$prof' report missing.prof" PROF_PAGER="sed 's/^/PAGED/'"
    has pager-error 'status 2' tty.txt
    has_not pager-nothing-to-show PAGED tty.txt
    if command -v less >/dev/null; then
        terminal "'$prof' report -n 1 empty.prof"
        has pager-less "${escape}\[1m" tty.txt
        has pager-less-ends 'status 0' tty.txt
    else
        for case in pager-less pager-less-ends; do skip $case "no less"; done
    fi

    # ---- colours, width ----
    terminal "'$prof' report --full --no-pager basic.prof"
    has colour "${escape}\[1m" tty.txt
    equal terminal-width '' "$(sed "s/$escape\[[0-9;]*m//g" tty.txt | awk 'length > 100' | head -1)"
    equal terminal-wide-enough 1 "$(sed "s/$escape\[[0-9;]*m//g" tty.txt | awk 'length > 90' |
        head -1 | grep -c .)"
    for none in NO_COLOR=1 TERM=dumb; do
        terminal "'$prof' report --full --no-pager basic.prof" $none
        has_not "colour-none $none" "$escape" tty.txt
    done
    "$prof" report --full basic.prof >plain.txt 2>&1
    has_not colour-not-in-a-pipe "$escape" plain.txt

    # ---- progress: only where it lasts, only on a terminal ----
    if wants "$part/progress"; then
        text=$(readelf -SW "$prof" | sed -n 's/.* \.text  *PROGBITS  *\([0-9a-f]*\) .*/0x\1/p')
        ./gen large /proc/self/exe 0x400000 $((0x400000 + text)) $((0x400000 + text + 60000)) \
            60000 >slow.prof
        start=$(date +%s%N)
        terminal "'$prof' report --full --no-pager slow.prof"
        if [ $((($(date +%s%N) - start) / 1000000)) -gt 3000 ] ||
            grep -q 'looking up names' tty.txt; then
            has progress 'looking up names of code addresses: [0-9,]* \.\.\.' tty.txt
            has progress-wiped-away \
                "$escape\[K *$escape\[[0-9]*mlibprof\|${escape}\[Klibprof" tty.txt
        else
            skip progress "this machine is too fast"
        fi
        "$prof" report --full slow.prof >plain.txt 2>err
        has_not progress-not-in-a-file 'looking up' err
    fi
fi
