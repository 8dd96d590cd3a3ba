/* whatif_candidates.h - candidates for what-if scenarios: the code that might be worth changing, by
 * a profile. */
#ifndef REPORT_ANALYSIS_WHATIF_CANDIDATES_H
#define REPORT_ANALYSIS_WHATIF_CANDIDATES_H

#include "analysis/causes.h"
#include "analysis/paths.h"
#include "analysis/summary.h"

struct candidate {
    char *name;                 /* as PROF_WHATIF takes it, but not escaped */
    char *file;                 /* NULL: unknown */
    int line;                   /* where it is declared; 0: unknown */
    /* of an OpenMP construct's code: where that spawns, a row of the summary; NULL: unknown */
    const struct row *site;
    char *words;                /* prof whatif's: what text calls it; NULL: not by other words */
    bool region;                /* an annotated region; its costs are those of all its instances */
    double span, work;          /* ns, or the clock's unit: on the critical path, and of all work */
    /* ns of the critical path that may be its, too: of tasks in which no sample hit the path */
    double unknown;
    uint64_t on_span, samples;  /* the weights of the samples behind these; 0 for a region */
    uint64_t on_span_squares;   /* the sum of the squares of on_span's weights */
    /* by how much its share of the critical path may be off by sampling (95 %), 0 to 1; NAN: no
     * sample hit that path */
    double margin;
    /* the largest at its place, or of the spawn site whose tasks execute it first; NULL: none */
    const struct cause_finding *finding;
};

/* Proposes functions and regions. A function of the program without a spawn below it (serial code)
 * includes what it calls. Of a function with a spawn below it, and of one that is mostly another
 * function which only it calls, only the own code is proposed, as FUNCTION@own. Those with a
 * finding come first, by its gain; then all are sorted by their share of the critical path, then of
 * the work. Regions follow. There are at most LIMIT of each. T must outlive them. The caller frees
 * them with whatif_candidates_free. */
struct candidate *whatif_candidates_new(const struct paths *t, size_t limit, size_t *count);
void whatif_candidates_free(struct candidate *c, size_t count);
/* Frees what C has. */
void candidate_clear(struct candidate *c);

#endif
