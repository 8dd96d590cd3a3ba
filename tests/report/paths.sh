# paths.sh - a part of run.sh: call paths and functions, their shares by samples, folded stacks.
profiles basic paths off-cpu deep flat
functions() { # FILE: what the functions have by themselves
    of_json '[.functions[] | [.function, (.self | .work_ns, .span_ns, .overhead_ns, .idleness_ns,
        .samples, .samples_on_span)]] | sort' "$@"
}
# The root has 200 ms of work and 50 of span: all go to its one sampled function. Context 0 has
# 300 = 225 + 75 of work, by 3 : 1 samples, and 120 = 30 + 90 of span, by 1 : 3; the runtime's frame
# is overhead of its caller. Contexts 1 and 2 are one logical place: 400 + 100 and 80 + 0.
equal paths-functions "$(rows '[
    ["[libprof]", 0, 0, 0, 0, 0, 0],
    ["[parallel_for+task_group]", 500000000, 80000000, 0, 0, 0, 0],
    ["app+0x401010", 0, 0, 0, 0, 0, 0],
    ["app+0x401020", 0, 0, 0, 0, 0, 0],
    ["app+0x401030", 200000000, 50000000, 0, 100000000, 4, 1],
    ["app+0x402000", 225000000, 30000000, 0, 0, 3, 1],
    ["app+0x402020", 75000000, 90000000, 75000000, 0, 1, 3]]')" "$(functions paths.prof)"
json paths-inclusive '[.functions[] | select(.function == "app+0x401010") | .all |
        [.work_ns, .span_ns, .overhead_ns, .idleness_ns, .samples]]' \
    '[[1000000000,250000000,75000000,100000000,8]]' paths.prof
json paths-parallelism '[.functions[] | select(.function == "app+0x402020") | .parallelism]' \
    '[3.38235294117647]' paths.prof
# on two workers, code that no task executes is serial
./gen paths 20 12 >idles.prof
json paths-idles '[.functions[] | select(.verdict != "") | [.function, .verdict]]' \
    '[["app+0x401030","serial"]]' idles.prof
json paths-sampling '.sampling |
        [.source, .samples, .samples_on_span, .samples_in_libprof, .overhead_ns.other]' \
    '["thread CPU timer",8,5,1,75000000]' paths.prof
# libprof's share of a site's strands: the site's work is as measured, or less by that share. The
# share is not shown if there are too few samples, or if it is a twentieth at most.
own_of() { # FILE
    of_json '[.sites[] | [.construct, .samples, .samples_in_libprof, .local_work_ns,
        .local_work_at_least_ns]] | sort' "$1"
}
./gen own-share 12 >share.prof
equal own-share "$(rows '[["", 4, 1, 200000000, null],
    ["parallel_for", 4, 12, 400000000, 100000000],
    ["task_group", 1, 3, 400000000, null]]')" "$(own_of share.prof)"
COLUMNS=200 "$prof" report --full share.prof >share.txt 2>/dev/null
their="parallel_for are libprof's: the local work is at most 400 ms, from which"
has own-share-text "~ 75 % of the samples in strands of app.0x40[0-9a-f]*, $their" share.txt
has own-share-least 'as far as it is known, and at least 100 ms$' share.txt
has own-share-mark 'parallel_for ~$' share.txt
# the program's work is not exact either if libprof has many of all samples
has own-share-work '^  Work .*1.000 s (estimated)$' share.txt
has own-share-overhead '(estimated; the above contains more of it)$' share.txt
total="64 % of the samples in strands are libprof's: its overhead was taken off as far as it is"
less='In this run the work is 1.000 s or less, but not below 360.000 ms. Without libprof it may'
has own-share-total "^  ! $total known. $less" share.txt
json own-share-json '.program | [.work_ns, .work_at_least_ns, (.certainty |
    .work_ns, .span_ns, .parallelism, .spawns)]' \
    '[1000000000,360000000,"estimated","estimated","estimated","exact"]' share.prof
# the share is that of what samples hit: tasks that are too short for them are as measured
./gen own-outside >share.prof
json own-share-outside '.program | [.work_ns, .work_at_least_ns]' '[1000000000,800000000]' \
    share.prof
# no cost of the virtual clock contains libprof
./gen own-share 12 virtual >share.prof
json own-share-virtual '.program | [.work_at_least_ns, .certainty.work_ns, .certainty.span_ns]' \
    '[null,"exact","exact"]' share.prof
