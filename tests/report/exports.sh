# exports.sh - a part of run.sh: every format of `prof export`, read by a program that was not
# written for libprof. Sums are those of the metrics in the order work span overhead idleness
# blocked own samples samples_on_span.
profiles basic empty bound counter wide paths scaled names recursion steep

sums_folded() { # PROFILE: of the six metrics that it knows
    for metric in work span overhead idleness blocked own; do
        "$prof" export -M $metric "$1" 2>/dev/null | awk '{ s += $NF } END { printf "%d ", s }'
    done
}
sums_pprof() { # FILE
    pprof_text "$1" | awk '/^sample \{/ { k = 0; on = 1 } /^\}/ { on = 0 }
        on && /^  value:/ { s[k++] += $2 }
        END { for (k = 0; k < 8; k++) printf "%d ", s[k] }'
}
sums_speedscope() { # FILE
    jq -r '[.profiles[] | ((.weights | add) // 0)] | join(" ")' "$1" | sed 's/$/ /'
}
sums_firefox() { # FILE: every sample's value is whole ns again
    jq -r '[(("work", "span", "overhead", "idleness", "blocked", "own", "samples",
        "samples_on_span") as $m |
        [.threads[] | select(.name == $m) | .samples |
        (if .weightType == "tracing-ms" then 1000000 else 1 end) as $unit | .weight[] | . * $unit |
        round] | add // 0)] |
        join(" ")' "$1" | sed 's/$/ /'
}
callgrind_totals() { # FILE: what callgrind_annotate prints
    callgrind_annotate --auto=no "$1" 2>callgrind.err |
        sed -n '/PROGRAM TOTALS/{s/([^)]*)//g; s/PROGRAM.*//; s/,//g; s/\./0/g; p}' |
        awk '{ printf "%s %s %s %s %s %s ", $1, $2, $3, $4, $5, $6 }'
}

# The totals are known. `scaled` has costs in thirds of a ns: no path of it costs a whole number.
export_sums() { # KIND SUMS
    kind=$1 sums=$2
    for format in pprof speedscope callgrind firefox gnuplot; do
        "$prof" export -f $format -o $kind.$format $kind.prof 2>/dev/null ||
            fail export-$kind-$format "status $?"
    done
    equal export-$kind-folded "$(echo "$sums" | cut -d ' ' -f 1-6) " "$(sums_folded $kind.prof)"
    equal export-$kind-pprof "$sums " "$(sums_pprof $kind.pprof)"
    equal export-$kind-speedscope "$sums " "$(sums_speedscope $kind.speedscope)"
    equal export-$kind-firefox "$sums " "$(sums_firefox $kind.firefox)"
    equal export-$kind-callgrind "$(echo "$sums" | cut -d ' ' -f 1-6) " \
        "$(callgrind_totals $kind.callgrind)"
    # without our totals it adds up the functions
    sed '/^summary:/d; /^totals:/d' $kind.callgrind >$kind.lines
    equal export-$kind-callgrind-lines "$(echo "$sums" | cut -d ' ' -f 1-6) " \
        "$(callgrind_totals $kind.lines)"
    equal export-$kind-callgrind-quiet '' "$(cat callgrind.err)"
}
export_sums basic '1000000000 250000000 0 0 0 5000000 0 0'
export_sums paths '1000000000 250000000 75000000 100000000 0 5000000 8 5'
export_sums scaled '1666668 333334 83334 11 0 5000000 8 5'
export_sums names '2000 1000 0 1200000000 0 5000000 3 2'
export_sums recursion '1000 1000 0 0 0 5000000 10 10'
export_sums empty '0 0 0 0 0 5000000 0 0'
export_sums steep "$("$prof" report --json --paths steep.prof |
    jq -r '.paths[0].all | [.work_ns, .span_ns, .overhead_ns, .idleness_ns, .blocked_ns, .own_ns,
    .samples, .samples_on_span] | join(" ")')"
json export-report-agrees '.program | [.work_ns, .span_ns]' '[1666668,333334]' scaled.prof

