/* test_engine.c - the engine against the oracle of dag.c: random programs under many schedules,
 * simulated on one thread (exact control over the interleaving) and on real threads. Every run is
 * a process of its own, so the engine starts fresh; costs are virtual, so everything is exact.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <x86intrin.h>
#include <unistd.h>
#include "dag/bag.h"
#include "dag/block.h"
#include "engine/burden.h"
#include "dag.h"
#include "unwind/cct.h"
#include "engine/divide.h"
#include "engine/engine.h"
#include "output/snapshot.h"
#include "process/thread.h"
#include "dag/own.h"
#include "libprof_format.h"
#include "dag/thread.h"

enum { MAX_THREADS = 8, BURDEN = 1000, SITE_BASE = 0x1000, SITE_STEP = 0x100 };

enum order { NEWEST, OLDEST, RANDOM };
struct schedule {
    const char *name;
    enum order order;           /* which runnable task a free thread takes */
    uint32_t threads;
    bool real;                  /* pthreads, or simulated on one */
    bool child_first;           /* a spawn switches to the child */
    uint32_t preempt;           /* an operation in so many is followed by a switch; 0 never */
    bool migrate;               /* a switched-out task may go on on another thread */
    bool early;                 /* joiners learn of an end before the engine does (real only) */
};
static const struct schedule schedules[] = {
    { .name = "serial, child at spawn", .order = NEWEST, .threads = 1, .child_first = true },
    { .name = "serial, newest at join", .order = NEWEST, .threads = 1 },
    { .name = "serial, oldest at join", .order = OLDEST, .threads = 1 },
    { .name = "random, one thread", .order = RANDOM, .threads = 1, .preempt = 4 },
    { .name = "3 simulated, tied", .order = RANDOM, .threads = 3, .preempt = 8 },
    { .name = "5 simulated, migrating", .order = RANDOM, .threads = 5, .preempt = 3, .migrate = true },
    { .name = "4 threads, tied", .order = RANDOM, .threads = 4, .real = true },
    { .name = "4 threads, stealing oldest, early", .order = OLDEST, .threads = 4, .real = true,
      .early = true, .preempt = 9 },
    { .name = "4 threads, migrating, early", .order = RANDOM, .threads = 4, .real = true,
      .preempt = 4, .migrate = true, .early = true },
};
enum { SCHEDULES = sizeof schedules / sizeof schedules[0] };

/* ---- interpreter ---- */

struct running {
    uint32_t id, pc;
    struct task *task;
    struct context *ctx;
    struct scope *scope[SCOPE_KINDS];
    uint32_t pending[SCOPE_KINDS];  /* tasks not complete yet */
    bool ended, fresh;
    uint32_t home;
};

struct run {
    const struct program *p;
    const struct schedule *how;
    uint64_t random;
    pthread_mutex_t lock;       /* of everything here but what one thread runs */
    struct running *r;          /* by task */
    uint32_t *ready, ready_count; /* tasks not running, runnable or not */
    uint32_t puts_left[DAG_EDGES];
    uint32_t live;              /* tasks not ended, the root included */
    struct edge edge[DAG_EDGES];
    struct thread *th[MAX_THREADS];
};

static uint32_t choose(struct run *run, uint32_t n)
{
    return dag_random(&run->random) % n;
}

static struct context *context_of(struct context *parent, uint32_t site)
{
    struct site_key key = { .address = { SITE_BASE + SITE_STEP * site }, .runtime = "test", .construct = "spawn" };
    const struct segment *segment = path_single(key.address[0]);
    struct context *c = context_child(parent, segment, END_TASK);
    return c ? c : context_child_slow(parent, 0, segment, END_TASK, &key);
}

/* May R's next operation go on? Lock held. */
static bool runnable(const struct run *run, const struct running *r)
{
    const struct ptask *t = &run->p->task[r->id];
    if (r->pc == t->ops)
        return true;
    const struct op *op = &t->op[r->pc];
    switch (op->kind) {
    case OP_JOIN: return !r->pending[op->n];
    case OP_FOREIGN: return !run->r[op->n].pending[op->k];
    case OP_GET: return !run->puts_left[op->n];
    default: return true;
    }
}

static void make_ready(struct run *run, uint32_t id)
{
    run->ready[run->ready_count++] = id;
}

/* A task that thread W can take; NULL: none now. Lock held. */
static struct running *take(struct run *run, uint32_t w)
{
    uint32_t n = run->ready_count, start = run->how->order == RANDOM && n ? choose(run, n) : 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = run->how->order == NEWEST ? n - 1 - i : (start + i) % n;
        struct running *r = &run->r[run->ready[at]];
        /* a root strand stays on its thread; so does a tied task that has begun */
        bool tied = !r->fresh && (r->id == 0 || !run->how->migrate);
        if ((tied && r->home != w) || !runnable(run, r))
            continue;
        memmove(&run->ready[at], &run->ready[at + 1], (n - at - 1) * sizeof run->ready[0]);
        run->ready_count--;
        return r;
    }
    return 0;
}

/* R is over, body and self children: its scope hears of it, and perhaps its parent is over, too. */
static void completed(struct run *run, struct running *r)
{
    while (r->ended && !r->pending[SCOPE_SELF] && r->id) {
        struct running *parent = &run->r[run->p->task[r->id].parent];
        parent->pending[run->p->task[r->id].scope]--;
        if (run->p->task[r->id].scope != SCOPE_SELF)
            return;
        r = parent;
    }
}

enum outcome { RAN, SPAWNED, BLOCKED, ENDED };

