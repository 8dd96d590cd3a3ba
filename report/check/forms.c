/* forms.c - the verdicts for machines: JUnit's XML, GitHub's annotations, JSON (docs/JSON.md). */
#define _GNU_SOURCE
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/format.h"
#include "check/check.h"
#include "json/json.h"

/* What is wrong, or not known, as one sentence. The caller frees it. */
static char *sentence(const struct check_test *t)
{
    bool found = strcmp(t->found, "-");
    return format_text("%s: %s%s%s%s%s", t->asked, check_verdicts[t->verdict], found ? ", " : "",
                       found ? t->found : "", *t->why ? ": " : "", t->why);
}

/* ---- JUnit ---- */

/* Prints TEXT as XML 1.0 has it, in quotes, too. format_clean leaves two characters that XML does
 * not know, U+FFFE and U+FFFF. */
static void xml(FILE *out, const char *text)
{
    char *clean = format_clean(text);
    for (const char *s = clean; *s; s++) {
        const char *entity = *s == '&'   ? "&amp;"
                             : *s == '<' ? "&lt;"
                             : *s == '>' ? "&gt;"
                             : *s == '"' ? "&quot;"
                                         : 0;
        if (entity)
            fputs(entity, out);
        else if (!strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3))
            fprintf(out, "\\xef\\xbf\\x%02x", (unsigned char)s[2]), s += 2;
        else
            fputc(*s, out);
    }
    free(clean);
}

/* Prints an attribute. */
static void attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    xml(out, text);
    fputc('"', out);
}

static void junit_case(const struct check_test *t, bool allow_unknown, FILE *out)
{
    fputs("    <testcase", out);
    attribute(out, "classname", "prof.check");
    attribute(out, "name", t->asked);
    if (t->file) {
        attribute(out, "file", t->file);
        fprintf(out, " line=\"%d\"", t->line);
    }
    fputs(">\n", out);
    const char *element = t->verdict == CHECK_MET       ? 0
                          : t->verdict == CHECK_NOT_MET ? "failure"
                          : allow_unknown               ? "skipped"
                                                        : "error";
    if (element) {
        char *text = sentence(t);
        fprintf(out, "      <%s", element);
        attribute(out, "message", text);
        if (strcmp(element, "skipped")) /* JUnit's schema gives it no type */
            attribute(out, "type", t->verdict == CHECK_UNKNOWN ? "unknown"
                                   : t->regression             ? "regression"
                                                               : "requirement");
        fputs("/>\n", out);
        free(text);
    } else {
        fputs("      <system-out>", out);
        xml(out, t->found);
        xml(out, *t->why ? ": " : "");
        xml(out, t->why);
        fputs("</system-out>\n", out);
    }
    fputs("    </testcase>\n", out);
}

void check_junit(const struct check *c, bool allow_unknown, FILE *out)
{
    size_t unknown = check_count(c, CHECK_UNKNOWN);
    char *counts = format_text(" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", c->count,
                               check_count(c, CHECK_NOT_MET), allow_unknown ? 0 : unknown);
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"prof check\"%s>\n"
                 "  <testsuite", counts);
    attribute(out, "name", c->side[CHECK_RUNS].files[0]);
    fprintf(out, "%s skipped=\"%zu\">\n", counts, allow_unknown ? unknown : 0);
    free(counts);
    for (size_t i = 0; i < c->count; i++)
        junit_case(&c->tests[i], allow_unknown, out);
    if (c->remark_count) {
        fputs("    <system-out>", out);
        for (size_t i = 0; i < c->remark_count; i++) {
            xml(out, c->remarks[i]);
            fputc('\n', out);
        }
        fputs("</system-out>\n", out);
    }
    fputs("  </testsuite>\n</testsuites>\n", out);
}

/* ---- GitHub ---- */

/* Prints TEXT, in which GitHub's runner reads %XX. PROPERTY: ':' and ',' end one. */
static void github(FILE *out, const char *text, bool property)
{
    for (const char *s = text; *s; s++)
        if (strchr(property ? "%\r\n:," : "%\r\n", *s))
            fprintf(out, "%%%02X", (unsigned char)*s);
        else
            fputc(*s, out);
}

static void github_clean(FILE *out, const char *text, bool property)
{
    char *clean = format_clean(text);
    github(out, clean, property);
    free(clean);
}

