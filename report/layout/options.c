/* options.c - see options.h. */
#include "layout/options.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "analysis/paths.h"
#include "analysis/summary.h"

enum { MIN_WIDTH = 60, MAX_WIDTH = 1000 };

void options_output(struct options *o, FILE *out)
{
    struct winsize w;
    const char *columns = getenv("COLUMNS");
    o->width = columns ? atoi(columns) : 0;
    if (o->width <= 0 && isatty(fileno(out)) && !ioctl(fileno(out), TIOCGWINSZ, &w))
        o->width = w.ws_col;
    o->narrowed = o->width > 0;
    if (o->width <= 0)
        o->width = OPTIONS_WIDTH;
    o->width = o->width < MIN_WIDTH ? MIN_WIDTH : o->width > MAX_WIDTH ? MAX_WIDTH : o->width;
    o->color = o->want_color == TERMINAL_ALWAYS ||
               (o->want_color == TERMINAL_AUTO && terminal_has_colors(out));
    o->links = o->want_links == TERMINAL_ALWAYS ||
               (o->want_links == TERMINAL_AUTO && terminal_has_links(out));
}

void options_defaults(struct options *o, FILE *out)
{
    *o = (struct options){
        .sort = "span", .measure = "default", .limit = OPTIONS_LIMIT, .metric = "span"
    };
    options_output(o, out);
}

bool options_check(const struct options *o)
{
    static const char *const measures[] = { "default", "top", "topcaller", "local", "all" };
    if (!summary_is_sort_key(o->sort)) {
        fprintf(stderr, "prof: --sort %s: the keys are %s\n", o->sort, summary_sort_keys());
        return false;
    }
    bool known = false;
    for (unsigned i = 0; path_metrics[i]; i++)
        known |= !strcmp(o->metric, path_metrics[i]);
    if (!known) {
        fprintf(stderr,
                "prof: --metric %s: the metrics are span, work, idleness, overhead, blocked, own\n",
                o->metric);
        return false;
    }
    for (unsigned i = 0; i < sizeof measures / sizeof measures[0]; i++)
        if (!strcmp(o->measure, measures[i]))
            return true;
    fprintf(stderr, "prof: --measure %s: the kinds are default, top, topcaller, local, all\n",
            o->measure);
    return false;
}

bool options_form(struct options *o, enum form form)
{
    if (o->form == FORM_TEXT || o->form == form) {
        o->form = form;
        return true;
    }
    fputs("prof: --json and --csv: give one of the two\n", stderr);
    return false;
}

bool options_number(const char *text, size_t *limit)
{
    char *end;
    errno = 0;
    *limit = strtoul(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && !*end && !errno;
}
