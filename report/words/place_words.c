/* place_words.c - see place_words.h. */
#define _GNU_SOURCE
#include "words/place_words.h"
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "layout/text_page.h"
#include "symbols/construct_names.h"
#include "symbols/names.h"

/* FUNCTION as its line in the source shows it: a compiler's name of a region is in no source. */
static char *name_of(const char *function)
{
    char *origin = name_origin(function), *name = name_fit(origin, 60);
    free(origin);
    return name;
}

char *place_function(const char *function, const char *file, int declared, const struct row *site)
{
    if (!site || !site->file || !name_is_outlined(function))
        return name_in_words(function, 0, file, declared);
    char *around = name_lacks_origin(function) ? text_function(site) : 0,
         *origin = around ? name_origin(around) : 0,
         *name = origin ? format_text("%s::%s", origin, function) : 0;
    char *text = name_in_words(name ? name : function, site->construct, site->file, site->line);
    free(around);
    free(origin);
    free(name);
    return text;
}

/* "main, lambda at poll.cpp:11" */
static char *place_of_lambda(const struct path_node *n)
{
    char *words = name_in_words(n->function, 0, n->file, n->apart),
         *text = name_in_words_fit(words, 80);
    free(words);
    return text;
}

char *place_of_call(const struct path_node *n, int line)
{
    if (n->file && n->apart && !name_is_outlined(n->function))
        return place_of_lambda(n);
    char *name = name_of(n->function), *file = n->file ? format_clean(n->file) : 0;
    const char *base = file ? strrchr(file, '/') : 0;
    base = base ? base + 1 : file;
    /* of several functions with one name, as lambdas, the line may be another's */
    char *text = file && line > 0 && n->declared >= 0
                     ? format_text("%s (%s:%d)", name, base, line)
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
