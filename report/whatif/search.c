/* search.c - finds out by runs how much shorter the span would be.
 *
 * A profile alone does not show that, because another path may be nearly as long. So each round
 * runs the program again. Each candidate, and each pair of the first few, is a scenario on top of
 * the plan so far (TaskProf, FSE 2017, section 4). All scenarios of a round are lengths in one run.
 * The rounds end when the target is reached or nothing helps.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "analysis/scenarios.h"
#include "analysis/summary.h"
#include "analysis/whatif_candidates.h"
#include "base/format.h"
#include "launch/run_again.h"
#include "launch/whatif_spec.h"
#include "profile/profile.h"
#include "whatif/advice.h"
#include "whatif/validate.h"

#define PAIRED 6                /* every pair of the first so many candidates is tried */

#define GAIN 1.02               /* a smaller gain of the span is not worth a change */

/* A pair is two changes. It is worth them if it saves so much more of the span than any single
 * candidate, ... */
#define PAIR_OVER_SINGLE 2.0
/* ... and than its two candidates alone, together: else each of them is a step of its own. */
#define PAIR_OVER_PARTS 1.25

/* The signal that ended prof, or 0. The handler of advice_run writes it. */
static volatile sig_atomic_t interrupted;

static bool in_plan(const struct plan *p, size_t candidate)
{
    for (unsigned i = 0; i < p->count; i++)
        for (unsigned k = 0; k < p->steps[i].count; k++)
            if (p->steps[i].added[k] == candidate)
                return true;
    return false;
}

struct trial {
    size_t added[2];
    unsigned count;             /* 0: the plan as it is */
};

static void put_trial(FILE *f, const struct advice *a, const struct plan *p, const struct trial *t)
{
    const char *between = "";
    for (unsigned i = 0; i <= p->count; i++) {
        const size_t *added = i < p->count ? p->steps[i].added : t->added;
        unsigned n = i < p->count ? p->steps[i].count : t->count;
        for (unsigned k = 0; k < n; k++, between = "&") {
            fputs(between, f);
            whatif_spec_put_name(f, a->candidates[added[k]].name);
            fprintf(f, "=%g", a->factor);
        }
    }
}

/* Sets TRIALS to the round's scenarios, in libprof.so's order, and *SPEC to their specification.
 * Returns their number. */
static unsigned plan_trials(const struct advice *a, const struct plan *p, struct trial *trials,
                            char **spec)
{
    unsigned n = 0;
    size_t length;
    FILE *f = format_memory(open_memstream(spec, &length));
    if (p->count)
        trials[n++] = (struct trial){ .count = 0 };
    for (size_t i = 0; i < a->count; i++)
        if (!in_plan(p, i))
            trials[n++] = (struct trial){ { i }, 1 };
    unsigned paired = 0;
    for (size_t i = 0; i < a->count && paired < PAIRED; i++) {
        unsigned others = ++paired;
        for (size_t k = i + 1; k < a->count && others < PAIRED && !in_plan(p, i); k++)
            if (!in_plan(p, k)) {
                trials[n++] = (struct trial){ { i, k }, 2 };
                others++;
            }
        paired -= in_plan(p, i);
    }
    for (unsigned i = 0; i < n; i++) {
        fputs(i ? ";" : "", f);
        put_trial(f, a, p, &trials[i]);
    }
    fclose(f);
    format_memory(*spec);
    return n;
}

/* Reports the names that the user gave and that the run did not meet. */
static void say_unseen(const struct profile *p)
{
    for (size_t i = 0; i < p->candidate_count; i++) {
        const struct lpf_candidate *c = &p->candidates[i];
        if (c->regions || c->contexts || c->samples)
            continue;
        char *clean = format_clean(profile_string(p, c->name));
        fprintf(stderr, "prof: --function %s: %s\n", clean,
                c->flags & LPF_CANDIDATE_CODE
                    ? "it never ran: neither a spawn below its code nor a sample in it was seen"
                    : "there is neither code nor a region of that name");
        free(clean);
    }
}

/* A round's trials and their scenarios. */
struct tried {
    const struct advice *a;
    const struct trial *trials;
    const struct scenario *w;
    unsigned count;
    double before;              /* the span of the plan so far */
};

/* The share of the span that scenario I saves. */
static double saved(const struct tried *t, unsigned i)
{
    return 1 - ratio(t->w[i].span, t->before);
}

