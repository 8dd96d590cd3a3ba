/* table.h - tables that fit the terminal. On a narrow one the least important columns are left out.
 * One column of names takes the room that is left.
 */
#ifndef REPORT_LAYOUT_TABLE_H
#define REPORT_LAYOUT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

enum table_kind {
    TABLE_NUMBER,               /* right-aligned, never shortened */
    TABLE_TEXT,                 /* left-aligned, shortened in the middle beyond MAX_TEXT columns */
    TABLE_WORDS,                /* left-aligned, never shortened */
    TABLE_TREE,                 /* as TABLE_NAME, after blanks that are kept */
    TABLE_REST,                 /* text that gets the rest of the line, shortened in the middle */
    TABLE_IN_WORDS,             /* the same, of name_in_words: shortened by name_in_words_fit */
    TABLE_NAME,                 /* a function: gets the rest of the line, shortened by name_fit */
};

struct table_column {
    const char *title;
    const char *group;          /* the title above neighbours of one group; NULL: none */
    enum table_kind kind;
    int rank;                   /* columns of the highest rank are left out first; 0: never */
};

struct table;

/* A table of COUNT columns. COLUMNS must outlive it. */
struct table *table_new(const struct table_column *columns, unsigned count);
/* Adds the next cell, row by row: a copy of TEXT, cleaned for a terminal. */
void table_add(struct table *t, const char *text);
/* Prints the cell that was added last between BEFORE and AFTER, which no terminal shows. BEFORE is
 * copied; AFTER must outlive T. */
void table_dress(struct table *t, const char *before, const char *after);
/* Leaves out columns whose cells are all empty. */
void table_hide_empty(struct table *t);
void table_print(struct table *t, FILE *out, int width);
/* The same, without rows that have no number in a column that is shown. Returns how many these
 * are. */
size_t table_print_filled(struct table *t, FILE *out, int width);
/* Was a column with this TITLE or group shown when T was printed? */
bool table_shows(const struct table *t, const char *title);
void table_free(struct table *t);

#endif
