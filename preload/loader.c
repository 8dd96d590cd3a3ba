/* loader.c - dlclose: what is known of addresses may be another object's soon.
 *
 * dlopen is not touched: it looks at its caller to find libraries, and new code is met when it runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include "real.h"
#include "engine.h"
#include "runtime.h"
#include "site.h"
#include "writer.h"
#include "../unwind/cfi.h"
#include "../unwind/path.h"
#include "forbid.h"

static int unloads_so_far(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = info->dlpi_subs;
    return 1;
}

__attribute__((visibility("default"))) int dlclose(void *handle)
{
    if (!engine_recording)
        return real()->dlclose(handle);
    int saved = errno;
    unsigned long long before = 0, after = 0;
    writer_note_modules();
    dl_iterate_phdr(unloads_so_far, &before);
    errno = saved;
    int result = real()->dlclose(handle);
    saved = errno;
    dl_iterate_phdr(unloads_so_far, &after);
    if (after != before) {
        runtime_unloaded();
        cfi_flush();
        path_flush();
        site_flush();
    }
    errno = saved;
    return result;
}
