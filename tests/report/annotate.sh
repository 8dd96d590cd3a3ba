# annotate.sh - a part of run.sh: prof annotate on `sites`, each line of which has a known cost.
profiles bound paths scaled names recursion steep flat wide basic empty random
lines_profile
"$prof" annotate --json lines.prof >lines.json 2>err
equal annotate-quiet '' "$(cat err)"
# the i-th address was hit i times: direct 1, outlined 2, standard 3, helper 4, twice 5 and 6,
# templated 7
for mark in direct:1 outlined:2 standard:3 helper:4 twice:11 templated:7; do
    line=$(grep -n "// SITE ${mark%:*}\$" "$here/sites.cpp" | cut -d: -f1)
    n=${mark#*:}
    equal "annotate-${mark%:*}" "[${n}000,${n}00,$n,true]" \
        "$(jq -c --argjson n "$line" '.files[] | select(.file | endswith("/sites.cpp")) | .lines[] |
        select(.line == $n) |
        [.self.work_ns, .self.span_ns, .self.samples, (.text | contains("// SITE "))]' lines.json)"
done
for metric in work_ns span_ns overhead_ns idleness_ns blocked_ns own_ns samples samples_on_span \
    tasks; do
    equal "annotate-sum-$metric" "$(jq ".total.$metric" lines.json)" \
        "$(jq "([.files[].lines[].self.$metric] | add) + .no_line.$metric + .unsampled.$metric" \
        lines.json)"
done
equal annotate-is-the-report "$("$prof" report --json lines.prof 2>/dev/null |
    jq -c '.program | [.work_ns, .span_ns]')" "$(jq -c '.total | [.work_ns, .span_ns]' lines.json)"
equal annotate-unsampled '[777,77,3]' "$(jq -c '.unsampled |
    [.work_ns, .span_ns, .tasks]' lines.json)"
# files add up as well, and a frame that only leads to others costs nothing of its own
equal annotate-files 0 "$(jq '[.files[] | .self.work_ns - ([.lines[].self.work_ns] | add)] |
    add' lines.json)"
line=$(grep -n 'helper();$' "$here/sites.cpp" | cut -d: -f1)
equal annotate-callees "[0,4000,[\"(anonymous namespace)::Matrix::multiply\"]]" \
    "$(jq -c --argjson n "$line" '.files[] | select(.file | endswith("/sites.cpp")) | .lines[] |
    select(.line == $n) | [.self.work_ns, .all.work_ns, .functions]' lines.json)"
for kind in paths scaled names recursion steep flat wide basic empty; do
    "$prof" annotate --json $kind.prof >one.json 2>/dev/null || fail "annotate-$kind" "status $?"
    equal "annotate-total-$kind" "$(jq -c '.total |
        [.work_ns, .span_ns, .overhead_ns, .idleness_ns, .blocked_ns, .own_ns, .samples, .tasks]' \
        one.json)" \
        "$(jq -c '[.files[].lines[].self, .no_line, .unsampled] as $all |
        ["work_ns", "span_ns", "overhead_ns", "idleness_ns", "blocked_ns", "own_ns", "samples",
        "tasks"] | map(. as $k | [$all[][$k]] | add)' one.json)"
done

