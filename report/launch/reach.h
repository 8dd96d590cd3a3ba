/* reach.h - whether libprof.so, preloaded, comes into a program; and if not, why, in words. */
#ifndef REPORT_LAUNCH_REACH_H
#define REPORT_LAUNCH_REACH_H

#include <stdbool.h>

struct reach {
    /* the ELF file that is executed in the end: NAME, a script's interpreter; NULL: none was
     * found */
    char *file;
    bool script;                /* FILE is an interpreter */
    /* it is not reached: "is a 32-bit program, ..."; NULL: nothing is known against it */
    char *why;
    char *advice;               /* what would help; NULL with `why` alone */
    /* its interpreter or its loader, which is not there: the kernel will say that FILE is not;
     * or NULL */
    char *missing;
    /* not every kernel that runs prof runs it: an x32 program, one of another processor, half a
     * one */
    bool strange;
    /* not reached, and its loader would complain, or fail: LD_PRELOAD must not be set */
    bool harmful;
};

/* NAME as execvp would find it, through scripts to the interpreter of the last one. */
void reach_look(struct reach *r, const char *name);
void reach_free(struct reach *r);

#endif
