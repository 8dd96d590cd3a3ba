/* loss.h - the reasons why something could not be recorded. A thread counts by reason (thread.h).
 * output/notes.c has the reasons in words, for the report.
 */
#ifndef PRELOAD_DAG_LOSS_H
#define PRELOAD_DAG_LOSS_H

enum loss { LOSS_MEMORY, LOSS_CONTEXTS, LOSS_LATE_JOIN, LOSS_REGION, LOSS_UNBALANCED, LOSS_PREFIX,
            LOSS_NODES, LOSS_PATHS, LOSS_SAMPLES, LOSS_FS_BASE, LOSSES };

#endif
