/* timelines.c - what threads did over the run. */
#include <string.h>
#include "gen.h"

static void row(uint64_t tid, const char *name, uint32_t kind)
{
    struct lpf_timeline_row r = { .tid = tid, .name = string(name), .kind = kind };
    add(LPF_TIMELINE_ROWS, &r, sizeof r);
}

static void bin(uint32_t row, uint32_t bin, const uint32_t *n)
{
    struct lpf_timeline_bin b = { .row = row, .bin = bin, .work = n[0], .overhead = n[1],
                                  .own = n[2], .between = n[3], .blocked = n[4], .asleep = n[5] };
    add(LPF_TIMELINE_BINS, &b, sizeof b);
}

/* off_cpu's 600 ms in 8 bins of 75 ms: of a worker; of the main thread, which does one thing after
 * the other, and of whose last two bins nothing is known; of another thread. */
void timeline(void)
{
    static const uint32_t asleep[] = { 0, 0, 0, 0, 0, 7 }, all[] = { 18, 0, 0, 0, 0, 0 },
                          half[] = { 9, 0, 1, 0, 0, 0 }, overhead[] = { 2, 10, 0, 0, 0, 0 },
                          blocked[] = { 0, 0, 0, 0, 7, 0 }, between[] = { 0, 0, 0, 15, 0, 0 },
                          own[] = { 0, 0, 16, 0, 0, 0 }, other[] = { 9, 0, 0, 0, 0, 0 };
    off_cpu();
    struct lpf_timeline t = { .bin_ns = 75000000, .bins = 8, .unplaced = 1234 };
    add(LPF_TIMELINE, &t, sizeof t);
    row(4243, "<b>\033[1m", LPF_THREAD_WORKER);
    row(4242, "app", LPF_THREAD_MAIN);
    row(4200, "", LPF_THREAD_USER);
    bin(0, 0, asleep);
    bin(0, 6, own);
    bin(0, 7, all);
    bin(1, 0, all);
    bin(1, 1, half);
    bin(1, 2, overhead);
    bin(1, 3, blocked);
    bin(1, 4, asleep);
    bin(1, 5, between);
    bin(2, 3, other);
}

int bad_timeline(const char *what)
{
    timeline();
    struct lpf_timeline *t = FIRST(LPF_TIMELINE);
    struct lpf_timeline_row *r = FIRST(LPF_TIMELINE_ROWS);
    struct lpf_timeline_bin *b = FIRST(LPF_TIMELINE_BINS);
    if (!strcmp(what, "timeline-width"))
        t->bin_ns = 0;
    else if (!strcmp(what, "timeline-long"))
        t->bin_ns = UINT64_MAX;
    else if (!strcmp(what, "timeline-bins"))
        t->bins = LPF_TIMELINE_MOST + 1;
    else if (!strcmp(what, "timeline-twice"))
        add(LPF_TIMELINE, &(struct lpf_timeline){ .bin_ns = 1, .bins = 8 }, sizeof *t);
    else if (!strcmp(what, "timeline-headless"))
        sections[LPF_TIMELINE - 1].used = 0;
    else if (!strcmp(what, "timeline-rows"))
        sections[LPF_TIMELINE_ROWS - 1].used = sections[LPF_TIMELINE_BINS - 1].used = 0;
    else if (!strcmp(what, "timeline-name"))
        r[0].name = UINT32_MAX;
    else if (!strcmp(what, "timeline-row"))
        b[9].row = 3;
    else if (!strcmp(what, "timeline-bin"))
        b[2].bin = 8;
    else if (!strcmp(what, "timeline-order"))
        b[1].bin = 0;
    else if (!strcmp(what, "timeline-none"))
        b[0].asleep = 0;
    else
        return -1;
    return 0;
}
