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

/* Was a file found? NONE: nobody asked, or it is in no file ([vdso]). */
enum module_found { MODULE_NONE, MODULE_HERE, MODULE_GONE, MODULE_OTHER, MODULE_UNREADABLE };

/* The caller sets the first four, and counts. All others are module.c's and
 * module_open.c's. */
struct module {
    const struct profile *profile;
    const struct lpf_module *map;
    const char *path;
    uint64_t profiled_ns;       /* CLOCK_REALTIME when the profiled program started; 0: unknown */
    size_t lookups, nameless;   /* of addresses; those that got no name */
    enum module_found found;    /* MODULE_OTHER: a file of another build id, MODULE_UNREADABLE: no
                                   ELF file, and none that can be used */
    char *file;                 /* the file's name; NULL: ELF is */
    Dwfl *dwfl;
    Dwfl_Module *elf;           /* NULL: it cannot be used */
    bool debug_asked;           /* for separate debug information */
    bool debug_asking;          /* inside that question */
    bool opened, indexed, labelled, unwound;
    struct cu_range *ranges;    /* once indexed; ascending by start */
    size_t range_count, range_capacity;
    struct label *labels;       /* once labelled; ascending by start */
    size_t label_count;
    uint64_t *starts;           /* once unwound: the starts of functions, ascending */
    size_t start_count;
};

/* All functions below but module_close need an open module: module_open.h. */
void module_close(struct module *m);
/* Sets *CU to the unit that covers PC, and *BIAS to what its addresses lack. False: none does. */
bool module_unit(struct module *m, Dwarf_Addr pc, Dwarf_Die *cu, Dwarf_Addr *bias);
/* The name of the symbol that covers PC, as dwfl_module_addrinfo returns it. *OFFSET: the distance
 * from the symbol's start. NULL: there is none. */
const char *module_symbol(struct module *m, Dwarf_Addr pc, GElf_Off *offset);
/* Has M neither a symbol table (but that of the loader) nor debug information? */
bool module_is_stripped(struct module *m);
/* Does anything at PC have a name or an unwind table? If nothing has, PC lies between functions,
 * and debug information is not searched for it. */
bool module_has_function(struct module *m, Dwarf_Addr pc);
/* Sets *CODE to the SIZE bytes of the segment that has PC, at *AT, and *MACHINE to the ELF file's.
 * They live as long as M. False: no segment with code has it. */
bool module_code(struct module *m, Dwarf_Addr pc, unsigned *machine, const uint8_t **code,
                 size_t *size, size_t *at);
/* The start of the function at PC, by the unwind tables. False: they do not show it. */
bool module_function_start(struct module *m, Dwarf_Addr pc, uint64_t *start);

#endif