static void spawn(struct run *run, uint32_t w, struct running *r, uint32_t id)
{
    struct thread *th = run->th[w];
    const struct ptask *c = &run->p->task[id];
    struct running *child = &run->r[id];
    struct scope *scope = 0;
    if (c->scope == SCOPE_SELF) {
        scope = &r->task->self;
    } else if (c->scope != SCOPE_DETACHED) {
        if (!r->scope[c->scope])
            r->scope[c->scope] = engine_scope_new(th);
        scope = r->scope[c->scope];
        scope->key = id % 2 ? scope : 0;
    }
    child->ctx = c->inherit ? r->ctx : context_of(r->ctx, c->site);
    child->task = engine_spawn(th, scope, child->ctx,
                               (c->call ? TASK_CALL : 0) | (c->inherit ? TASK_INHERIT : 0));
    pthread_mutex_lock(&run->lock);
    child->fresh = true;
    r->pending[c->scope]++;
    run->live++;
    make_ready(run, id);
    pthread_mutex_unlock(&run->lock);
}

static void end(struct run *run, uint32_t w, struct running *r)
{
    bool early = run->how->early, discard = run->p->task[r->id].discard;
    struct thread *th = run->th[w];
    for (uint32_t pass = 0; pass < 2; pass++) {
        if (pass == early) {
            /* keyed scopes that are empty are freed by hand or by the task's end */
            for (uint32_t k = 1; k <= DAG_KEYED; k++)
                if (r->scope[k] && scope_is_empty(r->scope[k]) && (r->scope[k]->key || r->id % 3 == 0))
                    engine_scope_free(th, r->scope[k]);
            if (discard)
                engine_discard(th, r->task);
            else
                engine_end(th);
        } else {
            pthread_mutex_lock(&run->lock);
            r->ended = true;
            completed(run, r);
            pthread_mutex_unlock(&run->lock);
        }
    }
    pthread_mutex_lock(&run->lock);
    run->live--;
    pthread_mutex_unlock(&run->lock);
}

/* A join takes the strand's numbers as they are: whoever waits has ended a part of the strand. */
static void wait_here(struct thread *th, uint32_t luck)
{
    if (luck % 2)
        engine_cut(th);
    else
        engine_resume(th, engine_pause(th));
}

/* The next operation of R, which runs on thread W. */
static enum outcome step(struct run *run, uint32_t w, struct running *r)
{
    struct thread *th = run->th[w];
    const struct ptask *t = &run->p->task[r->id];
    if (r->pc == t->ops) {
        end(run, w, r);
        return ENDED;
    }
    pthread_mutex_lock(&run->lock);
    bool go = runnable(run, r);
    uint64_t place = run->p->seed + ((uint64_t)r->id << 32) + r->pc;
    uint32_t luck = dag_random(&place) % 4;     /* the program's, not the schedule's */
    pthread_mutex_unlock(&run->lock);
    if (!go)
        return BLOCKED;
    const struct op *op = &t->op[r->pc++];
    switch (op->kind) {
    case OP_COST:
        th->clock.virtual_now += op->n;
        break;
    case OP_SPAWN:
        spawn(run, w, r, op->n);
        return SPAWNED;
    case OP_JOIN:
        wait_here(th, luck);
        if (op->n == SCOPE_SELF) {
            engine_join(th, &r->task->self);
        } else if (r->scope[op->n]) {
            engine_join(th, r->scope[op->n]);
            if (luck == 0) {
                engine_scope_free(th, r->scope[op->n]);
                r->scope[op->n] = 0;
            }
        }
        break;
    case OP_FOREIGN:
        wait_here(th, luck);
        engine_join_foreign(th, run->r[op->n].scope[op->k]);
        engine_scope_free(th, run->r[op->n].scope[op->k]);
        break;
    case OP_PUT:
        engine_edge_put(th, &run->edge[op->n]);
        pthread_mutex_lock(&run->lock);
        run->puts_left[op->n]--;
        pthread_mutex_unlock(&run->lock);
        break;
    case OP_GET:
        engine_edge_get(th, &run->edge[op->n]);
        break;
    case OP_PAUSE:
        engine_resume(th, engine_pause(th));
        break;
    case OP_CUT:
        engine_cut(th);
        break;
    }
    return RAN;
}

/* R, taken off the ready list, goes to thread W. */
static void go_on(struct run *run, uint32_t w, struct running *r)
{
    bool fresh = r->fresh;
    r->fresh = false;
    r->home = w;
    if (run->p->task[r->id].discard)
        return;
    if (fresh)
        engine_begin(run->th[w], r->task);
    else
        engine_resume(run->th[w], r->task);
}

/* Let R stop and others run. */
static void stop(struct run *run, uint32_t w, struct running *r, bool under)
{
    engine_pause(run->th[w]);
    if (run->how->migrate && r->id)
        engine_unbias(r->task);
    pthread_mutex_lock(&run->lock);
    if (under) {        /* right below the newest, its child */
        uint32_t child = run->ready[--run->ready_count];
        make_ready(run, r->id);
        make_ready(run, child);
    } else {
        make_ready(run, r->id);
    }
    pthread_mutex_unlock(&run->lock);
}

/* One operation of *CUR on thread W; *CUR is NULL after when the thread is free. */
static void turn(struct run *run, uint32_t w, struct running **cur)
{
    struct running *r = *cur;
    bool root_over = r->id == 0 && r->pc == run->p->task[0].ops;
    enum outcome o = root_over ? ENDED : step(run, w, r);
    if (root_over) {            /* the program goes on until all is done; the root waits */
        engine_pause(run->th[w]);
        pthread_mutex_lock(&run->lock);
        run->live--;
        pthread_mutex_unlock(&run->lock);
    }
    if (o == ENDED) {
        *cur = 0;
        return;
    }
    pthread_mutex_lock(&run->lock);
    bool preempt = run->how->preempt && choose(run, run->how->preempt) == 0;
    pthread_mutex_unlock(&run->lock);
    bool child_first = o == SPAWNED && run->how->child_first;
    if (o == BLOCKED || preempt || child_first) {
        stop(run, w, r, child_first);
        *cur = 0;
    }
}

