/* model.c - the rules of model.h, one by one. The code is as plain as possible, because the
 * measurements are compared with it. */
#include <stdio.h>
#include <stdlib.h>
#include "model.h"

#define DEPS 16

struct group {
    struct group *outer;
    long max;
};

struct node {
    struct node *parent;
    struct team *team;          /* the innermost; NULL outside */
    struct group *group;
    struct sibling *siblings;   /* children with depend clauses */
    long t, children;
    long begin, chunks;         /* of the loop that hands out chunks */
    int in_loop;
    int serial, final, implicit;
};

struct sibling {
    struct sibling *next;
    long end;
    int count;
    enum m_kind kind[DEPS];
    long address[DEPS];
};

struct team {
    struct node *caller, *threads;
    int count;
    long tasks;                 /* explicit tasks' ends */
};

static struct node root, *self = &root;
static struct sibling pending;  /* clauses of the next task */
static long work, tasks, implicits;
static int chunked;

static long max(long a, long b) { return a > b ? a : b; }
static void *zeroed(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        abort();
    return p;
}
static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "model: %s\n", what);
        exit(3);
    }
}

void m_cost(long c)
{
    self->t += c;
    work += c;
}

void m_depend(enum m_kind kind, long address)
{
    must(pending.count < DEPS, "too many depend clauses");
    pending.kind[pending.count] = kind;
    pending.address[pending.count++] = address;
}

/* When PENDING may start, as far as its siblings are concerned. */
static long dependences(void)
{
    long t = 0;
    for (const struct sibling *s = self->siblings; s; s = s->next)
        for (int i = 0; i < s->count; i++)
            for (int j = 0; j < pending.count; j++)
                if (s->address[i] == pending.address[j] &&
                    (s->kind[i] != pending.kind[j] || s->kind[i] == M_OUT))
                    t = max(t, s->end);
    return t;
}

void m_task(int flags)
{
    struct node *n = zeroed(1, sizeof *n);
    n->parent = self;
    n->team = self->team;
    n->group = self->group;
    n->serial = (flags & M_IF0) || self->final || !self->team;
    n->final = self->final || (flags & M_FINAL);
    n->t = max(self->t, dependences());
    tasks += !n->serial;
    if (pending.count) {
        struct sibling *s = zeroed(1, sizeof *s);
        *s = pending;
        s->end = -1;            /* until m_end */
        s->next = self->siblings;
        self->siblings = s;
        pending.count = 0;
    }
    self = n;
}

void m_end_detached(long fulfilled)
{
    struct node *n = self, *p = n->parent;
    must(p && !n->implicit, "end without task");
    long end = max(n->t, fulfilled);
    p->children = max(p->children, end);
    if (n->group)
        n->group->max = max(n->group->max, end);
    if (n->team)
        n->team->tasks = max(n->team->tasks, end);
    if (p->siblings && p->siblings->end < 0)
        p->siblings->end = end;
    if (n->serial)
        p->t = end;
    self = p;
    while (n->siblings) {
        struct sibling *s = n->siblings;
        n->siblings = s->next;
        free(s);
    }
    free(n);
}
void m_end(void) { m_end_detached(0); }

void m_taskwait(void) { self->t = max(self->t, self->children); }

void m_taskwait_depend(void)
{
    self->t = max(self->t, dependences());
    pending.count = 0;
}

void m_group(void)
{
    struct group *g = zeroed(1, sizeof *g);
    g->outer = self->group;
    self->group = g;
}

void m_group_end(void)
{
    struct group *g = self->group;
    must(g != NULL, "end without taskgroup");
    self->t = max(self->t, g->max);
    self->group = g->outer;
    free(g);
}

void m_fork(int threads)
{
    struct team *team = zeroed(1, sizeof *team);
    team->caller = self;
    team->count = threads;
    team->threads = zeroed(threads, sizeof *team->threads);
    for (int i = 0; i < threads; i++)
        team->threads[i] = (struct node){
            .parent = self, .team = team, .t = self->t, .implicit = 1
        };
    implicits += threads;
    self = &team->threads[0];
}

void m_thread(int i)
{
    must(self->implicit && i < self->team->count, "not in an implicit task");
    self = &self->team->threads[i];
}

void m_barrier(void)
{
    struct team *team = self->team;
    must(self->implicit, "barrier in an explicit task");
    long t = team->tasks;
    for (int i = 0; i < team->count; i++)
        t = max(t, team->threads[i].t);
    for (int i = 0; i < team->count; i++)
        team->threads[i].t = t;
}

void m_join(void)
{
    struct team *team = self->team;
    m_barrier();
    team->caller->t = team->threads[0].t;
    self = team->caller;
    free(team->threads);
    free(team);
}

void m_chunk(void)
{
    chunked = 1;
    if (!self->in_loop) {
        self->in_loop = 1;
        self->begin = self->chunks = self->t;
    }
    self->t = self->begin;
}
void m_chunk_end(void) { self->chunks = max(self->chunks, self->t); }
void m_chunks_end(void)
{
    self->t = self->chunks;
    self->in_loop = 0;
}

int m_chunked(void) { return chunked; }

long m_now(void) { return self->t; }
void m_after(long t) { self->t = max(self->t, t); }
long m_work(void) { return work; }
long m_span(void)
{
    must(self == &root, "unfinished");
    return root.t;
}
long m_tasks(void) { return tasks; }
long m_implicit(void) { return implicits; }
