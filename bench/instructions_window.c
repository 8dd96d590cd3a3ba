/* instructions_window.c - preloaded before libprof.so by instructions.sh, under callgrind: counting
 * begins when libprof has started, and ends before it writes.
 *
 * valgrind registers no rseq, and the time that it takes to run 10^3 instructions would be a gap in
 * libprof's clock (docs/CLOCKS.md), and a strand that is short natively would be a long one.
 * QUICK_GAPS, the addresses of libprof.so's thresholds of both, makes all of them quick and short.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

static int set_gaps(struct dl_phdr_info *object, size_t size, void *addresses)
{
    (void)size;
    const char *name = strrchr(object->dlpi_name, '/');
    if (!name || strcmp(name, "/libprof.so"))
        return 0;
    for (char *text = addresses; *text;) {
        uintptr_t at = strtoul(text, &text, 16);
        if (at)
            *(uint64_t *)(object->dlpi_addr + at) = UINT64_MAX;
        text += strspn(text, " ");
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    char *addresses = getenv("QUICK_GAPS");
    if (addresses)
        dl_iterate_phdr(set_gaps, addresses);
    CALLGRIND_ZERO_STATS;
}

__attribute__((destructor)) static void end(void)
{
    CALLGRIND_DUMP_STATS;
}
