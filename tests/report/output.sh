# output.sh - a part of run.sh: what --output overwrites and what it leaves; options that exclude
# each other; what is printed but cannot be written; a few cases of export, what-if and report.
profiles basic paths whatif self flat
mkdir nothing

# ---- a profile is not overwritten, and an old report only by a new one ----
for command in report annotate export view 'run --report-to'; do
    short=${command%% *}
    if [ $short = view ] && "$prof" view -o page.html basic.prof 2>&1 | grep -q 'without its page'
    then
        skip output-profile-view 'built without its page'
        continue
    fi
    cp basic.prof kept.prof
    case $short in
    run) one_line output-profile-run 'prof does not overwrite it' "$prof" run --report-to \
        kept.prof -o ran.prof true ;;
    *) one_line "output-profile-$short" 'prof does not overwrite it' "$prof" $command \
        -o kept.prof kept.prof ;;
    esac
    equal "output-profile-kept-$short" 0 "$(cmp basic.prof kept.prof >/dev/null; echo $?)"
done
one_line output-profile-diff 'prof does not overwrite it' "$prof" diff -o kept.prof \
    basic.prof kept.prof
for command in report annotate export; do
    echo old >old.txt
    rm -f new.txt
    status "output-unread-$command" 2 "$prof" $command -o old.txt missing.prof
    equal "output-old-kept-$command" old "$(cat old.txt)"
    status "output-unread-new-$command" 2 "$prof" $command -o new.txt missing.prof
    equal "output-nothing-new-$command" '' "$(ls new.txt 2>/dev/null)"
    yes old 2>/dev/null | head -100000 >old.txt
    COLUMNS=140 "$prof" $command -o old.txt paths.prof 2>/dev/null
    equal "output-shorter-$command" "$(COLUMNS=140 "$prof" $command paths.prof 2>/dev/null |
        cksum)" "$(cksum <old.txt)"
    COLUMNS=140 "$prof" $command -o - paths.prof 2>/dev/null >dash.txt
    equal "output-dash-$command" "0 $(cksum <old.txt)" "$(ls | grep -cx -e -) $(cksum <dash.txt)"
    ln -sf elsewhere.txt link.txt
    rm -f elsewhere.txt
    COLUMNS=140 "$prof" $command -o link.txt paths.prof 2>/dev/null
    equal "output-link-$command" 0 "$(cmp old.txt elsewhere.txt >/dev/null; echo $?)"
    [ -w /dev/full ] && status "output-full-$command" 2 "$prof" $command -o /dev/full paths.prof
done

# ---- what is printed arrives, or prof fails ----
if [ -w /dev/full ]; then
    for command in help --version 'help run' 'report --help' 'whatif whatif.prof' \
        'whatif --json whatif.prof' doctor; do
        status "full-disk $command" 2 sh -c "'$prof' $command >/dev/full"
    done
fi
status help-help 0 "$prof" help --help
has help-help-text '^usage: prof COMMAND' out

# ---- export, too, takes the newest profile ----
mkdir newest && cp basic.prof newest/old.prof && touch -d '2001-01-01' newest/old.prof &&
    cp paths.prof newest/new.prof
equal export-newest "$("$prof" export paths.prof 2>/dev/null | cksum)" \
    "$( (cd newest && "$prof" export 2>err) | cksum)"
has export-newest-said 'the newest profile here is new.prof' newest/err
one_line export-none 'no \*.prof' sh -c "cd nothing && '$prof' export"
one_line export-two 'export takes one FILE' "$prof" export basic.prof paths.prof

# ---- one form at a time ----
for command in 'report --json --csv basic.prof' 'report --csv --json basic.prof' \
    'report --json --cilkscale basic.prof' 'diff --json --csv basic.prof paths.prof' \
    'diff --json basic.prof -- --csv paths.prof' 'predict --json --csv basic.prof' \
    'run --json --csv true'; do
    one_line "forms: $command" '--json and --csv: give one of the two' "$prof" $command
done
one_line 'forms: bench' 'one of the three' "$prof" bench --csv --gnuplot --from none.json
status forms-same-again 0 "$prof" report --csv --csv --cilkscale basic.prof

# ---- what-if: code that is named has the figures that it has as a proposal ----
text=0x$(readelf -SW "$prof" | sed -n 's/.* \.text  *PROGBITS  *\([0-9a-f]*\) .*/\1/p')
./gen self "$text" >self.prof
"$prof" whatif --json self.prof >proposed.json 2>/dev/null
candidate=$(jq -r '[.candidates[] | select(.samples_on_span > 0)][0].name' proposed.json)
for name in "$candidate" "${candidate%@own}"; do
    "$prof" whatif --json -f "$name" self.prof >named.json 2>err
    equal "whatif-named $name" "$(jq -c --arg n "$candidate" '[.candidates[] |
        select(.name == $n)][0]' proposed.json)" "$(jq -c '.candidates[0]' named.json)"
done
# no sample hit the critical path: what a candidate could bring is not known
./gen self "$text" unhit >unhit-self.prof
"$prof" whatif --json unhit-self.prof >unhit.json 2>/dev/null
equal whatif-unhit '[0,null]' \
    "$(jq -c '.candidates[0] | [.samples_on_span, .parallelism_at_most]' unhit.json)"
COLUMNS=300 "$prof" whatif unhit-self.prof >unhit.txt 2>/dev/null
has whatif-unhit-words '[?]: not known. Tasks in which the candidate runs have up to' unhit.txt
has whatif-named-found '"samples_on_span": [1-9]' named.json
status whatif-named-unknown 2 "$prof" whatif -f nowhere self.prof
has whatif-named-unknown-line 'nowhere: this profile does not show what that costs' err
status whatif-named-some 0 "$prof" whatif -f nowhere -f "$candidate" self.prof
has whatif-named-some-text "^ *[0-9.]* .*[1-9]  .*$candidate" out
has_not whatif-named-no-zeros nowhere out
"$prof" run --no-report -o ran.prof --delay nowhere=2 true 2>err
has delay-is-named '^prof: nowhere: there is no code' err
has_not delay-is-no-whatif whatif err
one_line bench-from-profile 'not the JSON that prof bench writes' "$prof" bench --from basic.prof

# ---- who calls 100,000 functions is found about as fast as they are listed ----
wants "$part/callers-of-many" && {
    cpu_ms() { bash -c 'TIMEFORMAT=%U; time "$@" >/dev/null 2>&1' - "$@" 2>&1 | tr -d .; }
    listed=$(cpu_ms "$prof" report -a --paths flat.prof)
    called=$(cpu_ms "$prof" report -a --callers flat.prof)
    result callers-of-many \
        "$([ "${called#"${called%%[!0]*}"}" -lt $((8 * ${listed#"${listed%%[!0]*}"} + 8)) ] ||
            echo "$called ms of CPU time, paths $listed")"
}
