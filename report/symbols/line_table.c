/* line_table.c - see line_table.h. */
#include "symbols/line_table.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Sets *LINES and *COUNT to the rows of FUNCTION's unit, by address. Returns the index of the first
 * row at ADDRESS or after it; *COUNT if there is none. */
static size_t find_row(Dwarf_Die *function, Dwarf_Addr address, Dwarf_Lines **lines, size_t *count)
{
    Dwarf_Die cu;
    Dwarf_Addr at;
    size_t low = 0;
    *count = 0;
    if (!dwarf_diecu(function, &cu, 0, 0) || dwarf_getsrclines(&cu, lines, count))
        return *count = 0;
    for (size_t high = *count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (!dwarf_lineaddr(dwarf_onesrcline(*lines, middle), &at) && at < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

Dwarf_Line *line_table_start(Dwarf_Die *function)
{
    Dwarf_Addr entry, at, base, end;
    Dwarf_Lines *lines;
    size_t count;
    bool last;
    if (dwarf_entrypc(function, &entry) && dwarf_ranges(function, 0, &base, &entry, &end) <= 0)
        return NULL;
    for (size_t i = find_row(function, entry, &lines, &count); i < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        if (dwarf_lineaddr(line, &at) || at != entry)
            break;
        /* the code before may end at this address */
        if (!dwarf_lineendsequence(line, &last) && !last)
            return line;
    }
    return NULL;
}

/* Sets *START to where the range of FUNCTION begins that PC is in. */
static bool range_of(Dwarf_Die *function, Dwarf_Addr pc, Dwarf_Addr *start)
{
    Dwarf_Addr base, end;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, start, &end)) > 0;)
        if (pc >= *start && pc < end)
            return true;
    return false;
}

Dwarf_Line *line_table_own(Dwarf_Die *function, Dwarf_Addr pc, const char *file)
{
    Dwarf_Lines *lines;
    Dwarf_Addr start, at;
    size_t count;
    if (!range_of(function, pc, &start))
        return NULL;
    for (size_t i = find_row(function, pc + 1, &lines, &count); i-- > 0;) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        bool begins = false;    /* not what was moved here from another statement */
        if (dwarf_lineaddr(line, &at) || at < start)
            break;
        const char *source = dwarf_linesrc(line, 0, 0);
        if (source && !strcmp(source, file) && !dwarf_linebeginstatement(line, &begins) && begins)
            return line;
    }
    return NULL;
}
