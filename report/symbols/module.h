/* module.h - one module of a profile's load map. Its ELF file is opened when an address in it is
 * first looked up; here are its symbols, units and functions. PC is an address of the ELF file.
 */
#ifndef REPORT_SYMBOLS_MODULE_H
#define REPORT_SYMBOLS_MODULE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/profile.h"

struct cu_range;
struct label;

/* The caller sets the first three. All others are module.c's. */
struct module {
    const struct lpf_module *map;
    const char *path;
    uint64_t profiled_ns;       /* CLOCK_REALTIME when the profiled program started; 0: unknown */
    Dwfl *dwfl;
    Dwfl_Module *elf;           /* NULL: it cannot be used */
    bool opened, indexed, labelled, unwound;
    struct cu_range *ranges;    /* once indexed; ascending by start */
    size_t range_count, range_capacity;
    struct label *labels;       /* once labelled; ascending by start */
    size_t label_count;
    uint64_t *starts;           /* once unwound: the starts of functions, ascending */
    size_t start_count;
};

/* Opens M's file, the first time. False: it cannot be used, and a line on stderr states why. All
 * functions below need an open module. */
bool module_open(struct module *m);
void module_close(struct module *m);
/* Sets *CU to the unit that covers PC, and *BIAS to what its addresses lack. False: none does. */
bool module_unit(struct module *m, Dwarf_Addr pc, Dwarf_Die *cu, Dwarf_Addr *bias);
/* The name of the symbol that covers PC, as dwfl_module_addrinfo returns it. *OFFSET: the distance
 * from the symbol's start. NULL: there is none. */
const char *module_symbol(struct module *m, Dwarf_Addr pc, GElf_Off *offset);
/* Does anything at PC have a name or an unwind table? If nothing has, PC lies between functions,
 * and debug information is not searched for it. */
bool module_has_function(struct module *m, Dwarf_Addr pc);
/* The start of the function at PC, by the unwind tables. False: they do not show it. */
bool module_function_start(struct module *m, Dwarf_Addr pc, uint64_t *start);

#endif
