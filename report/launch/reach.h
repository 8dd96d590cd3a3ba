/* reach.h - is a preloaded libprof.so loaded into a program? If not, the reason, in words. */
#ifndef REPORT_LAUNCH_REACH_H
#define REPORT_LAUNCH_REACH_H

#include <stdbool.h>

struct reach {
    /* the ELF file that is executed in the end: NAME, a script's interpreter; NULL: none was
     * found */
    char *file;
    bool script;                /* FILE is an interpreter */
    /* the reason why it is not reached: "is a 32-bit program, ..."; NULL: none is known */
    char *why;
    char *advice;               /* what would help; NULL with `why` alone */
    /* its interpreter or its loader, if that does not exist: the kernel will report that FILE does
     * not; or NULL */
    char *missing;
    /* a program that not every kernel that runs prof can run: x32, for another processor, or one
     * that is damaged */
    bool strange;
    /* not reached, and its loader would complain, or fail: LD_PRELOAD must not be set */
    bool harmful;
};

/* Finds NAME as execvp would, and through scripts the interpreter of the last one. */
void reach_look(struct reach *r, const char *name);
void reach_free(struct reach *r);

#endif
