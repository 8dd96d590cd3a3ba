# watch.sh - a part of run.sh: prof watch, on terminals that drive.c makes, and elsewhere. Files
# are replaced as libprof replaces them: by another file under the same name.
profiles paths random
victim_program
gcc -std=gnu11 -O1 -Wall "$here/drive.c" -o drive 2>gcc.log || fail build-drive "$(cat gcc.log)"
gcc -O1 -I"$include" "$here/watched.c" -o watched -pthread -ldl 2>gcc.log ||
    fail build-watched "$(cat gcc.log)"
alive=$$
running() { # ELAPSED CPU TASKS: kind paths, of a process that lives, becomes w.prof, never too old
    RUNNING=$alive,$1,$2,$3 ./gen paths >w.new && touch -d tomorrow w.new && mv w.new w.prof
}
shown() { # SIZE STEP... -- COMMAND...: on a terminal; how it ended is in ended.txt
    env -u NO_COLOR LC_ALL=C.UTF-8 TERM=xterm ./drive "$@" >ended.txt 2>&1
}
ended() { equal "watch-$1" "$2" "$(cat ended.txt)"; }   # NAME HOW
# what the terminal got after the screen
after() { sed "s/.*$escape\[?1049l/\n&\n/" raw | sed "1,/$escape\[?1049l/d" | tr -d '\r'; }
comes() { # PATTERN FILE: waits for it
    tries=0
    until grep -q -e "$1" "$2" || [ $tries = 1000 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
}

# ---- a file, without a terminal ----
status watch-complete 0 "$prof" watch paths.prof
has watch-complete-state '^prof watch: .*  ended, exit status ' out
has watch-complete-figures '^  work [0-9.]* m\?s   span [0-9.]* m\?s   parallelism ' out
has_not watch-complete-is-no-screen "$escape" out
running 1000000000 900000000 1000
"$prof" watch w.prof >w.txt 2>w.err &
pid=$!
comes ' running$' w.txt
has watch-block-so-far '^  work so far [0-9.]* m\?s   span so far .* parallelism so far ' w.txt
has_not watch-no-rate-at-first 'CPUs busy' w.txt
running 3000000000 4500000000 4000
comes 'CPUs busy' w.txt
has watch-rate '^  last 2.00 s: 1.80 CPUs busy, 1,500 tasks/s$' w.txt
echo damaged >w.new && mv w.new w.prof
comes 'not a libprof profile' w.err
cp paths.prof w.new && mv w.new w.prof
wait $pid
equal watch-follows-to-the-end 0 $?
has watch-last-block '  ended, exit status ' w.txt
equal watch-silent 'prof: w.prof: not a libprof profile' "$(grep -v 'showing addresses' w.err)"
one_line watch-nothing 'which program, or which profile' "$prof" watch
one_line watch-two-files 'which program, or which profile' "$prof" watch a b
one_line watch-program-as-file 'did you mean prof watch -- ./watched?' "$prof" watch ./watched
one_line watch-no-folder 'nowhere/w.prof: No such file' "$prof" watch nowhere/w.prof
# a file that may come: at once, what is waited for and how that ends
"$prof" watch later.prof >later.txt 2>later.err &
pid=$!
comes waiting later.err
equal watch-waits 'prof: there is no later.prof yet: waiting for it; Ctrl-C ends this' \
    "$(cat later.err)"
cp paths.prof w.new && mv w.new later.prof
wait $pid
equal watch-waited 0 $?
has watch-waited-shown '  ended, exit status ' later.txt
one_line watch-damaged 'random.prof: not a libprof profile' "$prof" watch random.prof
one_line watch-bad-metric 'the metrics are' "$prof" watch -M colour paths.prof
for bad in 0 -1 x 1000000000; do
    one_line "watch-bad-interval $bad" 'a number of seconds' "$prof" watch -i $bad -- true
done
sleep 0.01 &
gone=$!
wait $gone
RUNNING=$gone,1000000000,900000000,10 ON_HOST=$(uname -n) ./gen paths >gone.prof
touch -d '1 hour ago' gone.prof
status watch-gone 0 "$prof" watch gone.prof
has watch-gone-state '  gone: it left this checkpoint$' out

# ---- a file, on a terminal ----
shown 30x100 raw '=there is no' '>none.txt' '+q' -- "$prof" watch nothing-yet.prof
ended none-yet 'exit 0, same'
has watch-none-yet \
    '^  Waiting for the first .*: there is no nothing-yet.prof yet[.] q leaves[.]$' none.txt
running 1000000000 900000000 1000
shown 30x100 raw '=parallelism so far' '>first.txt' '+m' '=metric: work' '>work.txt' '+3' \
    '=metric: idleness' '+h' '=back' '+h' '=% idle' '+p' '=PAUSED' '+p' '=running' '+q' -- \
    "$prof" watch -M span w.prof
ended keys 'exit 0, same'
equal watch-fills-the-screen 30 "$(grep -c '' first.txt)"
has watch-state '^prof watch: .*   running$' first.txt
has watch-bar '^  [0-9. ]* %  work   *█' first.txt
has watch-sorted-by-span '^  % span   *+-  % work' first.txt
has watch-sorted-by-work '^  % work  % span' work.txt
has watch-alternate-screen "$escape\[?1049h" raw
has watch-colour "$escape\[32m" raw
has watch-screen-goes-last "$escape\[?1049l" raw
equal watch-functions "$("$prof" report --full w.prof 2>/dev/null |
    sed -n '/^ *% span  *+-/,$p' | sed 1d | awk '{ print $1, $2 }' | head -2)" \
    "$(sed -n '/% span   *+-/,$p' first.txt | sed 1d | awk '{ print $1, $2 }' | head -2)"