/* The share of the span that CANDIDATE alone saves. */
static double saved_alone(const struct tried *t, size_t candidate)
{
    for (unsigned i = 0; i < t->count; i++)
        if (t->trials[i].count == 1 && t->trials[i].added[0] == candidate)
            return fmax(saved(t, i), 0);
    return 0;
}

/* The scenario that is worth most; -1: none is worth a change. */
static int best_trial(const struct tried *t)
{
    int single = -1, pair = -1;
    for (unsigned i = 0; i < t->count; i++) {
        const struct trial *x = &t->trials[i];
        if (x->count == 1 && (single < 0 || saved(t, i) > saved(t, single)))
            single = i;
        if (x->count == 2 && (pair < 0 || saved(t, i) > saved(t, pair)) &&
            saved(t, i) >= PAIR_OVER_PARTS * (saved_alone(t, x->added[0]) +
                                              saved_alone(t, x->added[1])))
            pair = i;
    }
    const double worth = 1 - 1 / GAIN;
    bool any = single >= 0 && saved(t, single) >= worth;
    if (pair >= 0 && saved(t, pair) >= worth &&
        (!any || saved(t, pair) >= PAIR_OVER_SINGLE * saved(t, single)))
        return pair;
    return any ? single : -1;
}

/* The parallelism of a program of WORK and SPAN with the gains of scenario W of M's run. Work and
 * span are estimates, each with an error of its own: no path is longer than all work together, and
 * without tasks a program is one path. */
static double faster(const struct summary *m, const struct scenario *w, double work, double span)
{
    if (!m->profile->totals.tasks)
        return 1;
    return fmax(ratio(work * ratio(w->work, m->work), span), 1);
}

/* Adds scenario I to the plan. Runs differ by noise. So the plan takes this run's gain, not its
 * span and work. */
static void add_step(struct plan *plan, const struct tried *t, unsigned i, const struct summary *m)
{
    const struct trial *x = &t->trials[i];
    double before = plan->count ? plan->steps[plan->count - 1].span : plan->span,
           span = before * (1 - saved(t, i));
    struct step *s = &plan->steps[plan->count++];
    *s = (struct step){ .added = { x->added[0], x->added[1] },
                        .count = x->count,
                        .span = span,
                        .parallel = fmax(ratio(plan->work, span), 1),
                        .faster = faster(m, &t->w[i], plan->work, span),
                        .saved = saved(t, i),
                        .margin = t->w[i].margin };
    for (unsigned k = 0; k < x->count; k++)
        s->alone[k] = saved_alone(t, x->added[k]);
}

/* Sets PLAN's mixed by P, the profile of its first round. */
static void find_mixed(const struct advice *a, struct plan *plan, const struct profile *p)
{
    for (unsigned k = 0; k < plan->steps[0].count && !plan->mixed; k++)
        for (size_t i = 0; i < p->candidate_count && !plan->mixed; i++)
            if (!strcmp(profile_string(p, p->candidates[i].name),
                        a->candidates[plan->steps[0].added[k]].name))
                plan->mixed = scenarios_mixed(p, i);
}

/* Runs one round. Returns 1: a step was added; 0: nothing helps; -1: the run failed. */
static int try_round(const struct advice *a, struct plan *plan, const char *path)
{
    struct trial trials[128];
    char *spec;
    unsigned n = plan_trials(a, plan, trials, &spec);
    struct profile p;
    struct summary m;
    const char *options[] = { "--whatif", spec, 0 };
    int status = n > (plan->count != 0) ? run_again(a->command, path, options, true) : 0;
    free(spec);
    if (n == (plan->count != 0))
        return 0;
    if (status || profile_open(&p, path))
        return -1;
    summary_new(&m, &p, false);
    if (a->name_count && !plan->count)
        say_unseen(&p);
    size_t count;
    struct scenario *w = scenarios_read(&m, &count);
    const struct tried all = { a, trials, w, n < count ? n : count,
                               plan->count ? w[0].span : m.span };
    int best = best_trial(&all);
    if (best >= 0)
        add_step(plan, &all, best, &m);
    if (best >= 0 && plan->count == 1)
        find_mixed(a, plan, &p);
    scenarios_free(w, count);
    summary_free(&m);
    profile_close(&p);
    return best >= 0;
}

#define VALIDATED 4             /* candidates of the experiment: the plan's, then the next ones */