./gen own-share 9 >share.prof
equal own-share-few '["parallel_for",4,9,400000000,null]' "$(own_of share.prof | jq -c .[1])"
"$prof" report --full share.prof 2>/dev/null >share.txt
equal own-share-few-text 0 "$(grep -c "samples in strands of" share.txt)"
json paths-tree '[.paths[] | [.node, .parent, .function]]' '[
    [0,null,"(program)"], [1,0,"app+0x401010"], [2,1,"app+0x401020"], [3,2,"app+0x402000"],
    [4,2,"app+0x402020"], [5,1,"app+0x401030"], [6,0,"[libprof]"], [7,2,"[libprof]"],
    [8,4,"[parallel_for+task_group]"], [9,4,"[libprof]"]]' paths.prof --paths
json paths-physical '[.paths[] | .function] | sort | map(select(startswith("lib")))' \
    '["libprof.so+0x800010","libtbb.so.12+0x700100","libtbb.so.12+0x700200"]' \
    paths.prof --paths --physical
json paths-overhead-pattern \
    '[.functions[] | select(.function == "app+0x402000") | .self.overhead_ns]' \
    '[225000000]' paths.prof --overhead 0x402000
json ledger '.ledger | [.total_ns, .work_ns, .overhead_in_strands_ns, .search_ns, .sleep_ns,
        .overhead_between_strands_ns, .without_thread_ns]' \
    '[1200000000,925000000,75000000,40000000,60000000,20000000,0]' paths.prof
folded_sum() { "$prof" export "$@" 2>/dev/null | awk '{ s += $NF } END { printf "%d", s }'; }
for metric in work:1000000000 span:250000000 idleness:100000000 overhead:75000000; do
    equal "folded-${metric%:*}" "${metric#*:}" "$(folded_sum -M "${metric%:*}" paths.prof)"
done
cat >folded.txt <<'END'
app+0x401010;app+0x401020;app+0x402000 30000000
app+0x401010;app+0x401020;app+0x402020 90000000
app+0x401010;app+0x401020;app+0x402020;[parallel_for+task_group] 80000000
app+0x401010;app+0x401030 50000000
END
equal folded-lines "$(cat folded.txt)" \
    "$("$prof" export --format folded paths.prof 2>/dev/null | sort)"
equal folded-stray-metric 2 "$("$prof" export -M bogus paths.prof >out 2>err; echo $?)"
has folded-metric-line 'the metrics are span, work, idleness, overhead' err
equal folded-format 2 "$("$prof" export -f bogus paths.prof >out 2>err; echo $?)"
equal folded-big 1000003 "$(folded_sum deep.prof)"
for kind in deep flat; do
    status "paths-$kind" 0 timeout 20 "$prof" report --paths --callers --lines $kind.prof
    equal "paths-$kind-sum" '[1000003,1000003]' "$(of_json \
        '[([.paths[].self.work_ns] | add), ([.paths[].self.span_ns] | add)]' --paths $kind.prof)"
done
"$prof" report --full --paths --callers --lines paths.prof >paths.txt 2>err
judged_profile
COLUMNS=80 "$prof" report --full judged.prof >narrow.txt 2>/dev/null
has paths-narrow-verdict ' app+0x401030  *serial$' narrow.txt
has paths-text 'Functions: span next to idleness' paths.txt
equal paths-narrow '' "$(awk 'length > 80' narrow.txt | head -1)"
has paths-text-ledger 'Check: work, overhead, searching and libprof are on the CPU' paths.txt
has paths-text-samples 'split of work within tasks rests on 8 samples' paths.txt
"$prof" report --full --paths -M blocked off-cpu.prof 2>/dev/null | tr -s '\n ' ' ' >off-cpu.txt
has off-cpu-text 'The split of blocked time rests on 40 off-CPU samples, 10 ms apart' off-cpu.txt
has paths-text-callers 'Functions and their callers' paths.txt
equal paths-quiet 0 "$(grep -vc 'cannot be opened' err)"
# Three samples have the weights 3, 1 and 4, together 8. They err as 64 / (9 + 1 + 16) = 2.46
# samples of equal weight would.
./gen late >late.prof
samples='.sampling | [.samples, (.equal_samples * 100 | round / 100),
    .samples_on_span, .equal_samples_on_span]'
