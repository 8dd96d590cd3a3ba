/* cpus.c - see cpus.h. */
#define _GNU_SOURCE
#include "bench/cpus.h"
#include <stdio.h>
#include <stdlib.h>
#include "base/format.h"

bool cpus_choose(unsigned p, cpu_set_t *out)
{
    cpu_set_t all;
    unsigned chosen = 0;
    if (sched_getaffinity(0, sizeof all, &all) || (unsigned)CPU_COUNT(&all) <= p)
        return false;
    CPU_ZERO(out);
    for (int siblings = 0; siblings < 2; siblings++)
        for (int c = 0; c < CPU_SETSIZE && chosen < p; c++) {
            if (!CPU_ISSET(c, &all) || CPU_ISSET(c, out))
                continue;
            int first = c;
            char *name = format_text("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                                     c);
            FILE *f = fopen(name, "re");
            if (f) {
                if (fscanf(f, "%d", &first) != 1)
                    first = c;
                fclose(f);
            }
            free(name);
            if (siblings || first == c || !CPU_ISSET(first, &all)) {
                CPU_SET(c, out);
                chosen++;
            }
        }
    return chosen == p;
}

bool cpus_nth(unsigned n, cpu_set_t *out)
{
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all))
        return false;
    CPU_ZERO(out);
    for (int c = 0; c < CPU_SETSIZE; c++)
        if (CPU_ISSET(c, &all) && n-- == 0) {
            CPU_SET(c, out);
            return true;
        }
    return false;
}
