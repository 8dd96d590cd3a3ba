/* construct_names.c - see construct_names.h. */
#include "symbols/construct_names.h"
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "symbols/names.h"

/* What gcc and clang put into the names of the functions that they make of OpenMP's constructs. */
static const char gcc_mark[] = "._omp_fn.", gcc_copy_mark[] = "._omp_cpyfn.";
static const char *const clang_marks[] = { ".omp_outlined", ".omp_task_entry" };

/* Where a compiler's mark begins in NAME, or NULL. */
static const char *mark_of(const char *name)
{
    const char *mark = strstr(name, gcc_mark);
    mark = mark ? mark : strstr(name, gcc_copy_mark);
    for (unsigned i = 0; !mark && i < sizeof clang_marks / sizeof clang_marks[0]; i++)
        mark = strstr(name, clang_marks[i]);
    return mark;
}

bool name_is_outlined(const char *function)
{
    return mark_of(function) != 0;
}

bool name_is_gcc_outlined(const char *function)
{
    return strstr(function, gcc_mark) != 0;
}

bool name_lacks_origin(const char *function)
{
    return mark_of(function) == function;
}

/* The function that PLAIN, whose mark begins at MARK, was cut out of: main of main::main, S::go of
 * S::go::_ZN1S2goEv. "": the name does not have it. */
static char *origin_of(const char *plain, const char *mark)
{
    char *all = format_text("%.*s", (int)(mark - plain), plain), *last = all, *at;
    for (at = all; (at = strstr(at, "::")); at += 2)
        last = at + 2;
    char *text = 0;
    if (last > all + 2) {
        size_t before = last - 2 - all, same = strlen(last);
        bool twice = before >= same && !strncmp(last - 2 - same, last, same);
        if (twice || !strncmp(last, "_Z", 2))
            text = format_text("%.*s", (int)before, all);
    }
    if (!text && !strncmp(last, "_Z", 2)) {
        char *whole = name_demangle(last);
        text = name_plain(whole);
        free(whole);
    }
    if (text) {
        free(all);
        return text;
    }
    return all;
}

char *name_origin(const char *function)
{
    char *plain = name_plain(function);
    const char *mark = mark_of(plain);
    char *origin = mark ? origin_of(plain, mark) : 0;
    free(plain);
    if (origin && *origin)
        return origin;
    free(origin);
    return format_text("%s", function);
}

static const char *construct_words(const char *construct)
{
    static const struct { const char *construct, *words; } known[] = {
        { "parallel", "parallel region" },          { "parallel for", "parallel region" },
        { "parallel sections", "parallel region" }, { "teams", "teams region" },
        { "task", "task" },                         { "taskloop", "taskloop" },
    };
    for (unsigned i = 0; construct && i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(construct, known[i].construct))
            return known[i].words;
    return "OpenMP region";
}

/* "ORIGIN, WHAT at FILE:LINE", with what is known of it. */
static char *with_place(const char *origin, const char *what, const char *file, int line)
{
    const char *comma = *origin ? ", " : "";
    return file && line > 0
               ? format_text("%s%s%s at %s:%d", origin, comma, what, format_base(file), line)
               : format_text("%s%s%s", origin, comma, what);
}

/* Where a lambda's own name begins in PLAIN, a name that ends with it; else NULL. clang calls one
 * f::$_0, and its code f::$_0::operator(). */
static char *lambda_in(char *plain)
{
    static const char call[] = "::operator()";
    size_t n = strlen(plain);
    char *at = strstr(plain, "::{lambda");
    if (at)
        return at > plain && plain[n - 1] == '}' ? at : 0;
    at = strstr(plain, "::$_");
    return at && at > plain && n > strlen(call) && !strcmp(plain + n - strlen(call), call) ? at : 0;
}

bool name_needs_words(const char *function)
{
    char *plain = name_plain(function);
    bool needs = mark_of(plain) || name_is_shared(plain) || lambda_in(plain);
    free(plain);
    return needs;
}

char *name_in_words(const char *function, const char *construct, const char *file, int line)
{
    char *plain = name_plain(function), *text = 0;
    const char *mark = mark_of(plain);
    char *at = lambda_in(plain);
    if (mark) {
        char *origin = origin_of(plain, mark);
        text = with_place(origin, construct_words(construct), file, line);
        free(origin);
    } else if (at && file && line > 0) {
        *at = 0;
        text = with_place(plain, "lambda", file, line);
    }
    if (!text)
        return plain;
    free(plain);
    return text;
}

/* What follows the function in NAME: its comma or its place, or NULL. */
static const char *rest_of(const char *name)
{
    const char *rest = 0;
    int depth = 0;
    for (const char *s = name; *s; s++) {
        if (depth <= 0 && !rest && (!strncmp(s, ", ", 2) || !strncmp(s, " (", 2)))
            rest = s;
        depth += (*s == '<' || *s == '(' || *s == '{') - (*s == '>' || *s == ')' || *s == '}');
    }
    return rest;
}

char *name_in_words_fit(const char *name, int width)
{
    enum { LEAST = 8 };
    char *clean = format_clean(name);
    const char *rest = rest_of(clean);
    int tail = rest ? format_width(rest) : 0;
    bool words = !rest && strstr(clean, " at "); /* of a region whose function is not known */
    if (format_width(clean) <= width)
        return clean;
    if (words || tail + LEAST > width) {
        format_fit(clean, width);
        return clean;
    }
    char *head = format_text("%.*s", rest ? (int)(rest - clean) : (int)strlen(clean), clean),
         *fitted = name_fit(head, width - tail),
         *text = format_text("%s%s", fitted, rest ? rest : "");
    free(head);
    free(fitted);
    free(clean);
    return text;
}
