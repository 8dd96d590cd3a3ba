/* sample_source.c - see sample_source.h. The default is a timer of the thread's CPU time. It
 * never interrupts a blocked system call, and costs 2 us a signal. It expires only at the kernel's
 * tick (a late signal shows how many it stands for). perf_event's task clock gives 1 kHz and more,
 * at 25 us a signal. Counters of perf_event send a signal when they overflow.
 */
#define _GNU_SOURCE
#include "sampling/sample_source.h"
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include "base/config.h"
#include "base/kernel.h"
#include "base/message.h"
#include "clock/events.h"
#include "clock/pfm.h"
#include "dag/thread.h"
#include "signals/fatal.h"
#include "signals/signals.h"
#include "base/forbid.h"

#define RATE_MAX 10000
#define EVENT_RATE 1000         /* of a time event without a rate, or with one above RATE_MAX */
/* The least period of page faults. A fault in the vdso, or in a device's memory, starts anew if a
 * signal is pending. If each fault sent a signal, such a fault would start anew for ever. */
#define FAULTS_LEAST 2

/* Written by sample_source_setup and sample_source_none. */
struct perf_event_attr sample_source_event;
static uint64_t period_ns;      /* ns of CPU time; 0: the source is an event that is not time */
static uint64_t period_events;  /* events, if the source is not time */
static char source_name[80];

static uint32_t sources;        /* of the process's threads, now */

/* Each timer counts towards RLIMIT_SIGPENDING, as do the program's own timers and signals. So do an
 * event's signals until they are delivered, and where the limit is reached the kernel sends SIGIO,
 * which would end the program. So libprof takes only a small part of the limit: threads that start
 * at once count themselves first. */
static bool source_counted(void)
{
    enum { PART = 8, PENDING = 8 };     /* signals of a thread's event at a time, nearly always */
    struct rlimit limit;
    uint32_t before = __atomic_fetch_add(&sources, 1, __ATOMIC_RELAXED);
    uint64_t each = sample_source_event.size ? PART * PENDING : PART;
    if (kernel_call(SYS_prlimit64, 0L, (long)RLIMIT_SIGPENDING, 0L, &limit) ||
        before < limit.rlim_cur / each)
        return true;
    __atomic_fetch_sub(&sources, 1, __ATOMIC_RELAXED);
    return false;
}

static bool timer_on(struct sample_source *s, const struct thread *th)
{
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGNALS_OURS;
    event.sigev_value.sival_ptr = (void *)((uintptr_t)th ^ SAMPLE_SOURCE_TAG);
    event._sigev_un._tid = th->tid;
    if (kernel_call(SYS_timer_create, (long)CLOCK_THREAD_CPUTIME_ID, &event, &s->timer))
        return false;
    const struct itimerspec every = { { period_ns / 1000000000, period_ns % 1000000000 },
                                      { period_ns / 1000000000, period_ns % 1000000000 } };
    kernel_call(SYS_timer_settime, (long)s->timer, 0L, &every, 0L);
    return true;
}

/* Starts an event of this thread whose overflow sends a signal to this thread. */
static bool event_on(struct sample_source *s, uint32_t tid)
{
    struct f_owner_ex owner = { F_OWNER_TID, tid };
    s->timer = events_open(&sample_source_event, &s->event);
    if (s->timer < 0)
        return false;
    if (!kernel_call(SYS_fcntl, (long)s->timer, (long)F_SETOWN_EX, &owner) &&
        !kernel_call(SYS_fcntl, (long)s->timer, (long)F_SETSIG, (long)SIGNALS_OURS) &&
        !kernel_call(SYS_fcntl, (long)s->timer, (long)F_SETFL, (long)(O_ASYNC | O_NONBLOCK)) &&
        !kernel_call(SYS_ioctl, (long)s->timer, (long)PERF_EVENT_IOC_ENABLE, 0L))
        return true;
    events_close(s->timer, s->event);
    return false;
}

void sample_source_on(struct sample_source *s, const struct thread *th)
{
    if (!source_counted())
        return;
    s->running = sample_source_event.size ? event_on(s, th->tid) : timer_on(s, th);
    if (!s->running)
        __atomic_fetch_sub(&sources, 1, __ATOMIC_RELAXED);
}

void sample_source_off(struct sample_source *s)
{
    if (!s->running)
        return;
    if (sample_source_event.size)
        events_close(s->timer, s->event);
    else
        kernel_call(SYS_timer_delete, (long)s->timer);
    __atomic_fetch_sub(&sources, 1, __ATOMIC_RELAXED);
    s->running = false;
}

