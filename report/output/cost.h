/* cost.h - costs as text: V is in the unit of profile P. */
#ifndef REPORT_OUTPUT_COST_H
#define REPORT_OUTPUT_COST_H

#include "profile/profile.h"

/* Each fills BUFFER, of FORMAT_SIZE bytes, and returns it. Time is written as format_ns and
 * format_short_ns write it; virtual time and counters are grouped whole numbers. */
const char *cost_text(const struct profile *p, double v, char *buffer);
const char *cost_short_text(const struct profile *p, double v, char *buffer);

#endif
