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

char *place_of_row(const struct row *r)
{
    char *function = text_function(r), *name = name_of(function), *place = text_place(r);
    char *text = format_text("%s%s%s%s", name, *place ? " (" : "", place, *place ? ")" : "");
    free(function);
    free(name);
    free(place);
    return text;
}

/* Others' agents may give their constructs any names; these must not fill a paragraph. */
#define CONSTRUCT_WIDTH 30

static char *of_construct(const char *what, const char *construct, const char *place)
{
    char *fitted = format_clean(construct);
    format_fit(fitted, CONSTRUCT_WIDTH);
    char *text = format_text("%s of %s at %s", what, fitted, place);
    free(fitted);
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
        text = of_construct("tasks", r->construct, place);
    free(place);
    return text;
}

char *place_of_task(const struct row *r)
{
    char *place = place_of_row(r), *text;
    if (!*r->construct || !strcmp(r->construct, "task"))
        text = format_text("task spawned at %s", place);
    else
        text = of_construct("task", r->construct, place);
    free(place);
    return text;
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

char *place_of_node(const struct path_node *n)
{
    return place_of_call(n, n->line);
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