"$prof" annotate lines.prof >annotate.txt 2>err
has annotate-text '// SITE direct$' annotate.txt
has annotate-text-function ' -- direct, outlined' annotate.txt
has annotate-text-remainder 'Not at a line: .* are in code without lines' annotate.txt
has_not annotate-no-color "$(printf '\033')" annotate.txt
n=$(grep -n '// SITE helper$' "$here/sites.cpp" | cut -d: -f1)
all=$(jq .total.work_ns lines.json)
has annotate-share "^ *[0-9.]* *$(awk \
    "BEGIN { printf \"%.1f\", 4000 * 100 / $all }") .* $n  *group.run(\"helper\"" annotate.txt
for width in 80 100 120; do
    COLUMNS=$width "$prof" annotate -a -w lines.prof >wide.txt 2>/dev/null
    equal annotate-width-$width '' "$(awk -v w=$width 'length > w' wide.txt | head -1)"
    has_not annotate-blanks-$width ' $' wide.txt
done
COLUMNS=400 "$prof" annotate --whole -s sites.cpp lines.prof >whole.txt 2>/dev/null
equal annotate-whole "$(wc -l <"$here/sites.cpp")" \
    "$(grep -c '^ .\{42,\}[0-9]  *\|^ *[0-9]*$\| [0-9]*$' whole.txt >/dev/null
        awk '/^  % span/ { on = 1; next } on && $0 == "" { exit } on && !/^  (--|\^)/ { n++ }
            END { print n }' whole.txt)"
"$prof" annotate -f twice lines.prof >one.txt 2>/dev/null
has annotate-function 'group.run("twice"' one.txt
has_not annotate-function-alone '// SITE direct$' one.txt
"$prof" annotate -f Matrix::multiply lines.prof >one.txt 2>/dev/null
has annotate-method 'helper();$' one.txt
"$prof" annotate -s "report/sites.cpp:$n" -C 1 lines.prof >one.txt 2>/dev/null
has annotate-place '// SITE helper$' one.txt
one_line annotate-no-function \
    '\-\-function nix: nothing that was measured is there; the hottest are' \
    "$prof" annotate -f nix lines.prof
one_line annotate-no-source \
    '\-\-source nix.c: nothing that was measured is there; the hottest are .*sites.cpp' \
    "$prof" annotate -s nix.c lines.prof
one_line annotate-both 'either --function or --source' "$prof" annotate -s nix.c -f nix lines.prof
one_line annotate-metric 'the metrics are span' "$prof" annotate -M nix lines.prof
one_line annotate-limit 'not a number of files' "$prof" annotate -n x lines.prof
one_line annotate-two 'takes one FILE' "$prof" annotate lines.prof lines.prof
one_line annotate-damaged 'not a libprof profile' "$prof" annotate random.prof
one_line annotate-full-disk-file 'No such file' "$prof" annotate -o /nonexistent/x lines.prof
[ -w /dev/full ] && status annotate-full-disk 2 sh -c "'$prof' annotate lines.prof >/dev/full"

# ---- for editors ----
"$prof" annotate -a --sarif lines.prof >lines.sarif 2>err
equal sarif-quiet '' "$(cat err)"
equal sarif-head '["2.1.0",1,"libprof"]' \
    "$(jq -c '[.version, (.runs | length), .runs[0].tool.driver.name]' lines.sarif)"
equal sarif-rules '[]' "$(jq -c '[.runs[0] | [.tool.driver.rules[].id] as $known | .results[] |
    select([.ruleId] - $known != [] or .message.text == null or
        (.level == "note" or .level == "warning" | not))]' lines.sarif)"
equal sarif-rules-of-causes "$(sed -n 's/^CAUSE([A-Z_]*, "\(.*\)",$/\1/p' \
    "$here/../../report/analysis/causes.def"; echo line)" \
    "$(jq -r '.runs[0].tool.driver.rules[].id' lines.sarif)"
equal ids-documented '' "$(jq -r '.runs[0].tool.driver.rules[:-1][].id' lines.sarif |
    while read -r id; do
        sed -n '/^## `findings`/,/^## `ledger`/p' "$here/../../docs/JSON.md" |
            grep -q "^| \`$id\` |" || echo "$id"
    done)"
# of a line that is known, the shares of the listing
share=$(awk "BEGIN { printf \"%.1f\", 4000 * 100 / $all }")
equal sarif-line "$share" \
    "$(jq -r --argjson n "$n" --arg uri "file://$(realpath "$here/sites.cpp" | sed 's/ /%20/g')" \
    '.runs[0].results[] | select(.ruleId == "line" and
        .locations[0].physicalLocation.artifactLocation.uri == $uri and
        .locations[0].physicalLocation.region.startLine == $n) | .message.text' lines.sarif |
    sed 's/.*critical path, \([0-9.]*\) % of the work.*/\1/')"
# the findings are those of the report: at their places, or of the run
for kind in lines bound paths; do
    "$prof" report --json $kind.prof >report.json 2>/dev/null
    equal sarif-$kind "$(jq -c '[.findings[] | [.id, .text + " " + .remedy, .gain_ns, .gain_low_ns,
        .gain_high_ns, .share]] | sort' report.json)" \
        "$("$prof" annotate --sarif $kind.prof 2>/dev/null | jq -c '.runs[0] |
        [(.results[] | select(.ruleId != "line")),
            (.invocations[0].toolExecutionNotifications[] | .ruleId = .associatedRule.id)] |
        map([.ruleId, .message.text] + (.properties |
            [.gain_ns, .gain_low_ns, .gain_high_ns, .share])) | sort')"
done
# Without a location, viewers drop or misplace a result. What is about no line is of the run.
placed='[.runs[0].results[] | select(.locations | length != 1)] | length'
for kind in lines bound paths names wide empty; do
    equal sarif-located-$kind 0 \
        "$("$prof" annotate --sarif -a $kind.prof 2>/dev/null | jq "$placed")"
