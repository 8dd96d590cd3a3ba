# findings.sh - a part of run.sh: what limits a program. The largest gain comes first, by its id and
# place, in all forms alike.
profiles basic paths wait-kinds
judged_profile
first() { # NAME ID FUNCTION KEY=VALUE...: the finding with the largest gain
    name=$1 id=$2 function=$3
    shift 3
    grain "$name" "$@"
    json "$name" '.findings[0] | [.id, .place.function]' "[\"$id\",\"$function\"]" "$name.prof"
}
none() { # NAME KEY=VALUE...
    grain "$@"
    json "$1" .findings '[]' "$1.prof"
}

# ---- each cause ----
task=app+0x402000 spawn=app+0x400fff
# shellcheck disable=SC2046  # words
first fib small_tasks $spawn $(echo "$known_grains" | sed -n 's/^fib //p')
first narrow few_tasks $task tasks=3 work=900 span=300 sleep=400 elapsed=700 root=100 longest=300
first beside-main serial app+0x403000 tasks=6000 on=60 work=600 span=12 root=240 sleep=250 \
    elapsed=550 idle=main longest=0.2
none busy work=1990 longest=10
first unequal imbalance $task construct=parallel runtime=openmp flags=4 tasks=3 invocations=1 on=1 \
    threads=2 work=182 span=152 longest=152 then=150 then-span=1 root=0.8 elapsed=232 sleep=122 \
    busiest=83
first regions short_regions $spawn runtime=openmp tasks=88367 invocations=88367 construct=parallel \
    flags=4 workers=1 threads=1 work=30 span=30 dispatch=960 longest=0.01
# a recursion is no region, whatever the name of its construct
first recursion small_tasks $spawn construct=parallel_invoke recursive=1 tasks=8000000 on=30 \
    work=1000 inside=60 span=1 dispatch=400 sleep=120 longest=0.001
# threads start and end next to no strand
first threads small_tasks $spawn construct=pthread_create tasks=13000 on=1 work=400 span=200 \
    elapsed=600 sleep=700 idle=none longest=0.1
kept='construct=parallel tasks=4000 work=400 span=4 longest=1 elapsed=1000 sleep=1500'
first kept contention app+0x40200f $kept locked=900
first turns ordered app+0x40200f construct=parallel flags=4 invocations=1 on=1 threads=2 work=400 \
    root=0 tasks=43 handed=40 span=240 longest=10 turns=300
# a team of one thread: 800 ms of two workers' 900
first alone nested $task construct=parallel runtime=openmp flags=4 tasks=801 invocations=1 on=1 \
    threads=1 busiest=100 work=800 span=2 longest=1 handed=799 elapsed=900 sleep=900 root=10 one=1 \
    of-one=800
# the runtime's time and idle time at once, the larger first
json both '[.findings[].id] | [.[0], length]' '["small_tasks",2]' fib.prof
# by the kind of the system call: 14 and 5 of 40 samples in futexes, 6 in transfers, 15 asleep
json kinds '[.findings[].id] | unique - ["serial"]' '["io","sleep","wait"]' wait-kinds.prof
# threads that spin: 100 of 400 ms, in code that waits
cat >locks.c <<'END'
int lock_word;
int sched_yield(void) { return lock_word++; }
int pthread_mutex_lock(void *m) { return lock_word += m != 0; }
END
gcc -shared -nostdlib -fPIC -O1 -Wl,--build-id=none locks.c -o libc.so.locks
libc_at() { nm libc.so.locks | awk -v name="$1" '$3 == name { print "0x" $1 }'; }
libc="libc=$PWD/libc.so.locks yield=$(libc_at sched_yield) lock=$(libc_at pthread_mutex_lock)"
first yields contention $task $libc tasks=400 on=1 work=400 span=6 longest=1 yielded=100
# as little as may be chance, or as costs less than is worth a line
none yields-once $libc tasks=400 on=1 work=400 span=6 longest=1 yielded=1
none kept-little construct=parallel tasks=4000 work=1960 span=4 longest=1 sleep=30 locked=20
# a clock that counts no time has no causes
./gen run 100 300 2 virtual >virtual.prof
json virtual .findings '[]' virtual.prof
"$prof" report virtual.prof >virtual.txt 2>/dev/null
has virtual-words 'What limits it is not known: the profile has no times' virtual.txt
"$prof" report basic.prof >basic.txt 2>/dev/null
has no-paths-words 'What limits it is not known: the profile has no call paths' basic.txt

# ---- figures ----
for kind in fib narrow kept turns alone judged wait-kinds; do
    json order-$kind '[.findings[].gain_ns] | . == (sort | reverse)' true $kind.prof
    json figures-$kind '.program.workers as $p | [.findings[] |
        (.worker_ns - $p * .gain_ns | fabs < 2) and .gain_low_ns <= .gain_ns and
        .gain_ns <= .gain_high_ns and .gain_low_ns > 0 and .share >= 0.05] | all' true $kind.prof
    json function-$kind '[.findings[] | .id as $id | .place.function] as $places |
        [.functions[] | select(.verdict != "") | .function] - $places' '[]' $kind.prof
done
# 900 ms of waits by two workers
json kept-gain '.findings[0] | [.gain_ns, .worker_ns, .share]' '[450000000,900000000,0.45]' \
    kept.prof
# a function's verdict is its largest finding's id
json verdict '[.functions[] | select(.verdict != "") | [.function, .verdict]]' \
    '[["app+0x401030","serial"]]' judged.prof

# ---- the text has the figures of the JSON ----
for kind in fib kept wait-kinds; do
    COLUMNS=400 "$prof" report --full $kind.prof >$kind.txt 2>/dev/null
    equal "rows-$kind" "$(of_json '.findings[] | [.id, (.share * 100 | round)] | join(" ")' \
        $kind.prof | tr -d '"')" "$(awk '/^1. Parall/ { exit } /^  [0-9]+\. [0-9]+ %/ {
            share[++n] = $2 }
        /^  [0-9]+\.  +[0-9.]+ [mu]?s/ { print $11, share[++k] }' $kind.txt)"
    equal "time-$kind" "$(of_json '[.findings[].worker_ns] | add / 1e6 | round' $kind.prof)" \
        "$(awk '/^1. Parall/ { exit } /^  [0-9]+\.  +[0-9.]+ [mu]?s/ {
            all += $9 * ($10 == "s" ? 1000 : $10 == "us" ? 0.001 : 1) }
        END { printf "%.0f", all }' $kind.txt)"
done
# at most three on the first screen, whatever there are
"$prof" report wait-kinds.prof >screen.txt 2>/dev/null
equal three 3 "$(grep -c '^  [0-9]*\. [0-9]* % (' screen.txt)"
json more-than-three '.findings | length > 3' true wait-kinds.prof
# a sentence's words: at most 25
for kind in fib narrow beside-main unequal regions kept turns alone yields wait-kinds; do
    of_json '.findings[] | .text, .remedy' $kind.prof
done | tr -d '"' | awk 'NF > 25 { print NF ": " $0 }' >long.txt
equal sentences '' "$(head -1 long.txt)"
# no share of a screen is more than all, and the base is stated once
has base '% time, here and in the other tables: of ' kept.txt
has waits-share '^ *45.0 *900 ms ' kept.txt
