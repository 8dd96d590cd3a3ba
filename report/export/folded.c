/* folded.c - one line for each logical call path, "main;f;g 123", as flamegraph.pl, inferno and
 * speedscope read it. The values are of the chosen metric. */
#include <inttypes.h>
#include "export/export.h"

/* Prints NAME without the character that separates frames. Blanks may stay: readers take what
 * follows the last one for the number. */
static void print_name(const char *name, FILE *out)
{
    for (; *name; name++)
        putc(*name == ';' ? ':' : *name, out);
}

int export_folded(const struct export_tree *e, FILE *out)
{
    uint32_t path[EXPORT_PATH];
    for (size_t i = 0; i < e->node_count; i++) {
        uint64_t value = e->self[i][e->metric];
        if (!value)
            continue;
        for (size_t k = export_path(e, i, path); k-- > 0;) {
            print_name(e->functions[e->places[path[k]].function].name, out);
            putc(k ? ';' : ' ', out);
        }
        fprintf(out, "%" PRIu64 "\n", value);
    }
    return 0;
}
