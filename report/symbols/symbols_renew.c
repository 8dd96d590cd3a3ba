/* symbols_renew.c - the symbols of the next profile, from those of the one before: files that both
 * have are not read again. See symbols.h. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "profile/profile.h"
#include "symbols/symbols_private.h"

static bool same_file(const struct module *a, const struct module *b)
{
    const struct lpf_module *x = a->map, *y = b->map;
    return x->flags == y->flags && x->build_id_len == y->build_id_len &&
           !memcmp(x->build_id, y->build_id, x->build_id_len) && !strcmp(a->path, b->path);
}

static bool same_place(const struct module *a, const struct module *b)
{
    const struct lpf_module *x = a->map, *y = b->map;
    return x->start == y->start && x->end == y->end && x->bias == y->bias && same_file(a, b);
}

/* What KNOWN has read of its file is FRESH's now. */
static void module_take(struct module *fresh, struct module *known)
{
    struct module was = *fresh;
    void **data;
    *fresh = *known;
    fresh->profile = was.profile;
    fresh->map = was.map;
    fresh->path = was.path;
    fresh->profiled_ns = was.profiled_ns;
    fresh->lookups = fresh->nameless = 0;
    if (fresh->elf && dwfl_module_info(fresh->elf, &data, 0, 0, 0, 0, 0, 0))
        *data = fresh;
    *known = (struct module){ 0 };
}

/* The one of FRESH's modules that is KNOWN, perhaps at another address. NULL: there is none, or no
 * build id shows it. */
static struct module *counterpart(const struct symbols *fresh, const struct module *known)
{
    for (size_t i = 0; i < fresh->module_count; i++)
        if (known->map->build_id_len && !fresh->modules[i].opened &&
            same_file(&fresh->modules[i], known))
            return &fresh->modules[i];
    return 0;
}

/* Gives FRESH the files that S has open. False: it has not all of them. */
static bool take_files(struct symbols *fresh, struct symbols *s)
{
    for (size_t i = 0; i < s->module_count; i++) {
        struct module *known = &s->modules[i], *m = known->elf ? counterpart(fresh, known) : 0;
        if (m)
            module_take(m, known);
        else if (known->elf)
            return false;
    }
    return true;
}

/* Gives FRESH all that S knows of its modules, if these are at the same addresses. False: else. */
static bool take_all(struct symbols *fresh, struct symbols *s)
{
    bool same = s->module_count == fresh->module_count;
    for (size_t i = 0; same && i < s->module_count; i++)
        same = same_place(&s->modules[i], &fresh->modules[i]);
    for (size_t i = 0; same && i < s->module_count; i++)
        module_take(&fresh->modules[i], &s->modules[i]);
    return same;
}

struct symbols *symbols_renew(struct symbols *s, const struct profile *p)
{
    struct symbols *fresh = symbols_new(p);
    if (!s)
        return fresh;
    bool archived = p->archive || s->profile->archive;  /* the file may be another one's */
    bool all = !archived && take_all(fresh, s);
    if (archived || (!all && !take_files(fresh, s))) {
        symbols_free(s);
        return fresh;
    }
    if (!all)
        symbols_forget_addresses(s);
    /* names and units of the files' DIEs are S's */
    struct module *modules = s->modules;
    size_t count = s->module_count;
    s->modules = fresh->modules;
    s->module_count = fresh->module_count;
    s->profile = p;
    fresh->modules = modules;
    fresh->module_count = count;
    symbols_free(fresh);
    return s;
}
