/* propose.h - which code might be worth changing, by a profile: candidates for what-if
 * scenarios. */
#ifndef REPORT_ANALYSIS_PROPOSE_H
#define REPORT_ANALYSIS_PROPOSE_H

#include "analysis/model.h"

struct candidate {
    char *name;                 /* as PROF_WHATIF takes it, but not escaped */
    char *file;                 /* NULL: unknown */
    int line;
    bool region;                /* an annotated region; its costs are those of all its instances */
    double span, work;          /* ns, or the clock's unit: of the critical path, of all work */
    uint64_t on_span, samples;  /* that say so; 0 for a region */
    /* most of it runs in tasks of which there are several at a time: it is parallel already */
    bool in_tasks;
    uint64_t tasks_samples;     /* private */
};

/* Functions of the program that have no spawn below them (serial code, with what they call), and
 * the own code of those that have, as FUNCTION@own; by their share of the critical path, then of
 * the work; and regions. At most LIMIT of each; the caller frees them. */
struct candidate *propose(const struct model *m, size_t limit, size_t *count);
void propose_free(struct candidate *c, size_t count);

#endif
