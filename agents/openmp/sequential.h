/* sequential.h - entry points for the case without a runtime: one thread, in program order. */
#ifndef AGENTS_OPENMP_SEQUENTIAL_H
#define AGENTS_OPENMP_SEQUENTIAL_H

#include "gomp_entry.h"
#include "kmpc_entry.h"

/* Complete, never written. */
extern const struct gomp_entry gomp_sequential;
extern const struct kmpc_entry kmpc_sequential;

#endif
