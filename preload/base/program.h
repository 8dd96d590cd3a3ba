/* program.h - facts of the process that libprof is in, read once at start-up. */
#ifndef PRELOAD_BASE_PROGRAM_H
#define PRELOAD_BASE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROGRAM_CPUS 1024u

extern struct program {
    char exe[1024], cmdline[1024];
    char directory[1024];       /* working directory at start-up; "": see below */
    char temporary[1024];       /* TMPDIR, if that is an absolute path; else /tmp */
    unsigned processors;        /* that the process might use; 0: not known */
    /* those of the first PROGRAM_CPUS CPUs that it might use, as bits */
    uint64_t allowed[PROGRAM_CPUS / 64];
    bool no_proc;               /* /proc is not mounted, as in some containers */
} program;

/* The process that is recorded: a child of vfork shares our memory, but has another pid. Set at the
 * start, and in a child of fork. */
extern pid_t process_pid;

/* [any] This machine's name. "": it has none. */
const char *program_host(void);
/* [init] Before program_setup: the process's arguments, which stay where they are. */
void program_arguments(int argc, char **argv);
/* [init] */
void program_setup(char *const *environment);
/* [any] The name of the program's file, without its directory. "unknown": there is none. */
void program_name(char *to, size_t size);
/* [init, hook] Is ThreadSanitizer's runtime in the process, shared or static, or may it be? */
bool program_has_tsan(void);
/* [any] The working directory now. "": it was removed, or its path is too long. */
void program_directory_now(char *to, size_t size);

#endif
