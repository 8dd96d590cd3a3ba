/* modules.h - the load map: the executables and libraries that hold an address that is reported.
 * A module is found when the first address in it is, for it may be unloaded later.
 */
#ifndef PRELOAD_CONTEXT_MODULES_H
#define PRELOAD_CONTEXT_MODULES_H

#include <stdbool.h>
#include <stdint.h>
#include "libprof_format.h"

struct module {
    struct module *next;
    bool here;                  /* mapped, at the last modules_note_runtimes */
    struct lpf_module m;        /* path is filled when written */
    char path[512];
    char build_id[2 * 32 + 1];  /* m's in hexadecimal */
};
extern struct module *modules_list;     /* newest first, push-only; whole at any moment */

/* [hook] The code at PLACE (unwind/place.h) will be reported. */
void modules_note(uintptr_t place);
/* [hook, writer] The modules of all addresses in the calling context tree so far. */
void modules_note_tree(void);
/* [hook, writer] Which modules that are mapped now are a runtime's. */
void modules_note_runtimes(void);

/* [hook] The module that holds PLACE; false: none does. Its strings live for ever. */
struct module_facts {
    uint64_t bias;              /* place - address in the ELF file */
    const char *path, *build_id; /* in hexadecimal; "": it has none */
};
bool modules_find(uintptr_t place, struct module_facts *out);

#endif
