#!/bin/sh
# check.sh BUILD - prof bench: its arithmetic and words on given trials, hostile files, and runs of
# which the structure, not the times, are checked. One PASS or FAIL line a case.
build=$(cd "$1" && pwd) || exit 1
shift
here=$(cd "$(dirname "$0")" && pwd)
prof=$build/prof
tmp=$(mktemp -d) || exit 1
suite=scaling only=$* failures=0
. "$here/../case.sh"
. "$here/../cpu.sh"
trap 'rm -rf "$tmp" "$cpu_tmp"' EXIT
cd "$tmp" || exit 1
unset COLUMNS NO_COLOR PROF_OUTPUT PROF_CLOCK PROF_BURDEN LD_PRELOAD OMP_NUM_THREADS
export LC_ALL=C TZ=UTC
echo 'leak:libdw.so' >lsan        # what libdw keeps to the end
export LSAN_OPTIONS="suppressions=$tmp/lsan:print_suppressions=0"

pass() { result "$1" ''; }
fail() { result "$1" "$2"; }
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
warnings() { derived '[.words[] | select(.mark == "warning") | .cause] | join(" ")'; }
# ID SHARE: a finding of a profile of 100 ms on two workers, at f (a.c:7); +- a tenth
finding() {
    jq -cn --arg id "$1" --argjson share "$2" '($share * 1e8) as $gain | { id: $id, gain_ns: $gain,
        gain_low_ns: ($gain * 0.9), gain_high_ns: ($gain * 1.1), share: $share,
        worker_ns: (2 * $gain), place: { function: "f", file: "/x/a.c", line: 7 },
        text: "f (a.c:7) has \($id).", remedy: "Change it." }'
}
derives() { equal "$1" "$2" "$(derived "$3")"; }          # NAME EXPECTED FILTER
# NAME REGEX...: of one of the words, unbroken; a blank stands between the parts
says() { name=$1; shift; derives "$name" 1 "[.words[].text | select(test(\"$*\"))] | length"; }
has_words() { "$prof" bench --from given.json >out; has "$1" "$2" out; }    # NAME PATTERN

. "$here/words.sh"
# ---- forms ----
given '{"p": [1,2,4], "baseline": [90,110], "native": {"1": [100,140], "2": [60,100], "4": [70,80]},
    "idle": {"2": 20, "4": 30}, "span": 20, "burdened": 25}'
"$prof" bench --from given.json --json >once.json
"$prof" bench --from once.json --json >twice.json
equal saved-is-the-same 0 "$(cmp once.json twice.json >/dev/null; echo $?)"
"$prof" bench --from given.json --csv >given.csv
equal csv '4 35' "$(awk -F, '{ print NF }' given.csv | sort -u |
    sed "s/^/$(grep -c '' given.csv) /")"
equal csv-values '2,0,2,80000000,80000000,60000000,100000000' \
    "$(sed -n 3p given.csv | cut -d, -f 1-7)"
for width in 80 100 140 200; do
    COLUMNS=$width "$prof" bench --from given.json >wide.txt
    equal width-$width 0 "$(awk -v w=$width 'length > w' wide.txt | grep -c '')"
    has_not trailing-blanks-$width ' $' wide.txt
done
has strip '\[[.*]*\]' wide.txt
has bar '^ *2  #\{37,38\}a\{7,8\}[.]\{7,8\}~\{7,8\}$' wide.txt
has shares '^ *2  *62.5 .*  12.5  *12.5 .*  12.5 ' wide.txt
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
    "idle": {"2": 20},
    "findings": {"1": ['"$(finding serial 0.2)"'], "2": ['"$(finding io 0.2)"']}}'
edit '.command = ["\u001b[31mred", "a\nb"] |
    (.trials[].profile.findings? // [] | .[].text) = "\u001b]0;x\u0007" |
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
    for key in format_version kind command baseline control processors rounds machine \
        functions trials .machine.allowed_cpus .machine.loop_one_ns \
        .trials[0].p .trials[0].kind .trials[0].wall_ns .trials[0].exit_status .trials[2].profile \
        .trials[6].profile.findings .trials[6].profile.findings[0] \
        .trials[6].profile.findings[0].id .trials[6].profile.findings[0].gain_ns \
        .trials[6].profile.findings[0].share .trials[6].profile.findings[0].place \
        .trials[6].profile.findings[0].place.line .trials[6].profile.findings[0].text \
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
jq '.format_version = 3' given.json >other.json
status later-version 2 "$prof" bench --from other.json
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
    status "workers-$p" 2 "$prof" bench "-n$p" true
    has "workers-$p-line" "^prof: --workers $p: " err
done
status trials 2 "$prof" bench -t 0 true
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

. "$here/numbers.sh"
. "$here/runs.sh"
