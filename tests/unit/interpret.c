/* interpret.c - see interpret.h: the schedules, then the interpreter. */
#define _GNU_SOURCE
#include "interpret.h"
#include "libprof_format.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct schedule schedules[SCHEDULES] = {
    { .name = "serial, child at spawn", .order = NEWEST, .threads = 1, .child_first = true },
    { .name = "serial, newest at join", .order = NEWEST, .threads = 1 },
    { .name = "serial, oldest at join", .order = OLDEST, .threads = 1 },
    { .name = "random, one thread", .order = RANDOM, .threads = 1, .preempt = 4 },
    { .name = "3 simulated, tied", .order = RANDOM, .threads = 3, .preempt = 8 },
    { .name = "5 simulated, migrating", .order = RANDOM, .threads = 5, .preempt = 3,
      .migrate = true },
    { .name = "4 threads, tied", .order = RANDOM, .threads = 4, .real = true },
    { .name = "4 threads, stealing oldest, early", .order = OLDEST, .threads = 4, .real = true,
      .early = true, .preempt = 9 },
    { .name = "4 threads, migrating, early", .order = RANDOM, .threads = 4, .real = true,
      .preempt = 4, .migrate = true, .early = true },
};

static uint32_t choose(struct run *run, uint32_t n)
{
    return dag_random(&run->random) % n;
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

/* A task that thread W can take; NULL: there is none now. Lock held. */
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

/* R is over if its body and the tasks of its self scope are over. Then R's scope counts one task
 * less, and R's parent may be over, too. */
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
        scope = scope_own(th, r->task);
    } else if (c->scope != SCOPE_DETACHED) {
        if (!r->scope[c->scope])
            r->scope[c->scope] = scope_new(th, 0);
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
            for (uint32_t k = 1; k <= DAG_KEYED; k++) {
                struct scope *scope = r->scope[k];
                if (scope && scope_is_empty(scope) && (scope->key || r->id % 3 == 0))
                    scope_free(th, scope);
            }
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

/* A join takes the strand's numbers as they are, so the caller brings them up to date first. LUCK
 * chooses how: a cut, or a pause and a resume. */
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
            engine_join(th, scope_own(th, r->task));
        } else if (r->scope[op->n]) {
            engine_join(th, r->scope[op->n]);
            if (luck == 0) {
                scope_free(th, r->scope[op->n]);
                r->scope[op->n] = 0;
            }
        }
        break;
    case OP_FOREIGN:
        wait_here(th, luck);
        engine_join_foreign(th, run->r[op->n].scope[op->k]);
        scope_free(th, run->r[op->n].scope[op->k]);
        break;
    case OP_PUT:
        edge_put(th, &run->edge[op->n]);
        pthread_mutex_lock(&run->lock);
        run->puts_left[op->n]--;
        pthread_mutex_unlock(&run->lock);
        break;
    case OP_GET:
        edge_get(th, &run->edge[op->n]);
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
        run->th[w] = thread_make(LPF_THREAD_WORKER);
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
    me->run->th[me->w] = thread_make(LPF_THREAD_WORKER);
    pthread_barrier_wait(me->start);
    work(me->run, me->w, 0);
    thread_exit(thread_self_);
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


void interpret(struct run *run, const struct program *p, const struct schedule *how)
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
