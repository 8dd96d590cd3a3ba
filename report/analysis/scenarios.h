/* whatif.h - causal profiles (TaskProf, FSE 2017, section 4): what the span would be if some code cost less. */
#ifndef REPORT_ANALYSIS_SCENARIOS_H
#define REPORT_ANALYSIS_SCENARIOS_H

#include <stdio.h>
#include "analysis/model.h"

/* A scenario of a profile. Its two parallelisms differ in what became of the work: code that is made PARALLEL does it
 * all the same (TaskProf's reading), code that is made FASTER does not. */
struct whatif {
    char *name;                 /* "partition 4x, leaf 2x"; clean */
    bool limit, joint;
    bool estimated;             /* samples had a say */
    double work, span;          /* ns, or the clock's unit */
    double parallel, faster;    /* T1 / span, work / span; 0: no span */
};

/* The scenarios of M's profile; the caller frees them with whatif_free. */
struct whatif *whatif_read(const struct model *m, size_t *count);
void whatif_free(struct whatif *w, size_t count);

/* As JSON: { "candidates": [...], "scenarios": [...] }; NULL: nothing was tried. */
struct json_t *whatif_json(const struct model *m);

/* NAME as a specification has it: what would end it there is escaped. */
void whatif_put_name(FILE *f, const char *name);

/* For SPEC, as PROF_WHATIF takes it, a temporary file with the code of its names in PROGRAM, for PROF_WHATIF_CODE; the caller
 * frees its name and removes it. NULL: there is none, one line said why; so it does of each name without code. */
char *whatif_code(const char *spec, const char *program);

#endif
