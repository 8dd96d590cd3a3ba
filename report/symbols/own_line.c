/* own_line.c - see own_line.h. */
#include "symbols/own_line.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Sets *START to where the range of FUNCTION begins that PC is in. */
static int range_of(Dwarf_Die *function, Dwarf_Addr pc, Dwarf_Addr *start)
{
    Dwarf_Addr base, end;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, start, &end)) > 0;)
        if (pc >= *start && pc < end)
            return 1;
    return 0;
}

Dwarf_Line *own_line(Dwarf_Die *function, Dwarf_Addr pc, const char *file)
{
    Dwarf_Die cu;
    Dwarf_Lines *lines;
    Dwarf_Addr start, at;
    size_t count, low = 0;
    if (!dwarf_diecu(function, &cu, 0, 0) || !range_of(function, pc, &start) ||
        dwarf_getsrclines(&cu, &lines, &count))
        return NULL;
    for (size_t high = count; low < high;) {    /* the first row after PC */
        size_t middle = low + (high - low) / 2;
        if (!dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at) && at <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0) {
        Dwarf_Line *line = dwarf_onesrcline(lines, low);
        if (dwarf_lineaddr(line, &at) || at < start)
            return NULL;
        bool begins = false;    /* not what was moved here from another statement */
        const char *source = dwarf_linesrc(line, 0, 0);
        if (source && !strcmp(source, file) && !dwarf_linebeginstatement(line, &begins) && begins)
            return line;
    }
    return NULL;
}
