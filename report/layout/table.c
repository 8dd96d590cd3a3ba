/* table.c - see table.h. */
#include "layout/table.h"
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "symbols/construct_names.h"
#include "symbols/names.h"

enum { GAP = 2, MIN_NAME = 20, MANY_COLUMNS = 90, BROAD_NAME = 32 };
enum { MAX_TEXT = 32, MAX_COLUMNS = 24 };

struct table {
    const struct table_column *columns;
    unsigned count;
    struct cell {
        char *text;
        char *before;           /* escape sequences around it, of table_dress; or NULL */
        const char *after;
    } *cells;
    size_t used, capacity;
    bool hide_empty;
    int widths[MAX_COLUMNS];    /* of the printed columns; 0: the column is left out */
};

struct table *table_new(const struct table_column *columns, unsigned count)
{
    struct table *t = format_memory(calloc(1, sizeof *t));
    t->columns = columns;
    t->count = count < MAX_COLUMNS ? count : MAX_COLUMNS;
    return t;
}

void table_add(struct table *t, const char *text)
{
    if (t->used == t->capacity) {
        t->capacity = t->capacity ? t->capacity * 2 : 64;
        t->cells = format_memory(realloc(t->cells, t->capacity * sizeof *t->cells));
    }
    enum table_kind kind = t->columns[t->used % t->count].kind;
    size_t blanks = kind == TABLE_TREE ? strspn(text, " ") : 0;
    if (kind == TABLE_TREE) {
        char *plain = name_plain(text + blanks);
        t->cells[t->used++] = (struct cell){ format_text("%*s%s", (int)blanks, "", plain), 0, 0 };
        free(plain);
        return;
    }
    t->cells[t->used++] = (struct cell){ kind == TABLE_NAME ? name_plain(text)
                                                            : format_clean(text), 0, 0 };
}

void table_dress(struct table *t, const char *before, const char *after)
{
    struct cell *last = &t->cells[t->used - 1];
    free(last->before);
    last->before = format_text("%s", before);
    last->after = after;
}

void table_free(struct table *t)
{
    for (size_t i = 0; i < t->used; i++) {
        free(t->cells[i].text);
        free(t->cells[i].before);
    }
    free(t->cells);
    free(t);
}

/* Leaves out the column of the highest rank. False: no column can go. */
static bool narrow(const struct table *t, int *widths, int *total)
{
    int worst = -1;
    for (unsigned c = 0; c < t->count; c++)
        if (widths[c] && t->columns[c].rank &&
            (worst < 0 || t->columns[c].rank > t->columns[worst].rank))
            worst = c;
    if (worst < 0)
        return false;
    *total -= widths[worst] + GAP;
    widths[worst] = 0;
    return true;
}

/* The columns that are left of a group must be as wide as its name. Returns by how much they are
 * narrower, if C is the first of them. */
static int missing(const struct table *t, const int *widths, unsigned c)
{
    const char *group = t->columns[c].group;
    if (!widths[c] || !group)
        return 0;
    int width = widths[c];
    for (unsigned k = 0; k < t->count; k++)
        if (k != c && widths[k] && t->columns[k].group == group) {
            if (k < c)
                return 0;
            width += GAP + widths[k];
        }
    int more = (int)strlen(group) - width;
    return more > 0 ? more : 0;
}

static int all_missing(const struct table *t, const int *widths)
{
    int sum = 0;
    for (unsigned c = 0; c < t->count; c++)
        sum += missing(t, widths, c);
    return sum;
}

static bool takes_the_rest(enum table_kind kind)
{
    return kind == TABLE_NAME || kind == TABLE_IN_WORDS || kind == TABLE_TREE || kind == TABLE_REST;
}

/* Has column C a cell with text? */
static bool has_text(const struct table *t, unsigned c)
{
    for (size_t i = c; i < t->used; i += t->count)
        if (*t->cells[i].text)
            return true;
    return false;
}

void table_hide_empty(struct table *t)
{
    t->hide_empty = true;
}

/* Sets the width of each column; 0: it is left out. */
static void lay_out(const struct table *t, int width, int *widths)
{
    int total = 0, name = -1, wanted = 0;
    for (unsigned c = 0; c < t->count; c++) {
        if (t->hide_empty && !has_text(t, c)) {
            widths[c] = 0;
            continue;
        }
        widths[c] = strlen(t->columns[c].title);
        for (size_t i = c; i < t->used; i += t->count) {
            const char *text = t->cells[i].text;
            int w = format_width(text);
            if (t->columns[c].kind == TABLE_TEXT && w > MAX_TEXT)
                w = MAX_TEXT;
            if (w > widths[c])
                widths[c] = w;
        }
        if (takes_the_rest(t->columns[c].kind)) {
            name = c;
            wanted = widths[c];
            bool readable = t->columns[c].kind == TABLE_IN_WORDS;
            int least_name = readable && width >= MANY_COLUMNS ? BROAD_NAME : MIN_NAME;
            widths[c] = wanted < least_name ? wanted : least_name;
        }
        total += widths[c] + GAP;
    }
    while (total + all_missing(t, widths) > width && narrow(t, widths, &total))
        ;
    for (unsigned c = 0; c < t->count; c++) {
        int more = missing(t, widths, c);
        if (total + more > width)
            break;
        widths[c] += more;
        total += more;
    }
    if (name >= 0) {
        int room = widths[name] + width - total;
        widths[name] = wanted < room ? wanted : room > 8 ? room : 8;
    }
}

