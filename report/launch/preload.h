/* preload.h - finds libprof.so for a program that prof starts, and whether it will reach the
 * program. */
#ifndef REPORT_LAUNCH_PRELOAD_H
#define REPORT_LAUNCH_PRELOAD_H

#include <stdbool.h>

/* libprof.so: beside prof (the build tree), or where `make install` put it; PROF_LIBRARY names
 * another. The caller frees the path. NULL after one line on stderr. */
char *preload_find_library(void);

enum reached {
    REACHED,                    /* as far as prof can see */
    NOT_REACHED,                /* LD_PRELOAD does no harm, and may reach what NAME starts */
    NOT_TO_BE_PRELOADED,        /* NAME, or its loader, would complain */
};
/* Prints one line, before NAME runs, if it cannot be profiled: otherwise you might wait for hours
 * for a profile that cannot come. ASAN: its runtime, which goes first into LD_PRELOAD; "": none. */
enum reached preload_look_at(const char *name, char asan[32]);
/* Prints why NAME was not started: ERROR of launch.h. Returns prof's exit status. */
int preload_not_started(const char *name, int error);
/* Is NAME a Go program? It ends by a system call of its own, not by a function of libc's. */
bool preload_is_go(const char *name);

#endif
