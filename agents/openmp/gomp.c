/* gomp.c - see gomp.h. */
#include "gomp.h"
#include "base/forbid.h"

static const char *const no_prefixes[] = { 0 };
const struct site_style gomp_style = { "openmp", no_prefixes, END_OPENMP };

__thread uint32_t gomp_depth GOMP_TLS;
__thread const struct gomp_entry *gomp_inside GOMP_TLS;
