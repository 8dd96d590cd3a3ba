# teams.sh - a part of run.sh: parallel regions that ran in teams of one thread. What their tasks
# and chunks have of parallelism, no team could share.

# A loop of 800 chunks of 1 ms, in a team of one of two workers: 400 ms of idle time.
loop='construct=parallel runtime=openmp flags=4 tasks=801 invocations=1 on=1 threads=1 busiest=100
    work=800 span=2 longest=1 handed=799 elapsed=900 sleep=900 root=10'
grain alone $loop one=1 of-one=800
limits teams-why '[["idleness","team_of_one"]]' alone.prof
has_words teams-idle alone.txt \
    'perhaps because parallel regions ran in teams of one thread, with 800 ms of the work, most' \
    'at app+0x400fff: one thread alone executed each of them. Let them have larger teams: see' \
    'the `if` clause, num_threads, OMP_NUM_THREADS, and for a region inside another one' \
    'OMP_MAX_ACTIVE_LEVELS[.]'
has_words teams-bound alone.txt \
    'But parallel regions ran in teams of one thread with 800 ms of the work, 99 % of it, most at' \
    'app+0x400fff: one thread alone executed each of them, whatever the parallelism.'
has_not teams-not-false 'it is not what keeps\|parallelism does not explain\|enough here' alone.txt
json teams-verdict '.functions[] | select(.function | startswith("app+0x402")) | .verdict' \
    "\"its region ran in teams of one thread: see its \`if\` clause, its number of threads, and \
nesting\"" \
    alone.prof
json teams-json '.sites[] | select(.construct == "parallel") | .teams_of_one' \
    '{"executions":1,"work_ns":800000000}' alone.prof
"$prof" whatif -t 10 alone.prof >alone.whatif 2>/dev/null
has_not teams-whatif 'more parallelism does not help' alone.whatif
# Without that, and if little of the work ran so, the sentences are those of other regions.
grain shared $loop
has_not teams-none 'teams of one' shared.txt
has teams-none-ample 'it is not what keeps this run from being faster' shared.txt
grain little $loop one=1 of-one=60
has_not teams-little 'teams of one' little.txt
# Threads that started late are no reason where one thread had all.
grain absent $loop one=1 of-one=800 sleep=0
limits teams-absent '[["idleness","team_of_one"]]' absent.prof
has_not teams-absent-words 'started late\|run longer' absent.txt
# libomp hands a whole loop to a team of one: no smaller chunk changes that.
chunk='construct=parallel runtime=openmp flags=4 tasks=2 invocations=1 on=1 threads=1 busiest=100
    work=800 span=800 longest=800 divided=2 elapsed=900 sleep=900 root=100'
grain one-chunk $chunk one=1 of-one=800
has_not teams-chunk 'smaller chunk\|among its 2 threads\|one iteration\|balance it' one-chunk.txt
has teams-chunk-divided 'how this run divided their work, some of it among teams of one thread' \
    one-chunk.txt
has teams-chunk-words 'ran in teams of one thread with 800 ms of the work' one-chunk.txt
grain chunks-shared $chunk
has teams-chunk-other 'among its 2 threads' chunks-shared.txt
# merged profiles have the sums
STARTED=5000000000000 ./gen grain $loop one=1 of-one=800 >again.prof
status teams-merge 0 "$prof" merge --as runs -o both.prof alone.prof again.prof
json teams-merge-sum '.sites[] | select(.construct == "parallel") | .teams_of_one' \
    '{"executions":2,"work_ns":1600000000}' both.prof
# A longer run is the advice where threads lacked no longer than they need to start.
late='tasks=1000 work=1000 span=2 longest=1 root=1'
for absent in 90 800; do
    # shellcheck disable=SC2086  # words
    ./gen grain $late absent=$absent elapsed=$((500 + absent / 2)) >late-$absent.prof
    "$prof" report late-$absent.prof >late-$absent.txt 2>/dev/null
done
has teams-late-short 'et it run longer' late-90.txt
has_not teams-late-long 'et it run longer\|in a short run' late-800.txt
grain late-full $late absent=800 elapsed=900
has teams-late-why 'whether an arena or a number of threads keeps it to fewer' late-full.txt
