/* ledger.c - see ledger.h. */
#include "analysis/ledger.h"
#include <string.h>
#include "profile/profile.h"

struct ledger ledger_of(const struct summary *m, const struct paths *t)
{
    const struct profile *p = m->profile;
    const struct lpf_totals *k = &p->totals;
    struct ledger l = {
        .known = k->ns_num && strcmp(profile_string(p, k->clock), "virtual") && k->elapsed_ns,
        .crowd = (double)k->elapsed_ns * k->workers < k->threads_ns,
        .all = profile_slots_ns(p),
        .inside = t ? t->total.overhead : 0,
        .between = k->dispatch_ns,
        .search = k->search_ns,
        .sleep = k->sleep_ns,
        .blocked = k->blocked_ns,
        .own = k->own_ns,
    };
    uint64_t ready;
    profile_idle_run_delay_ns(p, &ready);
    l.ready = ready;
    l.work = m->work - l.inside;
    l.absent = l.all - k->threads_ns;
    return l;
}
