/* job.c - see job.h. */
#include "dag/job.h"
#include "base/forbid.h"

struct job job;
