#!/bin/sh
# check.sh BUILD [RUNTIME...] - tasks at full speed for SOAK_SECONDS (20) each on tbb, gcc (libgomp)
# and clang (libomp), and what else happens in a process that runs for long (soak.hpp). The
# program's memory stays flat after the warm-up, and its profile can be read at any moment, with
# totals that only rise.
#
# Flat: what it grew by, the median of the last quarter of the samples less that of the first one
# after the warm-up, is no more than SLACK and KB_PER_MILLION tasks more than what the same program,
# alone, grew by in as many tasks. A byte that is lost a task is 977 KB. Seconds are in no bound: a
# busy machine has fewer tasks, and grows by less.
#   SOAK_SECONDS=1800       a whole one: until 10^9 tasks have run, four times as long at most, the
#                           first minute to warm up
build=$(cd "$1" && pwd) seconds=${SOAK_SECONDS:-20}
shift
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit 1
program=
trap 'for p in $program; do kill "$p" 2>/dev/null; done; rm -rf "$tmp"' EXIT
KB_PER_MILLION=2 SLACK=512 SLACK_SIZE=4096 status=0
# In a short run the pages of tables that were there are still being touched, by what is sampled for
# the first time.
[ "$seconds" -ge 300 ] || SLACK=2048
warm=$((seconds / 4)) tasks=0 alone=$((seconds / 4)) every=1
[ "$warm" -le 60 ] || warm=60
[ "$seconds" -lt 1800 ] || tasks=1000000000
[ "$alone" -le 300 ] || alone=300
[ "$alone" -ge 10 ] || alone=10
[ "$seconds" -lt 60 ] || every=4
# Threads that are detached after their creation (SOAK_DETACH=1) are in whole soaks alone: each
# thread's tables of samples fill by themselves, which takes longer than a short run has. What
# samples do not need is flat (PROF_SAMPLE=off), and they end growing with the calling context tree;
# integration/detach-memory sees that no thread leaves anything.
[ "$seconds" -lt 300 ] || export SOAK_DETACH=1
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive MALLOC_ARENA_MAX=1
unset OMP_SCHEDULE OMP_DYNAMIC OMP_THREAD_LIMIT OMP_PROC_BIND OMP_PLACES

verdict() { # NAME DETAIL FIGURES: empty detail passes
    if [ -z "$2" ]; then echo "PASS soak/$1: $3"; else echo "FAIL soak/$1: $2; $3"; status=1; fi
}

# "TASKS RSS SIZE" (KB) of process PID every second, from the warm-up on.
sample() { # PID PROGRESS FILE
    sleep "$warm"
    while kill -0 "$1" 2>/dev/null; do
        # the first round may last, and a program that ends has no memory
        awk 'FILENAME != status { tasks = $2; next } /^VmRSS/ { rss = $2 } /^VmSize/ { size = $2 }
            END { if (tasks && rss) print tasks, rss, size }' status="/proc/$1/status" "$2" \
                "/proc/$1/status" 2>/dev/null >>"$3"
        sleep 1
    done
}

# What grew: "TASKS RSS SIZE FIRST_RSS LAST_RSS SAMPLES" between the first and the last quarter.
growth() { # FILE
    awk '{ n++; t[n] = $1; r[n] = $2; s[n] = $3 }
        function median(a, from, to,    i, k, v, b) {
            for (i = from; i <= to; i++) b[i] = a[i]
            for (i = from + 1; i <= to; i++) { v = b[i];
                for (k = i - 1; k >= from && b[k] > v; k--) b[k + 1] = b[k]; b[k + 1] = v }
            return b[int((from + to) / 2)]
        }
        END { q = int(n / 4); if (q < 1) { print 0, 0, 0, 0, 0, n + 0; exit }
            print median(t, n - q + 1, n) - median(t, 1, q),
                median(r, n - q + 1, n) - median(r, 1, q), \
                median(s, n - q + 1, n) - median(s, 1, q), median(r, 1, q), median(r, n - q + 1, n),
                n }' "$1"
}

# Both reports of FILE, in a loop, while PROGRAM runs: "reads", "failed WHY".
totals() { # FILE
    "$build/prof" report "$1" >"$tmp/text" 2>"$tmp/err" && [ -s "$tmp/text" ] ||
        { echo "failed report: $(head -c 200 "$tmp/err")"; return 1; }
    "$build/prof" report --json "$1" >"$tmp/json" 2>"$tmp/err" && [ ! -s "$tmp/err" ] ||
        { echo "failed json: $(head -c 200 "$tmp/err")"; return 1; }
    jq -r '.program | "\(.work_ns) \(.spawns) \(.syncs)"' "$tmp/json" 2>&1 ||
        { echo 'failed jq'; return 1; }
}

