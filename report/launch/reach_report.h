/* reach_report.h - lines for the user: before a program runs, what libprof.so will not reach in it;
 * if the program did not start, why. */
#ifndef REPORT_LAUNCH_REACH_REPORT_H
#define REPORT_LAUNCH_REACH_REPORT_H

enum reached {
    REACHED,                    /* as far as prof can see */
    NOT_REACHED,                /* LD_PRELOAD does no harm, and may reach what NAME starts */
    NOT_TO_BE_PRELOADED,        /* NAME or its loader would complain, or fail */
};
/* Predicts whether libprof.so reaches NAME. If not, prints one line before NAME runs, so that no
 * one waits for hours for a profile that cannot come. ASAN becomes the name of NAME's
 * AddressSanitizer runtime, which must be first in LD_PRELOAD; "": it has none. */
enum reached reach_report(const char *name, char asan[32]);
/* Prints why NAME was not started. ERROR is struct launched's. Returns prof's exit status. */
int reach_report_not_started(const char *name, int error);

#endif