static void simulate(struct run *run)
{
    struct running *cur[MAX_THREADS] = { &run->r[0] };
    struct thread *me = thread_self_;
    for (uint32_t w = 1; w < run->how->threads; w++) {
        thread_self_ = 0;       /* as if another thread made its state */
        run->th[w] = engine_thread_make(LPF_THREAD_WORKER);
    }
    thread_self_ = me;
    for (uint32_t stuck = 0; run->live;) {
        uint32_t w = choose(run, run->how->threads);
        if (!cur[w] && (cur[w] = take(run, w)))
            go_on(run, w, cur[w]);
        if (cur[w]) {
            turn(run, w, &cur[w]);
            stuck = 0;
        } else if (++stuck > 100000) {
            fprintf(stderr, "deadlock: a bug of the generator\n");
            abort();
        }
    }
}

struct worker {
    struct run *run;
    uint32_t w;
    pthread_barrier_t *start;   /* short programs would be over before the second thread is there */
};

static void work(struct run *run, uint32_t w, struct running *cur)
{
    for (;;) {
        if (!cur) {
            pthread_mutex_lock(&run->lock);
            bool over = !run->live;
            cur = take(run, w);
            pthread_mutex_unlock(&run->lock);
            if (over)
                return;
            if (!cur) {
                sched_yield();
                continue;
            }
            go_on(run, w, cur);
        }
        turn(run, w, &cur);
    }
}

static void *worker_main(void *arg)
{
    struct worker *me = arg;
    me->run->th[me->w] = engine_thread_make(LPF_THREAD_WORKER);
    pthread_barrier_wait(me->start);
    work(me->run, me->w, 0);
    engine_thread_exit(thread_self_);
    return 0;
}

static void on_threads(struct run *run)
{
    pthread_t thread[MAX_THREADS];
    struct worker arg[MAX_THREADS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, 0, run->how->threads);
    for (uint32_t w = 1; w < run->how->threads; w++) {
        arg[w] = (struct worker){ run, w, &start };
        pthread_create(&thread[w], 0, worker_main, &arg[w]);
    }
    pthread_barrier_wait(&start);
    work(run, 0, &run->r[0]);
    for (uint32_t w = 1; w < run->how->threads; w++)
        pthread_join(thread[w], 0);
}

/* Runs P on the engine, which must be set up; the root strand is the main thread's and goes on. */
static void execute(struct run *run, const struct program *p, const struct schedule *how)
{
    memset(run, 0, sizeof *run);
    run->p = p;
    run->how = how;
    run->random = p->seed * 31 + (uint64_t)(how - schedules);
    pthread_mutex_init(&run->lock, 0);
    run->r = calloc(p->tasks, sizeof run->r[0]);
    run->ready = calloc(p->tasks, sizeof run->ready[0]);
    for (uint32_t i = 0; i < p->tasks; i++)
        run->r[i].id = i;
    memcpy(run->puts_left, p->puts, sizeof p->puts);
    run->live = 1;
    run->th[0] = thread_self_;
    run->r[0].task = thread_self_->cur;
    run->r[0].ctx = context_root;
    if (how->real)
        on_threads(run);
    else
        simulate(run);
    engine_resume(run->th[0], run->r[0].task);
}

/* ---- comparison ---- */

static int wrong(const struct run *run, const char *what, uint32_t where, uint64_t engine, uint64_t truth)
{
    if (engine == truth)
        return 0;
    fprintf(stderr, "seed %lu features %u tasks %u, %s: %s[%u]: engine %lu, oracle %lu\n",
            run->p->seed, run->p->features, run->p->tasks, run->how->name, what, where, engine, truth);
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
        hash += dag_random(&state) * (v->span_local + 3 * v->count + 5 * v->work_local + 7 * v->work +
                                      11 * v->span);
    }
    free(seen);
    return hash;
}

/* Differences between what the engine says of the run and the truth. */
static int compare(const struct run *run, const struct truth *t, uint64_t burden, uint64_t *hash)
{
    const struct program *p = run->p;
    struct snapshot s;
    if (engine_snapshot(&s, true))
        return wrong(run, "snapshot", 0, 0, 1);
    int bad = 0;
    bad += wrong(run, "work", 0, s.work, t->work);
    bad += wrong(run, "span", 0, s.span, t->span);
    bad += wrong(run, "burdened span", 0, s.len.L + s.len.K * burden, t->burdened);
    bad += wrong(run, "spawns", 0, s.spawns, t->spawns);
    bad += wrong(run, "tasks", 0, s.tasks, t->tasks);
    uint64_t sum = 0, lost = 0;
    for (uint32_t i = 0; i < s.context_count; i++)
        sum += s.on_span[i].span_local;
    bad += wrong(run, "sum of the span's profile", 0, sum, t->span);
    for (uint32_t i = 0; i < 8; i++)
        lost += i == LOSS_PREFIX ? 0 : s.lost[i];
    bad += wrong(run, "lost", 0, lost, 0);

    uint32_t n = s.context_count;
    struct metrics *m = calloc(n, sizeof *m);
    struct on_span *on = calloc(n, sizeof *on);
    uint64_t top[DAG_SITES] = {0}, engine_top[DAG_SITES] = {0};
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
    for (struct context *c = context_list; c; c = c->next) {
        uint32_t i = c->id;
        if (c->site && c->top)
            engine_top[(c->site->address[0] - 0x1000) / 0x100] += s.metrics[i].work;
        bad += wrong(run, "work_local", i, s.metrics[i].work_local, m[i].work_local);
        bad += wrong(run, "tasks", i, s.metrics[i].tasks, m[i].tasks);
        if (i)                  /* the program's own strand is measured as it runs */
            bad += wrong(run, "longest task", i, s.metrics[i].longest, m[i].longest);
        bad += wrong(run, "busiest and all", i, s.spread[i].busiest_work <= m[i].work_local &&
                     s.spread[i].threads <= m[i].tasks &&
                     (s.spread[i].threads != 1 || s.spread[i].busiest_tasks == m[i].tasks), 1);
        bad += wrong(run, "invocations", i, s.metrics[i].invocations, m[i].invocations);
        bad += wrong(run, "subtree work", i, s.metrics[i].work, m[i].work);
        bad += wrong(run, "subtree span", i, s.metrics[i].span, m[i].span);
        if (s.lost[LOSS_PREFIX])
            continue;
        if (t->exact && t->all_unique)
            bad += wrong(run, "span_local", i, s.metrics[i].span_local, m[i].span_local);
        if (!t->unique || s.approximate)
            continue;           /* it does not claim to be exact */
        bad += wrong(run, "on span: span_local", i, s.on_span[i].span_local, on[i].span_local);
        bad += wrong(run, "on span: count", i, s.on_span[i].count, on[i].count);
        bad += wrong(run, "on span: work_local", i, s.on_span[i].work_local, on[i].work_local);
        bad += wrong(run, "on span: work", i, s.on_span[i].work, on[i].work);
        bad += wrong(run, "on span: span", i, s.on_span[i].span, on[i].span);
    }
    for (uint32_t i = 0; i < DAG_SITES; i++)
        bad += wrong(run, "top-call-site work", i, engine_top[i], top[i]);
    *hash = profile_hash(run, &s);
    if (t->exact && t->unique)
        bad += wrong(run, "approximate", 0, s.approximate, 0);
    free(m);
    free(on);
    engine_snapshot_free(&s);
    return bad;
}