watch() { # PID FILE
    reads=0 new=0 last='0 0 0' wrong=
    while :; do
        kill -0 "$1" 2>/dev/null; running=$?
        if [ -f "$2" ]; then
            if now=$(totals "$2"); then
                reads=$((reads + 1))
                [ "$now" = "$last" ] || new=$((new + 1))
                fell=$(echo "$last $now" |
                    awk \
                    '{ for (i = 1; i <= 3; i++) if ($(i + 3) < $i) print "totals fell from " $0 }' |
                    head -1)
                wrong=${wrong:-$fell} last=$now
            else
                wrong=${wrong:-$now}
            fi
        elif [ $reads -gt 0 ]; then
            wrong=${wrong:-the profile is gone}
        fi
        [ $running = 0 ] || break
        sleep $every
    done
}

for runtime in ${*:-tbb gcc clang}; do
    case $runtime in
    tbb) compile="g++ $here/tbb.cpp" with='-ltbb -pthread' ;;
    gcc) compile="g++ -fopenmp $here/openmp.cpp" with=-pthread ;;
    clang) compile="clang++ -fopenmp $here/openmp.cpp" with=-pthread ;;
    esac
    { $compile -std=c++17 -O2 -g -Wall -o "$tmp/soak" $with &&
        $compile -std=c++17 -O2 -DPLUGIN -fPIC -shared -o "$tmp/plugin.so" $with; } 2>"$tmp/err" ||
        { echo "SKIP soak/$runtime: $(head -1 "$tmp/err")"; continue; }
    export SOAK_PLUGIN="$tmp/plugin.so"

    rm -f "$tmp/samples" "$tmp/native" "$tmp/p.prof"
    "$tmp/soak" $((warm + alone)) "$tmp/progress" >"$tmp/out" 2>&1 &
    program=$!
    sample $program "$tmp/progress" "$tmp/native"
    wait $program || { verdict "$runtime-alone" "status $?" "$(head -c 200 "$tmp/out")"; continue; }
    set -- $(growth "$tmp/native")
    native_tasks=$1 native_rss=$2 native_size=$3

    PROF_CHECKPOINT=$every PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so "$tmp/soak" \
        "$seconds" "$tmp/progress" $tasks >"$tmp/out" 2>"$tmp/said" &
    program=$!
    sample $program "$tmp/progress" "$tmp/samples" &
    sampler=$!
    watch $program "$tmp/p.prof"
    wait $program
    code=$?
    wait $sampler
    program=
    ran=$(sed -n 's/^tasks \([0-9]*\) sum .* ok$/\1/p' "$tmp/out")
    verdict "$runtime-ends" "$([ $code = 0 ] && [ -n "$ran" ] && [ ! -s "$tmp/said" ] ||
        echo "status $code, said: $(head -c 200 "$tmp/said")")" "${ran:-0} tasks"
    if [ "${ran:-0}" -lt $tasks ]; then
        echo "SKIP soak/$runtime-count: ${ran:-0} of $tasks tasks:" \
            "this machine is too slow, or busy"
    fi

    set -- $(growth "$tmp/samples")
    flat=$(echo "$* $native_tasks $native_rss $native_size" |
        awk -v per=$KB_PER_MILLION -v slack=$SLACK -v size=$SLACK_SIZE '
        { share = $7 > 0 ? $1 / $7 : 0; if (share > 1) share = 1
            rss = $2 - ($8 > 0 ? $8 * share : 0); all = $3 - ($9 > 0 ? $9 * share : 0);
                most = per * $1 / 1e6
            if (rss > slack + most) print "resident memory grew by " rss " KB"
            if (all > size + most) print "address space grew by " all " KB" }' | tr '\n' ' ')
    if [ "$6" -lt 8 ]; then
        echo "SKIP soak/$runtime-flat: $6 samples in $seconds s: this machine is too busy"; else
        verdict "$runtime-flat" "$flat" \
            "$4 KB resident after ${warm} s, $5 at the end: $2 KB, $3 of address space, $1 tasks \
(alone $native_rss and $native_size in $native_tasks)"
    fi
    if [ -z "$wrong" ] && { [ $reads -lt 3 ] || [ $new -lt 2 ]; }; then
        echo "SKIP soak/$runtime-readable: read $reads times in $seconds s:" \
            "this machine is too busy"
    else
        verdict "$runtime-readable" "$wrong" "read $reads times, $new of them another checkpoint"
    fi
done
exit $status
