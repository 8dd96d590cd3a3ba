# walkthrough.sh - sourced by check.sh: the pages docs/WALKTHROUGH*.md. Their commands print what
# the pages quote: the function, the line and the finding. Each repair that a page claims is
# checked: in the profiles, and in median times without libprof.
top=$here/../..
page() { # PAGE: PAGE.out is the directory of its commands
    rm -rf "$1.out"
    sh "$top/docs/walkthrough.sh" "$build" "$top/docs/$1.md" "$tmp/$1.out" 2>&1 >/dev/null
}
figure() { # PROFILE FILTER
    "$prof" report --json "$1" 2>/dev/null | jq "$2"
}
holds() { # WHAT CONDITION: one of awk's
    awk "BEGIN { exit !($2) }" </dev/null || echo "$1: not $2"
}
median() { sort -n "$1" | sed -n '3s/ ms//p'; }
sooner() { # PAGE FACTOR: the median of the mended program's times is below FACTOR of the other's
    holds elapsed "$(median "$1.out/build/new") < $2 * $(median "$1.out/build/old")"
}
shorter() { # PAGE PROFILE FACTOR: the same of the span
    new=$(figure "$1.out/build/mended.prof" .program.span_ns)
    holds span "$new < $3 * $(figure "$1.out/build/$2" .program.span_ns)"
}
mended_similar() {
    page WALKTHROUGH
    shorter WALKTHROUGH similar.prof 0.7
    sooner WALKTHROUGH 0.8
}
mended_pack() {
    page WALKTHROUGH-PIPELINE
    shorter WALKTHROUGH-PIPELINE pack.prof 0.7
    sooner WALKTHROUGH-PIPELINE 1
}
mended_integrate() {
    page WALKTHROUGH-OPENMP
    line=$(sed -n '/omp task /=' "$top/examples/openmp/integrate.c")
    found=$(figure WALKTHROUGH-OPENMP.out/build/integrate.prof \
        '[.findings[] | select(.id == "small_tasks").place.line] | first')
    [ "$found" = "$line" ] || echo "small tasks: of line $found, not $line"
    found=$(figure WALKTHROUGH-OPENMP.out/build/mended.prof \
        '[.findings[] | select(.id == "small_tasks")] | length')
    [ "$found" = 0 ] || echo "the mended tasks are small"
    sooner WALKTHROUGH-OPENMP 0.7
}
result walkthrough "$(patiently mended_similar)"
result walkthrough-openmp "$(patiently mended_integrate)"
result walkthrough-pipeline "$(patiently mended_pack)"

# make demo ends in the line to change.
demo() {
    sh "$top/examples/demo.sh" "$build" bundled >demo.txt 2>&1 || echo "status $?"
    line=$(sed -n '/Pair best = most_similar(all, rows/=' "$top/examples/similar.cpp")
    grep -q "^The line to change: similar.cpp:$line\$" demo.txt || echo "demo: $(tail -3 demo.txt)"
}
result demo "$(patiently demo)"

# The script fails where a page is wrong.
told_wrong() { # LINE PROSE EXPECTED
    printf 'About %s.\n\n    $ echo "it took 12.5 ms at here.c:7 in f (f.c:7)"\n    %s\n' \
        "$2" "$1" >p.md
    said=$(sh "$top/docs/walkthrough.sh" "$build" p.md 2>&1 >p.out)
    code=$?
    case "$code $said" in $3) ;; *) echo "$1, $2: $code $said" ;; esac
}
page_script() {
    told_wrong 'it took 980 us at here.c:7' '980 us' '0 '
    grep -q '^    it took 12.5 ms at here.c:7' p.out || echo "the page: $(cat p.out)"
    told_wrong 'it took 980 us at here.c:8' '980 us' '1 p.md*does not print*'
    told_wrong 'it took 980 us at there.c:7' '980 us' '1 p.md*does not print*'
    told_wrong 'it took 980 us at here.c:7' '97 %' '1 p.md*names 97*'
    told_wrong 'it took 980 us at here.c:7 in f (f.c:9)' '980 us' '0 '
    told_wrong 'it took 980 us at here.c:7 in g (f.c:7)' '980 us' '1 p.md*does not print*'
}
result walkthrough-script "$(page_script)"
