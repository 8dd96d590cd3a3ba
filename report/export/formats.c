/* formats.c - the table of formats. Each is a file of its own behind export.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "export/export.h"

static const struct export_format formats[] = {
    { "folded", export_folded, false },
    { "pprof", export_pprof, true },
    { "speedscope", export_speedscope, false },
    { "callgrind", export_callgrind, false },
    { "firefox", export_firefox, false },
    { "gnuplot", export_gnuplot, false },
};

#define FORMATS (sizeof formats / sizeof formats[0])

const struct export_format *export_format(const char *name)
{
    for (unsigned i = 0; i < FORMATS; i++)
        if (!strcmp(name, formats[i].name))
            return &formats[i];
    char *clean = format_clean(name);
    fprintf(stderr, "prof: --format %s: the formats are ", clean);
    for (unsigned i = 0; i < FORMATS; i++)
        fprintf(stderr, "%s%s", formats[i].name, i + 1 < FORMATS ? ", " : "\n");
    free(clean);
    return 0;
}
