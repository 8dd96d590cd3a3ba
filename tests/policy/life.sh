# life.sh - sourced by check.sh: how threads and processes begin and end.

# C11's threads are tasks, as those of pthread_create are: joined, joined by another thread than
# their creator, ended by thrd_exit, detached.
cat >"$tmp/c11.c" <<'END'
#include <stdatomic.h>
#include <threads.h>
#include "libprof.h"
static atomic_int done;
static int small(void *a) { libprof_cost(50); return a != 0; }
static int joins(void *a)
{
    thrd_t t;
    int result;
    libprof_cost(100);
    thrd_create(&t, small, a);
    thrd_join(t, &result);
    return 2 + result;
}
static int leaves(void *a) { (void)a; libprof_cost(200); thrd_exit(4); }
static int detached(void *a) { (void)a; libprof_cost(1000); done = 1; return 0; }
static thrd_t other;
static int joins_other(void *a)
{
    int result;
    (void)a;
    thrd_join(other, &result);
    libprof_cost(7);
    return result;
}
int main(void)
{
    thrd_t a, b, c;
    int first, second, third;
    libprof_cost(1);
    thrd_create(&a, joins, &a);
    thrd_create(&b, leaves, 0);
    thrd_join(a, &first);
    thrd_join(b, &second);
    thrd_create(&c, detached, 0);
    thrd_detach(c);
    while (!done)
        thrd_yield();
    thrd_create(&other, leaves, 0);
    thrd_create(&c, joins_other, 0);
    thrd_join(c, &third);
    libprof_cost(2);
    return 16 * first + 4 * second + third;
}
END
gcc -std=gnu11 -O1 -w -I"$here/../../include" "$tmp/c11.c" -o "$tmp/c11" -pthread
# the path: 1, 200 of `leaves`, 1000 of the detached one; work: 1 + 150 + 200 + 1000 + 207 + 2
result thrd_create "$(same "$tmp/c11"; quiet
    "$prof" report --json "$tmp"/run/*.prof 2>&1 |
        jq -c '.program | [.work_ns, .span_ns, .tasks, .exact]' >"$tmp/got"
    grep -qx '\[1560,1201,6,true\]' "$tmp/got" || echo "got $(cat "$tmp/got")")"
