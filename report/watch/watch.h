/* watch.h - shows a profile again and again while libprof replaces it: on a terminal as a picture
 * with keys, elsewhere as one block of text for each checkpoint.
 */
#ifndef REPORT_WATCH_WATCH_H
#define REPORT_WATCH_WATCH_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct watch {
    const char *metric;         /* of path_metrics */
    unsigned interval;          /* the program's PROF_CHECKPOINT; 0: its profile has it */
    /* of a program that prof started */
    const char *command;
    char *const *pattern;       /* of launch/written.h, once the program runs */
    const struct timespec *start;
    struct spool *spool;        /* of its output; NULL: it goes where it goes without prof */
    int slave;                  /* the program's end of it, which watch_program closes; or -1 */
    bool screen;                /* draw on the terminal */
};

/* Follows the profile PATH until its process has ended, or the user leaves. Returns prof's exit
 * status; or ends prof by the signal that came. */
int watch_file(struct watch *w, const char *path);
/* launch_setup.meanwhile, of a struct watch. */
void watch_program(void *watch, pid_t pid);

#endif
