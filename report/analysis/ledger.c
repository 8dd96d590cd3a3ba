/* ledger.c - see ledger.h. */
#include "analysis/ledger.h"
#include <math.h>
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
    struct mpi_time mpi = summary_mpi(m);
    l.mpi_waits = fmin(mpi.late_sender + mpi.late_receiver + mpi.collective + mpi.sent,
                       l.search + l.sleep);
    double off = fmax(l.mpi_waits - l.search, 0);   /* MPI polls, unless it was told to yield */
    l.search -= l.mpi_waits - off;
    l.sleep -= off;
    l.mpi_transfer = fmin(mpi.transfer, l.between + l.sleep);
    double on = fmin(l.mpi_transfer, l.between);    /* the rest slept, as in MPI_Init */
    l.between -= on;
    l.sleep -= l.mpi_transfer - on;
    uint64_t ready;
    profile_idle_run_delay_ns(p, &ready);
    /* as much of it as may be was in MPI, where ranks sleep or yield */
    double in_mpi = off + (l.mpi_transfer - on);
    l.ready = fmin(fmax(ready - in_mpi, 0), l.sleep);
    l.work = m->work - l.inside;
    l.absent = l.all - k->threads_ns;
    l.idle = fmax(profile_idle_rows_ns(p) - l.mpi_waits - (l.mpi_transfer - on), 0);
    return l;
}
