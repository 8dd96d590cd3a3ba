/* summary.c - the whole program: work, spans, and the bounds that they set. See summary.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/site_tasks.h"
#include "analysis/summary_private.h"
#include "base/format.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

/* The strands of the run: the first one, two from each spawn on, one from each join on (Cilkview);
 * and those of a parallel region's threads that no spawn began, which count as tasks: a chunk of a
 * loop each, or what follows a barrier. A task that is called is no strand of its own. */
static double strands(const struct summary *m)
{
    const struct lpf_totals *t = &m->profile->totals;
    double roots = m->profile->input_count ? m->profile->input_count : 1, of_regions = 0,
           not_spawned = t->tasks > t->spawns ? t->tasks - t->spawns : 0;
    for (size_t i = 0; i < m->row_count; i++)
        if (!strncmp(m->rows[i].construct, "parallel", 8) &&
            !strcmp(m->rows[i].runtime, "openmp"))
            of_regions += m->rows[i].tasks;
    return roots + 2.0 * t->spawns + t->syncs + fmin(not_spawned, of_regions);
}

/* The names are those that the agents give to run_as_executed. */
static void add_note(struct summary *m, const struct lpf_note *n)
{
    const char *name = profile_string(m->profile, n->name);
    m->note_kinds |= 1u << (n->kind & 31);
    if (n->kind != LPF_NOTE_EXECUTED)
        return;
    m->ordered.flow |= strstr(name, "flow") != 0;
    m->ordered.pipeline |= strstr(name, "pipeline") != 0;
    m->ordered.mpi |= !strncmp(name, "MPI_", 4);
}

void summary_new(struct summary *m, const struct profile *p, bool raw)
{
    summary_new_with(m, p, raw, symbols_new(p));
}

void summary_new_with(struct summary *m, const struct profile *p, bool raw, struct symbols *s)
{
    const struct lpf_totals *t = &p->totals;
    memset(m, 0, sizeof *m);
    m->profile = p;
    m->symbols = s;
    summary_make_rows(m, raw);
    for (size_t i = 0; i < m->row_count; i++)
        m->as_executed |= m->rows[i].as_executed;
    bool threads = summary_limited_by_threads(m);
    for (size_t i = 0; i < m->row_count; i++)
        m->pooled |= threads && m->rows[i].tasks > 1 &&
                     !strcmp(m->rows[i].construct, "pthread_create");
    for (size_t i = 0; i < p->note_count; i++)
        add_note(m, &p->notes[i]);
    /* The engine chose the burdened path by a provisional burden; with a measured one, the path
     * that it kept may come out shorter than the span, which no burdened dag's longest path is. */
    m->burdened_cost = profile_burdened(p, t->burdened_len_cost, t->burdened_edges);
    if (m->burdened_cost < t->span_cost)
        m->burdened_cost = t->span_cost;
    m->work = profile_ns(p, t->work_cost);
    m->span = profile_ns(p, t->span_cost);
    m->burden = profile_ns(p, t->burden_cost);
    m->standstill = standstill_of(p);
    m->burdened_span = profile_ns(p, m->burdened_cost);
    m->divisible_span = profile_ns(p, profile_divisible_span(p));
    m->typical_span = profile_ns(p, profile_typical_span(p));
    m->parallelism = summary_parallelism(m->work, m->span);
    m->typical_parallelism = summary_parallelism(m->work, m->typical_span);
    m->divisible_parallelism = summary_parallelism(m->work, m->divisible_span);
    m->burdened_parallelism = summary_parallelism(m->work, m->burdened_span);
    m->strands = strands(m);
    m->average_strand = m->work / m->strands;
    m->short_strands = t->spawns && strcmp(profile_string(p, t->clock), "virtual") &&
                       m->average_strand <
                           (t->ns_num ? SHORT_STRAND_NS : SHORT_STRAND_INSTRUCTIONS);
    summary_sort(m, "span");
}

void summary_free(struct summary *m)
{
    symbols_free(m->symbols);
    free(m->next_site);
    free(m->rows);
    free(m->waits);
    free(m->calls);
    memset(m, 0, sizeof *m);
}

