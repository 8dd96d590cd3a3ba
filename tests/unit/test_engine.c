/* test_engine.c - the engine against the oracle of dag.c: random programs under many schedules,
 * simulated on one thread (exact control over the interleaving) and on real threads. Every run is
 * a process of its own, so the engine starts fresh. Costs are virtual, so every figure is exact.
 * test_engine_*.c hold the cases by hand: what random programs do not reach.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "interpret.h"
#include "sampling/ready.h"
#include "unwind/function_at.h"

/* ---- comparison ---- */

/* 1 after a message where the engine's figure is not the oracle's, else 0. */
static int wrong(const struct run *run, const char *what, uint32_t where, uint64_t engine,
                 uint64_t truth)
{
    if (engine == truth)
        return 0;
    fprintf(stderr, "seed %lu features %u tasks %u, %s: %s[%u]: engine %lu, oracle %lu\n",
            run->p->seed, run->p->features, run->p->tasks, run->how->name, what, where, engine,
            truth);
    return 1;
}

static bool has_context(const struct program *p, uint32_t id)
{
    return id && !p->task[id].inherit && !p->task[id].discard;
}

/* A number for the profile of the span that does not depend on the contexts' numbers. */
static uint64_t profile_hash(const struct run *run, const struct snapshot *s)
{
    uint64_t hash = 0;
    bool *seen = calloc(s->context_count, 1);
    for (uint32_t i = 0; i < run->p->tasks; i++) {
        const struct context *c = run->r[i].ctx;
        if (!c || seen[c->id])
            continue;
        seen[c->id] = true;
        const struct on_span *v = &s->on_span[c->id];
        uint64_t state = i;
        hash += dag_random(&state) * (v->span_local + 3 * v->count + 5 * v->work_local +
                                      7 * v->work + 11 * v->span);
    }
    free(seen);
    return hash;
}

static int compare_sums(const struct run *run, const struct truth *t, uint64_t burden,
                        const struct snapshot *s)
{
    int bad = 0;
    bad += wrong(run, "work", 0, s->work, t->work);
    bad += wrong(run, "span", 0, s->span, t->span);
    bad += wrong(run, "burdened span", 0, s->len.L + s->len.K * burden, t->burdened);
    bad += wrong(run, "spawns", 0, s->spawns, t->spawns);
    bad += wrong(run, "tasks", 0, s->tasks, t->tasks);
    bad += wrong(run, "ready", 0, ready_now(), 0);
    uint64_t sum = 0, lost = 0;
    for (uint32_t i = 0; i < s->context_count; i++)
        sum += s->on_span[i].span_local;
    bad += wrong(run, "sum of the span's profile", 0, sum, t->span);
    for (uint32_t i = 0; i < 8; i++)
        lost += i == LOSS_PREFIX ? 0 : s->lost[i];
    bad += wrong(run, "lost", 0, lost, 0);
    return bad;
}

/* The oracle's figures by context, M and ON; and by site, of the topmost invocations, TOP. */
static void by_context(const struct run *run, const struct truth *t, struct metrics *m,
                       struct on_span *on, uint64_t *top)
{
    const struct program *p = run->p;
    for (uint32_t i = 0; i < p->tasks; i++) {
        if (p->task[i].discard)
            continue;
        const struct task_truth *k = &t->task[i];
        uint32_t c = run->r[i].ctx->id;
        m[c].work_local += k->own;
        m[c].tasks += i != 0;
        if (k->own > m[c].longest)
            m[c].longest = k->own;
        if (!p->task[i].inherit)
            on[c].span_local += t->span_of[i];
        if (!has_context(p, i))
            continue;
        m[c].invocations++;
        m[c].work += k->subtree;
        m[c].span += k->end - k->birth;
        m[c].span_local += k->loc;
        if (k->top)
            top[p->task[i].site] += k->subtree;
        if (k->on_span) {
            on[c].count++;
            on[c].work_local += k->invocation;
            on[c].work += k->subtree;
            on[c].span += k->end - k->birth;
        }
    }
}

/* The engine's figures of context I, and the oracle's, M and ON. */
static int compare_context(const struct run *run, const struct truth *t, const struct snapshot *s,
                           uint32_t i, const struct metrics *m, const struct on_span *on)
{
    int bad = 0;
    bad += wrong(run, "work_local", i, s->metrics[i].work_local, m->work_local);
    bad += wrong(run, "tasks", i, s->metrics[i].tasks, m->tasks);
    if (i)                  /* the program's own strand is measured as it runs */
        bad += wrong(run, "longest task", i, s->metrics[i].longest, m->longest);
    bad += wrong(run, "busiest and all", i, s->spread[i].busiest_work <= m->work_local &&
                 s->spread[i].threads <= m->tasks &&
                 (s->spread[i].threads != 1 || s->spread[i].busiest_tasks == m->tasks), 1);
    bad += wrong(run, "invocations", i, s->metrics[i].invocations, m->invocations);
    bad += wrong(run, "subtree work", i, s->metrics[i].work, m->work);
    bad += wrong(run, "subtree span", i, s->metrics[i].span, m->span);
    if (s->lost[LOSS_PREFIX])
        return bad;
    if (t->exact && t->all_unique)
        bad += wrong(run, "span_local", i, s->metrics[i].span_local, m->span_local);
    if (!t->unique || s->approximate)
        return bad;     /* it does not claim to be exact */
    bad += wrong(run, "on span: span_local", i, s->on_span[i].span_local, on->span_local);
    bad += wrong(run, "on span: count", i, s->on_span[i].count, on->count);
    bad += wrong(run, "on span: work_local", i, s->on_span[i].work_local, on->work_local);
    bad += wrong(run, "on span: work", i, s->on_span[i].work, on->work);
    bad += wrong(run, "on span: span", i, s->on_span[i].span, on->span);
    return bad;
}

