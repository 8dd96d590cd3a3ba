# widths.sh - a part of run.sh: tables and words on narrow and broad terminals. text.sh and paths.sh
# have a few more such cases, of their own profiles (width-*, paths-narrow*).
profiles basic paths whatif

# ---- narrow terminals ----
./gen run 100 300 2 >fast.prof
./gen run 300 100 1 >slow-run.prof
for width in 60 70 80 100; do
    for command in 'report -p -c -l' 'whatif' 'diff fast.prof' 'diff fast.prof fast.prof --'; do
        case $command in *--) set -- fast.prof slow-run.prof ;; *) set -- slow-run.prof ;; esac
        equal "narrow-$width $command" '' "$(COLUMNS=$width "$prof" $command "$@" 2>/dev/null |
            grep -v '^Parallelism is\|^[AB]:' | awk -v w=$width 'length > w' | head -1)"
    done
done
COLUMNS=60 "$prof" report --full basic.prof >narrow.txt 2>/dev/null
has narrow-bracket '^ *(measured from 12 steals in this run)$' narrow.txt
has_not narrow-no-column-no-word 'par.: work per span' narrow.txt
COLUMNS=200 "$prof" report --full paths.prof >broad.txt 2>/dev/null
has broad-column-word 'par.: work per span' broad.txt
for width in $(seq 80 120); do
    COLUMNS=$width "$prof" report --full paths.prof
done >group.txt 2>/dev/null
equal group-names-whole 1 "$(grep -o 'with c[a-z]*' group.txt | sort -u | grep -c .)"
has group-name 'with callees' group.txt
# a number stays with its unit, wherever the line ends
wrong=
for width in $(seq 60 120); do
    wrong=$wrong$(COLUMNS=$width "$prof" diff --full fast.prof slow-run.prof 2>/dev/null |
        grep -E '^ *(%|ms|us|ns)[ .,]' | head -1)
done
equal narrow-units '' "$wrong"
# every row of functions has a number in a column that is shown; the rows that are left out are
# counted, unless there are none
"$prof" diff --full fast.prof slow-run.prof >diff.txt 2>/dev/null
has_not diff-no-zero-more '\.\.\. 0 more' diff.txt
COLUMNS=60 "$prof" diff --full paths.prof whatif.prof >diff.txt 2>/dev/null
equal diff-no-blank-rows '' "$(sed -n '/^Functions/,/^  \*/p' diff.txt |
    grep '^                                 [^ ]' | grep -v ' function$' | head -1)"
