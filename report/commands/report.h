/* report.h - the subcommands, the options of `prof report`, and its forms of output. */
#ifndef REPORT_COMMANDS_REPORT_H
#define REPORT_COMMANDS_REPORT_H

#include <stdarg.h>
#include <stdio.h>
#include "analysis/model.h"
#include "analysis/paths.h"

enum { REPORT_WIDTH = 140 };     /* columns where there is no terminal */

enum form { FORM_TEXT, FORM_JSON, FORM_CSV };

struct options {
    enum form form;
    const char *sort;           /* a key of model_sort */
    const char *measure;        /* "default", "top", "topcaller", "local", "all" */
    size_t limit;               /* rows; 0: all */
    bool raw, totals, frames, cilkscale;
    bool paths, callers, lines, physical, unfolded, effort;   /* further views of the call paths */
    bool columns;               /* JSON: functions, lines, paths as columns (docs/VIEW.md) */
    const char *metric;         /* of paths_sort: what they are sorted by */
    const char *const *overhead; /* patterns, NULL-terminated */
    int width;                  /* columns */
    bool color;
    bool pager;                 /* wanted, where a terminal is */
};

/* The subcommands; their exit statuses. ARGV[0] is the subcommand's name. */
int run_main(int argc, char **argv);
int report_main(int argc, char **argv);
int doctor_main(int argc, char **argv);
int export_main(int argc, char **argv);
int view_main(int argc, char **argv);
int whatif_main(int argc, char **argv);
int annotate_main(int argc, char **argv);
int diff_main(int argc, char **argv);
int merge_main(int argc, char **argv);
int bench_main(int argc, char **argv);

/* libprof.so: beside prof (the build tree), or where `make install` put it; PROF_LIBRARY names
 * another. The caller frees it. NULL after one line on stderr. */
char *run_find_library(void);
/* Said in one line before NAME runs: a person may wait for hours for a profile that cannot come. ASAN: its runtime, which goes
 * first into LD_PRELOAD; "": none. */
enum reached {
    REACHED,                    /* as far as one sees */
    NOT_REACHED,                /* LD_PRELOAD does no harm, and may reach what NAME starts */
    NOT_TO_BE_PRELOADED,        /* NAME, or its loader, would complain */
};
enum reached run_look_at(const char *name, char asan[32]);
/* Says why NAME was not started: ERROR of launch.h. Returns prof's exit status. */
int run_not_started(const char *name, int error);

/* Writes the page of PROFILE into the current directory and opens a browser there, where there is one. 0, or 2 after a line. */
int view_open(const char *profile);
int predict_main(int argc, char **argv);

/* Options as nobody set them, for output to OUT: its width, and whether it takes colours. */
void report_defaults(struct options *o, FILE *out);
/* Whether the values that a person gave make sense; else one line on stderr and false. */
bool report_check(const struct options *o);
/* One of --json, --csv and the like was given; false: another was before, and one line says so. */
bool report_form(struct options *o, enum form form);
/* TEXT as a number of something; false: it is none. */
bool report_number(const char *text, size_t *number);
/* Reports FILES as O says to OUT. 0, or 2 when one could not be read or OUT not be written. */
int report_files(char *const *files, int count, const struct options *o, FILE *out);
/* The newest *.prof in the current directory, named on stderr; the caller frees it. NULL: there is none, and COMMAND
 * has said so. */
char *report_newest(const char *command);

/* T may be NULL in all forms: the profile has no call paths. */
void text_print(const struct model *m, const struct paths *t, const struct options *o, FILE *out);
/* The scenarios of M's profile, as a table with what there is to say about them. */
void text_whatif(const struct model *m, const struct options *o, FILE *out);
/* What the text says limits the program; and how sure the split of its costs is. A warning stands behind "! ". */
void text_limits(const struct model *m, const struct options *o, FILE *out);
void text_certainty(const struct model *m, const struct paths *t, const struct options *o, FILE *out);
/* HEADER: with the line of column names. */
void csv_print(const struct model *m, const struct paths *t, const struct options *o, bool header, FILE *out);
/* S (or "") as a field: cleaned, in quotes. */
void csv_quoted(FILE *out, const char *s);
/* A new reference to the profile as JSON. */
struct json_t *json_model(const struct model *m, const struct paths *t, const struct options *o);

#endif