# The largest numbers stop at the largest int64, the type of pprof's values.
"$prof" export -f pprof -o wide.pprof wide.prof 2>/dev/null
equal export-wide-pprof \
    '9223372036854775807 9223372036854775807 9223372036854775807 9223372036854775807' \
    "$(pprof_text wide.pprof | sed -n 's/^  value: \([1-9].*\)/\1/p' | tr '\n' ' ' | sed 's/ $//')"

# ---- pprof: indexes lead somewhere ----
pprof_text paths.pprof | awk '
    /^[a-z_]+ \{/ { part = $1 } /^\}/ { part = "" }
    part == "sample_type" && /type:/ { types[nt++] = $2 }
    part == "sample_type" && /unit:/ { units[nu++] = $2 }
    part == "location" && /^  id:/ { location[$2] = 1 }
        part == "function" && /^  id:/ { function_[$2] = 1 }
    part == "sample" && /location_id:/ { used[$2] = 1 }
        part == "location" && /function_id:/ { called[$2] = 1 }
    /^string_table:/ { sub(/^string_table: "/, ""); sub(/"$/, ""); text[n++] = $0 }
    /^default_sample_type:/ { first = $2 }
    END {
        for (i in used) if (!location[i]) print "no location " i
        for (i in called) if (!function_[i]) print "no function " i
        for (i = 0; i < nt; i++) printf "%s/%s ", text[types[i]], text[units[i]]
        print "default " text[first] ", 0 is <" text[0] ">"
    }' >pprof.facts
types=
for metric in work span overhead idleness blocked own; do types="$types$metric/nanoseconds "; done
equal pprof-facts "${types}samples/count samples_on_span/count default span, 0 is <>" \
    "$(cat pprof.facts)"
"$prof" export -f pprof counter.prof 2>/dev/null | gzip -dc |
    protoc --proto_path="$schema" --decode=pprof.Profile pprof.proto >counter.txt
has pprof-counter-unit 'string_table: "instructions"' counter.txt
if command -v pprof >/dev/null; then
    go_pprof=pprof
elif command -v go >/dev/null && go tool -n pprof >/dev/null 2>&1; then
    go_pprof='go tool pprof'
else
    go_pprof=
fi
if [ -n "$go_pprof" ]; then
    for kind in paths scaled names recursion steep empty wide; do
        $go_pprof -raw $kind.pprof >$kind.raw 2>err || fail pprof-go-$kind "$(cat err)"
    done
    equal pprof-go-sums '1666668 333334 83334 11 0 5000000 8 5' \
        "$(awk '/^Locations/ { on = 0 } on { sub(/:.*/, ""); for (k = 1; k <= 8; k++) s[k] += $k }
        /^work\// { on = 1 }
            END { print s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8] }' scaled.raw)"
    has pprof-go-default 'span/nanoseconds\[dflt\]' scaled.raw
else
    skip pprof-go "neither pprof nor go is installed (golang-go takes 450 MB)"
fi

