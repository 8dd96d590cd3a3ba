/* unwind.c - see unwind.h. */
#define UNW_LOCAL_ONLY
#include "unwind.h"
#include <errno.h>
#include <libunwind.h>

uintptr_t unwind_function_start(uintptr_t ip)
{
    int saved = errno;
    unw_proc_info_t info;
    uintptr_t start = 0;
    if (unw_get_proc_info_by_ip(unw_local_addr_space, ip, &info, 0) == 0)
        start = info.start_ip;
    errno = saved;
    return start;
}

int unwind_function_name(uintptr_t ip, char *name, size_t size)
{
    int saved = errno;
    unw_word_t offset;
    /* libunwind 1.6 has no lookup by address but the accessor behind its own cursors. */
    unw_accessors_t *a = unw_get_accessors(unw_local_addr_space);
    int r = a->get_proc_name(unw_local_addr_space, ip, name, size, &offset, 0);
    errno = saved;
    if (r != 0 && r != -UNW_ENOMEM)     /* ENOMEM: the name was cut */
        return -ENOENT;
    /* libunwind takes the nearest symbol below, which in a stripped file is another function's. */
    uintptr_t start = unwind_function_start(ip);
    return start && ip - offset != start ? -ENOENT : 0;
}

size_t unwind_callers(uintptr_t from, uintptr_t *address, size_t capacity)
{
    int saved = errno;
    void *frames[48];
    int n = unw_backtrace(frames, 48);
    size_t stored = 0;
    int i = 0;
    while (i < n && (uintptr_t)frames[i] != from)
        i++;
    for (; i < n && stored < capacity; i++)
        address[stored++] = (uintptr_t)frames[i];
    errno = saved;
    return stored;
}
