/* paragraphs.c - see paragraphs.h. */
#define _GNU_SOURCE
#include "layout/paragraphs.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "layout/options.h"

void page_heading(FILE *out, const struct options *o, const char *text)
{
    fprintf(out, o->color ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

/* Is the blank at S, in TEXT, between a number and its unit? */
static bool within_amount(const char *text, const char *s)
{
    static const char *const units[] = { "%", "ns", "us", "ms", "s" };
    size_t n = strspn(s + 1, "%nums");
    bool number = s > text && s[-1] >= '0' && s[-1] <= '9',
         end = !s[1 + n] || strchr(" ,.;:)", s[1 + n]);
    for (unsigned i = 0; number && end && i < sizeof units / sizeof units[0]; i++)
        if (n == strlen(units[i]) && !strncmp(s + 1, units[i], n))
            return true;
    return false;
}

void page_paragraph(FILE *out, const struct options *o, const char *mark, const char *format, ...)
{
    char *raw = NULL;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&raw, format, ap);
    va_end(ap);
    format_memory(n < 0 ? NULL : raw);
    char *text = format_clean(raw);
    free(raw);
    const char *s = text;
    int indent = *mark ? 4 : 2, room = o->width - indent;
    bool first = true;
    while (*s) {
        /* A line goes up to the last blank that fits. A longer word is cut, so no line
         * overflows. */
        int column = 0;
        const char *end = s, *blank = 0;
        for (; *end && (column < room || (*end & 0xc0) == 0x80); end++) {
            column += (*end & 0xc0) != 0x80;
            if (*end == ' ' && !within_amount(text, end))
                blank = end;
        }
        if (*end && (*end != ' ' || within_amount(text, end)) && blank && blank > s)
            end = blank;
        if (*mark && first && o->color)
            fprintf(out, "  \033[33m%-1s\033[0m ", mark);
        else
            fprintf(out, *mark ? "  %-1s " : "  ", first ? mark : "");
        const char *next = end + strspn(end, " ");
        while (end > s && end[-1] == ' ')
            end--;
        fprintf(out, "%.*s\n", (int)(end - s), s);
        first = false;
        s = next;
    }
    free(text);
}