json late-equal "$samples" '[8,2.46,5,5]' late.prof
json paths-equal "$samples" '[8,8,5,5]' paths.prof
COLUMNS=200 "$prof" report --full late.prof >late.txt 2>/dev/null
# Wilson's interval of a half, of 2.46 and of 8 samples: 1.96 / 2 / sqrt(n + 3.84)
has late-half 'work within tasks rests on 8 samples: a share of 50 % is +- 39.0 points' late.txt
has late-said 'Many samples came late.*all are only as precise as 2 on time' late.txt
has paths-half 'work within tasks rests on 8 samples: a share of 50 % is +- 28.5 points' paths.txt
has_not paths-not-late 'came late' paths.txt
# 1 of 5 on the critical path, of which its share of the work lets expect 2: Wilson's interval is
# +- 42.4 points, so 50 % + 42.4 * 5 / 2 is more than 100 %
has paths-margin '^ *[0-9.]* *80.0 .*app+0x402000' paths.txt
# far more samples on the critical path than its share of the work: they have chosen it. 10 of 50,
# of which 20 were expected: at most 10 / 20, and chance
./gen chosen 10 >chosen.prof
COLUMNS=200 "$prof" report chosen.prof >chosen.txt 2>/dev/null
has chosen-said 'About 60 % of these are there because samples make strands longer' chosen.txt
COLUMNS=200 "$prof" report paths.prof >unchosen.txt 2>/dev/null
has_not chosen-not-said 'samples make strands longer' unchosen.txt
"$prof" merge --as runs -o late2.prof late.prof paths.prof 2>/dev/null
json late-merged "$samples | .[:2]" '[16,7.53]' late2.prof
./gen late-wrong >wrong.prof
status late-wrong 2 "$prof" report wrong.prof
# without samples there is no share
./gen unhit >unhit.prof
"$prof" report --full --lines --callers unhit.prof >unhit.txt 2>/dev/null
has unhit-said 'No sample hit the program: costs stand at the spawn, in brackets' unhit.txt
has_not unhit-margin '[+]- [0-9]' unhit.txt
COLUMNS=80 "$prof" report --paths --callers --lines paths.prof 2>/dev/null |
    awk 'length > 80' >long.txt
equal paths-narrow '' "$(cat long.txt)"
"$prof" report --csv --paths paths.prof >paths.csv 2>/dev/null
equal paths-csv '11 22' \
    "$(wc -l <paths.csv | tr -d ' ') $(head -1 paths.csv | tr ',' '\n' | wc -l | tr -d ' ')"
json without-paths '[has("functions"), has("sampling")]' '[false,false]' basic.prof
# kinds of waits: samples of 2.5 ms, and what the threads' switches were
./gen wait-kinds >kinds.prof
STARTED=2000000000000 ./gen wait-kinds >later.prof
waits='.off_cpu | [.sample_ns, (.waits_ns | .futex, .io, .sleep, .cpu, .other), (.switches |
    .voluntary, .involuntary, .wakeup_ns, .preempted_ns, .idle_voluntary, .idle_wakeup_ns)]'
json wait-kinds "$waits" \
    '[2500000,47500000,15000000,37500000,75000000,0,40,3,5000000,60000000,7,1000000]' kinds.prof
json wait-kinds-thread '.threads[0].switches | [.voluntary, .preempted_ns]' '[40,60000000]' \
    kinds.prof
json wait-kinds-none '.off_cpu | [.sample_ns, .waits_ns, .switches]' '[10000000,null,null]' \
    off-cpu.prof
COLUMNS=200 "$prof" report --full --paths -M blocked kinds.prof >kinds.txt 2>/dev/null
has wait-kinds-text 'on 40 off-CPU samples, 2.5 ms apart' kinds.txt
for wrong in kind sum order node thread; do
    ./gen wait-kinds $wrong >wrong.prof
    status wait-kinds-$wrong 2 "$prof" report wrong.prof
done
# older samples stand for four times as long; in either order the sum is in the shorter ones
"$prof" merge --as runs -o kinds2.prof off-cpu.prof kinds.prof 2>/dev/null
"$prof" merge --as runs -o kinds3.prof kinds.prof off-cpu.prof later.prof 2>/dev/null
merged='[.sampling.off_cpu_samples, (.off_cpu | .sample_ns, .waits_ns.futex, .switches)]'
json wait-kinds-merged "$merged" '[200,2500000,47500000,null]' kinds2.prof
json wait-kinds-merged-three "$merged" '[240,2500000,95000000,null]' kinds3.prof
"$prof" merge --as runs -o kinds4.prof kinds.prof later.prof 2>/dev/null
json wait-kinds-runs "$waits" \
    '[2500000,95000000,30000000,75000000,150000000,0,80,6,10000000,120000000,14,2000000]' \
    kinds4.prof