/* The engine starts, in this process, with the clock NAME. */
static void engine_start(const char *name, uint64_t burden)
{
    const char *why;
    cr_assert_eq(clock_setup(name, &why), 0);
    burden_setup(burden, 0);
    cr_assert_eq(cct_setup(65536), 0);
    cr_assert_eq(context_setup(16384), 0);
    cr_assert_eq(engine_setup(), 0);
}

/* The same; costs are virtual. */
static void engine_fresh(uint64_t burden)
{
    engine_start("virtual", burden);
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
        execute(&run, p, how);
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

/* SEEDS programs under all schedules from FIRST on, up to LAST. */
static void property(uint64_t seed, uint64_t seeds, uint32_t features, uint32_t tasks, uint32_t first,
                     uint32_t last)
{
    uint32_t failures = 0, unique = 0;  /* programs whose profile of the span must be exact */
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
                fprintf(stderr, "seed %lu features %u tasks %u: %s and %s differ on the span\n", p.seed,
                        p.features, p.tasks, schedules[first].name, schedules[i].name);
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
    property(1, 2000, FEATURE_ALL & ~FEATURE_DISCARD, 120, 0, 5);
}

Test(engine, random_programs_pure, .timeout = 600)
{
    property(100001, 1000, FEATURE_KEYED | FEATURE_CALL | FEATURE_INHERIT, 120, 0, 5);
}

Test(engine, random_programs_threads, .timeout = 600)
{
    property(200001, 700, FEATURE_ALL & ~FEATURE_DISCARD, 150, 6, 8);
}

Test(engine, random_programs_large, .timeout = 600)
{
    property(400001, 40, FEATURE_ALL & ~FEATURE_DISCARD, 4000, 0, 8);
}

/* Tasks that are spawned and never run, on their own so that the others stay as they are. */
Test(engine, random_programs_discard, .timeout = 600)
{
    property(300001, 1000, FEATURE_ALL, 100, 0, 6);
}

/* ---- by hand: what random programs don't reach ---- */

/* A child of the running strand that costs COST, from spawn to end, on the same thread. */
static struct task *child_begin(struct thread *th, struct scope *scope, uint32_t site)
{
    struct task *t = engine_spawn(th, scope, context_of(th->cur->ctx, site), 0);
    engine_pause(th);
    engine_begin(th, t);
    return t;
}

static void child_end(struct thread *th, struct task *parent, uint64_t cost)
{
    th->clock.virtual_now += cost;
    engine_end(th);
    engine_resume(th, parent);
}

static uint64_t span_sum(const struct snapshot *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->context_count; i++)
        sum += s->on_span[i].span_local;
    return sum;
}

static uint64_t on_span_of(const struct snapshot *s, const struct context *c)
{
    return s->on_span[c->id].span_local;
}

Test(engine, discard_costs_nothing)
{
    engine_fresh(BURDEN);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    th->clock.virtual_now += 10;
    struct task *t = engine_spawn(th, &root->self, context_of(context_root, 1), 0);
    engine_discard(th, t);
    engine_join(th, &root->self);
    struct snapshot s;
    cr_assert_eq(engine_snapshot(&s, true), 0);
    cr_expect_eq(s.span, 10);
    cr_expect_eq(s.work, 10);
    cr_expect_eq(s.spawns, 0);
    cr_expect_eq(s.tasks, 0);
    cr_expect_eq(s.len.L + s.len.K * BURDEN, 10, "got %lu + %lu burdens", s.len.L,
                 s.len.K);
}

/* 100 children, each born in another block; number LONG wins. More prefixes than a scope keeps
 * make the split approximate, which is said, and never the span. */
static void many_blocks(unsigned longest, uint32_t first)
{
    engine_fresh(BURDEN);
    struct thread *th = thread_self_;
    struct task *root = th->cur, *x[100];
    root->block = first;
    struct scope *k = engine_scope_new(th);
    struct context *long_one = context_of(context_root, 2), *step = context_of(context_root, 1);
    for (unsigned i = 0; i < 100; i++) {
        x[i] = engine_spawn(th, k, context_of(context_root, 2), 0);
        child_begin(th, &root->self, 1);
        child_end(th, root, 10);
        engine_join(th, &root->self);
        th->clock.virtual_now += 1;
    }
    engine_pause(th);
    for (unsigned i = 0; i < 100; i++) {
        engine_begin(th, x[i]);
        th->clock.virtual_now += i == longest ? 100000 : 1;
        engine_end(th);
    }
    engine_resume(th, root);
    engine_join(th, k);
    struct snapshot s;
    cr_assert_eq(engine_snapshot(&s, true), 0);
    cr_assert_eq(s.span, longest * 11 + 100000);
    cr_assert_eq(s.work, 100 * 11 + 99 + 100000);
    cr_assert_eq(span_sum(&s), s.span);
    if (!s.approximate) {
        cr_assert_eq(on_span_of(&s, long_one), 100000);
        cr_assert_eq(on_span_of(&s, step), longest * 10);
        cr_assert_eq(on_span_of(&s, context_root), longest * 1);
    } else {
        cr_assert_gt(s.lost[LOSS_PREFIX], 0);
    }
    cr_assert(longest != 10 || !s.approximate);
    cr_assert_eq(root->fresh, 0);
}