const struct row **summary_rows_of_sites(const struct summary *m)
{
    const struct row **of = format_memory(calloc(m->profile->site_count + 1, sizeof *of));
    for (size_t i = 0; i < m->row_count; i++)
        for (uint32_t s = m->rows[i].first; s < m->profile->site_count; s = m->next_site[s])
            of[s] = &m->rows[i];
    return of;
}

bool summary_in_run_order(const struct summary *m)
{
    return m->ordered.flow || m->ordered.pipeline || m->ordered.mpi;
}

const struct row *summary_heaviest(const struct summary *m)
{
    const struct row *best = 0;
    for (size_t i = 0; i < m->row_count; i++)
        if (!best || m->rows[i].on_local.span > best->on_local.span)
            best = &m->rows[i];
    return best && best->on_local.span ? best : 0;
}

double summary_exclusion(const struct summary *m, const struct row **longest)
{
    double ns = 0;
    *longest = 0;
    for (size_t i = m->wait_count; i-- > 0;)
        if (!m->waits[i].in_order) {
            *longest = &m->waits[i];
            ns += profile_ns(m->profile, m->waits[i].top.work);
        }
    return ns;
}

bool summary_starts_or_ends_mpi(const struct row *r)
{
    return !strncmp(r->construct, "MPI_Init", 8) || !strcmp(r->construct, "MPI_Finalize");
}

bool summary_may_wait_in_mpi(const struct row *r)
{
    return !strncmp(r->construct, "MPI_File_", 9) || !strncmp(r->construct, "MPI_Win_", 8) ||
           !strncmp(r->construct, "MPI_Neighbor_", 13) || !strncmp(r->construct, "MPI_Test", 8) ||
           !strcmp(r->construct, "MPI_Iprobe") || !strcmp(r->construct, "MPI_Improbe");
}

struct mpi_time summary_mpi(const struct summary *m)
{
    struct mpi_time t = { 0 };
    for (size_t i = 0; i < m->profile->rank_count; i++) {
        const struct lpf_rank *r = &m->profile->ranks[i];
        t.late_sender += r->late_sender_ns;
        t.collective += r->collective_ns;
        t.late_receiver += r->late_receiver_ns;
        t.sent += r->sent_ns;
        t.transfer += r->transfer_ns;
    }
    for (size_t i = 0; i < m->call_count; i++) {
        const struct row *r = &m->calls[i];
        if (!(r->mpi & LPF_SITE_TRANSFER))
            continue;
        if (summary_starts_or_ends_mpi(r))
            t.start_end += profile_ns(m->profile, r->top.work);
        else if (summary_may_wait_in_mpi(r))
            t.unknown += profile_ns(m->profile, r->top.work);
    }
    t.start_end = fmin(t.start_end, t.transfer);
    t.unknown = fmin(t.unknown, t.transfer - t.start_end);
    return t;
}

/* False: several threads of a rank were in MPI at once, or the clock is no time. */
static bool hybrid_efficiencies(const struct profile *p, struct efficiencies *e)
{
    double work = 0, slots = 0, outside = 0, most = 0, elapsed = p->totals.elapsed_ns;
    for (size_t i = 0; i < p->rank_count; i++) {
        const struct lpf_rank *r = &p->ranks[i];
        double mpi = profile_rank_in_mpi_ns(r);
        if (mpi > elapsed)
            return false;
        work += profile_ns(p, r->work_cost);
        slots += r->workers;
        outside += elapsed - mpi;
        most = elapsed - mpi > most ? elapsed - mpi : most;
    }
    double mean = outside / p->rank_count;
    *e = (struct efficiencies){ .hybrid = true, .parallel = work / (slots * elapsed),
                                .load_balance = ratio(mean, most),
                                .communication = most / elapsed, .mpi = mean / elapsed };
    e->threads = ratio(e->parallel, e->mpi);
    return strcmp(profile_string(p, p->totals.clock), "virtual") != 0;
}

