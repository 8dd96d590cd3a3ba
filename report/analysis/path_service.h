/* path_service.h - what the code of a sample does for the program's, which called it. */
#ifndef REPORT_ANALYSIS_PATH_SERVICE_H
#define REPORT_ANALYSIS_PATH_SERVICE_H

#include <stdint.h>
#include "analysis/paths.h"
#include "analysis/services.h"

/* What the code at node I of the profile does, by its frames below the program's innermost one, and
 * by the instructions at a leaf of the program's own. The program's own names decide nothing:
 * `locked` may be what a lock protects. */
enum service path_service_of(struct paths *t, uint32_t i);

#endif