shown 24x80 raw '#24' '>24x80.txt' '@10x40' '#10' '>10x40.txt' '@3x40' '#3' '>3x40.txt' \
    '@1x9' '#1' '>1x9.txt' '@50x300' '#50' '>50x300.txt' '+q' -- "$prof" watch w.prof
ended sizes 'exit 0, same'
for size in 24x80 10x40 3x40 1x9 50x300; do
    # jq counts characters; some versions of awk count bytes
    equal "watch-columns-$size" '' \
        "$(jq -Rr --argjson w ${size#*x} 'select(length > $w)' $size.txt)"
done
shown 24x80 raw '=Waiting for the first checkpoint' '+q' -- "$prof" watch never.prof
ended never 'exit 0, same'
shown 24x80 raw '=q leave' '!15' -- "$prof" watch w.prof
ended term 'signal 15, same'
shown 24x80 raw '=q leave' "+$(printf '\003')" -- "$prof" watch w.prof
ended interrupt 'signal 2, same'
has watch-interrupt-restores "$escape\[?1049l" raw
shown 24x80 raw '=q leave' '!11' -- "$prof" watch w.prof
ended crash 'signal 11, same'
# Ctrl-Z: the shell has its terminal; fg brings the picture back
shown 24x80 raw '=q leave' "+$(printf '\032')" '=in the shell' '=q leave' '+q' -- \
    bash --norc -mc "'$prof' watch w.prof; stty -a | grep -q ' icanon' && echo in the shell; fg"
ended stop 'exit 0, same'
shown 24x80 raw '=running' '$cp paths.prof w.new && mv w.new w.prof' -- \
    "$prof" watch --no-screen w.prof
has_not watch-no-screen "$escape\[?" raw
running 1000000000 900000000 1000
for none in dumb ''; do
    TERM=$none ./drive 24x80 raw -- "$prof" watch paths.prof >ended.txt
    has_not "watch-plain <$none>" "$escape\[?" raw
done
NO_COLOR=1 LC_ALL=C TERM=xterm ./drive 24x80 raw '=q leave' '+q' -- "$prof" watch w.prof >ended.txt
has_not watch-no-color "$escape\[3[0-9]m" raw
has watch-ascii '  work   *###' raw
shown 24x80 raw '=q leave' '$echo damaged >w.new && mv w.new w.prof' '=not a libprof profile' \
    '>damaged.txt' '$cp paths.prof w.new && mv w.new w.prof' '=ended, exit status' -- \
    "$prof" watch w.prof
ended damaged-later 'exit 0, same'
has watch-damaged-keeps-figures 'parallelism so far' damaged.txt
equal watch-damaged-after 1 "$(after | grep -c 'prof: w.prof: not a libprof profile')"

