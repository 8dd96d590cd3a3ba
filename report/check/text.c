/* text.c - the verdicts as text, and as Markdown for a summary of a job or a comment. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "check/check.h"
#include "layout/paragraphs.h"
#include "layout/table.h"

/* How surely the figure of T is known; "" if it is exact, or unknown. */
static const char *certainty_of(const struct check_test *t)
{
    enum certainty a = t->side[CHECK_BASELINE].certainty, b = t->side[CHECK_RUNS].certainty,
                   worst = a > b ? a : b;
    return worst == CERTAIN_EXACT || t->side[CHECK_RUNS].absent ? "" : certainty_names[worst];
}

void check_text(const struct check *c, const struct options *o, FILE *out)
{
    static const struct table_column columns[] = {
        { "verdict", 0, TABLE_WORDS, 0 },
        { "asked", 0, TABLE_REST, 0 },
        { "found", 0, TABLE_WORDS, 0 },
        { "certainty", 0, TABLE_WORDS, 1 },
    };
    static const char *const colors[] = { "\033[32m", "\033[31m", "\033[33m" };
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < c->count; i++) {
        const struct check_test *test = &c->tests[i];
        table_add(t, test->verdict == CHECK_NOT_MET ? "NOT MET" : check_verdicts[test->verdict]);
        if (o->color)
            table_dress(t, colors[test->verdict], "\033[0m");
        table_add(t, test->asked);
        table_add(t, test->found);
        table_add(t, certainty_of(test));
    }
    table_hide_empty(t);
    table_print(t, out, o->width);
    table_free(t);
    fputc('\n', out);
    for (size_t i = 0; i < c->count; i++)
        if (*c->tests[i].why)
            page_paragraph(out, o, c->tests[i].verdict == CHECK_MET ? "-" : "!", "%s: %s.",
                           c->tests[i].asked, c->tests[i].why);
    for (size_t i = 0; i < c->remark_count; i++) {
        bool warning = !strncmp(c->remarks[i], "! ", 2);
        page_paragraph(out, o, warning ? "!" : "-", "%s", c->remarks[i] + (warning ? 2 : 0));
    }
    char *sum = check_sum(c);
    const struct check_side *runs = &c->side[CHECK_RUNS];
    if (runs->count == 1)
        page_paragraph(out, o, "", "%s: %s.", format_base(runs->files[0]), sum);
    else
        page_paragraph(out, o, "", "%u runs (%s, ...): %s.", runs->count,
                       format_base(runs->files[0]), sum);
    free(sum);
}

/* ---- Markdown ---- */

/* Prints TEXT so that no character of it is markup, nor ends a table's cell. */
static void markdown(FILE *out, const char *text)
{
    char *clean = format_clean(text);
    for (const char *s = clean; *s; s++) {
        if (*s == '&')
            fputs("&amp;", out);
        else if (*s == '<')
            fputs("&lt;", out);
        else if (*s == '>')
            fputs("&gt;", out);
        else
            fprintf(out, strchr("\\`*_[]|~#@", *s) ? "\\%c" : "%c", *s);
    }
    free(clean);
}

void check_markdown(const struct check *c, FILE *out)
{
    static const char *const marks[] = { "met", "**not met**", "*unknown*" };
    char *sum = check_sum(c);
    fprintf(out, "### prof check: %s\n\n| verdict | asked | found | certainty |\n", sum);
    fputs("|---|---|---|---|\n", out);
    free(sum);
    for (size_t i = 0; i < c->count; i++) {
        const struct check_test *t = &c->tests[i];
        fprintf(out, "| %s | ", marks[t->verdict]);
        markdown(out, t->asked);
        fputs(" | ", out);
        markdown(out, t->found);
        fprintf(out, " | %s |\n", certainty_of(t));
    }
    const char *before = "\n";
    for (size_t i = 0; i < c->count; i++)
        if (*c->tests[i].why) {
            fprintf(out, "%s- ", before);
            markdown(out, c->tests[i].asked);
            fputs(": ", out);
            markdown(out, c->tests[i].why);
            fputs(".\n", out);
            before = "";
        }
    for (size_t i = 0; i < c->remark_count; i++) {
        fprintf(out, "%s- ", before);
        markdown(out, c->remarks[i] + (strncmp(c->remarks[i], "! ", 2) ? 0 : 2));
        fputc('\n', out);
        before = "";
    }
}
