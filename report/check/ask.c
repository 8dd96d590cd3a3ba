/* ask.c - what is asked: reads "parallelism >= 8", "work(quicksort) < 30%" and "span=5%".
 *
 * The value comes last and has no operator's character. So the last operator is the one meant,
 * whatever the name of a C++ function has.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "check/check.h"

const char *const check_operators[CHECK_OPERATORS] = { "<", "<=", ">", ">=", "==", "!=" };

/* LENGTH bytes of TEXT without blanks around them. */
static char *trimmed(const char *text, size_t length)
{
    while (length && isspace((unsigned char)*text))
        text++, length--;
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    return format_text("%.*s", (int)length, text);
}

static struct check_test *add(struct check *c)
{
    c->tests = format_memory(realloc(c->tests, (c->count + 1) * sizeof *c->tests));
    c->tests[c->count] = (struct check_test){ 0 };
    return &c->tests[c->count++];
}

static void drop_last(struct check *c)
{
    struct check_test *t = &c->tests[--c->count];
    free(t->function);
    free(t->asked);
}

/* Reads FIGURE or FIGURE(FUNCTION). Returns NULL, or why it is neither. */
static char *read_figure(struct check_test *t, const char *text, char **unknown)
{
    size_t length = strlen(text);
    const char *bracket = length && text[length - 1] == ')' ? strchr(text, '(') : 0;
    char *name = trimmed(text, bracket ? (size_t)(bracket - text) : length), *why = 0;
    t->figure = figure_named(name);
    if (bracket)
        t->function = trimmed(bracket + 1, text + length - 1 - (bracket + 1));
    if (t->figure == FIGURES) {
        *unknown = name;
        return format_text("%s is no figure", name);
    }
    if (bracket && !*t->function)
        why = format_text("which function?");
    else if (bracket && !figure_of_functions(t->figure))
        why = format_text("functions have work, span, overhead, idle, blocked, tasks");
    free(name);
    return why;
}

/* Reads a number and its unit. False: it is none. */
static bool read_value(struct check_test *t, const char *text)
{
    static const struct { const char *name; long double factor; enum check_unit unit; } units[] = {
        { "", 1, CHECK_PLAIN }, { "%", 1, CHECK_PERCENT }, { "ns", 1, CHECK_NS },
        { "us", 1e3, CHECK_NS }, { "ms", 1e6, CHECK_NS },  { "s", 1e9, CHECK_NS },
        { "min", 60e9, CHECK_NS },
    };
    char *end;
    if (!isdigit((unsigned char)*text) && *text != '.')
        return false;           /* strtold takes "inf", too */
    long double v = strtold(text, &end);
    while (isspace((unsigned char)*end))
        end++;
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++)
        if (end > text && !strcmp(end, units[i].name)) {
            t->value = v * units[i].factor;
            t->unit = units[i].unit;
            return isfinite(t->value);
        }
    return false;
}

/* Does T's figure have values in T's unit? If not, returns what it has. The unit of costs depends
 * on the clock: check_run looks at it. */
static char *check_unit_of(const struct check_test *t)
{
    const struct figure_kind *k = &figure_kinds[t->figure];
    bool percent = t->unit == CHECK_PERCENT, counts = k->unit == FIGURE_COUNT;
    if (percent && t->function)
        return 0;
    if (counts || k->unit == FIGURE_RATIO)
        return t->unit == CHECK_PLAIN ? 0
               : t->function ? format_text("%s is a number or a share of the program's, in %%",
                                           k->name)
                             : format_text("%s is a number without a unit", k->name);
    bool shared = k->unit == FIGURE_WORKER_TIME && !t->function;
    if (percent && !shared)
        return format_text("%s is no share, but a time, such as 20ms", k->name);
    if (t->unit == CHECK_PLAIN && k->unit != FIGURE_COST)
        return format_text("%s is a time, such as 20ms%s", k->name,
                           shared ? ", or a share of the worker time, such as 20%" : "");
    return 0;
}

