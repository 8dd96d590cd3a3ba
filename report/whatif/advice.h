/* advice.h - the request to `prof whatif`, and its results. */
#ifndef REPORT_WHATIF_ADVICE_H
#define REPORT_WHATIF_ADVICE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "analysis/whatif_candidates.h"
#include "layout/options.h"
#include "profile/profile.h"
#include "whatif/validate.h"

#define TRIED 16                /* the most candidates in a run; libprof.so takes no more */

#define ROUNDS 6

struct advice {
    double target, factor;
    bool json;
    struct options options;     /* the form of text */
    char *names[TRIED];         /* candidates that the user named; else prof proposes some */
    unsigned name_count;
    struct candidate *candidates;
    size_t count;
    char **command;
    double slower;              /* the factor of the slow-down experiment; 0: no experiment */
    unsigned pairs;
};

/* A round: the candidates that it added to the plan, and the program's span and parallelisms with
 * the plan so far. */
struct step {
    size_t added[2];
    unsigned count;
    double span, parallel, faster;
    /* shares of the span before it: what the round saves, and what each candidate alone would */
    double saved, alone[2];
    double margin;              /* struct scenario's */
};

struct plan {
    double work, span, parallelism;     /* of the unchanged program, by the first run */
    struct step steps[ROUNDS];
    unsigned count;
    char *mixed;                /* the candidates of the first step whose figures are means, with
                                 * those that they cannot be distinguished from; NULL: none */
    bool nothing;               /* it ended because nothing helped */
    bool interrupted;           /* the user ended it */
};

/* Why the work and span of T are estimates (certainty_estimate). */
char *advice_estimate(const struct paths *t);
/* "at most " before the parallelism, and " (a lower bound)" behind the span, where that is so. */
const char *advice_is(const struct summary *m);
const char *advice_span_is(const struct summary *m);
/* Prints what limits T's program, the largest gain first. */
void advice_print_findings(const struct advice *a, const struct paths *t);
/* Prints what the iterations of loops allow, if they were cut further. */
void advice_print_loops(const struct advice *a, const struct summary *m);
/* proposals.c. The candidate in words. The caller frees it. */
char *advice_described(const struct candidate *c);
/* Sets A's candidates: those that the user named, or those that T's profile proposes. T must
 * outlive their use. */
void advice_candidates(struct advice *a, const struct paths *t);
/* Prints advice from the profile PATH alone. Returns 0, or 2 after a line on stderr. */
int advice_file(struct advice *a, const char *path);

/* plan_forms.c: text, and JSON as a new reference. */
void plan_print(const struct advice *a, const struct plan *p, const struct paths *t);
void plan_print_validation(const struct advice *a, const struct profile *p,
                           const struct validation *v, int n);
struct json_t *plan_json(const struct advice *a, const struct plan *p, const struct paths *t);
struct json_t *plan_validation_json(const struct validation *v, int n);

/* search.c: runs the program and tries the candidates. Returns prof's exit status. */
int advice_run(struct advice *a);

#endif
