/* path_wait.c - see path_wait.h. */
#define _GNU_SOURCE
#include "analysis/path_wait.h"
#include <math.h>
#include <stdlib.h>
#include "analysis/paths_private.h"
#include "analysis/standstill.h"
#include "analysis/stats.h"
#include "base/format.h"
#include "profile/profile.h"

/* The end of the stretch of frames that path_wait_of looks at. */
static bool is_of_program(const struct code *c, const struct code_frame *f)
{
    return !c->runtime_module && !c->system && !c->libprof && !f->runtime && !f->glue &&
           !f->folded && !format_starts(f->function, "std::") &&
           !format_starts(f->function, "__gthread_");
}

enum wait path_wait_of(struct paths *t, uint32_t i)
{
    const struct profile *p = t->summary->profile;
    bool spins = p->nodes[i].kind == LPF_NODE_LEAF && path_code_of(t, &p->nodes[i])->spins;
    enum wait found = spins ? WAIT_SPIN : WAIT_NONE;
    for (; p->nodes[i].kind == LPF_NODE_FRAME || p->nodes[i].kind == LPF_NODE_LEAF;
         i = p->nodes[i].parent) {
        const struct code *c = path_code_of(t, &p->nodes[i]);
        for (uint32_t k = c->count; k-- > 0;) {
            if (is_of_program(c, &c->frame[k]))
                return found;
            if (c->frame[k].wait > found)
                found = c->frame[k].wait;
        }
    }
    return found;
}

const struct path_node *path_called_by(const struct paths *t, const struct path_node *n, int *line)
{
    *line = n->line;
    for (; n->parent && module_is_system(n->module); n = &t->nodes[n->parent])
        *line = n->called;
    return n;
}

/* The sum of NS by logical node. *CALLER, *LINE, *HIGHEST: see paths_locked. */
static double sum_of(const struct paths *t, double (*ns)(const struct paths *t, uint32_t i),
                     const struct path_node **caller, int *line, double *highest)
{
    double *of = format_memory(calloc(t->node_count + 1, sizeof *of)), all = 0;
    int *lines = format_memory(calloc(t->node_count + 1, sizeof *lines));
    uint32_t most = 0;
    for (uint32_t i = 0; i < t->private->marked; i++) {
        double here = ns(t, i);
        int at_line;
        if (here <= 0)
            continue;
        uint32_t at = path_called_by(t, &t->nodes[i], &at_line) - t->nodes;
        all += here;
        lines[at] = of[at] > 0 && lines[at] != at_line ? -1 : at_line;
        of[at] += here;
        if (of[at] > of[most] || !most)
            most = at;
    }
    *caller = most ? &t->nodes[most] : 0;
    *line = most ? lines[most] : 0;
    *highest = most ? of[most] : 0;
    free(lines);
    free(of);
    return all;
}

static double spun(const struct paths *t, uint32_t i)
{
    return profile_ns(t->summary->profile, t->private->marks[i].spun);
}

static double locked(const struct paths *t, uint32_t i)
{
    return t->private->marks[i].locked;
}

double paths_spinning(const struct paths *t, const struct path_node **caller)
{
    int line;
    double most;
    return sum_of(t, spun, caller, &line, &most);
}

double paths_locked(const struct paths *t, const struct path_node **caller, int *line,
                    double *most)
{
    return sum_of(t, locked, caller, line, most);
}

/* NS in two digits, rounded down or UP: samples show no more. */
static double two_digits(double ns, bool up)
{
    double unit = ns > 0 ? pow(10, floor(log10(ns)) - 1) : 1;
    return unit * (up ? ceil(ns / unit) : floor(ns / unit));
}

void path_waited_there(const struct profile *p, double found, double *least, double *most)
{
    double all = p->totals.blocked_ns, samples = found / PROFILE_OFF_CPU_APART_NS;
    /* each 10 ms off the CPU were at least one chance to be found */
    double chances = fmax(all / PROFILE_OFF_CPU_APART_NS, samples), margin = 0;
    if (chances > 0)
        margin = chances * PROFILE_OFF_CPU_APART_NS *
                 stats_share(samples, samples, chances, chances);
    uint64_t delay = 0;
    bool known = profile_run_delay_ns(p, &delay) && delay <= STANDSTILL_READY * all;
    *least = known ? fmax(0, two_digits(found - margin - delay, false)) : 0;
    *most = fmin(two_digits(found + margin, true), fmax(0, all - delay));
    *least = fmin(*least, *most);
}
