/* symbols.h - turns addresses of a profile into functions and source lines, with inlined frames, by
 * elfutils. module_files.h states where it looks for modules. It looks for debug information in the
 * module, there, beside the module, and in /usr/lib/debug by build id; on the network only if
 * DEBUGINFOD_URLS is set.
 */
#ifndef REPORT_SYMBOLS_SYMBOLS_H
#define REPORT_SYMBOLS_SYMBOLS_H

#include <elfutils/libdw.h>
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

/* Why addresses of a module have no names. */
enum symbols_lack {
    SYMBOLS_WHOLE,              /* all that were looked up have names */
    SYMBOLS_NOT_HERE,           /* no file was found */
    SYMBOLS_OTHER_BUILD,        /* only files with another build id */
    SYMBOLS_UNREADABLE,         /* no file that can be read as ELF */
    SYMBOLS_STRIPPED,           /* its file has no names for some of them */
    SYMBOLS_LACKS
};
/* In words, as docs/JSON.md lists them. */
extern const char *const symbols_lack_names[SYMBOLS_LACKS];

/* A module of which an address was looked up. */
struct symbols_module {
    const struct lpf_module *map;
    const char *path;           /* as recorded */
    enum symbols_lack lack;
    size_t lookups, nameless;   /* of addresses; those that got no name */
    const char *file, *debug;   /* files that are used; NULL: none. DEBUG: separate */
    struct Dwfl_Module *elf;    /* NULL: none was read */
};

/* P must outlive the result. A NULL given to symbols_free is ignored. */
struct symbols *symbols_new(const struct profile *p);
/* The same, for who needs no names: it reads no file, and every function is MODULE+0xOFFSET. */
struct symbols *symbols_unread(const struct profile *p);
void symbols_free(struct symbols *s);
/* The same for P, the next profile that is read: a file that S has read and P needs is not read
 * again. S, or NULL, is used up; its strings are not valid any more. S's profile must still be
 * open. */
struct symbols *symbols_renew(struct symbols *s, const struct profile *p);

/* Sets FRAMES to the frames at ADDRESS, the innermost inlined one first. ADDRESS is that of the
 * instruction itself, not a return address. Returns their number: at least 1, at most CAPACITY. The
 * strings live as long as S. */
size_t symbols_lookup(struct symbols *s, uint64_t address, struct frame *frames, size_t capacity);

/* If ADDRESS is the start of a header's function that calls a function object of the program, sets
 * *BODY to the declaration of that object's operator(). The bodies of flow graph nodes are such. */
bool symbols_body(struct symbols *s, uint64_t address, struct frame *body);

/* If the call with the return address CALL starts an OpenMP construct that gcc made a function of,
 * or calls a function that ends with a jump to one, sets *PLACE to the line of the construct's
 * pragma, and to the function that it is in. gcc gives the call itself no line: it seems to belong
 * to the statement before. */
bool symbols_construct(struct symbols *s, uint64_t call, struct frame *place);


/* Is F code of a runtime or of the standard library? */
bool symbols_library(const struct frame *f);

/* The start of the function at ADDRESS, by the unwind tables, as MODULE+0xOFFSET: for an ADDRESS
 * that no symbol covers. NULL: the tables do not show it. It lives as long as S. */
const char *symbols_function(struct symbols *s, uint64_t address);

/* Is the instruction at ADDRESS in a loop that waits on the CPU, by its instructions (spin_code.h)?
 */
bool symbols_spins(struct symbols *s, uint64_t address);

/* The directories in which the units looked up so far were compiled. Relative names of files are
 * relative to these. Returns their number, at most SYMBOLS_DIRECTORIES. They live as long as S. */
enum { SYMBOLS_DIRECTORIES = 64 };
size_t symbols_directories(const struct symbols *s, const char *const **directories);

/* Sets *MODULES to those of which an address was looked up and which can have a file. Returns their
 * number. The caller frees the array; its strings live as long as S. */
size_t symbols_modules(struct symbols *s, struct symbols_module **modules);
/* The debug information of M, or NULL. To read it may take long: of libc, it is compressed. */
Dwarf *symbols_module_dwarf(const struct symbols_module *m);
/* Sets *FILES to the names of source files that lookups gave. Returns their number. The caller
 * frees the array. */
size_t symbols_sources(const struct symbols *s, const char ***files);
/* The profile of S. */
const struct profile *symbols_profile(const struct symbols *s);

/* The path of the module that holds ADDRESS, or NULL. */
const char *symbols_module(const struct symbols *s, uint64_t address);
/* ADDRESS as MODULE+0xOFFSET, of the vdso as [vdso]. OFFSET is an address of the ELF file. It lives
 * as long as S. */
const char *symbols_code(struct symbols *s, uint64_t address);
/* name_plain of FUNCTION. It lives as long as S. */
const char *symbols_plain(struct symbols *s, const char *function);

#endif
