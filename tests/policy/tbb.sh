# tbb.sh - sourced by check.sh where there is oneTBB: what libprof could do to its programs.

# what a preload could do unseen; the same with symbols and unwind tables, without the first,
# without both
for flags in -g -s "-s -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-exceptions"; do
    g++ -O2 $flags "$here/intruder.cpp" -o "$tmp/intruder" -ltbb -pthread 2>/dev/null
    name=descriptors$(echo "$flags" | tr -d ' ' | cut -c1-8)
    ! wants "$name" || found \
        "$(same "$tmp/intruder" descriptors; quiet)"
done
# an unwinder of the program's own, which passes libprof's frames
cat >"$tmp/throws.cpp" <<'END'
#include <cstdio>
#include <stdexcept>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
int main()
{
    for (int i = 0; i < 3; i++)
        try {
            tbb::task_group g;
            g.run([] {
                tbb::parallel_for(0, 10, [](int k) {
                    if (k == 5)
                        throw std::runtime_error("expected");
                });
            });
            g.wait();
        } catch (const std::runtime_error &e) {
            puts(e.what());
        }
    return 5;
}
END
for flags in -g "-static-libgcc -static-libstdc++"; do
    g++ -O2 $flags "$tmp/throws.cpp" -o "$tmp/throws" -ltbb
    wants "throws$(echo "$flags" | tr -d ' ' | cut -c1-14)" &&
        found "$(same "$tmp/throws"; quiet; files 1)"
done
# -fno-rtti: the kind of a task follows from its context; if it does not, the report names that
cat >"$tmp/nameless.cpp" <<'END'
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include "libprof.h"
using Range = tbb::blocked_range<int>;
int main(int argc, char **)
{
    int n = tbb::parallel_deterministic_reduce(
        Range(0, 8), 0, [](const Range &r, int v) { libprof_cost(1); return v + (int)r.size(); },
        [](int a, int b) { libprof_cost(10); return a + b; });
    if (argc > 1)
        n = tbb::parallel_scan(
            Range(0, 8), 0, [](const Range &r, int v, bool) { return v + (int)r.size(); },
            [](int a, int b) { return a + b; });
    return n;
}
END
g++ -O2 -fno-rtti -I"$here/../../include" "$tmp/nameless.cpp" -o "$tmp/nameless" -ltbb
nameless() { "$prof" report --json "$tmp"/run/*.prof |
    jq -c '.program | [.work_ns, .span_ns, (.certainty.span_ns | IN("exact", "as executed")),
        .lower_bound_constructs]' | grep -qxF "$1" ||
    echo "not $1"; }
wants no-rtti-reduce && found "$(same "$tmp/nameless"; quiet; nameless '[78,31,true,[]]')"
wants no-rtti-scan && found "$(same "$tmp/nameless" scan; quiet
    nameless '[78,31,false,["parallel_scan"]]')"
cat >"$tmp/timer.cpp" <<'END'
#include <csignal>
#include <ctime>
#include <semaphore.h>
#include <tbb/task_group.h>
#include "libprof.h"
static sem_t done;
static void body(union sigval)
{
    libprof_cost(1000);
    tbb::task_group g;
    g.run([] { libprof_cost(50); });
    g.wait();
    sem_post(&done);
}
int main()
{
    struct sigevent how = {};
    struct itimerspec soon = {};
    timer_t t;
    soon.it_value.tv_nsec = 1000000;
    how.sigev_notify = SIGEV_THREAD;
    how.sigev_notify_function = body;
    sem_init(&done, 0, 0);
    libprof_cost(1000);
    timer_create(CLOCK_MONOTONIC, &how, &t);
    timer_settime(t, 0, &soon, nullptr);
    sem_wait(&done);
    return 4;
}
END
g++ -O2 -I"$here/../../include" "$tmp/timer.cpp" -o "$tmp/timer" -ltbb -pthread -lrt
wants timer-thread && found "$(same "$tmp/timer"; quiet
    "$prof" report --json "$tmp"/run/*.prof | jq -c '.program | [.work_ns,.exact]' |
        grep -qx '\[2050,false\]' || echo 'no lower bound')"
wants stderr-at-its-limit && found "$(same "$tmp/intruder" signal)"
# strands that run when the program ends count: real time here, so only bounds
wants still-running && found "$(same env PROF_CLOCK=tsc "$tmp/intruder" running; quiet
    "$prof" report --json "$tmp"/run/*.prof | jq -c \
        '.program | [.work_ns > 2.5e8, .span_ns > 2e8, .span_ns <= .work_ns]' |
    grep -qx '\[true,true,true\]' || echo 'work or span is missing')"
