/* test_events.c - the events that PROF_EVENTS counts, of the whole process and of the child of a
 * fork. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "clock/clock.h"
#include "clock/events.h"
#include "pages.h"

static void need(const char *event)
{
    const char *why = "";
    if (clock_setup(event, &why))
        cr_skip_test("%s: %s", event, why);
}

static void *touch_in_thread(void *unused)
{
    touch_pages();
    return unused;
}

static uint64_t event(unsigned i, const char *name)
{
    const char *n = "";
    uint64_t v = 0;
    cr_expect_eq(events_read(i, &n, &v), 0);
    cr_expect_str_eq(n, name);
    return v;
}

Test(events, whole_process)
{
    need("page-faults");
    need("context-switches");
    events_setup("page-faults,no-such-event,,context-switches,");
    uint64_t faults = event(0, "page-faults"), switches = event(1, "context-switches");
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], 0, touch_in_thread, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i < 10; i++)
        usleep(100);
    cr_expect_geq(event(0, "page-faults") - faults, 4 * 64);
    cr_expect_geq(event(1, "context-switches") - switches, 10);
    const char *name;
    uint64_t v;
    cr_expect_eq(events_read(2, &name, &v), -ENOENT);
}

Test(events, fork_child_counts_itself)
{
    need("page-faults");
    events_setup("page-faults");
    for (int i = 0; i < 20; i++)
        touch_pages();
    pid_t pid = fork();
    if (!pid) {
        const char *name;
        uint64_t v;
        if (events_read(0, &name, &v) != -ENOENT)
            _exit(1);
        events_forked();
        if (events_read(0, &name, &v) || v > 600)
            _exit(2);
        touch_pages();
        uint64_t w;
        _exit(events_read(0, &name, &w) || w - v < 64 ? 3 : 0);
    }
    int status;
    waitpid(pid, &status, 0);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
}
