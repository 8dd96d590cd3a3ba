/* dagrec_length.c - lengths: a walk along a task's list. See dagrec_private.h.
 *
 * The walk keeps two lengths of the longest path to the strand's position, in max-plus algebra:
 *   spawn of N into scope s:  end(s) = max(end(s), position + N.span)
 *   join of s:                position = max(position, end(s)); s is closed
 * `rel` counts from the task's start. `abs` counts from the program's start, and for it no
 * operation is over before its `not_before`. If more than DAG_OPEN scopes are open, the further
 * ones share one end, the latest of theirs: then the lengths may be too long.
 */
#include "dagrec/dagrec_private.h"
#include "base/forbid.h"

void dag_course_start(struct dag_course *c, uint64_t birth)
{
    c->rel = c->work = c->tasks = c->all_rel = 0;
    c->abs = c->all_abs = birth;
    c->open_count = 0;
    c->crowded = false;
}

void dag_course_end_at(struct dag_course *c, uint32_t scope, uint64_t rel, uint64_t abs)
{
    c->all_rel = dag_larger(c->all_rel, rel);
    c->all_abs = dag_larger(c->all_abs, abs);
    uint32_t i = 0;
    while (i < c->open_count && c->open[i].scope != scope)
        i++;
    if (i == c->open_count) {
        if (i == DAG_OPEN) {
            if (!c->crowded)
                c->open[DAG_OPEN].rel = c->open[DAG_OPEN].abs = 0;
            c->crowded = true;
        } else {
            c->open_count++;
            c->open[i].scope = scope;
            c->open[i].rel = c->open[i].abs = 0;
        }
    }
    c->open[i].rel = dag_larger(c->open[i].rel, rel);
    c->open[i].abs = dag_larger(c->open[i].abs, abs);
}

bool dag_course_join(struct dag_course *c, uint32_t scope)
{
    uint32_t i = 0;
    while (i < c->open_count && c->open[i].scope != scope)
        i++;
    if (i == c->open_count && !c->crowded)
        return false;
    if (i == c->open_count) {
        dagrec_note(DAGREC_SCOPES);
        i = DAG_OPEN;
    }
    c->rel = dag_larger(c->rel, c->open[i].rel);
    c->abs = dag_larger(c->abs, c->open[i].abs);
    if (i < DAG_OPEN)
        c->open[i] = c->open[--c->open_count];
    return true;
}

bool dag_course_pass(struct dag_course *c, const struct dag_node *n)
{
    uint64_t rel = c->rel, abs = c->abs;
    c->rel += n->before;
    c->abs += n->before;
    c->work += n->before + n->work;
    c->tasks += n->tasks;
    switch (n->kind) {
    case LPF_DAG_TASK:
        if (!dag_is_done(n))
            return false;
        if (n->ready)           /* its lengths count from the program's start */
            dag_course_end_at(c, n->scope, n->span, dag_larger(n->span, n->not_before));
        else
            dag_course_end_at(c, n->scope, c->rel + n->span,
                              dag_larger(c->abs + n->span, n->not_before));
        return true;
    case LPF_DAG_BUNDLE:
        dag_course_end_at(c, n->scope, rel + n->span, dag_larger(abs + n->span, n->not_before));
        return true;
    case LPF_DAG_JOIN:
        return dag_course_join(c, n->scope);
    case LPF_DAG_BLOCK:
        c->rel += n->span;
        c->abs = dag_larger(c->abs + n->span, n->not_before);
        return true;
    default:
        c->abs = dag_larger(c->abs, n->not_before);
        return true;
    }
}

/* Adds the events of N, an operation of T's list, to those of T's subtree. */
static void sum_up_events(struct dag_node *t, const struct dag_node *n)
{
    if (dag_has_events(n)) {
        t->tied = true;
        t->balance += n->event ? dag_event_weight(n->event) : 0;
        for (unsigned i = 0; i < 2; i++)
            t->balance -= n->after[i] ? dag_event_weight(n->after[i]) : 0;
        t->timed |= n->not_before && !n->after[0];
    } else if (n->kind == LPF_DAG_TASK && n->tied) {
        t->tied = true;
        t->balance += n->balance;
        t->timed |= n->timed;
    } else {
        t->timed |= n->not_before != 0;
    }
}

__attribute__((noinline)) void dag_sum_up(struct dag_node *t)
{
    if (__builtin_expect(!t->first, 1)) {
        t->work = t->span = t->mark;
        t->tasks = t->children;
        return;
    }
    struct dag_course c;
    dag_course_start(&c, t->birth);
    t->timed = t->ready;
    for (const struct dag_node *n = t->first; n; n = n->next) {
        dag_course_pass(&c, n);
        sum_up_events(t, n);
    }
    t->work = c.work + t->mark;
    t->tasks = t->children + c.tasks;
    t->span = dag_larger(c.rel + t->mark, c.all_rel);
    uint64_t end = dag_larger(c.abs + t->mark, c.all_abs);
    t->not_before = end > t->birth + t->span ? end : 0;
}
