/* names.c LIBRARY - what libprof asks of libunwind, of LIBRARY: the names and starts of functions
 * of the program that no dynamic symbol names, of a library's, and of an address without code.
 */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <libunwind.h>
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) int not_exported(int a)
{
    return 3 * a + 1;
}

int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        puts(dlerror());
        return 1;
    }
    unw_addr_space_t *space = dlsym(library, "_ULx86_64_local_addr_space");
    unw_accessors_t *(*get)(unw_addr_space_t) = dlsym(library, "_Ux86_64_get_accessors");
    int (*get_info)(unw_addr_space_t, unw_word_t, unw_proc_info_t *, void *) =
        dlsym(library, "_ULx86_64_get_proc_info_by_ip");
    int (*init)(unw_cursor_t *, unw_context_t *) = dlsym(library, "_ULx86_64_init_local");
    int (*get_context)(unw_context_t *) = dlsym(library, "_Ux86_64_getcontext");
    static unw_context_t context;
    static unw_cursor_t cursor;
    get_context(&context);
    init(&cursor, &context);
    char *places[] = { (char *)not_exported + 2, (char *)main + 9, (char *)qsort + 5, (char *)16 };
    for (int i = 0; i < 4; i++) {
        char name[64] = "", part[3] = "";
        unw_word_t offset = 0, ip = (unw_word_t)places[i];
        unw_proc_info_t info;
        int named = get(*space)->get_proc_name(*space, ip, name, sizeof name, &offset, 0);
        int cut = get(*space)->get_proc_name(*space, ip, part, sizeof part, &offset, 0);
        int known = get_info(*space, ip, &info, 0);
        printf("%d %s+%lu, %d %s, start %ld\n", named != 0, name, (long)offset,
               cut == -UNW_ENOMEM, part, known ? 0 : (long)(ip - info.start_ip));
    }
    return not_exported(argc) < 0;
}
