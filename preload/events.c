/* events.c - see events.h. */
#include "events.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "message.h"
#include "pfm.h"

#define EVENTS 16
static struct { char name[64]; int fd; } events[EVENTS];
static unsigned count;

void events_setup(const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        if (n && n < sizeof events[0].name && count < EVENTS) {
            struct perf_event_attr attr;
            const char *why = "";
            char *name = events[count].name;
            memcpy(name, list, n);
            name[n] = 0;
            int r = pfm_event(name, &attr, &why);
            if (!r) {
                attr.inherit = 1;
                attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
                r = pfm_open(&attr, 0);
                if (r < 0)
                    why = pfm_why(r);
                else
                    events[count++].fd = r;
            }
            if (r < 0)
                message(MESSAGE_WARNING, "PROF_EVENTS: %s: %s", name, why);
        } else if (n) {
            message(MESSAGE_WARNING, "PROF_EVENTS: at most %d events of at most 63 bytes", EVENTS);
        }
        list += n + (list[n] == ',');
    }
}

int events_read(unsigned i, const char **name, uint64_t *value)
{
    uint64_t v[3];
    if (i >= count)
        return -ENOENT;
    *name = events[i].name;
    *value = 0;
    if (read(events[i].fd, v, sizeof v) == sizeof v)
        *value = v[2] && v[2] < v[1] ? (uint64_t)((__uint128_t)v[0] * v[1] / v[2]) : v[0];
    return 0;
}
