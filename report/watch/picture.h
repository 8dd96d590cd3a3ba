/* picture.h - one picture of a running program: the text that prof watch shows. */
#ifndef REPORT_WATCH_PICTURE_H
#define REPORT_WATCH_PICTURE_H

#include <stdbool.h>
#include "layout/options.h"
#include "watch/follow.h"

struct picture {
    const struct follow *follow;
    const char *command;        /* shown until a profile names it; NULL: not known */
    struct options options;     /* the width, colours, and what functions are sorted by: metric */
    int height;                 /* lines; 0: as many as it needs */
    bool utf8;                  /* bars may have UTF-8's blocks */
    bool help, paused;
    double waited;              /* seconds since prof watch began */
    unsigned interval;          /* seconds between checkpoints; 0: not known */
    double cost;                /* prof's share of one CPU, 0 to 1; below 0: not shown */
    const char *message;        /* a line to show; "": none */
    const char *output;         /* the end of what the program printed; NULL: not shown */
};

/* Lines, each with \n. With a HEIGHT, the last one names the keys. The caller frees it. */
char *picture_text(const struct picture *f);

#endif