done
"$prof" report --json lines.prof >report.json 2>/dev/null
at_line='.place | select((.file // "" | endswith("/sites.cpp")) and .line) | .line'
equal sarif-findings "$(jq -c "[.findings[] | $at_line] | sort" report.json)" \
    "$(jq -c '[.runs[0].results[] | select(.ruleId != "line") |
        .locations[0].physicalLocation.region.startLine] | sort' lines.sarif)"
equal sarif-placed true "$(jq "[.findings[] | $at_line] | length > 1" report.json)"
equal sarif-unplaced "$(jq '[.findings[] | select(.place.line | not)] | length' report.json)" \
    "$(jq '.runs[0].invocations[0].toolExecutionNotifications | length' lines.sarif)"
# in the text, each is below its line
equal annotate-findings "$(jq -r ".findings[] | $at_line" report.json | sort -n)" \
    "$(awk '/^  \^/ { print line; next }
        { line = "" }
        match($0, /^ [ 0-9.]* [0-9]+  /) { n = split(substr($0, 1, RLENGTH), part, " ");
            line = part[n] }' whole.txt)"
equal annotate-findings-json "$(jq -c .findings report.json)" "$(jq -c .findings lines.json)"
for kind in names wide empty; do
    status sarif-$kind 0 "$prof" annotate --sarif -a $kind.prof
    equal sarif-places-$kind '[]' "$(jq -c '[.runs[0].results[].locations[]? |
        .physicalLocation | select((.artifactLocation.uri | test("^file:///[!-~]*$") | not) or
            .region.startLine < 1)]' out)"
done

# A source that is newer than the run, than the binary, that is gone, that is no source.
mkdir moved
cp "$here/sites.cpp" "$here/record.h" moved/
cp -r "$here/include" moved/include
(cd moved && g++ -std=c++17 -O2 -g -Iinclude sites.cpp -o sites 2>gcc.log) ||
    fail build-moved "$(head -3 moved/gcc.log)"
moved() { BUILD_ID=$(build_id moved/sites) STARTED=$1 ./gen lines \
    $(moved/sites) >moved.prof && "$prof" annotate moved.prof >moved.txt 2>moved.err; }
now=$(date +%s)
touch -d "@$((now - 10))" moved/sites.cpp
moved ${now}000000000
has_not annotate-not-newer 'newer than' moved.txt
touch -d "@$((now + 100))" moved/sites.cpp
moved ${now}000000000
has annotate-newer-than-run 'newer than the run' moved.txt
moved $((now + 1000))000000000
has annotate-newer-than-binary 'newer than the binary' moved.txt
head -20 "$here/sites.cpp" >moved/sites.cpp
moved ${now}000000000
has annotate-shorter 'it is not the source that' moved.txt
rm moved/sites.cpp
moved ${now}000000000
has annotate-gone 'cannot be shown: No such file or directory' moved.txt
has annotate-gone-lines "^.* $n  .*helper" moved.txt
printf 'int x;\0' >moved/sites.cpp
moved ${now}000000000
has annotate-binary 'cannot be shown: not a text' moved.txt
printf '\033[31mhurt\tx\377\n%.0s' $(seq 80) >moved/sites.cpp
moved ${now}000000000
has_not annotate-hostile "$(printf '[\001-\010\013-\037\177\200-\237]')" moved.txt
has annotate-hostile-text '\\x1b\[31mhurt' moved.txt
if command -v script >/dev/null; then
    script -qec "NO_COLOR= TERM=xterm '$prof' annotate lines.prof" \
        /dev/null >tty.txt 2>&1 </dev/null
    has annotate-tty-color "$(printf '\033\\[3[13]m')" tty.txt
fi
"$prof" annotate names.prof >names.txt 2>/dev/null
has_not annotate-names "$(printf '[\001-\010\013-\037\177\200-\237]')" names.txt
damage annotate-flip bound.prof flip 100 "$prof" annotate
if [ -n "$vg" ]; then
    for kind in lines wide names; do
        status valgrind-annotate-$kind 0 $vg "$prof" annotate -a $kind.prof
        has_not valgrind-annotate-$kind-silent '^==' err
    done
    status valgrind-annotate-json 0 $vg "$prof" annotate --json lines.prof
    status valgrind-annotate-sarif 0 $vg "$prof" annotate --sarif -a lines.prof
    status valgrind-annotate-nothing 2 $vg "$prof" annotate -f nix lines.prof
fi