void sample_source_forked(void)
{
    sources = 0;
}

/* ---- PROF_SAMPLE ---- */

/* Parses SOURCE[:NUMBER] or NUMBER. *NUMBER is 0 if there is none. False: a syntax error. */
static bool parse(const char *setting, char *name, size_t size, uint64_t *number)
{
    const char *colon = strrchr(setting, ':'), *p = colon ? colon + 1 : setting;
    *number = 0;
    bool digits = *p != 0;
    for (; *p; p++) {
        digits &= *p >= '0' && *p <= '9' && *number < 1000000000000ull;
        *number = *number * 10 + (*p - '0');
    }
    size_t length = digits ? (size_t)((colon ? colon : setting) - setting) : strlen(setting);
    if (!digits)
        *number = 0;            /* a modifier of the event, as in instructions:u */
    if (length >= size || (digits && (!*number || (colon && !length))))
        return false;
    /* no event has such a name, so this is a bad rate */
    bool letter = (setting[0] >= 'a' && setting[0] <= 'z') ||
                  (setting[0] >= 'A' && setting[0] <= 'Z');
    if (length && (!letter || (!digits && !strncmp(setting, "cpu:", 4))))
        return false;
    memcpy(name, setting, length);
    name[length] = 0;
    return true;
}

/* Sets the event NAME as the source: a signal after each NUMBER events. For a time event: NUMBER
 * signals a second. */
static bool setup_event(const char *name, uint64_t number)
{
    struct perf_event_attr *attr = &sample_source_event;
    const char *why = "";
    uint64_t id;
    int r = pfm_event(name, attr, &why);
    if (!r) {
        bool time = attr->type == PERF_TYPE_SOFTWARE &&
                    (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
                     attr->config == PERF_COUNT_SW_TASK_CLOCK);
        bool bad = time && number > RATE_MAX;
        if (time)
            period_ns = 1000000000 / (number && !bad ? number : EVENT_RATE);
        else
            period_events = number ? number : attr->type == PERF_TYPE_SOFTWARE ? 100 : 1000003;
        bool faults = attr->type == PERF_TYPE_SOFTWARE &&
                      attr->config == PERF_COUNT_SW_PAGE_FAULTS && number && number < FAULTS_LEAST;
        if (faults)
            period_events = FAULTS_LEAST;
        attr->sample_period = time ? period_ns : period_events;
        attr->wakeup_events = 1;
        attr->disabled = 1;
        attr->inherit = 0;
        int fd = events_open(attr, &id);       /* a trial, before threads rely on the event */
        if (fd >= 0) {
            events_close(fd, id);
            fatal_spare(SIGIO);
            if (bad)
                message(MESSAGE_WARNING,
                        "PROF_SAMPLE=%s:%lu has no rate from 1 to %d: using %s:%d", name, number,
                        RATE_MAX, name, EVENT_RATE);
            if (faults)
                message(MESSAGE_WARNING,
                        "PROF_SAMPLE=%s:%lu would repeat some faults for ever: using %s:%d", name,
                        number, name, FAULTS_LEAST);
            return true;
        }
        why = pfm_why(fd);
    }
    message(MESSAGE_WARNING, "PROF_SAMPLE: %s: %s; using %s", name, why,
            config_default("PROF_SAMPLE"));
    memset(attr, 0, sizeof *attr);
    period_events = 0;
    return false;
}

uint64_t sample_source_setup(const char *setting)
{
    char name[sizeof source_name - 16];
    const char *usual = config_default("PROF_SAMPLE");
    uint64_t number, usual_rate;
    parse(usual, name, sizeof name, &usual_rate);
    bool ok = parse(setting, name, sizeof name, &number);
    bool timer = ok && (!*name || !strcmp(name, "cpu"));
    if (!ok || (timer && number > RATE_MAX)) {
        message(MESSAGE_WARNING,
                "PROF_SAMPLE=%s is not off, a rate from 1 to %d, cpu:RATE or EVENT:PERIOD: using "
                "%s",
                setting, RATE_MAX, usual);
        timer = true;
        number = 0;
    }
    if (timer || !setup_event(name, number)) {
        period_ns = 1000000000 / (timer && number ? number : usual_rate);
        strcpy(name, "thread CPU timer");
    }
    strcpy(source_name, name);
    return period_ns;
}

void sample_source_none(void)
{
    period_ns = period_events = 0;
}

uint64_t sample_source_period_ns(void)
{
    return period_ns;
}

uint64_t sample_source_period_events(void)
{
    return period_events;
}

const char *sample_source_name(void)
{
    return source_name;
}
