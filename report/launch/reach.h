/* reach.h - whether libprof.so, preloaded, comes into a program; and if not, why, in words. */
#ifndef REPORT_LAUNCH_REACH_H
#define REPORT_LAUNCH_REACH_H

#include <stdbool.h>

struct reach {
    char *file;                 /* the ELF file that is executed in the end: NAME, a script's interpreter; NULL: none was found */
    bool script;                /* FILE is an interpreter */
    char *why;                  /* it is not reached: "is a 32-bit program, ..."; NULL: nothing is known against it */
    char *advice;               /* what would help; NULL with `why` alone */
    char *missing;              /* its interpreter or its loader, which is not there: the kernel will say that FILE is not; or NULL */
    bool strange;               /* not every kernel that runs prof runs it: an x32 program, one of another processor */
    bool harmful;               /* not reached, and its loader would complain, or fail: LD_PRELOAD must not be set */
};

/* NAME as execvp would find it, through scripts to the interpreter of the last one. */
void reach_look(struct reach *r, const char *name);
void reach_free(struct reach *r);

#endif
