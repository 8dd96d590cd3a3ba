/* summary_private.h - a summary from the inside: summary.c, summary_rows.c. */
#ifndef REPORT_ANALYSIS_SUMMARY_PRIVATE_H
#define REPORT_ANALYSIS_SUMMARY_PRIVATE_H

#include "analysis/summary.h"

/* The rows and the waits of M, which has its profile and its symbols. RAW: one row a site. */
void summary_make_rows(struct summary *m, bool raw);

#endif
