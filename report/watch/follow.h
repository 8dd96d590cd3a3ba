/* follow.h - a profile that libprof replaces while its program runs. libprof writes a new file
 * under the old name, so a file is either whole or damaged for good.
 */
#ifndef REPORT_WATCH_FOLLOW_H
#define REPORT_WATCH_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "profile/profile.h"

/* A profile, as it was read. */
struct reading {
    struct profile p;
    struct summary m;
    struct paths t, *paths;     /* PATHS: &T, or NULL: the profile has no call paths */
};

struct follow {
    char *path;                 /* NULL: not known yet */
    struct stat file;           /* the file that was read last; all 0: none */
    struct reading *now;        /* the last one that could be read, or NULL */
    /* the totals of the reading before NOW, of the same process; elapsed_ns 0: there is none */
    struct lpf_totals before;
    bool damaged;               /* the file that was read last; stderr has the reason */
    /* prof's CPU time for the last reading; 0: that could use no names of an earlier one, so the
     * next one costs less */
    uint64_t cpu_ns;
};

/* Follows PATH from now on; F takes the string. */
void follow_path(struct follow *f, char *path);
/* Reads the file if it is another one than before. True: it was. */
bool follow_read(struct follow *f);
void follow_free(struct follow *f);

/* Has the process ended, by its profile? */
bool follow_has_ended(const struct follow *f);
/* The seconds since the file that was read last was written. */
double follow_age(const struct follow *f);
/* Has the process vanished without a last profile, as after SIGKILL? It is known only of processes
 * of this host, and only when a checkpoint is overdue. */
bool follow_has_vanished(const struct follow *f);

#endif
