# text.sh - a part of run.sh: the full report as text, its widths, limits and orders.
profiles basic empty big hostile bound counter
"$prof" report --full basic.prof >basic.txt 2>err
while read -r line; do has "text: $line" "$line" basic.txt; done <<'END'
Work  *1.000 s
Span  *250.000 ms
Burdened span  *260.000 ms
Parallelism  *4.00
Burdened parallelism  *3.85
Spawns  *1,999
Syncs  *1,001
Average strand  *200.000 us
measured from 12 steals in this run
2 *1.06 - 2.00
48.0 *120 ms
sort$
hint-name (3): a hint
END
has_not text-exact-says-nothing 'LOWER BOUND' basic.txt
has_not text-no-warning '500 instructions' basic.txt
"$prof" report --full bound.prof >bound.txt 2>/dev/null
has text-bound 'span is a LOWER BOUND: parallel_pipeline (7), flow_graph (2)' bound.txt
has text-bound-mark 'parallel_for \*' bound.txt
has text-crashed 'CRASHED' bound.txt
has text-signal 'killed by SIGSEGV' bound.txt
# a user, a timer or another program ended it: that is no crash
for signal in 2=SIGINT 15=SIGTERM 1=SIGHUP 14=SIGALRM 9=SIGKILL 11= 6= 7= 8= 4=; do
    END=2,${signal%=*} ./gen bound >ended.prof
    for form in '' --full; do
        COLUMNS=200 "$prof" report $form ended.prof >ended.txt 2>/dev/null
        case $signal in
        *=) has "text-fault-${signal%=}$form" '! CRASHED' ended.txt ;;
        *)
            has "text-ended-${signal%=*}$form" "! The program was ended by ${signal#*=}: " ended.txt
            has_not "text-ended-no-crash-${signal%=*}$form" 'CRASHED' ended.txt
            ;;
        esac
    done
done
END=2,2 ./gen bound >ended.prof
"$prof" merge --as runs -o ended-twice.prof ended.prof bound.prof 2>/dev/null
COLUMNS=900 "$prof" report --full ended-twice.prof >ended.txt 2>/dev/null
has text-ended-merged '1 of them was ended by signals' ended.txt
has text-ended-merged-crash '1 of them crashed, 0 had not ended' ended.txt
has text-lost 'LOST: memory (5): events dropped' bound.txt
"$prof" report --full counter.prof >counter.txt 2>/dev/null
has text-counter-unit 'Work  *1,000,000,000 (exact)$' counter.txt
has text-no-steals 'default: no steals in this run' counter.txt
"$prof" report --full empty.prof >empty.txt 2>/dev/null
has text-empty 'No tasks were seen' empty.txt
for width in 80 100 120 160 250; do
    COLUMNS=$width "$prof" report -m all --frames basic.prof bound.prof hostile.prof big.prof \
        counter.prof 2>/dev/null >wide.txt
    equal width-$width 0 "$(awk -v w=$width 'length > w' wide.txt | grep -c '')"
    has_not trailing-blanks-$width ' $' wide.txt
done
"$prof" report --full --all big.prof 2>/dev/null >all.txt
equal all-rows 1000 "$(grep -c 'task_group$' all.txt)"
"$prof" report --full -n 3 big.prof 2>/dev/null >three.txt
has limit '\.\.\. 998 more' three.txt
json sort-count '[.sites[].invocations]' '[56,8,1]' basic.prof -s count
json sort-work '[.sites[].construct]' '["","parallel_for","task_group"]' basic.prof -s work
json sort-parallelism '[.sites[].construct]' '["task_group","","parallel_for"]' basic.prof \
    -s parallelism
json sort-name '[.sites[].construct]' '["parallel_for","task_group",""]' basic.prof -s name
"$prof" report --full -o file.txt basic.prof 2>/dev/null
equal output-file 0 "$(cmp basic.txt file.txt >/dev/null; echo $?)"