# ---- speedscope: the published schema's rules ----
for kind in paths scaled names recursion steep empty counter; do
    "$prof" export -f speedscope -M idleness $kind.prof 2>/dev/null | jq -c '
        (.shared.frames | length) as $n | [
            (."$schema" == "https://www.speedscope.app/file-format-schema.json"),
            (.profiles[.activeProfileIndex].name == "idleness"),
            ([.shared.frames[].name | type == "string" and length > 0] | all),
            ([.profiles[] | .type == "sampled" and .startValue == 0
                and .endValue == ((.weights | add) // 0)
                and (.samples | length) == (.weights | length)] | all),
            ([.profiles[].samples[] | length > 0 and (map(. >= 0 and . < $n) | all)] | all),
            ([.profiles[].weights[] | . > 0] | all)] | all' >speedscope.facts 2>&1
    equal speedscope-$kind true "$(cat speedscope.facts)"
done
equal speedscope-units '["nanoseconds","none"]' "$(jq -c '[.profiles[].unit] |
    unique' paths.speedscope)"
equal speedscope-counter \
    '["none","none","none","nanoseconds","nanoseconds","nanoseconds","none","none"]' \
    "$("$prof" export -f speedscope counter.prof 2>/dev/null | jq -c '[.profiles[].unit]')"

# Firefox Profiler: the types of its format, version 48 (src/types/profile and
# docs-developer/CHANGELOG-formats.md there)
for kind in paths scaled names recursion steep empty counter; do
    "$prof" export -f firefox -M work $kind.prof 2>/dev/null | jq -c '
        def columns($n; $names): .length == $n
            and ([to_entries[] | select(.key != "length") | (.value | length) == $n] | all)
                and ([keys[]] | sort) == (["length"] + $names | sort);
        def below($n): . == null or (type == "number" and . >= 0 and . < $n);
        [ (.meta | .preprocessedProfileVersion == 48 and .interval > 0
            and (.startTime | type) == "number" and (.product | length) > 0
            and (.categories | length) == 1 and .categories[0].color == "grey"
                and .categories[0].subcategories == ["Other"]),
          (.libs == [] and (.threads | length) > 0 and .threads[0].name == "work"),
          (.threads[] | (.stringArray | length) as $strings | .stackTable.length as $stacks |
              .frameTable.length as $frames | .funcTable.length as $funcs |
            ([.stringArray[] | type == "string"] | all),
            (.funcTable |
                columns($funcs; ["name", "isJS", "relevantForJS", "resource", "fileName",
                "lineNumber", "columnNumber"])
                and ([.name[] | . != null and below($strings)] | all)
                    and ([.fileName[] | below($strings)] | all) and ([.resource[] == -1] | all)),
            (.frameTable |
                columns($frames; ["address", "inlineDepth", "category", "subcategory", "func",
                "nativeSymbol", "innerWindowID", "implementation", "line", "column"])
                and ([.func[] | . != null and below($funcs)] | all)),
            (.stackTable | columns($stacks; ["frame", "category", "subcategory", "prefix"])
                and ([.frame[] | . != null and below($frames)] | all)
                and .prefix[0] == null
                    and ([.prefix | to_entries[1:][] | .value != null and .value < .key] | all)),
            (.samples | .length as $n | .length == (.stack | length)
                and .length == (.weight | length) and .length == (.time | length)
                and ([.stack[] | . != null and below($stacks)] | all) and (.time == (.time | sort))
                    and ([.weight[] > 0] | all)
                and (.weightType | . == "tracing-ms" or . == "samples")),
            ((.pid | type) == "string" and (.tid | type) == "number"
                and (.isMainThread | type) == "boolean" and .processType == "default"
                and .markers.length == 0 and .resourceTable.length == 0
                    and .nativeSymbols.length == 0))] | all' >firefox.facts 2>&1
    equal firefox-$kind true "$(cat firefox.facts)"
done
# a stack is the whole path, however deep
equal firefox-steep 2000 "$(jq -c '.threads[0].stackTable.prefix as $p |
    reduce range(1; $p | length) as $i ([1]; . + [.[$p[$i]] + 1]) | max' steep.firefox)"
equal firefox-names 'a\"b' "$(jq -c '.threads[0].stringArray' names.firefox | grep -o 'a\\"b' |
    head -1)"

# ---- callgrind: recursion is not counted twice ----
equal callgrind-inclusive \
    '1,000 app+0x401000 1,000 app+0x402000 700 app+0x403000 700 app+0x404000 ' \
    "$(callgrind_annotate --inclusive=yes --auto=no --show=Span recursion.callgrind |
    sed -n 's/^ *\([0-9,]*\) ([^)]*)  *???:\(app.*\)/\1 \2/p' | tr '\n' ' ')"
callgrind_annotate --tree=calling --inclusive=yes --auto=no --show=Span paths.callgrind >tree.txt
called='>   ???:app+0x402020'
has callgrind-calls "120,000,000 (48.00%)  $called\\|170,000,000 (68.00%)  $called" tree.txt

# ---- folded: what inferno and flamegraph.pl take for a line ----
for kind in paths scaled names recursion steep; do
    equal folded-shape-$kind '' "$("$prof" export $kind.prof 2>/dev/null |
        awk '!/^[^;]+(;[^;]+)* [1-9][0-9]*$/ { print NR ": " $0 }' | head -1)"
