/* reach.h - will libprof.so, preloaded, be loaded into a program? If not, the reason in words. */
#ifndef REPORT_LAUNCH_REACH_H
#define REPORT_LAUNCH_REACH_H

#include <stdbool.h>

struct reach {
    /* the ELF file that is executed in the end: NAME, or a script's interpreter; NULL: there is
     * none */
    char *file;
    bool script;                /* FILE is an interpreter */
    /* the reason why it is not reached: "is a 32-bit program, ..."; NULL: none is known */
    char *why;
    char *advice;               /* what would help; NULL if `why` is */
    /* its interpreter or loader, if that does not exist; else NULL. The kernel reports this as if
     * FILE did not exist */
    char *missing;
    /* x32, for another processor, or damaged: not every kernel that runs prof can run it */
    bool strange;
    /* not reached, and its loader would complain or fail: LD_PRELOAD must not be set */
    bool harmful;
};

/* Sets *R. Finds NAME as execvp would; for a script, follows its interpreters. */
void reach_look(struct reach *r, const char *name);
void reach_free(struct reach *r);
/* Is NAME a Go program? Such a program ends by a system call of its own, not by libc's exit. */
bool reach_is_go(const char *name);

#endif
