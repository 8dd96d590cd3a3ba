/* symbols.h - turns addresses of a profile into functions and source lines, with inlined frames, by
 * elfutils. It looks for debug information in the module, beside it, and in /usr/lib/debug by build
 * id, but never on the network.
 */
#ifndef REPORT_SYMBOLS_SYMBOLS_H
#define REPORT_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include "profile/profile.h"

struct frame {
    const char *function;       /* demangled; MODULE+0xOFFSET if nothing is known */
    const char *file;           /* NULL: no line information */
    int line;
    int declared;               /* the line where FUNCTION is declared; 0: not known */
    uint64_t offset;            /* from the symbol's start, if there is no line */
    bool nameless;              /* no symbol covers it: FUNCTION is MODULE+0xOFFSET */
    bool header;                /* FUNCTION is declared in a header that is not the program's */
};

struct symbols;

/* P must outlive the result. A NULL given to symbols_free is ignored. */
struct symbols *symbols_new(const struct profile *p);
void symbols_free(struct symbols *s);

/* Sets FRAMES to the frames at ADDRESS, the innermost inlined one first. ADDRESS is that of the
 * instruction itself, not a return address. Returns their number: at least 1, at most CAPACITY. The
 * strings live as long as S. */
size_t symbols_lookup(struct symbols *s, uint64_t address, struct frame *frames, size_t capacity);

/* If ADDRESS is the start of a header's function that calls a function object of the program, sets
 * *BODY to the declaration of that object's operator(). The bodies of flow graph nodes are such. */
bool symbols_body(struct symbols *s, uint64_t address, struct frame *body);

/* Is F code of a runtime or of the standard library? */
bool symbols_library(const struct frame *f);

/* The start of the function at ADDRESS, by the unwind tables, as MODULE+0xOFFSET: for an ADDRESS
 * that no symbol covers. NULL: the tables do not show it. It lives as long as S. */
const char *symbols_function(struct symbols *s, uint64_t address);

/* The directories in which the units looked up so far were compiled. Relative names of files are
 * relative to these. Returns their number, at most SYMBOLS_DIRECTORIES. They live as long as S. */
enum { SYMBOLS_DIRECTORIES = 64 };
size_t symbols_directories(const struct symbols *s, const char *const **directories);

/* The path of the module that holds ADDRESS, or NULL. */
const char *symbols_module(const struct symbols *s, uint64_t address);
/* ADDRESS as MODULE+0xOFFSET. OFFSET is an address of the ELF file. It lives as long as S. */
const char *symbols_code(struct symbols *s, uint64_t address);

#endif
