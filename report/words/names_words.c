/* names_words.c - see names_words.h. The modules with most addresses come first. */
#define _GNU_SOURCE
#include "words/names_words.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "symbols/symbols.h"

enum { SHOWN = 8 };

static int compare(const void *a, const void *b)
{
    const struct symbols_module *x = a, *y = b;
    return x->nameless != y->nameless ? (x->nameless > y->nameless ? -1 : 1)
                                      : strcmp(x->path, y->path);
}

char *names_lacking(struct symbols *s)
{
    static const char *const words[SYMBOLS_LACKS] = {
        [SYMBOLS_NOT_HERE] = "not on this machine",
        [SYMBOLS_OTHER_BUILD] = "here with another build id: built anew",
        [SYMBOLS_UNREADABLE] = "no ELF file",
        [SYMBOLS_STRIPPED] = "stripped",
    };
    struct symbols_module *modules;
    size_t n = symbols_modules(s, &modules), shown = 0, more = 0, size;
    char *text = 0;
    FILE *f = format_memory(open_memstream(&text, &size));
    if (n)
        qsort(modules, n, sizeof *modules, compare);
    for (size_t i = 0; i < n; i++) {
        const struct symbols_module *m = &modules[i];
        bool twice = false;
        for (size_t k = 0; k < i && !twice; k++)
            twice = modules[k].lack == m->lack && !strcmp(modules[k].path, m->path);
        /* the report hides a runtime's frames, and most runtimes are stripped */
        bool hidden = m->lack == SYMBOLS_STRIPPED && m->map->flags & LPF_MODULE_RUNTIME;
        if (m->lack == SYMBOLS_WHOLE || hidden || twice)
            continue;
        if (shown == SHOWN) {
            more++;
            continue;
        }
        char *name = format_clean(format_base(m->path));
        format_fit(name, 60);
        fprintf(f, "%s%s (%s)", shown++ ? ", " : "", name, words[m->lack]);
        free(name);
    }
    if (more)
        fprintf(f, ", %zu more", more);
    fclose(f);
    format_memory(text);
    free(modules);
    if (shown)
        return text;
    free(text);
    return 0;
}
