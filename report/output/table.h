/* table.h - columns that fit the terminal: the least important are left out when it is narrow, and
 * one column of names takes the room that is left.
 */
#ifndef REPORT_OUTPUT_TABLE_H
#define REPORT_OUTPUT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

enum table_kind {
    TABLE_NUMBER,               /* right-aligned, never shortened */
    TABLE_TEXT,                 /* left-aligned, shortened in the middle beyond MAX_TEXT columns */
    TABLE_WORDS,                /* left-aligned, never shortened */
    /* the same, but where there is no room what stands behind a colon goes before the column
     * does */
    TABLE_ADVICE,
    TABLE_TREE,                 /* the same, after blanks that are kept */
    TABLE_REST,                 /* text that gets the rest of the line, shortened in the middle */
    TABLE_NAME,                 /* a function's: gets the rest of the line, shortened by name_fit */
};

struct table_column {
    const char *title;
    const char *group;          /* neighbours of one group share a line above; NULL: none */
    enum table_kind kind;
    int rank;                   /* columns of the highest rank go first; 0 stays */
};

struct table;

/* COLUMNS must outlive the table. */
struct table *table_new(const struct table_column *columns, unsigned count);
/* The next cell, row by row; copied, and cleaned of what a terminal should not see. */
void table_add(struct table *t, const char *text);
void table_print(struct table *t, FILE *out, int width);
/* The same, without rows that have no number in the columns that have room; returns how many these
 * are. */
size_t table_print_filled(struct table *t, FILE *out, int width);
/* Whether a column of that TITLE, or of that group, had room when T was printed. */
bool table_shows(const struct table *t, const char *title);
void table_free(struct table *t);

#endif
