/* instructions_window.c - preloaded before libprof.so by instructions.sh, under callgrind: counting
 * begins when libprof has started, and ends before it writes.
 *
 * valgrind registers no rseq, and the time that it takes to run 10^3 instructions would be a gap in
 * libprof's clock (docs/CLOCKS.md): readings that are quick natively would be slow. QUICK_GAP, the
 * address of clock_quick_gap in libprof.so, makes all of them quick.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

static int set_gap(struct dl_phdr_info *object, size_t size, void *address)
{
    (void)size;
    const char *name = strrchr(object->dlpi_name, '/');
    if (!name || strcmp(name, "/libprof.so"))
        return 0;
    *(uint64_t *)(object->dlpi_addr + *(uintptr_t *)address) = UINT64_MAX;
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("QUICK_GAP");
    uintptr_t address = text ? strtoul(text, 0, 16) : 0;
    if (address)
        dl_iterate_phdr(set_gap, &address);
    CALLGRIND_ZERO_STATS;
}

__attribute__((destructor)) static void end(void)
{
    CALLGRIND_DUMP_STATS;
}