Test(engine, prefixes_few) { many_blocks(10, 0); }
Test(engine, prefixes_many) { many_blocks(80, 0); }
Test(engine, prefixes_last) { many_blocks(99, 0); }

/* A strand that has adopted as many children as 31 or 32 bits can count. */
Test(engine, blocks_2_31) { many_blocks(10, INT32_MAX - 5); }
Test(engine, blocks_2_32) { many_blocks(10, UINT32_MAX - 5); }

/* In the block whose number has no successor, a scope that nothing was spawned into is none that has births there; and one that has
 * births from 2^32 blocks ago has none in this one. */
Test(engine, blocks_that_come_again)
{
    engine_fresh(BURDEN);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct scope *k = engine_scope_new(th), *empty = engine_scope_new(th);
    engine_spawn(th, k, context_of(context_root, 2), 0);
    cr_assert_eq(root->fresh, 1);
    uint32_t born = k->born_block;
    root->block = born - 3;     /* after 2^32 - 2 more */
    root->fresh = 0;
    for (unsigned i = 0; i < 4; i++) {
        engine_spawn(th, empty, context_of(context_root, 2), 0);
        cr_assert_leq(root->fresh, 1);
        child_begin(th, &root->self, 1);
        child_end(th, root, 10);
        engine_join(th, &root->self);
        cr_assert_eq(root->fresh, 0, "a new block, %u scopes with births in it", root->fresh);
        for (const struct scope *s = root->scopes; s; s = s->owner_next)
            cr_assert_neq(s->born_block, root->block + 1, "births in a block that has just begun");
    }
}

/* More steals than 32 bits can count. */
Test(engine, steals_2_32)
{
    engine_fresh(BURDEN);
    struct thread *th = thread_self_;
    th->steal_histogram[40] = 3ull << 31;
    th->steal_histogram[80] = 1ull << 30;
    th->steal_samples = (3ull << 31) + (1ull << 30);
    burden_setup(0, 1);
    struct snapshot s;
    cr_assert_eq(engine_snapshot(&s, true), 0);
    cr_assert_eq(s.burden, 1024 + 128, "the median lies in the first bucket, not at %lu", s.burden);
}

/* The runtime let the waiter go before the last task's end was recorded, for very long: the join
 * goes on without it, counts it, and the next join has the rest. Nothing is lost or counted twice. */
Test(engine, late_join)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct scope *k = engine_scope_new(th);
    struct task *late = engine_spawn(th, k, context_of(context_root, 2), 0);
    child_begin(th, k, 1);
    child_end(th, root, 10);
    engine_join(th, k);
    cr_assert_eq(th->lost[LOSS_LATE_JOIN], 1);
    cr_assert_eq(root->S, 10);
    cr_assert_eq(root->joined, 10);
    cr_assert(!scope_is_empty(k));
    engine_pause(th);
    engine_begin(th, late);
    child_end(th, root, 25);
    engine_join(th, k);
    cr_assert(scope_is_empty(k));
    cr_assert_eq(root->joined, 35);
    struct snapshot s;
    cr_assert_eq(engine_snapshot(&s, true), 0);
    cr_assert_eq(s.work, 35);
    cr_assert_eq(s.span, 25);
    cr_assert_eq(span_sum(&s), 25);
}

/* The same in real time: who waits for the record of an end is idle, at no cost to its strand. */
static struct task *ends_late;
static void *late_thread(void *waiter)
{
    struct thread *th = engine_thread_make(LPF_THREAD_WORKER);
    struct timespec nap = { 0, 30000000 };
    engine_begin(th, ends_late);
    for (unsigned i = 0; i < 1000000 && __atomic_load_n(&((struct thread *)waiter)->cur, __ATOMIC_ACQUIRE); i++)
        sched_yield();          /* its strand has stopped: it waits. It never does: the test fails */
    nanosleep(&nap, 0);
    engine_end(th);
    engine_thread_exit(th);
    return 0;
}