# ---- a program ----
if [ -r "$build/libprof.so" ]; then
    status watch-status 7 "$prof" watch --no-report -o p.prof -- ./watched </dev/null
    equal watch-output 'output elsewhere, input at its end|the last line|' \
        "$(sed "s/$escape\[[0-9;]*m//g" out | tr '\n' '|')"
    equal watch-profile true "$("$prof" report --json p.prof 2>/dev/null | jq .program.complete)"
    equal watch-interval 3 "$("$prof" watch --no-report -i 3 -- ./victim env PROF_CHECKPOINT \
        2>/dev/null)"
    equal watch-interval-set 4 "$("$prof" watch --no-report -e PROF_CHECKPOINT=4 -- ./victim \
        env PROF_CHECKPOINT 2>/dev/null)"
    echo x | "$prof" watch --no-report -- ./watched 2>err >out
    has watch-input 'input there' out
    rm -f go
    shown 30x100 raw '=work so far 300   span so far 200 ' '=The program printed:' '>p.txt' \
        '$touch go' '=the last line' '=prof: wrote p.prof' -- \
        "$prof" watch -c virtual -o p.prof -- ./watched go
    ended program 'exit 7, same'
    has watch-parallelism 'parallelism so far 1.50 ' p.txt
    has watch-program-output '^  output on a terminal, input at its end$' p.txt
    has watch-program-stderr '^  to stderr$' p.txt
    after >after.txt
    titled="$escape]0;a title$(printf '\a')$escape]8;;a link$escape\\to stderr"
    equal watch-output-afterwards \
        "${escape}[31moutput${escape}[0m on a terminal, input at its end|$titled|the last line|" \
        "$(head -3 after.txt | tr '\n' '|')"
    has watch-report 'work 300   span 200 ' after.txt
    rm -f go
    shown 24x80 raw '=printed:' '+q' '=goes on, pid' '=on a terminal, input' '$touch go' \
        '=the last line' -- "$prof" watch --no-report -o p.prof -- ./watched go
    ended left 'exit 7, same'
    shown 24x80 raw '=printed:' "+$(printf '\003')" -- \
        "$prof" watch --no-report -o p.prof -- ./watched never
    ended program-interrupt 'signal 2, same'
    has watch-output-of-interrupted 'on a terminal, input' raw
    shown 24x80 raw '=q leave' '!15' -- "$prof" watch --no-report -- ./watched never
    ended program-term 'signal 15, same'
    for screen in '' --no-screen; do
        shown 24x80 raw "+$(printf '\n.')" '=running' '~' -- "$prof" watch $screen -c virtual \
            -o p.prof -- ./watched never
        ended "hang-up$screen" 'signal 1, same'
    done
    # A full disk loses no output. The picture may part a number in two: both parts are there.
    parted() { # NUMBER
        for i in 1 2 3 4 5; do
            end=$(echo "$1" | cut -c "$((i + 1))-")
            LC_ALL=C grep -aq "^$(echo "$1" | cut -c "-$i")$escape" raw &&
                tr -d '\r' <raw | LC_ALL=C grep -aq "[a-zA-Z]$end\$" && return
        done
        return 1
    }
    # In a user namespace no folder is safe for the link that a path with a blank needs.
    if case $(readlink -f "$prof") in *' '*) false ;; esac && unshare -rm true 2>/dev/null; then
        mkdir -p full
        shown 24x80 raw -- unshare -rm sh -c 'mount -t tmpfs -o size=64k none full &&
            TMPDIR=$PWD/full exec "$@"' sh "$prof" watch --no-report -o p.prof -- seq 100000 130000
        ended full-disk 'exit 0, same'
        grep -ao '1[0-3][0-9]\{4\}' raw | sort -u >found.txt
        seq 100000 130000 | sort | comm -23 - found.txt >missing.txt
        lost=0
        for number in $(head -9 missing.txt); do parted "$number" || lost=$((lost + 1)); done
        equal watch-full-disk-output "0 of $(head -9 missing.txt | grep -c '')" \
            "$lost of $(grep -c '' missing.txt)"
    else
        skip watch-full-disk "no user namespaces, or the tree's path has a blank"
    fi
    # under nohup both go on
    rm -f go
    shown 24x80 raw "+$(printf '\n.')" '=running' '~' '$touch go' -- \
        sh -c 'trap "" HUP; exec "$@"' sh "$prof" watch --no-report -c virtual -o p.prof -- \
        ./watched go
    ended hang-up-ignored 'exit 7, same'
    shown 24x80 raw -- "$prof" watch -- ./missing
    ended program-missing 'exit 127, same'
    has watch-missing 'prof: ./missing: No such file or directory' raw
    has_not watch-missing-no-screen "$escape" raw
    shown 24x80 raw '=No tasks were seen' -- "$prof" watch -- ./victim exit 3
    ended program-without-tasks 'exit 3, same'
else
    skip watch "no libprof.so in $build"
fi
