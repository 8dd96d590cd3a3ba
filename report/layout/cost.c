/* cost.c - see cost.h. */
#include "layout/cost.h"
#include <stdio.h>
#include <string.h>
#include "base/format.h"
#include "profile/profile.h"

static bool counts_time(const struct profile *p)
{
    return p->totals.ns_num && strcmp(profile_string(p, p->totals.clock), "virtual");
}

static const char *whole(double v, char *buffer)
{
    if (v < 1.8e19)
        return format_count(v + 0.5, buffer);
    snprintf(buffer, FORMAT_SIZE, "%.3g", v);
    return buffer;
}

const char *cost_text(const struct profile *p, double v, char *buffer)
{
    return counts_time(p) ? format_ns(v, buffer) : whole(v, buffer);
}

const char *cost_short_text(const struct profile *p, double v, char *buffer)
{
    return counts_time(p) ? format_short_ns(v, buffer) : whole(v, buffer);
}
