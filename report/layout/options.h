/* options.h - how a command shows a profile: the options of the command line, and the limits of the
 * terminal. */
#ifndef REPORT_LAYOUT_OPTIONS_H
#define REPORT_LAYOUT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "base/terminal.h"

enum { OPTIONS_WIDTH = 140 };   /* columns of output that goes to no terminal */
enum { OPTIONS_BRIEF = 100 };   /* the same for the brief report */
enum { OPTIONS_LIMIT = 20 };    /* the default number of rows */

enum form { FORM_TEXT, FORM_JSON, FORM_CSV };

struct options {
    enum form form;
    const char *sort;           /* a key of summary_sort */
    const char *measure;        /* "default", "top", "topcaller", "local", "all" */
    size_t limit;               /* rows; 0: all */
    bool raw, totals, frames, cilkscale;
    bool paths, callers, lines; /* further views of the call paths */
    bool physical, unfolded, effort;
    bool full;                  /* text: all sections, not one screen */
    bool timeline;              /* brief: with the timeline, which the full report always has */
    bool all_frames;            /* brief, page, diff's text: with the C++ library's frames */
    bool in_program;            /* diff: these are part of the program's functions */
    bool fold_waits;            /* diff: so is the time off the CPU in the system's code */
    bool columns;               /* JSON: functions, lines, paths as columns (docs/VIEW.md) */
    bool ranks, one_rank;       /* text: of an MPI job, a line for each rank; RANK alone */
    size_t rank;
    const char *metric;         /* of path_metrics: functions and lines are sorted by it */
    const char *const *overhead; /* patterns of paths_new, NULL-terminated; or NULL */
    int width;                  /* columns */
    bool narrowed;              /* the width is the terminal's, or COLUMNS */
    bool color;
    bool links;                 /* brief: places are links to files */
    bool no_page;               /* brief: prof was built without the page of prof view */
    enum terminal_when want_color, want_links; /* as the command line has them */
    bool pager;                 /* output to a terminal goes through a pager */
};

/* Sets O to the defaults for output to OUT, with its width and colours. */
void options_defaults(struct options *o, FILE *out);
/* Checks the values from the command line. False after one line on stderr: one is not allowed. */
bool options_check(const struct options *o);
/* Sets what depends on OUT, where O's report goes: the width, colours and links. */
void options_output(struct options *o, FILE *out);
/* Sets FORM, for --json and --csv. False after one line on stderr: the other form was given
 * before. */
bool options_form(struct options *o, enum form form);
/* Reads TEXT as a whole number. False: it is none, or too large. */
bool options_number(const char *text, size_t *number);

#endif