/* The last operator in TEXT; *WHICH is which. NULL: there is none. */
static const char *last_operator(const char *text, enum check_operator *which)
{
    const char *at = text + strlen(text);
    while (at > text && !strchr("<>=!", at[-1]))
        at--;
    for (size_t length = 2; length; length--)
        for (enum check_operator i = 0; i < CHECK_OPERATORS; i++)
            if (strlen(check_operators[i]) == length && (size_t)(at - text) > length &&
                !strncmp(at - length, check_operators[i], length)) {
                *which = i;
                return at - length;
            }
    return 0;
}

static char *read_requirement(struct check_test *t, const char *text, char **unknown)
{
    const char *op = last_operator(text, &t->op);
    if (!op)
        return format_text("a figure, an operator and a value are expected, such as "
                           "'parallelism >= 8'");
    char *left = trimmed(text, op - text), *right = 0, *why = read_figure(t, left, unknown);
    if (!why) {
        op += strlen(check_operators[t->op]);
        right = trimmed(op, strlen(op));
        t->asked = format_text("%s %s %s", left, check_operators[t->op], right);
        why = read_value(t, right) ? check_unit_of(t)
                                   : format_text("%s is no number, with %%, ns, us, ms, s, min or "
                                                 "without a unit", *right ? right : "nothing");
    }
    free(left);
    free(right);
    return why;
}

char *check_require(struct check *c, const char *text, char **unknown)
{
    char *why = read_requirement(add(c), text, unknown);
    if (why)
        drop_last(c);
    return why;
}

static bool is_same(const struct check_test *a, const struct check_test *b)
{
    return a->regression && a->figure == b->figure && !a->function == !b->function &&
           (!a->function || !strcmp(a->function, b->function));
}

/* Removes an earlier limit on the figure of the last test: the later one counts. If the last one is
 * a default, the earlier one stays, unless it is one, too. */
static void replace(struct check *c)
{
    struct check_test *last = &c->tests[c->count - 1];
    for (struct check_test *t = c->tests; t < last; t++)
        if (is_same(t, last)) {
            if (t->by_default || !last->by_default) {
                struct check_test old = *t;
                *t = *last;
                *last = old;
            }
            drop_last(c);
            return;
        }
}

static char *read_limit(struct check_test *t, const char *text, char **unknown)
{
    const char *equal = strrchr(text, '=');
    const char *amount = equal ? equal + 1 : text;
    char *left = trimmed(text, equal ? (size_t)(equal - text) : 0), *right, *why;
    why = read_figure(t, left, unknown);
    right = trimmed(amount, strlen(amount));
    if (!why && !figure_kinds[t->figure].better)
        why = format_text("%s is neither good nor bad", left);
    if (!why && (!read_value(t, right) || t->unit != CHECK_PERCENT))
        why = format_text("%s is no percentage, such as 5%%", *right ? right : "nothing");
    t->regression = true;
    t->allowed = t->value;
    if (!why)
        t->asked = format_text("%s %s baseline%s%s", left,
                               figure_kinds[t->figure].better > 0 ? ">=" : "<=",
                               figure_kinds[t->figure].better > 0 ? "-" : "+", right);
    free(left);
    free(right);
    return why;
}

char *check_limit(struct check *c, const char *text, char **unknown)
{
    static const enum figure costs[] = { FIGURE_WORK, FIGURE_SPAN, FIGURE_ELAPSED };
    bool named = strchr(text, '=');
    char *why = 0;
    for (unsigned i = 0; !why && i < (named ? 1 : sizeof costs / sizeof costs[0]); i++) {
        char *full = named ? format_text("%s", text)
                           : format_text("%s=%s", figure_kinds[costs[i]].name, text);
        struct check_test *t = add(c);
        why = read_limit(t, full, unknown);
        t->by_default = !named;
        if (why)
            drop_last(c);
        else
            replace(c);
        free(full);
    }
    return why;
}
