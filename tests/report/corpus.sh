# corpus.sh - a part of run.sh: the files that fuzzing kept (tests/fuzz/corpus: real files with
# right checksums, and some with wrong ones), and the seeds that it grew them from. Whatever a file
# holds, every command ends by itself: with status 0, or all with 2 and one line that names the
# reason.
corpus=$here/../fuzz/corpus
profiles basic paths self
mkdir corpus && cp "$corpus"/* self.prof paths.prof basic.prof corpus/
has_page && pages=1 || { has corpus-no-page 'built without its page' err; pages=; }
replay() { # FILE: prints what is wrong
    first=
    while read -r options; do
        case $options in view*) [ -n "$pages" ] || continue ;; esac
        "$prof" $options "$1" >corpus.out 2>corpus.err
        code=$?
        [ $code = 0 ] || [ $code = 2 ] || echo "prof $options $1: status $code"
        [ "${first:=$code}" = $code ] ||
            echo "prof $options $1: status $code, the first command's was $first"
        [ $code = 2 ] && { [ "$(wc -l <corpus.err)" = 1 ] &&
            [ ! -s corpus.out ]; } || [ $code = 0 ] || echo "prof $options $1: more than one line"
    done <<'COMMANDS'
report -m all -a -p -c -l --frames
report -a --raw --unfolded --physical --effort -p -M blocked --overhead f
report --json --paths
report --csv --paths
report --csv --totals
report --cilkscale
export -f folded -M work
export -f pprof
export -f speedscope
export -f callgrind --physical
export -f firefox
export -f gnuplot
view -o -
COMMANDS
}
wrong=$(for file in corpus/*; do replay "$file"; done)
# A file merged with another makes a profile again. A file that is no profile, or has another clock,
# leaves the other one as it was.
merged() { # FILE
    rm -f merged.prof
    "$prof" merge -o merged.prof "$1" paths.prof >/dev/null 2>corpus.err
    code=$?
    [ $code = 0 ] || [ $code = 2 ] || echo "prof merge $1: status $code"
    [ -f merged.prof ] && "$prof" report -p merged.prof >/dev/null 2>corpus.err ||
        echo "prof merge $1 paths.prof: $(tail -1 corpus.err)"
}
result corpus-merged "$(for file in corpus/*; do merged "$file"; done | head -3)"
result "corpus ($(ls corpus | wc -l) files)" "$(echo "$wrong" | head -3)"
[ "$(ls "$corpus" | wc -l)" -ge 20 ] && pass corpus-is-there ||
    fail corpus-is-there "$(ls "$corpus" | wc -l) files"
