/* advice.h - what `prof whatif` is asked, and what it finds. */
#ifndef REPORT_WHATIF_ADVICE_H
#define REPORT_WHATIF_ADVICE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "analysis/model.h"
#include "analysis/propose.h"
#include "output/options.h"
#include "profile/profile.h"
#include "whatif/validate.h"

#define TRIED 16                /* together; as many as libprof.so takes */

#define ROUNDS 6

struct advice {
    double target, factor;
    bool json;
    struct options options;     /* how text is printed */
    char *names[TRIED];         /* given by the person, instead of proposals */
    unsigned name_count;
    struct candidate *candidates;
    size_t count;
    char **command;
    double slower;              /* validate with that; 0: no */
    unsigned pairs;
};

/* A round: what was added to the plan, and the program's span and parallelisms with the whole
 * plan. */
struct step {
    size_t added[2];
    unsigned count;
    double span, parallel, faster;
};

struct plan {
    double work, span, parallelism;     /* of the first run, unchanged */
    struct step steps[ROUNDS];
    unsigned count;
    bool nothing;               /* it ended because nothing helped */
    bool interrupted;           /* a person ended it */
};

/* What the run of M cost, where that is more than the critical path: nothing on it that a what-if
 * scenario changes. False: nothing else costs a share that is worth a sentence. */
bool advice_print_costs(const struct advice *a, const struct model *m);
/* For how many workers its loops were cut, where they divide further. */
void advice_print_loops(const struct advice *a, const struct model *m);
struct json_t *advice_costs_json(const struct model *m);
/* proposals.c. A fresh string: the candidate for people. */
char *advice_described(const struct candidate *c);
/* What the person named, or what the profile of M proposes, becomes A's candidates. */
void advice_candidates(struct advice *a, const struct model *m);
/* What a profile alone says. 0, or 2 after a line. */
int advice_file(struct advice *a, const char *path);

/* plan_forms.c: text, and fresh JSON. */
void plan_print(const struct advice *a, const struct plan *p, const struct model *m);
void plan_print_validation(const struct advice *a, const struct profile *p,
                           const struct validation *v, int n);
struct json_t *plan_json(const struct advice *a, const struct plan *p,
                         const struct model *m);
struct json_t *plan_validation_json(const struct validation *v, int n);

/* plan.c: runs the program and tries. prof's exit status. */
int advice_run(struct advice *a);

#endif
