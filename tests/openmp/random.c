/* random.c - random programs: one tree of statements, run by OpenMP and walked through by the
 * model. Each way to create tasks has a function of its own, by whose name the profiles of two
 * compilers' programs are compared. Tasks nest, depend on siblings, are undeferred and final;
 * taskgroups, taskwaits (with and without depend), taskloops and regions stand anywhere in them.
 * All tasks name the same storage locations: only siblings may depend on each other. Left out for
 * libomp 14, which by itself, rarely, hangs or ends a region too early: mutexinoutset (tasks are
 * lost or are waited for forever), taskyield in programs with untied tasks (a hang).
 */
#include "cases.h"

enum kind { COST, TASK, DEPENDENT, WAIT, WAIT_FOR, GROUP, YIELD, LOOP, NOGROUP_LOOP, REGION };
enum { VARS = 5, THREADS = 3, EPOCHS = 3, DEEP = 6 };

/* libgomp 10 crashes where a task ends before those of its children that wait for dependences. So
 * there tasks wait for their children. Code of clang 11 crashes where a directive has several
 * iterators. */
#if !defined(__clang__) && __GNUC__ < 11
enum { WAITS_AT_END = 1 };
#else
enum { WAITS_AT_END = 0 };
#endif
#if !defined(__clang__) || __clang_major__ >= 12
#define HAS_ITERATORS 1
#endif

struct block {
    int count;
    struct stmt *s;
};
struct stmt {
    enum kind kind;
    long c;                     /* COST; LOOP: of iteration i, + i */
    int flags, untied;          /* TASK, DEPENDENT */
    int count[3], var[3][VARS]; /* DEPENDENT, WAIT_FOR: by enum m_kind */
    int tasks, grain;           /* LOOP */
    /* REGION; threads 0: as many as there are, and one of them does the first block */
    int threads, epochs;
    struct block body[THREADS * EPOCHS];
    char nothing[3];            /* locations that no other task names, by enum m_kind */
};

/* ---- making ---- */

static int portable = LIBOMP;   /* nothing that is left out for any runtime */
static int another;             /* the compiler cannot compile this program, but a similar one */
static int twin;
static unsigned long seed;
static long pick(long n)
{
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return (seed >> 33) % n;
}
static int tasks_left, regions_left;
static struct block program;

static struct block make_block(int depth);

static struct block make_task(int depth)
{
    struct block b = make_block(depth);
    if (WAITS_AT_END)
        b.s[b.count++].kind = WAIT;
    return b;
}

static void make_depend(struct stmt *s, int mutex)
{
    for (int v = 0; v < VARS; v++)
        if (pick(2)) {
            int k = pick(mutex ? 4 : 3);
            k = k == 3 ? M_MUTEX : k == 2 ? M_OUT : M_IN;
            s->var[k][s->count[k]++] = v;
        }
}

static void make_region(struct stmt *s, int most, int depth)
{
    s->kind = REGION;
    s->threads = 1 + pick(most);
    s->epochs = 1 + pick(EPOCHS);
    for (int b = 0; b < s->threads * s->epochs; b++)
        s->body[b] = make_block(depth + 2);
}

static void make_stmt(struct stmt *s, int depth)
{
    long what = pick(100);
    s->c = 1 + pick(30);
    if (depth < DEEP && tasks_left > 0 && what < 50) {
        tasks_left--;
        s->kind = what < 25 ? TASK : DEPENDENT;
        s->flags = pick(8) == 0 ? M_IF0 : pick(8) == 0 ? M_FINAL : 0;
        s->untied = pick(4) == 0;
        if (s->kind == DEPENDENT)
            make_depend(s, !s->flags && !portable);
        s->body[0] = make_task(depth + 1);
    } else if (depth < DEEP && what < 58) {
        s->kind = GROUP;
        s->body[0] = make_block(depth + 1);
    } else if (what < 66) {
        s->kind = WAIT;
    } else if (what < 71) {
        s->kind = WAIT_FOR;
        make_depend(s, 0);
        if (s->count[M_IN] + s->count[M_OUT] == 0)
            s->kind = WAIT;     /* what no clause at all means */
#ifndef HAS_TASKWAIT_DEPEND
        another |= s->kind == WAIT_FOR;
        s->kind = WAIT;
#endif
    } else if (what < 73) {
        s->kind = portable ? COST : YIELD;
    } else if (what < 77) {
        s->kind = pick(2) ? LOOP : NOGROUP_LOOP;
        s->tasks = 1 + pick(4);
        s->grain = 1 + pick(3);
    } else if (what < 79 && regions_left > 0 && depth < 4) {
        regions_left--;
        make_region(s, 2, depth);
    } else {
        s->kind = COST;
    }
}

