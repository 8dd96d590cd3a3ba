/* program.h - from an ELF file: how it can be profiled. */
#ifndef REPORT_LAUNCH_PROGRAM_H
#define REPORT_LAUNCH_PROGRAM_H

#include <stdbool.h>

/* The entry points of oneTBB without which libprof sees no tasks. */
extern const char *const program_tbb_symbols[];
#define PROGRAM_TBB_SYMBOLS 5

struct program {
    bool elf;                   /* a script is not */
    bool cut;                   /* it ends before its headers or segments do: the rest is unknown */
    unsigned machine, bits;     /* EM_*; 32 or 64 */
    char loader[256];           /* that it asks for; "" none */
    bool dynamic;               /* has a loader, which reads LD_PRELOAD; or is a library */
    bool pie;
    /* set-user-id or file capabilities: the loader ignores LD_PRELOAD */
    bool privileged;
    bool needs_tbb, needs_gomp, needs_omp;
    bool contains_tbb;          /* TBB's runtime is linked into it, */
    bool contains_gomp, contains_omp;   /* libgomp, libomp is, */
    bool contains_tools;        /* with a tools interface; or a tool, */
    bool exports_tool;          /* which libomp finds */
    bool go;                    /* Go's linker made it: it ends by a system call of its own */
    bool symbols;               /* .symtab */
    bool debug_info;            /* .debug_info here, */
    bool line_info;             /* with line tables, */
    bool separate_debug_info;   /* or a link to a file that holds it */
    bool tbb_symbol[PROGRAM_TBB_SYMBOLS]; /* defined and exported here */
    char run_path[1024];        /* DT_RUNPATH or DT_RPATH */
    /* its shared AddressSanitizer runtime, which must be loaded first; "" none */
    char asan[32];
    char tbb_version[32];       /* of a libtbb, as its own version text says; "" unknown */
};

/* 0; or -errno: PATH cannot be read. */
int program_inspect(const char *path, struct program *out);
/* Finds NAME as execvp would; the caller frees it. NULL: not found. */
char *program_find(const char *name);

#endif
