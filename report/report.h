/* report.h - options of `prof report`, and its forms of output. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>
#include "model.h"

enum form { FORM_TEXT, FORM_JSON, FORM_CSV };

struct options {
    enum form form;
    const char *sort;
    const char *measure;        /* "default", "top", "topcaller", "local", "all" */
    size_t limit;               /* rows; 0: all */
    bool raw, totals, frames;
    int width;
    bool color;
};

/* `prof report ARGS`; the exit status. */
int report_main(int argc, char **argv);
/* Reports FILES as OPTIONS say to OUT. 0, or 2 when one could not be read. */
int report_files(char *const *files, int count, const struct options *o, FILE *out);
void report_defaults(struct options *o, FILE *out);

void text_print(struct model *m, const struct options *o, FILE *out);
void csv_print(struct model *m, const struct options *o, FILE *out);
struct json_t *json_model(struct model *m);

int run_main(int argc, char **argv);
int doctor_main(int argc, char **argv);

#endif
