/* finding.c - see finding.h. */
#define _GNU_SOURCE
#include "doctor/finding.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/format.h"

static int problems;

void finding(enum finding f, const char *name, const char *format, ...)
{
    static const char *const mark[] = { "[ok]", "[--]", "[!!]" };
    char *raw = NULL;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&raw, format, ap);
    va_end(ap);
    char *text = format_clean(format_memory(n < 0 ? NULL : raw));
    printf("%s %s: %s\n", mark[f], name, text);
    problems += f == PROBLEM;
    free(text);
    free(raw);
}

int finding_problems(void)
{
    return problems;
}