/* How many figures of the engine's differ from the oracle's. */
static int compare(const struct run *run, const struct truth *t, uint64_t burden, uint64_t *hash)
{
    struct snapshot s;
    if (snapshot_take(&s, true))
        return wrong(run, "snapshot", 0, 0, 1);
    int bad = compare_sums(run, t, burden, &s);
    struct metrics *m = calloc(s.context_count, sizeof *m);
    struct on_span *on = calloc(s.context_count, sizeof *on);
    uint64_t top[DAG_SITES] = {0}, engine_top[DAG_SITES] = {0};
    by_context(run, t, m, on, top);
    for (struct context *c = context_list; c; c = c->next) {
        uint32_t i = c->id;
        if (c->site && c->top)
            engine_top[(c->site->address[0] - SITE_BASE) / SITE_STEP] += s.metrics[i].work;
        bad += compare_context(run, t, &s, i, &m[i], &on[i]);
    }
    for (const struct site *x = site_list; x; x = x->next)  /* every joiner is an ancestor */
        bad += wrong(run, "took others", x->id, x->took_others, false);
    for (uint32_t i = 0; i < DAG_SITES; i++)
        bad += wrong(run, "top-call-site work", i, engine_top[i], top[i]);
    *hash = profile_hash(run, &s);
    if (t->exact && t->unique)
        bad += wrong(run, "approximate", 0, s.approximate, 0);
    free(m);
    free(on);
    snapshot_free(&s);
    return bad;
}

/* One run in a process of its own; true when it agrees. *HASH: its profile of the span. */
static bool agrees_once(const struct program *p, const struct truth *t, const struct schedule *how,
                        uint64_t *hash, int *signal)
{
    fflush(0);
    int to_parent[2];
    cr_assert_eq(pipe(to_parent), 0);
    pid_t child = fork();
    if (child == 0) {
        static struct run run;
        alarm(60);
        engine_fresh(BURDEN);
        interpret(&run, p, how);
        int bad = compare(&run, t, BURDEN, hash);
        _exit(bad || write(to_parent[1], hash, sizeof *hash) != sizeof *hash);
    }
    close(to_parent[1]);
    if (read(to_parent[0], hash, sizeof *hash) != sizeof *hash)
        *hash = 0;
    close(to_parent[0]);
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return status == 0;
}

static bool agrees(const struct program *p, const struct truth *t, const struct schedule *how,
                   uint64_t *hash)
{
    int signal = 0;
#ifdef __SANITIZE_THREAD__
    /* Its runtime dies in some forked children before they start ("failed to allocate"). */
    for (int tries = 0; tries < 5; tries++) {
        bool good = agrees_once(p, t, how, hash, &signal);
        if (!signal)
            return good;
    }
#else
    if (agrees_once(p, t, how, hash, &signal))
        return true;
#endif
    if (signal)
        fprintf(stderr, "seed %lu features %u tasks %u, %s: signal %d\n", p->seed, p->features,
                p->tasks, how->name, signal);
    return false;
}

/* SEEDS programs from SEED on, each under the schedules from FIRST to LAST. */
static void property(uint64_t seed, uint64_t seeds, uint32_t features, uint32_t tasks,
                     uint32_t first, uint32_t last)
{
    uint32_t failures = 0, unique = 0;  /* programs whose profile of the span must be exact */
    unwind_function_start((uintptr_t)property); /* libunwind is loaded once, not in every child */
    for (uint64_t end = seed + seeds; seed < end && failures < 10; seed++) {
        struct program p;
        struct truth t;
        uint64_t r = seed;
        program_make(&p, seed, features & dag_random(&r), 1 + dag_random(&r) % tasks);
        truth_compute(&t, &p, BURDEN);
        unique += t.exact && t.unique;
        /* Ties are broken the same way in every schedule. */
        bool stable = !(p.features & (FEATURE_EDGES | FEATURE_FOREIGN | FEATURE_DETACHED));
        uint64_t hash, reference = 0;
        for (uint32_t i = first; i <= last; i++) {
            if (!agrees(&p, &t, &schedules[i], &hash)) {
                failures++;
            } else if (i == first) {
                reference = hash;
            } else if (stable && hash != reference) {
                fprintf(stderr, "seed %lu features %u tasks %u: %s and %s differ on the span\n",
                        p.seed, p.features, p.tasks, schedules[first].name, schedules[i].name);
                failures++;
            }
        }
        truth_free(&t);
        program_free(&p);
    }
    cr_log_info("%lu programs, %u of them with one exact profile of the span", seeds, unique);
    cr_assert_eq(failures, 0);
}

Test(engine, random_programs_simulated, .timeout = 600)
{
    property(1, 2000, FEATURE_ALL & ~FEATURE_DISCARD, 120, 0, SIMULATED_LAST);
}

Test(engine, random_programs_pure, .timeout = 600)
{
    property(100001, 1000, FEATURE_KEYED | FEATURE_CALL | FEATURE_INHERIT, 120, 0, SIMULATED_LAST);
}

Test(engine, random_programs_threads, .timeout = 600)
{
    property(200001, 700, FEATURE_ALL & ~FEATURE_DISCARD, 150, SIMULATED_LAST + 1, SCHEDULES - 1);
}

Test(engine, random_programs_large, .timeout = 600)
{
    property(400001, 40, FEATURE_ALL & ~FEATURE_DISCARD, 4000, 0, SCHEDULES - 1);
}

/* Tasks that are spawned and never run. A test of its own: the programs of the other tests stay
 * the same. */
Test(engine, random_programs_discard, .timeout = 600)
{
    property(300001, 1000, FEATURE_ALL, 100, 0, 6);
}
