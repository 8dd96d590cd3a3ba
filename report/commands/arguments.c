/* arguments.c - see arguments.h. */
#include "commands/arguments.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"

enum { MOST = 32 };             /* characters of a word that are compared */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many characters must be changed, added, left out or swapped with the next one, to get B from
 * A. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[MOST + 1][MOST + 1], m = strnlen(a, MOST), n = strnlen(b, MOST);
    for (size_t i = 0; i <= m; i++)
        rows[i][0] = i;
    for (size_t k = 0; k <= n; k++)
        rows[0][k] = k;
    for (size_t i = 1; i <= m; i++)
        for (size_t k = 1; k <= n; k++) {
            size_t change = rows[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
            rows[i][k] = least(change, least(rows[i - 1][k], rows[i][k - 1]) + 1);
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                rows[i][k] = least(rows[i][k], rows[i - 2][k - 2] + 1);
        }
    return rows[m][n];
}

const char *arguments_meant(const char *word, const void *names, size_t count, size_t stride)
{
    const char *best = 0;
    size_t most = strlen(word) / 3 + 1, smallest = most + 1;
    if (strlen(word) < 2)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = *(const char *const *)((const char *)names + i * stride);
        size_t d = distance(word, name);
        if (d < smallest && d < strlen(name)) {
            smallest = d;
            best = name;
        }
    }
    return best;
}

/* The next long option, as getopt_long will find it; NULL: the next argument is none. */
static const char *next_long(int argc, char **argv, const char *shorts)
{
    bool in_order = *shorts == '+' || getenv("POSIXLY_CORRECT");
    for (int i = optind ? optind : 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1])
            return !strncmp(argv[i], "--", 2) && argv[i][2] ? argv[i] + 2 : 0;
        if (in_order)
            return 0;
    }
    return 0;
}

/* "; did you mean --full?", or "--report-to or --report?" if WORD is the start of several; "" if
 * nothing is like it. The caller frees it. */
static char *suggestion(const char *word, const struct option *longs, size_t count)
{
    char *text = format_text("%s", "");
    for (size_t i = 0; i < count; i++)
        if (!strncmp(longs[i].name, word, strlen(word))) {
            char *more = format_text("%s%s--%s", text, *text ? " or " : "; did you mean ",
                                     longs[i].name);
            free(text);
            text = more;
        }
    const char *meant = *text ? 0 : arguments_meant(word, &longs[0].name, count, sizeof *longs);
    char *all = meant ? format_text("; did you mean --%s?", meant)
                      : format_text("%s%s", text, *text ? "?" : "");
    free(text);
    return all;
}

/* Prints that OPTION, without its dashes, is unknown. False: it is known. A name that is cut short
 * is unknown, though getopt_long would take it: a later prof may have two options that begin so.
 * And "--repor -- ./app" must not become an option with a value. */
static bool is_unknown(const char *option, const struct option *longs)
{
    size_t n = strcspn(option, "="), count = 0;
    for (; longs[count].name; count++)
        if (strlen(longs[count].name) == n && !strncmp(longs[count].name, option, n))
            return false;
    char *word = format_text("%.*s", (int)n, option), *clean = format_clean(word),
         *meant = suggestion(word, longs, count);
    fprintf(stderr, "prof: unrecognized option '--%s'%s\n", clean, meant);
    free(word);
    free(clean);
    free(meant);
    return true;
}

int arguments_next(int argc, char **argv, const char *shorts, const struct option *longs)
{
    const char *option = next_long(argc, argv, shorts);
    if (option && is_unknown(option, longs))
        return '?';
    int c = getopt_long(argc, argv, shorts, longs, 0);
    bool value = c > 0 && c != '?' && optarg && optind > 1 && optarg == argv[optind - 1];
    if (value && !strcmp(optarg, "--")) {
        char *clean = format_clean(argv[optind - 2]);
        fprintf(stderr, "prof: %s: a value is expected, not --\n", clean);
        free(clean);
        return '?';
    }
    return c;
}
