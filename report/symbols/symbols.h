/* symbols.h - from addresses of a profile to functions and source lines, inlined frames included,
 * through elfutils. Debug information is searched in the module, beside it, and in /usr/lib/debug
 * by build id; never over the network.
 */
#ifndef REPORT_SYMBOLS_SYMBOLS_H
#define REPORT_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include "profile/profile.h"

struct frame {
    const char *function;       /* demangled; MODULE+0xOFFSET when nothing is known */
    const char *file;           /* NULL: no line information */
    int line;
    uint64_t offset;            /* from the symbol's start, when there is no line */
    bool nameless;              /* no symbol covers it: function is MODULE+0xOFFSET */
    bool header;                /* its function is declared in a header that is no program's */
};

struct symbols;

struct symbols *symbols_new(const struct profile *p);
void symbols_free(struct symbols *s);

/* The frames at ADDRESS (of the instruction itself, not a return address), innermost inlined one
 * first; at most CAPACITY, at least 1. The strings live as long as S. */
size_t symbols_lookup(struct symbols *s, uint64_t address, struct frame *frames, size_t capacity);

/* If a header's function begins at ADDRESS that calls a function object of the program's: *BODY
 * becomes that one's operator(), where it is declared. Nodes of flow graphs have such bodies. */
bool symbols_body(struct symbols *s, uint64_t address, struct frame *body);

/* Is F code of a runtime or of the standard library? */
bool symbols_library(const struct frame *f);

/* Where no symbol covers ADDRESS: the start of its function, by the unwind tables, as
 * MODULE+0xOFFSET; NULL when they do not tell. Lives as long as S. */
const char *symbols_function(struct symbols *s, uint64_t address);

/* Where the units looked up so far were compiled, which is what relative names of files are
 * relative to: how many, SYMBOLS_DIRECTORIES at most. They live as long as S. */
enum { SYMBOLS_DIRECTORIES = 64 };
size_t symbols_directories(const struct symbols *s, const char *const **directories);

/* The path of the module that holds ADDRESS, or NULL. */
const char *symbols_module(const struct symbols *s, uint64_t address);
/* ADDRESS as MODULE+0xOFFSET, the offset in the ELF file's own addresses. Lives as long as S. */
const char *symbols_code(struct symbols *s, uint64_t address);

#endif
