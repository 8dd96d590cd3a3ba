/* place_words.c - see place_words.h. */
#define _GNU_SOURCE
#include "output/place_words.h"
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "output/text_page.h"
#include "symbols/name_in_words.h"
#include "symbols/names.h"

/* FUNCTION as its line in the source shows it: a compiler's name of a region is in no source. */
static char *name_of(const char *function)
{
    char *origin = name_origin(function), *name = name_fit(origin, 60);
    free(origin);
    return name;
}

char *place_of_row(const struct row *r)
{
    char *function = text_function(r), *name = name_of(function), *place = text_place(r);
    char *text = format_text("%s%s%s%s", name, *place ? " (" : "", place, *place ? ")" : "");
    free(function);
    free(name);
    free(place);
    return text;
}

char *place_of_tasks(const struct row *r)
{
    char *place = place_of_row(r), *text;
    if (!strcmp(r->construct, "parallel"))  /* what libprof counts as its tasks is in no source */
        text = format_text("parts of the parallel region at %s", place);
    else if (!*r->construct || !strcmp(r->construct, "task"))
        text = format_text("tasks spawned at %s", place);
    else
        text = format_text("tasks of %s at %s", r->construct, place);
    free(place);
    return text;
}

char *place_of_node(const struct path_node *n)
{
    char *name = name_of(n->function), *file = n->file ? format_clean(n->file) : 0;
    const char *base = file ? strrchr(file, '/') : 0;
    base = base ? base + 1 : file;
    /* of several functions with one name, as lambdas, the line may be another's */
    char *text = file && n->line && n->declared >= 0
                     ? format_text("%s (%s:%d)", name, base, n->line)
                 : file          ? format_text("%s (%s)", name, base)
                                 : format_text("%s", name);
    free(name);
    free(file);
    return text;
}

const char *place_of_time(const struct profile *p)
{
    return profile_slots_ns(p) > (double)p->totals.elapsed_ns * p->totals.workers
               ? "all threads' time"
               : "the worker time";
}
