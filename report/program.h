/* program.h - what an ELF file says about how it can be profiled. */
#ifndef REPORT_PROGRAM_H
#define REPORT_PROGRAM_H

#include <stdbool.h>

struct program {
    bool elf, dynamic, setuid;
    bool needs_tbb, needs_openmp, contains_tbb;
    bool line_info;
};

/* 0; or -errno when PATH cannot be read. A script is not ELF. */
int program_inspect(const char *path, struct program *out);
/* Finds NAME as execvp would; the caller frees it. NULL: not found. */
char *program_find(const char *name);

#endif
