/* program.h - what an ELF file shows about how its program can be profiled. */
#ifndef REPORT_LAUNCH_PROGRAM_H
#define REPORT_LAUNCH_PROGRAM_H

#include <stdbool.h>

/* The entry points of oneTBB without which libprof sees no tasks. */
extern const char *const program_tbb_symbols[];
#define PROGRAM_TBB_SYMBOLS 5

struct program {
    bool elf;                   /* false for a script */
    bool cut;                   /* the file ends before its headers or segments do; all below is
                                 * unknown */
    unsigned machine, bits;     /* EM_*; 32 or 64 */
    char loader[256];           /* the loader that it asks for; "": none */
    bool dynamic;               /* it has a loader, which reads LD_PRELOAD */
    bool pie;
    /* set-user-id, set-group-id or file capabilities, so that the loader ignores LD_PRELOAD */
    bool privileged;
    bool needs_tbb, needs_gomp, needs_omp;
    bool contains_tbb;          /* TBB's runtime is linked into it */
    bool contains_gomp, contains_omp;   /* libgomp or libomp is linked into it */
    bool contains_tools;        /* it defines ompt_start_tool: a libomp with OMPT, or a tool */
    bool exports_tool;          /* it exports ompt_start_tool, so that libomp finds it */
    bool go;                    /* Go's linker made it: it ends by a system call of its own */
    bool symbols;               /* it has .symtab */
    bool debug_info;            /* it has .debug_info */
    bool line_info;             /* it has line tables */
    bool separate_debug_info;   /* it names a file with its debug information */
    bool tbb_symbol[PROGRAM_TBB_SYMBOLS]; /* it defines and exports program_tbb_symbols[i] */
    char run_path[1024];        /* DT_RUNPATH or DT_RPATH */
    /* the name of its shared AddressSanitizer runtime, which must be loaded first; "": none */
    char asan[32];
    char tbb_version[32];       /* of a libtbb, from its own version text; "": unknown */
};

/* Sets *OUT. Returns 0, or -errno if PATH cannot be read. A file that is no ELF file is no
 * error. */
int program_inspect(const char *path, struct program *out);
/* Finds NAME as execvp would. The caller frees the path. NULL: it was not found. */
char *program_find(const char *name);
/* The errno to report where execvp of NAME failed with ERROR. execvp also says EACCES if NAME is
 * nowhere, but a folder of PATH may not be searched: that is ENOENT here. */
int program_error(const char *name, int error);

#endif