bool summary_efficiencies(const struct summary *m, struct efficiencies *e)
{
    const struct profile *p = m->profile;
    double work = 0, most = 0;
    if (!p->rank_count || p->ranks->size != p->rank_count || !profile_job_finished(p) ||
        !p->totals.ns_num || !p->totals.elapsed_ns)
        return false;
    for (size_t i = 0; i < p->rank_count; i++)
        if (p->ranks[i].workers > 1)
            return hybrid_efficiencies(p, e);
    for (size_t i = 0; i < p->rank_count; i++) {
        double ns = profile_ns(p, p->ranks[i].work_cost);
        work += ns;
        most = ns > most ? ns : most;
    }
    double mean = work / p->rank_count, elapsed = p->totals.elapsed_ns,
           ideal = fmax(m->span, most);
    *e = (struct efficiencies){ .parallel = mean / elapsed, .load_balance = ratio(mean, most),
                                .communication = most / elapsed,
                                .serialisation = ratio(most, ideal),
                                .transfer = ideal / elapsed, .by_work = most > m->span,
                                .mpi = mean / elapsed, .threads = 1 };
    return strcmp(profile_string(p, p->totals.clock), "virtual") != 0;
}

bool summary_region_efficiencies(const struct summary *m, const struct lpf_region_rank *r,
                                 struct efficiencies *e)
{
    const struct profile *p = m->profile;
    double elapsed = r->most_elapsed_ns, ranks = p->rank_count;
    if (!p->rank_count || p->ranks->size != p->rank_count || r->ranks > ranks ||
        !p->totals.ns_num || !(elapsed > 0) ||
        !strcmp(profile_string(p, p->totals.clock), "virtual"))
        return false;
    bool hybrid = r->workers > r->ranks;
    double work = profile_ns(p, r->work_cost),
           mean = (hybrid ? r->outside_ns : work) / ranks,
           most = hybrid ? r->most_outside_ns : profile_ns(p, r->most_work_cost);
    *e = (struct efficiencies){ .hybrid = hybrid, .load_balance = ratio(mean, most),
                                .communication = most / elapsed, .serialisation = NAN,
                                .transfer = NAN, .mpi = mean / elapsed, .threads = 1 };
    /* ranks that are not in it have as many workers as the others */
    e->parallel = hybrid ? work / (ratio(r->workers, r->ranks) * ranks * elapsed) : e->mpi;
    e->threads = hybrid ? ratio(e->parallel, e->mpi) : 1;
    return true;
}

bool summary_is_one_rank(const struct summary *m)
{
    const struct profile *p = m->profile;
    return p->rank_count == 1 && p->ranks->size > 1 && p->ranks->flags & LPF_RANK_JOINED;
}

double summary_upper(const struct summary *m, unsigned p)
{
    return m->parallelism && m->parallelism < p ? m->parallelism : p;
}

double summary_upper_divided(const struct summary *m, unsigned p)
{
    return m->divisible_parallelism && m->divisible_parallelism < p ? m->divisible_parallelism : p;
}

bool summary_divides(double span, double divisible)
{
    return divisible > 0 && span > 1.05 * divisible;
}

double summary_upper_typical(const struct summary *m, unsigned p)
{
    return m->typical_parallelism && m->typical_parallelism < p ? m->typical_parallelism : p;
}

bool summary_has_outliers(const struct summary *m)
{
    return m->typical_parallelism > 1.05 * m->parallelism;
}

bool summary_loops_divide(const struct summary *m)
{
    return summary_divides(m->span, m->divisible_span);
}

/* TBB's partitioners divide what is stolen further. So chunks of equal iterations differ, too, but
 * by less than this (verdicts/bound-alike). */
#define LONG_CHUNK 5

/* Did a chunk of R, all of whose chunks have a size that the program chose, take far longer than
 * the mean of the others? The last chunk of a loop has the iterations that are left, perhaps very
 * few. So the last chunk of each execution is not one of the others. */
static bool is_longer_than_others(const struct row *r)
{
    if (r->cut.by_runtime != r->cut.sized || r->parts < 2 || r->parts - 2 < r->invocations ||
        r->longest > r->local.work)
        return false;
    double others = r->parts - 1 - r->invocations;
    return r->longest > LONG_CHUNK * (r->local.work - r->longest) / others;
}