static struct block make_block(int depth)
{
    struct block b = { .count = 1 + pick(depth ? 8 - depth : 20) };
    b.s = calloc(b.count + WAITS_AT_END, sizeof *b.s);
    check(b.s != NULL);
    for (int i = 0; i < b.count; i++)
        make_stmt(&b.s[i], depth);
    return b;
}

void random_program(long n, int for_all)
{
    portable |= for_all;
    twin = for_all;
    seed = n * 0x9e3779b97f4a7c15ul + 1;
    tasks_left = 300;
    regions_left = 3;
    program.count = 1 + pick(3);
    program.s = calloc(program.count, sizeof *program.s);
    check(program.s != NULL);
    for (int i = 0; i < program.count; i++) {
        struct stmt *s = &program.s[i];
        if (pick(2)) {
            make_region(s, THREADS, 0);
        } else {
            s->kind = REGION;
            s->body[0] = make_block(0);
        }
    }
}

/* ---- running ---- */

static char vars[VARS];

static void run_block(const struct block *b);

#define SITE static __attribute__((noinline)) void
#define NO_TAIL_CALL __asm__ volatile("")

SITE task_plain(const struct stmt *s)
{
#pragma omp task firstprivate(s)
    run_block(&s->body[0]);
    NO_TAIL_CALL;
}
SITE task_undeferred(const struct stmt *s)
{
#pragma omp task firstprivate(s) if (0)
    run_block(&s->body[0]);
    NO_TAIL_CALL;
}
SITE task_final(const struct stmt *s)
{
#pragma omp task firstprivate(s) final(1) mergeable
    run_block(&s->body[0]);
    NO_TAIL_CALL;
}
SITE task_untied(const struct stmt *s)
{
#pragma omp task firstprivate(s) untied
    run_block(&s->body[0]);
    NO_TAIL_CALL;
}
#ifndef HAS_ITERATORS
/* The Kth location of KIND that S names. Behind the last, one that gives no dependence. */
static char *named_by(const struct stmt *s, int kind, int k)
{
    return k < s->count[kind] ? &vars[s->var[kind][k]] : (char *)&s->nothing[kind];
}
#define ALL_OF(kind)                                                                      \
    *named_by(s, kind, 0), *named_by(s, kind, 1), *named_by(s, kind, 2),                  \
        *named_by(s, kind, 3), *named_by(s, kind, 4)
#endif
SITE task_dependent(const struct stmt *s)
{
    int deferred = !(s->flags & M_IF0), final = s->flags & M_FINAL;
#ifdef HAS_ITERATORS
    const int *n = s->count;
#pragma omp task firstprivate(s) if (deferred) final(final)                                \
    depend(iterator(k = 0 : n[M_IN]), in : vars[s->var[M_IN][k]])                          \
    depend(iterator(k = 0 : n[M_OUT]), inout : vars[s->var[M_OUT][k]])                     \
    depend(iterator(k = 0 : n[M_MUTEX]), mutexinoutset : vars[s->var[M_MUTEX][k]])
    run_block(&s->body[0]);
#else
#pragma omp task firstprivate(s) if (deferred) final(final) depend(in : ALL_OF(M_IN)) \
    depend(inout : ALL_OF(M_OUT))
    run_block(&s->body[0]);
#endif
    NO_TAIL_CALL;
}
SITE loop(const struct stmt *s)
{
#pragma omp taskloop num_tasks(s->tasks) firstprivate(s)
    for (int i = 0; i < s->tasks * s->grain; i++)
        cost(s->c + i);
    NO_TAIL_CALL;
}
SITE loop_nogroup(const struct stmt *s)
{
#pragma omp taskloop num_tasks(s->tasks) firstprivate(s) nogroup
    for (int i = 0; i < s->tasks * s->grain; i++)
        cost(s->c + i);
    NO_TAIL_CALL;
}

