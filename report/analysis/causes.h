/* causes.h - what limits a program: causes with the elapsed time that goes away without them.
 *
 * The worker time is divided into cells, each of one row of the ledger at one place. A cause is a
 * set of cells (causes.def). Its gain is their time divided by the workers: without it, the workers
 * would have so much less to share. Cells add up to the ledger's time, so the gains of all causes
 * and the program's own code add up to the elapsed time. */
#ifndef REPORT_ANALYSIS_CAUSES_H
#define REPORT_ANALYSIS_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include "analysis/ledger.h"
#include "analysis/paths.h"
#include "analysis/summary.h"

enum cause {
#define CAUSE(id, name, sentence, remedy, cells, place) CAUSE_##id,
#include "analysis/causes.def"
#undef CAUSE
    CAUSES
};
/* The names in the JSON, by enum cause. */
extern const char *const cause_names[CAUSES];

/* A place in the program's own source, as far as it is known. */
struct place {
    const char *function;       /* NULL: no place */
    const char *file;           /* NULL: not known */
    int line;                   /* 0: not known */
};

struct cause_finding {
    enum cause id;
    struct place place;
    /* PLACE's function; where clang made that of an OpenMP construct, the program's around it */
    const char *around;
    const struct row *site;     /* the spawn site whose tasks it is about; NULL: none */
    double ns;                  /* worker time */
    double gain, low, high;     /* ns of elapsed time, with its 95 % interval */
    double count, mean;         /* what it counts; ns of one */
    /* CAUSE_MPI, if one rank accounts for most of the waits at the place: that rank, ns of waits
     * for it, and ns of all waits there. AWAITED_NS 0: it is not so, or not known */
    uint32_t awaited_rank;
    double awaited_ns, waits_ns;
};

/* A finding has at least this share of the available time. */
#define CAUSE_WORTH 0.05

struct causes {
    bool known;                 /* false: the profile has no times, or no samples */
    double elapsed;             /* ns that a gain is a share of */
    double available;           /* the part of it for which other programs left the processors */
    struct cause_finding *found;        /* largest gain first */
    size_t count;
};

/* M and T must outlive C. T may be NULL: nothing is found then but what needs no samples. */
void causes_new(struct causes *c, const struct summary *m, struct paths *t);
void causes_free(struct causes *c);

#endif
