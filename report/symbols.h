/* symbols.h - addresses of a profile to functions and source lines, inlined frames included,
 * through elfutils' libdw. Debug information is looked for beside the module and in
 * /usr/lib/debug by build id; never over the network.
 */
#ifndef REPORT_SYMBOLS_H
#define REPORT_SYMBOLS_H

#include <stdbool.h>
#include "profile.h"

struct frame {
    char *function;             /* demangled; "0x1234" when nothing is known */
    char *file;                 /* NULL: no line information */
    int line;
    bool program;               /* not of a runtime's or the standard library's headers */
    bool nameless;              /* no symbol covers it: function is MODULE+0xOFFSET */
};

struct symbols;

struct symbols *symbols_new(const struct profile *p);
void symbols_free(struct symbols *s);

/* The frames at ADDRESS (of the instruction itself, not a return address), innermost inlined one
 * first; at most CAPACITY, at least 1. The strings live as long as S. */
size_t symbols_lookup(struct symbols *s, uint64_t address, struct frame *frames, size_t capacity);

/* The module that holds ADDRESS: its path, or NULL. */
const char *symbols_module(const struct profile *p, uint64_t address);

#endif