static void run_task(const struct stmt *s)
{
    (s->kind == DEPENDENT ? task_dependent
     : s->flags & M_IF0   ? task_undeferred
     : s->flags & M_FINAL ? task_final
     : s->untied          ? task_untied
                          : task_plain)(s);
}

SITE run_region(const struct stmt *s)
{
    if (!s->threads) {
#pragma omp parallel
#pragma omp single
        run_block(&s->body[0]);
        NO_TAIL_CALL;
        return;
    }
#pragma omp parallel num_threads(s->threads) firstprivate(s)
    {
        check(omp_get_num_threads() == s->threads);
        for (int e = 0; e < s->epochs; e++) {
            if (e) {
#pragma omp barrier
            }
            run_block(&s->body[e * s->threads + omp_get_thread_num()]);
        }
    }
    NO_TAIL_CALL;
}

static void run_stmt(const struct stmt *s)
{
    const int *n = s->count;
    switch (s->kind) {
    case COST:
        cost(s->c);
        break;
    case TASK:
    case DEPENDENT:
        run_task(s);
        break;
    case WAIT: {
#pragma omp taskwait
        break;
    }
    case WAIT_FOR: {
#ifdef HAS_TASKWAIT_DEPEND
#pragma omp taskwait depend(iterator(k = 0 : n[M_IN]), in : vars[s->var[M_IN][k]]) \
    depend(iterator(k = 0 : n[M_OUT]), inout : vars[s->var[M_OUT][k]])
#endif
        break;
    }
    case GROUP:
#pragma omp taskgroup
        run_block(&s->body[0]);
        break;
    case YIELD: {
#pragma omp taskyield
        break;
    }
    case LOOP:
        loop(s);
        break;
    case NOGROUP_LOOP:
        loop_nogroup(s);
        break;
    case REGION:
        run_region(s);
        break;
    }
}

static void run_block(const struct block *b)
{
    for (int i = 0; i < b->count; i++)
        run_stmt(&b->s[i]);
}

static void random_run(void)
{
    omp_set_max_active_levels(8);
    run_block(&program);
}

/* ---- walking ---- */

static void m_block(const struct block *b);

static void m_clauses(const struct stmt *s)
{
    for (int k = M_IN; k <= M_MUTEX; k++)
        for (int i = 0; i < s->count[k]; i++)
            m_depend(k, s->var[k][i]);
}

static void m_stmt(const struct stmt *s)
{
    switch (s->kind) {
    case COST:
        m_cost(s->c);
        break;
    case TASK:
    case DEPENDENT:
        m_clauses(s);
        m_task(s->flags);
        m_block(&s->body[0]);
        m_end();
        break;
    case WAIT:
        m_taskwait();
        break;
    case WAIT_FOR:
        m_clauses(s);
        m_taskwait_depend();
        break;
    case GROUP:
        m_group();
        m_block(&s->body[0]);
        m_group_end();
        break;
    case YIELD:
        break;
    case LOOP:
    case NOGROUP_LOOP:
        if (s->kind == LOOP)
            m_group();
        for (int t = 0; t < s->tasks; t++) {
            m_task(0);
            for (int i = 0; i < s->grain; i++)
                m_cost(s->c + t * s->grain + i);
            m_end();
        }
        if (s->kind == LOOP)
            m_group_end();
        break;
    case REGION:
        m_fork(s->threads ? s->threads : P);
        if (!s->threads)
            m_block(&s->body[0]);
        for (int e = 0; e < (s->threads ? s->epochs : 0); e++) {
            if (e)
                m_barrier();
            for (int i = 0; i < s->threads; i++) {
                m_thread(i);
                m_block(&s->body[e * s->threads + i]);
            }
        }
        m_join();
        break;
    }
}

static void m_block(const struct block *b)
{
    for (int i = 0; i < b->count; i++)
        m_stmt(&b->s[i]);
}

static void random_expect(void)
{
    if (another && twin)
        skip("this compiler has no taskwait depend");
    m_block(&program);
}

const struct omp_case random_case = { "random", __FILE__, __LINE__, random_run, random_expect };