Test(engine, late_join_is_idle)
{
    engine_start("tsc", 0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct scope *k = engine_scope_new(th);
    ends_late = engine_spawn(th, k, context_of(context_root, 2), 0);
    pthread_t t;
    pthread_create(&t, 0, late_thread, th);
    engine_cut(th);
    uint64_t own = root->own, idle = th->idle_gap_tsc, blocked = thread_blocked(th, 0), before = __rdtsc();
    engine_join(th, k);
    uint64_t wall = __rdtsc() - before;
    engine_cut(th);
    idle = th->idle_gap_tsc - idle;
    own = root->own - own;
    blocked = thread_blocked(th, 0) - blocked;     /* by the join: not by the thread's creation */
    pthread_join(t, 0);
    cr_assert_eq(th->lost[LOSS_LATE_JOIN], 0);
    cr_expect_gt(idle, wall - wall / 10, "%lu of %lu idle", idle, wall);
    cr_expect_lt(own + blocked, wall / 10, "%lu own, %lu blocked of %lu", own, blocked, wall);
}

/* Ends that are never recorded: a thousand of them cost the program less than one would if each were waited for as the first is, many
 * times over; each is named. An end that is recorded meanwhile is still waited for, after some of them, too. */
static uint64_t joins_in_vain(struct thread *th, unsigned n)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (unsigned i = 0; i < n; i++) {
        struct scope *k = engine_scope_new(th);
        engine_spawn(th, k, context_of(context_root, 2), 0);
        uint64_t lost = th->lost[LOSS_LATE_JOIN];
        engine_join(th, k);
        cr_assert_eq(th->lost[LOSS_LATE_JOIN], lost + 1);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (to.tv_sec - from.tv_sec) * 1000000000ull + to.tv_nsec - from.tv_nsec;
}

Test(engine, joins_in_vain_are_short)
{
    engine_start("tsc", 0);
    uint64_t ns = joins_in_vain(thread_self_, 1000);
    cr_expect_lt(ns, 2000000000, "%lu ns", ns);
}

Test(engine, late_join_after_one_in_vain)
{
    engine_start("tsc", 0);
    struct thread *th = thread_self_;
    joins_in_vain(th, 1);
    struct scope *k = engine_scope_new(th);
    ends_late = engine_spawn(th, k, context_of(context_root, 2), 0);
    pthread_t t;
    pthread_create(&t, 0, late_thread, th);
    engine_join(th, k);
    pthread_join(t, 0);
    cr_assert_eq(th->lost[LOSS_LATE_JOIN], 1);
}

/* libprof's own time begins with a reading that has something to tell: the strand's time off the CPU, as samples do. */
Test(engine, own_time_tells)
{
    engine_start("tsc", 0);
    struct thread *th = thread_self_;
    engine_cut(th);
    uint64_t before = __rdtsc(), blocked = thread_blocked(th, 0);
    struct timespec nap = { 0, 20000000 };
    nanosleep(&nap, 0);
    struct own own = own_from(th);
    uint64_t wall = __rdtsc() - before;
    blocked = thread_blocked(th, 0) - blocked;
    cr_expect_eq(th->clock.off, 0);
    cr_expect_gt(blocked, wall / 2, "%lu of %lu", blocked, wall);
    blocked = thread_blocked(th, 0);
    before = th->cur->own;
    nanosleep(&nap, 0);
    own_until_now(th, own, 0, 0);
    engine_cut(th);
    cr_expect_eq(th->clock.off, 0);
    cr_expect_gt(thread_blocked(th, 0), blocked);
    cr_expect_lt(th->cur->own - before, wall / 10, "what libprof does is no strand's");
}

/* A hook that is measured as a whole is no strand's: neither what is before the clock's readings in it nor what is after them, and
 * its spawns are where the strand was. What nests in it is not measured twice. */
Test(engine, own_hook)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    uint64_t S = root->S, own = root->own, measured = th->measured_tsc, before = __rdtsc();
    th->clock.virtual_now += 10;
    struct own hook = own_begin(th);
    th->clock.virtual_now += 100;
    struct task *t = engine_spawn(th, &root->self, context_of(context_root, 2), 0);
    th->clock.virtual_now += 1000;
    struct own nested = own_from(th);
    th->clock.virtual_now += 10000;
    own_until_now(th, nested, 0, 0);
    engine_cut(th);
    th->clock.virtual_now += 100000;
    own_end(th, hook);
    cr_expect_leq(th->measured_tsc - measured, __rdtsc() - before);
    cr_expect_gt(th->measured_tsc, measured);
    cr_expect_eq(t->birth, S + 10);
    th->clock.virtual_now += 7;
    engine_cut(th);
    cr_expect_eq(root->own, own + 17);
    /* a strand that interrupts another one meanwhile begins when the hook ends */
    hook = own_begin(th);
    th->clock.virtual_now += 20;
    engine_interrupt(th, t);
    th->clock.virtual_now += 40;
    own_end(th, hook);
    th->clock.virtual_now += 3;
    engine_cut(th);
    cr_expect_eq(t->own, 3);
    engine_end_into(th, root);
    engine_join(th, &root->self);
    engine_cut(th);
    cr_expect_eq(root->own, own + 17);
    cr_expect_eq(root->S, S + 17);
}

/* The kernel makes a page when it is first written; that is not left to the strands that spawn. */
Test(engine, pages_of_slabs)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    unsigned char there[64] = { 0 };
    for (char *slab = th->slab_end; th->slab_end == slab || th->slab_end - th->slab < 64 << 10;)
        engine_spawn(th, &th->cur->self, context_of(context_root, 2), 0);
    uintptr_t from = ((uintptr_t)th->slab + 4095) & -4096ul, pages = ((uintptr_t)th->slab_end - from) / 4096;
    cr_assert(pages && pages <= sizeof there);
    cr_assert_eq(mincore((void *)from, pages * 4096, there), 0);
    for (size_t i = 0; i < pages; i++)
        cr_expect(there[i] & 1, "page %zu of %zu", i, pages);
}

/* A task joins a scope of its parent, which lives and joins it, too. */
Test(engine, foreign_join_of_a_living_owner)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct scope *k = engine_scope_new(th);
    child_begin(th, k, 1);
    child_end(th, root, 10);
    struct task *joiner = child_begin(th, &root->self, 2);
    engine_join_foreign(th, k);
    cr_assert_eq(joiner->S, 10);
    cr_assert_eq(joiner->joined, 10);
    child_end(th, root, 5);
    engine_join(th, k);
    cr_assert_eq(root->S, 10);
    cr_assert_eq(root->joined, 0, "the joiner has it");
    engine_join(th, &root->self);
    cr_assert_eq(root->S, 15);
    cr_assert_eq(root->joined, 15);
    struct snapshot s;
    cr_assert_eq(engine_snapshot(&s, true), 0);
    cr_assert_eq(s.work, 15);
    cr_assert_eq(s.span, 15);
    cr_assert_eq(span_sum(&s), 15);
}

/* An edge's path leads through other contexts than the putter's: the split is exact or said not to
 * be, whatever the contexts of the two tasks. */
