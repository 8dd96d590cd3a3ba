/* modules.h - the load map: the executables and libraries that hold an address of the profile. A
 * module is noted with its first address, because it may be unloaded later.
 */
#ifndef PRELOAD_CONTEXTS_MODULES_H
#define PRELOAD_CONTEXTS_MODULES_H

#include <stdbool.h>
#include <stdint.h>
#include "libprof_format.h"

struct module {
    struct module *next;
    bool here;                  /* mapped, at the last modules_note_runtimes */
    struct lpf_module m;        /* the writer fills in its path */
    char path[512];
    char build_id[2 * 32 + 1];  /* m's in hexadecimal */
};
extern struct module *modules_list;     /* newest first, push-only; whole at any moment */

/* [hook] Notes the module of PLACE (unwind/code_place.h), which the profile will contain. */
void modules_note(uintptr_t place);
/* [hook, writer] Notes the modules of all addresses in the calling context tree so far. */
void modules_note_tree(void);
/* [hook, writer] Notes which of the modules that are mapped now belong to a runtime. */
void modules_note_runtimes(void);

/* [hook] The module that holds PLACE; false: none does. Its strings live for ever. */
struct module_facts {
    uint64_t bias;              /* place - address in the ELF file */
    const char *path, *build_id; /* in hexadecimal; "": it has none */
};
bool modules_find(uintptr_t place, struct module_facts *out);

#endif
