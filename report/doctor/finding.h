/* finding.h - what prof doctor found out: one line each.
 *
 *     [ok] name: state           works
 *     [--] name: state; hint     works without it, or with less
 *     [!!] name: state; hint     profiling would not work
 */
#ifndef REPORT_DOCTOR_FINDING_H
#define REPORT_DOCTOR_FINDING_H

enum finding { OK, LESS, PROBLEM };

void finding(enum finding f, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* How many findings are a PROBLEM so far? */
int finding_problems(void);

#endif