static void pad(FILE *out, char with, int n)
{
    while (n-- > 0)
        fputc(with, out);
}

/* Closes F, a memory stream on *TEXT, and prints its text as a line without blanks at its end. */
static void finish_line(FILE *f, char **text, size_t *size, FILE *out)
{
    fclose(f);
    format_memory(*text);
    while (*size && (*text)[*size - 1] == ' ')
        --*size;
    fprintf(out, "%.*s\n", (int)*size, *text);
    free(*text);
}

static void print_groups(const struct table *t, FILE *to, const int *widths)
{
    char *line = NULL;
    size_t size = 0;
    FILE *out = format_memory(open_memstream(&line, &size));
    int blanks = 0;
    bool any = false;
    for (unsigned c = 0; c < t->count; c++)
        any |= widths[c] && t->columns[c].group;
    for (unsigned c = 0; any && c < t->count;) {
        const char *group = t->columns[c].group;
        int span = 0, first = c;
        for (; c < t->count && t->columns[c].group == group && (group || (int)c == first); c++)
            if (widths[c])
                span += widths[c] + GAP;
        if (!group || !span) {
            blanks += span;
            continue;
        }
        pad(out, ' ', blanks);
        blanks = 0;
        int room = span - GAP, fill = room - (int)strlen(group) - 2;
        pad(out, ' ', GAP);
        pad(out, '-', fill / 2);
        if (fill >= 0)
            fprintf(out, " %s ", group);
        else
            fprintf(out, "%-*.*s", room, room, group);
        pad(out, '-', fill - fill / 2);
    }
    if (any) {
        finish_line(out, &line, &size, to);
    } else {
        fclose(out);
        free(line);
    }
}

static void print_cell(FILE *out, enum table_kind kind, const struct cell *from, int width)
{
    const char *text = from->text;
    int blanks_before = kind == TABLE_TREE ? (int)strspn(text, " ") : 0;
    char *cell = kind == TABLE_NAME       ? name_fit(text, width)
                 : kind == TABLE_IN_WORDS ? name_in_words_fit(text, width)
                                          : format_clean(text);
    if (kind == TABLE_TREE) {
        if (blanks_before > width - 8)
            blanks_before = width > 8 ? width - 8 : 0;
        char *fitted = name_fit(text + strspn(text, " "), width - blanks_before);
        free(cell);
        cell = format_text("%*s%s", blanks_before, "", fitted);
        free(fitted);
    }
    if (kind == TABLE_TEXT || kind == TABLE_REST)
        format_fit(cell, width);
    int blanks = width - format_width(cell);
    pad(out, ' ', GAP);
    if (kind == TABLE_NUMBER)
        pad(out, ' ', blanks);
    if (from->before)
        fprintf(out, "%s%s%s", from->before, cell, from->after);
    else
        fputs(cell, out);
    if (kind != TABLE_NUMBER)
        pad(out, ' ', blanks);
    free(cell);
}

/* Prints row R, or the titles if R < 0, without blanks at its end. */
static void print_row(const struct table *t, FILE *out, const int *widths, long r)
{
    char *line = NULL;
    size_t n = 0;
    FILE *f = format_memory(open_memstream(&line, &n));
    for (unsigned c = 0; c < t->count; c++) {
        enum table_kind kind = t->columns[c].kind;
        struct cell title = { (char *)t->columns[c].title, 0, 0 };
        if (widths[c] && r < 0)
            print_cell(f, kind == TABLE_NUMBER ? kind : TABLE_TEXT, &title, widths[c]);
        else if (widths[c])
            print_cell(f, kind, &t->cells[r * t->count + c], widths[c]);
    }
    finish_line(f, &line, &n, out);
}

/* Has row R a number in a column that is shown? */
static bool is_filled(const struct table *t, long r)
{
    for (unsigned c = 0; c < t->count; c++) {
        const char *cell = t->cells[r * t->count + c].text;
        if (t->widths[c] && t->columns[c].kind == TABLE_NUMBER && *cell && strcmp(cell, "-"))
            return true;
    }
    return false;
}

static size_t print_rows(struct table *t, FILE *out, int width, bool all)
{
    size_t left_out = 0;
    lay_out(t, width, t->widths);
    print_groups(t, out, t->widths);
    print_row(t, out, t->widths, -1);
    for (long r = 0; r < (long)(t->used / t->count); r++)
        if (all || is_filled(t, r))
            print_row(t, out, t->widths, r);
        else
            left_out++;
    return left_out;
}

void table_print(struct table *t, FILE *out, int width)
{
    print_rows(t, out, width, true);
}

size_t table_print_filled(struct table *t, FILE *out, int width)
{
    return print_rows(t, out, width, false);
}

bool table_shows(const struct table *t, const char *title)
{
    for (unsigned c = 0; c < t->count; c++)
        if (t->widths[c] && (!strcmp(t->columns[c].title, title) ||
                             (t->columns[c].group && !strcmp(t->columns[c].group, title))))
            return true;
    return false;
}