/* Of guided loops of OpenMP the runtime chooses the sizes: the first chunk is always long. The
 * mean of few chunks is not far below the longest, which it contains. */
static bool is_long_chunk(const struct row *r)
{
    bool alike = strcmp(r->runtime, "openmp") || r->cut.by_runtime == r->cut.sized;
    return alike && r->cut.by_runtime + r->cut.by_program > 0 && r->parts && r->local.work &&
           (r->longest > LONG_CHUNK * (double)r->local.work / r->parts ||
            is_longer_than_others(r));
}

const struct row *summary_long_chunk(const struct summary *m)
{
    for (size_t i = 0; i < m->row_count; i++)
        if (is_long_chunk(&m->rows[i]) &&
            m->rows[i].longest > 0.5 * m->profile->totals.span_cost)
            return &m->rows[i];
    return NULL;
}

/* Of as many iterations, chunks that differ so much show that these cost more in one. */
#define UNLIKE 2.0

/* OpenMP's static schedule without a chunk size gives each thread one chunk. A loop with any other
 * has more chunks, or is none that a runtime cuts. What a thread does beside its chunk is in the
 * divided span, too. */
const struct row *summary_unlike_chunk(const struct summary *m)
{
    double beside = profile_divisible_span(m->profile);
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        bool a_chunk_each = !strcmp(r->runtime, "openmp") && r->invocations == 1 && r->parts > 1 &&
                            r->cut.by_runtime > r->cut.sized && r->parts <= r->threads;
        if (a_chunk_each && r->longest <= r->local.work &&
            (r->longest - beside) * (r->parts - 1.0) > UNLIKE * (r->local.work - r->longest) &&
            r->longest > 0.5 * m->profile->totals.span_cost)
            return r;
    }
    return NULL;
}

bool summary_cut_by_program(const struct summary *m)
{
    return m->cut.by_program + m->cut.sized && m->cut.by_runtime == m->cut.sized;
}

bool summary_is_of_one(const struct row *r)
{
    return r->of_one.executions && r->of_one.work > 0.5 * r->top.work;
}

/* Teams of one thread with less of the work hardly matter. */
#define OF_ONE 0.1

const struct row *summary_of_one(const struct summary *m, double *work)
{
    const struct row *best = NULL;
    double all = 0;
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        all += profile_ns(m->profile, r->of_one.work);
        if (r->of_one.executions && (!best || r->of_one.work > best->of_one.work))
            best = r;
    }
    all = fmin(all, m->work);
    if (work)
        *work = all;
    return all >= OF_ONE * m->work ? best : NULL;
}

bool summary_cut_by_either(const struct summary *m)
{
    for (size_t i = 0; i < m->row_count; i++)
        if (m->rows[i].cut.by_runtime > m->rows[i].cut.sized &&
            !strcmp(m->rows[i].runtime, "openmp"))
            return true;
    return false;
}

bool summary_limited_by_threads(const struct summary *m)
{
    double share = 0;
    for (size_t i = 0; i < m->row_count; i++)
        share += strcmp(m->rows[i].construct, "pthread_create") ? 0 : m->rows[i].share;
    return m->profile->rank_count <= 1 && share > 0.5;
}

double summary_least(double work, double burdened, double p)
{
    double least = ratio(work, work / p + 2 * SPAN_COEFFICIENT * burdened);
    return least < 1 && work > 0 ? 1 : least;
}

bool summary_has_lower(const struct summary *m)
{
    return m->profile->rank_count < 2;
}

double summary_lower(const struct summary *m, unsigned p)
{
    return summary_least(m->work, m->burdened_span, p);
}

/* 2, 4, ... 128 at least; on to four times the parallelism, but not beyond 1024. */
unsigned summary_processors(const struct summary *m, unsigned *p, unsigned capacity)
{
    unsigned n = 0;
    for (unsigned v = 2; v <= 1024 && n < capacity; v *= 2) {
        if (v > 128 && v / 2 >= 4 * m->parallelism)
            break;
        p[n++] = v;
    }
    return n;
}
