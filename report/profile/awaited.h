/* awaited.h - ranks that calls of MPI waited for. */
#ifndef REPORT_PROFILE_AWAITED_H
#define REPORT_PROFILE_AWAITED_H

#include <stdbool.h>
#include "profile/profile.h"

/* For profile_open: are P's entries of a context that waits for ranks, and a part of its time? P's
 * contexts and sites have been checked. */
bool awaited_check(const struct profile *p);

#endif
