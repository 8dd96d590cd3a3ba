/* whatif_candidates.h - candidates for what-if scenarios: the code that might be worth changing, by
 * a profile. */
#ifndef REPORT_ANALYSIS_WHATIF_CANDIDATES_H
#define REPORT_ANALYSIS_WHATIF_CANDIDATES_H

#include "analysis/summary.h"

/* How most of a candidate runs. */
enum candidate_runs {
    RUNS_SERIAL,
    /* some of it serial, some of it in tasks, several at a time; or all in tasks, and on the
     * critical path in a function of which one call runs at a time */
    RUNS_PARTLY_SERIAL,
    RUNS_IN_TASKS,      /* in tasks of which several run at a time: parallel already */
    RUNS_IN_TEAM,       /* in threads' parts of OpenMP regions with several threads */
    RUNS_IN_TURN        /* in serial filters: tasks of which one runs at a time */
};
/* The names in the JSON and in tables. */
extern const char *const candidate_runs[];

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
    enum candidate_runs runs;
    /* most of it runs in tasks of which there are several at a time: it is parallel already */
    bool in_tasks;
    /* most of it runs in threads' parts of OpenMP regions with teams of several threads */
    bool in_team;
    /* by how much its share of the critical path may be off by sampling (95 %), 0 to 1; NAN: no
     * sample hit that path */
    double margin;
    /* ns of the longest task, and of a mean one, where it is on the critical path; 0: unknown */
    double longest, mean;
    bool longest_is_cut;        /* it is a chunk of a loop that a runtime cuts finer or coarser */
    /* Of code that several tasks at a time run: the function below which nearly all of its part of
     * the critical path lies and which is serial, as far as samples show. So of the calls on that
     * path none runs beside another. Its name, file, line, words and costs alone are set. NULL:
     * there is none. */
    struct candidate *caller;
    /* private: of samples and of on_span, those in several tasks at a time, and in recursions; of
     * samples, those in a team, and in serial filters */
    uint64_t tasks_samples, recursive_samples, tasks_on_span, recursive_on_span, team_samples,
        filter_samples;
    /* private: those in the only task of a boundary, the last such boundary, and whether there are
     * several */
    uint64_t only_samples, only_on_span;
    uint32_t only;
    bool sites;
};

/* Proposes functions and regions. A function of the program without a spawn below it (serial code)
 * includes what it calls. Of a function with a spawn below it, and of one that is mostly another
 * function which only it calls, only the own code is proposed, as FUNCTION@own. Functions
 * are sorted by their share of the critical path, then of the work. Regions follow. There are at
 * most LIMIT of each. The caller frees them with whatif_candidates_free. */
struct candidate *whatif_candidates_new(const struct summary *m, size_t limit, size_t *count);
void whatif_candidates_free(struct candidate *c, size_t count);
/* Frees what C has. */
void candidate_clear(struct candidate *c);
/* Is hardly any of C's work off the critical path, for all that its samples show? */
bool candidate_is_serial(const struct candidate *c);

#endif