Test(engine, edge_between_equal_contexts)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    static struct edge e;
    struct task *a = child_begin(th, &root->self, 1);
    struct context *below = context_of(a->ctx, 2), *above = a->ctx;
    child_begin(th, &a->self, 2);
    child_end(th, a, 100);
    engine_join(th, &a->self);
    engine_edge_put(th, &e);
    child_end(th, root, 5);
    child_begin(th, &root->self, 1);
    engine_edge_get(th, &e);
    child_end(th, root, 7);
    engine_join(th, &root->self);
    struct snapshot s;
    cr_assert_eq(engine_snapshot(&s, true), 0);
    cr_assert_eq(s.span, 107);
    cr_assert_eq(span_sum(&s), 107);
    if (!s.approximate) {
        cr_expect_eq(on_span_of(&s, below), 100, "claims to be exact, but is %lu", on_span_of(&s, below));
        cr_expect_eq(on_span_of(&s, above), 7);
    }
}

/* Strands made ready by messages, some from the strand that waits: path, burdened path and split against the same
 * computed by hand. */
enum { WORDS = 8, MESSAGES = 64 };
struct at {
    uint64_t S, B, split[WORDS];        /* B: burdened. By site, 0 the root's own */
};

static void at_work(struct at *a, uint32_t site, uint64_t cost)
{
    a->S += cost;
    a->B += cost;
    a->split[site] += cost;
}

static void at_after(struct at *a, const struct at *m, uint64_t burden)
{
    uint64_t B = m->B + burden > a->B ? m->B + burden : a->B;
    if (m->S > a->S)
        *a = *m;
    a->B = B;
}

static void messages(uint64_t seed)
{
    engine_fresh(BURDEN);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct at now = { 0 };
    uint64_t work = 0, spawns = 0;
    for (unsigned wave = 0; wave < 20; wave++) {
        struct scope *scope = engine_scope_new(th);
        struct arrival sent[MESSAGES] = { 0 };
        struct at truth[MESSAGES], latest = now;
        unsigned count = 0;
        while (count + 2 < MESSAGES) {
            uint64_t cost = 1 + dag_random(&seed) % 100000;
            if (!count || dag_random(&seed) % 5 == 0) {  /* the root works, and joins something of its own, and puts */
                th->clock.virtual_now += cost;
                at_work(&now, 0, cost);
                work += cost;
                if (dag_random(&seed) % 2) {
                    child_begin(th, &root->self, 6);
                    child_end(th, root, 3 * cost);
                    engine_join(th, &root->self);
                    work += 3 * cost;
                    spawns++;
                    now.S += 3 * cost;
                    now.B += 3 * cost + BURDEN;
                    now.split[6] += 3 * cost;
                }
                truth[count] = now;
                engine_arrival_now(th, scope, &sent[count++]);
                continue;
            }
            uint32_t site = 1 + dag_random(&seed) % 4;
            struct at a = { 0 };
            struct arrival in = { 0 };
            for (unsigned k = 1 + dag_random(&seed) % 3; k; k--) {
                unsigned from = dag_random(&seed) % count;
                engine_arrival_max(th, &in, &sent[from]);
                at_after(&a, &truth[from], BURDEN);
            }
            struct task *t = engine_spawn_after(th, scope, context_of(context_root, site), count, 0);
            engine_task_after(th, t, &in, 1);
            engine_trail_drop(th, in.trail);
            spawns++;
            engine_pause(th);
            engine_begin(th, t);
            th->clock.virtual_now += cost;
            at_work(&a, site, cost);
            work += cost;
            if (dag_random(&seed) % 3 == 0) {            /* one under way, and a child behind it */
                truth[count] = a;
                engine_arrival_now(th, scope, &sent[count++]);
                child_begin(th, &t->self, 5);
                child_end(th, t, cost);
                work += cost;
                spawns++;
                engine_join(th, &t->self);
                a.S += cost;
                a.B += cost + BURDEN;
                a.split[5] += cost;
            }
            truth[count] = a;
            engine_arrival_now(th, scope, &sent[count++]);
            at_after(&latest, &a, 0);
            engine_end(th);
            engine_resume(th, root);
        }
        at_after(&now, &latest, 0);
        engine_join(th, scope);
        engine_scope_free(th, scope);
        for (unsigned i = 0; i < count; i++)
            engine_trail_drop(th, sent[i].trail);
        cr_assert_eq(root->S, now.S, "wave %u: %lu for %lu", wave, root->S, now.S);
    }
    struct snapshot s;
    cr_assert_eq(engine_snapshot(&s, true), 0);
    cr_expect_eq(s.work, work);
    cr_expect_eq(s.spawns, spawns);
    cr_expect_eq(s.span, now.S);
    cr_expect_eq(s.len.L + s.len.K * BURDEN, now.B);
    cr_expect_eq(s.approximate, 0);
    cr_expect_eq(span_sum(&s), s.span);
    uint64_t split[WORDS] = { 0 };
    for (const struct context *c = context_list; c; c = c->next)
        split[c->site ? (c->site->address[0] - SITE_BASE) / SITE_STEP : 0] += s.on_span[c->id].span_local;
    for (unsigned i = 0; i < WORDS; i++)
        cr_expect_eq(split[i], now.split[i], "site %u: %lu for %lu", i, split[i], now.split[i]);
}

Test(engine, messages_1) { messages(1); }
Test(engine, messages_2) { messages(2); }
Test(engine, messages_3) { messages(3); }

Test(engine, regions)
{
    engine_fresh(BURDEN);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    for (unsigned i = 0; i < 3; i++) {
        th->clock.virtual_now += 3;
        engine_region_start(th, "r");
        engine_region_start(th, "r");   /* nested: the outermost counts */
        th->clock.virtual_now += 10;
        child_begin(th, &root->self, 1);
        child_end(th, root, 100);
        child_begin(th, &root->self, 2);
        child_end(th, root, 50 + i);
        engine_join(th, &root->self);
        engine_region_stop(th, "r");
        th->clock.virtual_now += 1;
        engine_region_stop(th, "r");
    }
    cr_assert_eq(engine_regions->count, 3);
    cr_assert_eq(engine_regions->work, 3 * 161 + 0 + 1 + 2);
    cr_assert_eq(engine_regions->span, 3 * 111);
    cr_assert_eq(engine_regions->max_span, 111);
    cr_assert_eq(engine_regions->len.L, 3 * 111);
    cr_assert_eq(engine_regions->len.K, 3);
    cr_assert_eq(th->lost[LOSS_REGION], 0);
}

