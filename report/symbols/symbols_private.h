/* symbols_private.h - what symbols.c and symbols_renew.c share. */
#ifndef REPORT_SYMBOLS_SYMBOLS_PRIVATE_H
#define REPORT_SYMBOLS_SYMBOLS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>
#include "symbols/module.h"
#include "symbols/symbols.h"
#include "symbols/unit.h"

/* The name of a declaration. The key is the declaring DIE's address in memory. */
struct known_name {
    void *declaration;
    const char *name;
    bool header;
    int line;
    UT_hash_handle hh;
};

/* A source file that a frame named. */
struct named_file {
    const char *name;
    UT_hash_handle hh;
};

/* What is known of an address. A profile has many of them more than once, and so have the profiles
 * of one process. */
struct known_address {
    uint64_t address;
    const char *code;           /* of symbols_code; NULL: not asked for */
    size_t count;               /* of frames; 0: not looked up */
    struct frame *frames;
    UT_hash_handle hh;
};

struct symbols {
    const struct profile *profile;
    struct known_address *addresses;
    struct named_file *files;
    struct units *units;
    struct known_name *names;
    struct module *modules;     /* sorted by start */
    size_t module_count;
    char **strings;             /* all strings that callers got; symbols_free frees them */
    size_t count, capacity;
    uint64_t lookups;
    const char *directories[SYMBOLS_DIRECTORIES];   /* see symbols_directories */
    size_t directory_count;
};

/* Forgets what S knows of addresses, and what it has collected from lookups. */
void symbols_forget_addresses(struct symbols *s);

#endif
