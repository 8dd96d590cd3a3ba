/* names.c - the names of both sides, each once. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "base/format.h"
#include "diff/diff.h"
#include "profile/profile.h"

struct diff_name {
    UT_hash_handle hh;
    char text[];
};

static const char *intern(struct diff *d, const char *text, size_t length)
{
    struct diff_name *n;
    HASH_FIND(hh, d->names, text, length, n);
    if (!n) {
        n = format_memory(malloc(sizeof *n + length + 1));
        memcpy(n->text, text, length);
        n->text[length] = 0;
        HASH_ADD(hh, d->names, text, length, n);
    }
    return n->text;
}

const char *diff_keep(struct diff *d, const char *text)
{
    return text ? intern(d, text, strlen(text)) : 0;
}

/* The length of FUNCTION without what a compiler appended to a copy of it: another build may have
 * another copy, or none. */
static size_t stem(const char *function)
{
    static const char *const suffixes[] = { ".constprop.", ".isra.", ".part.",
                                            ".lto_priv.",  ".llvm.", ".cold" };
    size_t length = strlen(function);
    for (unsigned i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const char *at = strstr(function, suffixes[i]);
        if (at && at > function && (size_t)(at - function) < length)
            length = at - function;
    }
    return length;
}

const char *diff_keep_function(struct diff *d, const char *function)
{
    return intern(d, function, stem(function));
}

const char *diff_keep_module(struct diff *d, const struct profile *p, const char *path)
{
    const char *base = path ? format_base(path) : "", *so = strstr(base, ".so.");
    if (!path || !strcmp(base, format_base(profile_string(p, p->totals.exe))))
        return diff_keep(d, "");
    return intern(d, base, so ? (size_t)(so - base) + 3 : strlen(base));
}

void diff_free_names(struct diff *d)
{
    struct diff_name *n, *next;
    HASH_ITER(hh, d->names, n, next) {
        HASH_DEL(d->names, n);
        free(n);
    }
}