/* A thread whose root strand nobody joins, and which ends: its work counts, its span competes. */
static void *unknown_thread(void *cost)
{
    struct thread *th = engine_self();
    th->clock.virtual_now += *(uint64_t *)cost;
    engine_thread_exit(th);
    return 0;
}

Test(engine, unknown_threads)
{
    engine_fresh(0);
    thread_self_->clock.virtual_now += 60;
    for (uint64_t i = 1; i <= 20; i++) {
        pthread_t t;
        uint64_t cost = i * 10;
        pthread_create(&t, 0, unknown_thread, &cost);
        pthread_join(t, 0);
    }
    struct snapshot s;
    cr_assert_eq(engine_snapshot(&s, true), 0);
    cr_assert_eq(s.work, 60 + 10 * 210);
    cr_assert_eq(s.span, 200);
    cr_assert_eq(span_sum(&s), 200);
    uint32_t slots = 0;
    for (struct thread *th = engine_threads; th; th = th->next)
        slots++;
    cr_assert_eq(slots, 2, "an ended thread's state is used again");
}

/* ---- checkpoints: while other threads run ---- */

/* Two iterations a chunk, and one unit of cost, which cannot be divided: D is S. */
static void *chunk_after_chunk(void *stop)
{
    struct thread *th = engine_self();
    while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED)) {
        engine_divide_begin(th, 2);
        th->clock.virtual_now += 1;
        engine_divide_end(th);
    }
    engine_thread_exit(th);
    return 0;
}

/* What a reader of the file takes for granted holds however far the threads come meanwhile. */
Test(engine, checkpoints_of_chunks, .timeout = 120)
{
    engine_fresh(0);
    bool stop = false;
    pthread_t t;
    pthread_create(&t, 0, chunk_after_chunk, &stop);
    uint64_t last = 0, grew = 0, few = 0, shorter = 0;
    for (unsigned i = 0; i < 100000; i++) {
        struct snapshot s;
        cr_assert_eq(engine_snapshot(&s, false), 0);
        grew += s.chunks > last;
        last = s.chunks;
        few += s.chunks_divided > s.chunks;
        shorter += s.len.D > s.span;
        engine_snapshot_free(&s);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(t, 0);
    cr_assert_gt(grew, 100);
    cr_expect_eq(few, 0, "more chunks divided than there are: %lu times", few);
    cr_expect_eq(shorter, 0, "the divided span is longer than the span: %lu times", shorter);
}

/* ---- memory ---- */

enum { MANY = 10000000 };

Test(engine, memory_of_many_tasks, .timeout = 300)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    uint64_t warm = 0;
    for (unsigned i = 1; i <= MANY / 2; i++) {  /* each with a child: bags, too */
        struct scope *k = i % 5 ? &root->self : engine_scope_new(th);
        struct task *t = child_begin(th, k, 1 + i % 3);
        child_begin(th, &t->self, 4);
        child_end(th, t, i % 7);
        child_end(th, root, i % 3);
        if (i % 5 == 0) {
            engine_join(th, k);
            engine_scope_free(th, k);
        }
        if (i % 64 == 0)
            engine_join(th, &root->self);
        if (i == 1000)
            warm = memory_mapped();
    }
    cr_assert_eq(memory_mapped(), warm);
    uint64_t tasks = 0;
    for (uint32_t i = 0; i < context_count(); i++)
        tasks += thread_metrics(th, i) ? thread_metrics(th, i)->tasks : 0;
    cr_assert_eq(tasks, MANY);
    cr_assert_eq(th->lost[LOSS_MEMORY], 0);
}

/* Spawned on one thread, ended on another, at most RING in flight. */
enum { RING = 1024 };
static struct task *ring[RING];
static uint64_t ring_put, ring_taken;

static void *consumer(void *unused)
{
    (void)unused;
    struct thread *th = engine_thread_make(LPF_THREAD_WORKER);
    for (uint64_t i = 0; i < MANY; i++) {
        while (__atomic_load_n(&ring_put, __ATOMIC_ACQUIRE) == i)
            sched_yield();
        struct task *t = ring[i % RING];
        engine_begin(th, t);
        __atomic_store_n(&ring_taken, i + 1, __ATOMIC_RELEASE);
        if (i % 4 == 0) {
            child_begin(th, &t->self, 2);
            child_end(th, t, 3);
        }
        th->clock.virtual_now += 1;
        engine_end(th);
    }
    engine_thread_exit(th);
    return 0;
}

Test(engine, memory_across_threads, .timeout = 300)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct context *ctx = context_of(context_root, 1);
    pthread_t t;
    pthread_create(&t, 0, consumer, 0);
    uint64_t warm = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        while (i - __atomic_load_n(&ring_taken, __ATOMIC_ACQUIRE) == RING)
            sched_yield();
        ring[i % RING] = engine_spawn(th, &root->self, ctx, 0);
        __atomic_store_n(&ring_put, i + 1, __ATOMIC_RELEASE);
        if (i % 4096 == 4095) {
            engine_resume(th, engine_pause(th));
            engine_join(th, &root->self);
        }
        if (i == MANY / 20)
            warm = memory_mapped();
    }
    pthread_join(t, 0);
    engine_join(th, &root->self);
    struct snapshot s;
    cr_assert_eq(engine_snapshot(&s, true), 0);
    engine_snapshot_free(&s);
    cr_assert_leq(memory_mapped(), warm + (512 << 10), "%lu KiB more", (memory_mapped() - warm) >> 10);
    cr_assert_eq(s.work, (uint64_t)MANY + MANY / 4 * 3);
    cr_assert_eq(s.tasks, (uint64_t)MANY + MANY / 4);
    cr_assert_eq(s.steals, MANY);
}
