/* cost.h - costs as text. V is in the unit of profile P. */
#ifndef REPORT_LAYOUT_COST_H
#define REPORT_LAYOUT_COST_H

#include "profile/profile.h"

/* Each fills BUFFER, of FORMAT_SIZE bytes, and returns it. Time looks as format_ns and
 * format_short_ns print it. Virtual time and counts are whole numbers with commas. */
const char *cost_text(const struct profile *p, double v, char *buffer);
const char *cost_short_text(const struct profile *p, double v, char *buffer);

#endif