static size_t pick(const struct advice *a, const struct plan *p, struct candidate *out)
{
    size_t n = 0;
    for (int chosen = 1; chosen >= 0; chosen--)
        for (size_t i = 0; i < a->count && n < VALIDATED; i++)
            if (in_plan(p, i) == chosen)
                out[n++] = a->candidates[i];
    return n;
}

static void interrupt(int sig)
{
    interrupted = sig;
}

/* Makes the plan and prints it. PATH is for the profiles of further runs. Returns 0, or 2 if a run
 * failed or was interrupted. */
static int plan_and_print(struct advice *a, const struct profile *p, const char *directory,
                          const char *path)
{
    struct summary m;
    struct paths t;
    struct plan plan = { 0 };
    summary_new(&m, p, false);
    paths_new(&t, &m, false, true, 0);
    advice_candidates(a, &t);
    if (a->count > TRIED) {
        for (size_t i = TRIED; i < a->count; i++)
            candidate_clear(&a->candidates[i]);
        a->count = TRIED;
    }
    plan.work = m.work;
    plan.span = m.span;
    plan.parallelism = m.parallelism;
    int more = a->count && plan.parallelism < a->target;
    while (more > 0 && plan.count < ROUNDS && !interrupted) {
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "prof: round %u: %zu candidates\r", plan.count + 1, a->count);
        more = try_round(a, &plan, path);
        if (more > 0 && plan.steps[plan.count - 1].parallel >= a->target)
            break;
    }
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\033[K");
    plan.nothing = !more;
    plan.interrupted = interrupted != 0;
    if (interrupted)
        more = -1;
    if (more < 0)
        fprintf(stderr, "prof: %s: the output is what was found before\n",
                interrupted ? "interrupted" : "the program failed when it ran again");
    struct candidate chosen[VALIDATED];
    struct validation v[VALIDATED];
    size_t picked = a->slower > 0 && more >= 0 ? pick(a, &plan, chosen) : 0;
    struct experiment e = { a->command, chosen, picked, a->slower, a->pairs, directory };
    int valid = picked ? validate(&e, v) : 0;
    if (valid < 0) {
        fprintf(stderr, "prof: %s in the slow-down experiment\n",
                interrupted ? "interrupted" : "the program failed");
        more = -1;
    }
    if (a->json) {
        json_t *j = plan_json(a, &plan, &t);
        if (valid > 0)
            json_object_set_new(j, "validation", plan_validation_json(v, valid));
        json_dumpf(j, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        putchar('\n');
        json_decref(j);
    } else {
        plan_print(a, &plan, &t);
        if (valid > 0)
            plan_print_validation(a, p, v, valid);
    }
    free(plan.mixed);
    paths_free(&t);
    summary_free(&m);
    return more < 0 ? 2 : 0;
}

static int advise_in(struct advice *a, const char *directory)
{
    char *first = format_text("%s/0.prof", directory), *next = format_text("%s/n.prof", directory);
    struct profile p;
    int status = run_again(a->command, first, 0, false), result = 2;
    if (status < 0) {
        fputs("prof: nothing is tried\n", stderr);
    } else if (status) {
        result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (interrupted)
            fputs("prof: interrupted: nothing is tried\n", stderr);
        else
            fprintf(stderr, "prof: the program failed (%s %d): nothing is tried\n",
                    WIFSIGNALED(status) ? "signal" : "status",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    } else if (!profile_open(&p, first)) {
        result = plan_and_print(a, &p, directory, next);
        profile_close(&p);
    }
    free(first);
    free(next);
    return result;
}

/* Removes NAME with all that is in it, also files of programs that were killed while they wrote. */
static void remove_directory(const char *name)
{
    DIR *d = opendir(name);
    for (struct dirent *e; d && (e = readdir(d));)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(name);
}

int advice_run(struct advice *a)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    enum { SIGNALS = sizeof signals / sizeof signals[0] };
    struct sigaction old[SIGNALS], act = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
    const char *tmp = getenv("TMPDIR");
    char *directory = format_text("%s/prof-whatif.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], 0, &old[i]);
        if (old[i].sa_handler != SIG_IGN)       /* nohup ignores a signal */
            sigaction(signals[i], &act, 0);
    }
    int result = 2;
    if (mkdtemp(directory)) {
        result = advise_in(a, directory);
        remove_directory(directory);
    } else {
        fprintf(stderr, "prof: %s: %s\n", directory, strerror(errno));
    }
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &old[i], 0);
    free(directory);
    return interrupted ? 128 + interrupted : result;
}
