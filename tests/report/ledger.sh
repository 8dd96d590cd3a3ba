# ledger.sh - a part of run.sh: where the time went. The rows agree with the kernel's count, with
# each other in all forms, and with POP's efficiencies of an MPI job.
profiles paths
words() { COLUMNS=400 "$prof" report --full "$@" 2>/dev/null; }

# The kernel's count, less the time that no row of the ledger can have, is compared with the ledger.
./gen cpu 103.1 2000000 700000 300000 >cpu.prof
words cpu.prof >cpu.txt
# the head counts from where the elapsed time counts
"$prof" report cpu.prof >cpu.brief 2>&1
has cpu-head ' elapsed, 101.100 ms CPU' cpu.brief
has cpu-head-full ' elapsed, 101.100 ms CPU' cpu.txt
has_words cpu cpu.txt \
    'are on the CPU, 100.000 ms together. The kernel counted 103.100 ms for the process.' \
    '2.000 ms of that was before libprof started'
has_words cpu-left cpu.txt \
    ' 1.000 ms was libprof.s start and its writing of the profile: neither is in a row.' \
    '100.100 ms is left, from which the rows differ by -0.1 %'
has_not cpu-closes 'threads that ran no strands\|too much' cpu.txt
json cpu-json '.ledger |
    [.on_cpu_ns, .kernel_cpu_ns, .cpu_before_libprof_ns, .cpu_of_start_and_end_ns]' \
    '[100000000,103100000,2000000,1000000]' cpu.prof
./gen cpu 105 2000000 700000 300000 >open.prof
words open.prof >open.txt
has cpu-open '102.000 ms is left, from which the rows differ by -2.0 %' open.txt
has cpu-open-words '2.000 ms is in no row: what threads need to start and to end' open.txt
./gen cpu 98 500000 >over.prof
words over.prof >over.txt
has cpu-over 'The rows have 2.500 ms too much: the clock' over.txt
./gen cpu 103 >old.prof
words old.prof >old.txt
has_words cpu-old old.txt 'The kernel counted 103.000 ms for the process since its' \
    'exec, from which the rows differ by -2.9 %. .*this profile does not show that time'
"$prof" merge --as runs -o cpus.prof cpu.prof open.prof 2>/dev/null
json cpu-merged '.ledger |
    [.kernel_cpu_ns, .cpu_before_libprof_ns, .cpu_of_start_and_end_ns]' \
    '[208100000,4000000,2000000]' cpus.prof
for value in -1 x 1x 99999999999999999999 ''; do
    ./gen cpu 103 "$value" >odd.prof
    json "cpu-odd-$value" '.ledger.cpu_before_libprof_ns' 0 odd.prof
done

# POP's ideal run is no shorter than what the one worker of a rank has to do: no efficiency is more
# than 1. Time off the CPU outside MPI is in transfer, and the report says so.
pop='.job.efficiencies | [.parallel, .load_balance, .communication, .serialisation, .transfer] |
    map(. * 1000 | round)'
./gen ranks 250 300 >ranks.prof
json pop "$pop" '[500,833,600,1000,600]' ranks.prof
words ranks.prof >ranks.txt
has_words pop-words ranks.txt '(which tasks make shorter; one worker needs as long as its' \
    'work); transfer: the longer of these / elapsed'
has job-idle '^  Idle  *200.000 ms of 2.000 s worker time (10.0 %), outside MPI$' ranks.txt
./gen ranks 250 300 virtual >costs.prof
words costs.prof >costs.txt
has job-idle-virtual '^  Idle  *400.000 ms of 2.000 s worker time (20.0 %)$' costs.txt
has pop-regions 'Work and span are sums over the ranks' ranks.txt
has_not pop-one-process 'sums over the ranks' cpu.txt
has pop-slept '300.000 ms of the ranks. time was off the CPU outside MPI: .* in transfer' \
    ranks.txt
./gen ranks 800 40 >turns.prof
json pop-turns "$pop" '[500,833,600,750,800]' turns.prof
words turns.prof >turns.txt
has pop-turns-words 'work of a rank / the critical path; transfer: the critical path /' \
    turns.txt
has_not pop-awake 'off the CPU outside MPI' turns.txt

# All forms show the same idle time.
./gen run 100 99.96 2 >all.prof
words all.prof >all.txt
for kind in all paths cpu; do
    json idle-$kind \
        '(.ledger | .search_ns + .sleep_ns + .without_thread_ns) == .program.idle_ns' true \
        $kind.prof
done
equal idle-csv "$("$prof" report --json all.prof 2>/dev/null | jq .program.idle_ns)" \
    "$("$prof" report --csv --totals all.prof 2>/dev/null |
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "idle_ns") at = i }
    NR == 2 { print $at }')"
has idle-text '^  Idle  *10.000 ms of 199.960 ms worker time (5.0 %)' all.txt

# A task that ended before those that it spawned has not joined them: its site's work is without
# them.
has_words sites-joined all.txt 'work, span, par.: of the site.s outermost invocations, with all' \
    'tasks that they waited for, and without tasks that nobody waited for there'

# What each thread of a pool got, this run may have decided.
grain pool construct=pthread_create tasks=2 work=284 span=144 longest=144 elapsed=146 crowd=146 \
    outside=146 alone=146000000
json pool '[.program, .sites[] | .certainty.span_ns] | unique' '["as executed"]' pool.prof
# Of two runtimes, the threads of one sleep while the others work: no slot is idle.
grain two-runtimes construct=parallel_for tasks=600 on=3 work=1500 span=400 longest=3 elapsed=800 \
    crowd=800 sleep=800
json two-runtimes-idle .program.idle_ns 0 two-runtimes.prof