/* FILE as GitHub knows it: below the checked-out repository, else below this folder. */
static const char *in_repository(const char *file)
{
    const char *roots[] = { getenv("GITHUB_WORKSPACE"), 0 };
    char *here = getcwd(0, 0);
    roots[1] = here;
    for (unsigned i = 0; i < 2; i++) {
        size_t n = roots[i] ? strlen(roots[i]) : 0;
        if (n && !strncmp(file, roots[i], n) && file[n] == '/') {
            file += n + 1;
            break;
        }
    }
    free(here);
    return file;
}

void check_github(const struct check *c, FILE *out)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct check_test *t = &c->tests[i];
        if (t->verdict == CHECK_MET)
            continue;
        char *text = sentence(t);
        fputs(t->verdict == CHECK_NOT_MET ? "::error " : "::warning ", out);
        if (t->file) {
            fputs("file=", out);
            github_clean(out, in_repository(t->file), true);
            fprintf(out, ",line=%d,", t->line);
        }
        fputs("title=prof check::", out);
        github_clean(out, text, false);
        fputc('\n', out);
        free(text);
    }
    for (size_t i = 0; i < c->remark_count; i++)
        if (!strncmp(c->remarks[i], "! ", 2)) {
            fputs("::warning title=prof check::", out);
            github_clean(out, c->remarks[i] + 2, false);
            fputc('\n', out);
        }
    char *sum = check_sum(c);
    fprintf(out, "::notice title=prof check::%s\n", sum);
    free(sum);
}

/* ---- JSON ---- */

static json_t *files_of(const struct check_side *s)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < s->count; i++)
        json_array_append_new(all, json_text(s->files[i]));
    return all;
}

static json_t *json_test(const struct check_test *t)
{
    static const char *const units[] = { "", "%", "ns" };
    const struct check_known *a = &t->side[CHECK_BASELINE], *b = &t->side[CHECK_RUNS];
    json_t *j = json_object();
    json_object_set_new(j, "asked", json_text(t->asked));
    json_object_set_new(j, "figure", json_text(figure_kinds[t->figure].name));
    json_object_set_new(j, "function", json_text(t->function));
    if (t->regression) {
        json_object_set_new(j, "allowed_percent", json_finite(t->allowed));
        json_object_set_new(j, "baseline", a->absent ? json_null() : json_finite(a->runs.mean));
        json_object_set_new(j, "change", json_finite(t->change.delta));
        json_object_set_new(j, "p", json_finite(t->change.p));
    } else {
        json_object_set_new(j, "operator", json_text(check_operators[t->op]));
        json_object_set_new(j, "value", json_finite(t->value));
        json_object_set_new(j, "unit", json_text(units[t->unit]));
    }
    json_object_set_new(j, "found", b->absent ? json_null() : json_finite(b->runs.mean));
    json_object_set_new(j, "margin", json_finite(t->margin));
    json_object_set_new(j, "certainty", b->absent ? json_null()
                                                  : json_text(certainty_names[b->certainty]));
    json_object_set_new(j, "verdict", json_text(check_verdicts[t->verdict]));
    json_object_set_new(j, "why", json_text(t->why));
    json_object_set_new(j, "file", json_text(t->file));
    json_object_set_new(j, "line", t->file ? json_integer(t->line) : json_null());
    return j;
}

void check_json(const struct check *c, FILE *out)
{
    json_t *j = json_object(), *requirements = json_array(), *regressions = json_array(),
           *remarks = json_array();
    for (size_t i = 0; i < c->count; i++)
        json_array_append_new(c->tests[i].regression ? regressions : requirements,
                              json_test(&c->tests[i]));
    for (size_t i = 0; i < c->remark_count; i++)
        json_array_append_new(remarks, json_text(c->remarks[i]));
    json_object_set_new(j, "format_version", json_integer(1));
    json_object_set_new(j, "verdict", json_text(check_verdicts[check_all(c)]));
    json_object_set_new(j, "unit", json_text(c->side[CHECK_RUNS].unit));
    json_object_set_new(j, "files", files_of(&c->side[CHECK_RUNS]));
    json_object_set_new(j, "baseline", files_of(&c->side[CHECK_BASELINE]));
    json_object_set_new(j, "requirements", requirements);
    json_object_set_new(j, "regressions", regressions);
    json_object_set_new(j, "remarks", remarks);
    json_dumpf(j, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    fputc('\n', out);
    json_decref(j);
}