done
equal folded-cut '513 [...]' "$("$prof" export steep.prof | tail -1 |
    awk -F';' '{ print NF, $257 }')"
equal speedscope-cut '[513,"[...]"]' \
    "$(jq -c '[([.profiles[1].samples[] | length] | max), .shared.frames[-1].name]' \
    steep.speedscope)"

# ---- gnuplot ----
if command -v gnuplot >/dev/null; then
    for kind in basic names empty wide bound; do
        "$prof" export -f gnuplot -o $kind.gnuplot $kind.prof 2>/dev/null
        gnuplot -e "set terminal svg; set output '$kind.svg'" $kind.gnuplot 2>err
        equal gnuplot-$kind '0 1' "$(wc -c <err | tr -d ' ') $(grep -c '</svg>' $kind.svg)"
    done
else
    skip gnuplot "not installed"
fi
# what this run reached, where its clock counts time
equal gnuplot-run "$("$prof" report --json basic.prof 2>/dev/null |
    jq -r '.program | "\(.workers) \(.work_ns / .elapsed_ns * 1000 | round)"')" \
    "$(awk '/run << END/ { getline; printf "%d %.0f", $1, $2 * 1000 }' basic.gnuplot)"
./gen virtual >virtual.prof 2>/dev/null || ./gen run 100 100 2 virtual >virtual.prof
"$prof" export -f gnuplot -o - virtual.prof 2>/dev/null >virtual.gnuplot
has_not gnuplot-no-run 'this run' virtual.gnuplot
# the same as the report's: JSON has P = 2, 4, 8
equal gnuplot-bounds "$("$prof" report --json basic.prof 2>/dev/null |
    jq -c '[.program.speedup[:3][] | [.p, (.lower * 1000 | floor), .upper]]')" \
    "$(awk '/run << END/ { exit }
        $1 == 2 || $1 == 4 || $1 == 8 { printf "%s[%d,%d,%d]", c, $1, $2 * 1000, $3;
    c = "," }' basic.gnuplot | sed 's/.*/[&]/')"

# ---- all formats: hostile names, the same output twice, errors ----
for format in folded pprof speedscope callgrind firefox gnuplot; do
    "$prof" export -f $format names.prof >names.out 2>/dev/null
    "$prof" export -f $format names.prof >again.out 2>/dev/null
    equal export-same-twice-$format 0 "$(cmp names.out again.out >/dev/null; echo $?)"
    [ $format = pprof ] && gzip -dc names.out |
        protoc --proto_path="$schema" --decode=pprof.Profile pprof.proto |
        sed -n 's/^string_table: //p' >again.out && mv again.out names.out
    has_not export-no-controls-$format "$(printf '[\001-\010\013-\037\177]')" names.out
    equal export-utf8-$format 0 "$(iconv -f UTF-8 -t UTF-8 names.out >/dev/null 2>&1; echo $?)"
    [ -w /dev/full ] && status export-full-disk-$format 2 sh \
        -c "'$prof' export -f $format steep.prof >/dev/full"
    has export-full-disk-line-$format 'cannot write the export: No space left' err
done
equal export-runs-nothing 0 "$(ls | grep -c hurt)"
equal export-names '["a\"b'"'"';c\\x0a1\\x0d\\x09d\\e=\\xffé\\x1b[1m+0x400010"]' \
    "$(jq -c '[.shared.frames[1].name]' names.speedscope)"
status export-formats 2 "$prof" export -f bogus paths.prof
has export-formats-line 'the formats are folded, pprof, speedscope, callgrind, firefox, gnuplot' err
if command -v script >/dev/null; then
    status export-no-terminal 2 script -qec "'$prof' export -f pprof paths.prof" /dev/null
    has export-no-terminal-line 'pprof is binary: give --output' out
else
    skip export-no-terminal 'no script(1)'
fi
if [ -n "$vg" ]; then
    for format in pprof speedscope callgrind firefox gnuplot; do
        status valgrind-export-$format 0 $vg "$prof" export -f $format -o vg.out names.prof
        has_not valgrind-export-$format-silent '^==' err
    done
fi
