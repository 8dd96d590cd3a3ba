/* sites.h - how calls of MPI appear in the profile. [hook] all functions. */
#ifndef AGENTS_MPI_SITES_H
#define AGENTS_MPI_SITES_H

#include <stdint.h>
#include "callsite/site.h"
#include "dag/job.h"

extern const struct site_style mpi_site_style;
/* LPF_SITE_*: what a strand was in a call for. */
uint32_t mpi_site_flags(enum job_cause cause);
/* The context of the path in other ranks. */
struct context *mpi_elsewhere(void);

#endif
