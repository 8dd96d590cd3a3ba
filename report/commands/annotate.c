/* annotate.c - `prof annotate`: the program's source with costs in the margin
 * (annotate/listing.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "annotate/listing.h"
#include "base/format.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "layout/options.h"
#include "layout/output_file.h"
#include "profile/newest.h"
#include "profile/profile.h"
#include "symbols/module_files.h"
#include "symbols/names.h"
#include "symbols/source_text.h"

enum { FILES = 5, CONTEXT = 3 };

static const char usage[] =
    "usage: prof annotate [options] [FILE]\n"
    "Shows the program's source with costs in the margin; without FILE of the newest\n"
    "*.prof in the current directory.\n"
    "  -f, --function NAME the lines of one function\n"
    "  -s, --source SOURCE[:LINE]  one source file, or what is around a line of it\n"
    "  -M, --metric M      what files are sorted by: span (default), work, idleness,\n"
    "                      overhead, blocked, own\n"
    "  -n, --limit N       source files (%d)\n"
    "  -C, --context N     lines around each that is shown (%d)\n"
    "  -a, --all           all files, and every line that costs something\n"
    "  -w, --whole         whole files\n"
    "      --physical      with the source of the runtime's headers\n"
    "      --overhead PART functions whose names hold PART are overhead, too\n"
    "                      (repeatable)\n"
    "      --symbols DIR   look for modules and source there, too (repeatable)\n"
    "      --json          for programs; JSON.md describes it\n"
    "      --sarif         for editors: findings and hot lines as SARIF\n"
    "  -o, --output FILE   write there; - is stdout\n"
    "  -h, --help          this\n";

static int nothing_found(const struct listing *l)
{
    const struct listing_wish *w = l->w;
    char *clean = format_clean(w->function ? w->function : w->source);
    fprintf(stderr, "prof: --%s %s: nothing that was measured is there; ",
            w->function ? "function" : "source", clean);
    free(clean);
    size_t shown = 0;
    for (size_t i = 0; w->function && i < l->t->function_count && shown < 3; i++)
        if (l->t->functions[i].self.samples) {
            char *name = name_fit(l->t->functions[i].function, 60);
            fprintf(stderr, "%s%s", shown++ ? ", " : "the hottest are ", name);
            free(name);
        }
    for (size_t i = 0; w->source && i < l->count && shown < 3; i++) {
        char *name = format_clean(l->files[i].name);
        fprintf(stderr, "%s%s", shown++ ? ", " : "the hottest are ", name);
        free(name);
    }
    fputs(shown ? "\n" : "no sample has a line\n", stderr);
    return 2;
}

/* Makes L's listing. The lines of all files are one array, which begins with the lines of the file
 * that is first in memory. */
static void listing_make(struct listing *l, bool physical)
{
    paths_new(l->t, l->m, physical, true, l->o->overhead);
    paths_sort(l->t, l->o->metric);
    listing_files(l);
    listing_choose(l);
}

static void listing_drop(struct listing *l)
{
    struct listed_line *lines = 0;
    for (size_t i = 0; i < l->count; i++)
        if (!lines || l->files[i].lines < lines)
            lines = l->files[i].lines;
    free(lines);
    free(l->files);
    l->files = 0;
    l->count = 0;
    paths_free(l->t);
}

static size_t count_chosen(const struct listing *l, bool *header)
{
    size_t chosen = 0;
    *header = false;
    for (size_t i = 0; i < l->count; i++)
        if (listing_is_chosen(l, &l->files[i])) {
            chosen++;
            *header |= name_is_header(l->files[i].name);
        }
    return chosen;
}

static int annotate(const char *file, const struct options *o, const struct listing_wish *w,
                    FILE *out)
{
    struct profile p;
    struct summary m;
    struct paths t;
    bool asked = w->function || w->source, header;
    if (profile_open(&p, file))
        return 2;
    summary_new(&m, &p, false);
    struct listing l = { .m = &m, .t = &t, .o = o, .w = w, .out = out };
    l.source = source_new(m.symbols, p.totals.start_unix_ns);
    listing_make(&l, o->physical);
    size_t chosen = count_chosen(&l, &header);
    if (asked && !o->physical && (header || !chosen)) {
        listing_drop(&l);       /* only a physical listing has header lines of their own */
        listing_make(&l, true);
        chosen = count_chosen(&l, &header);
    }
    int status = asked && !chosen ? nothing_found(&l) : 0;
    if (!status)
        (o->form == FORM_JSON ? w->sarif ? listing_sarif : listing_json : listing_text)(&l);
    listing_drop(&l);
    source_free(l.source);
    summary_free(&m);
    profile_close(&p);
    if (fflush(out) || ferror(out)) {
        fprintf(stderr, "prof: cannot write the listing: %s\n", strerror(errno));
        status = 2;
    }
    return status;
}

/* Splits SOURCE:LINE: cuts the number off SOURCE and sets *LINE. */
static void split_line(char *source, int *line)
{
    char *colon = strrchr(source, ':'), *end;
    if (!colon || colon[1] < '0' || colon[1] > '9')
        return;
    unsigned long n = strtoul(colon + 1, &end, 10);
    if (*end || n > 1 << 30)
        return;
    *colon = 0;
    *line = n;
}

enum { OPT_PHYSICAL = 256, OPT_OVERHEAD, OPT_JSON, OPT_SARIF, OPT_SYMBOLS };

static const struct option longs[] = {
    { "function", required_argument, 0, 'f' },
    { "source", required_argument, 0, 's' },
    { "metric", required_argument, 0, 'M' },
    { "limit", required_argument, 0, 'n' },
    { "context", required_argument, 0, 'C' },
    { "all", no_argument, 0, 'a' },
    { "whole", no_argument, 0, 'w' },
    { "physical", no_argument, 0, OPT_PHYSICAL },
    { "overhead", required_argument, 0, OPT_OVERHEAD },
    { "symbols", required_argument, 0, OPT_SYMBOLS },
    { "json", no_argument, 0, OPT_JSON },
    { "sarif", no_argument, 0, OPT_SARIF },
    { "output", required_argument, 0, 'o' },
    { "help", no_argument, 0, 'h' },
    { 0 },
};

int annotate_main(int argc, char **argv)
{
    const char **overhead = format_memory(calloc(argc + 1, sizeof *overhead)), *output = 0;
    unsigned patterns = 0;
    struct listing_wish w = { .files = FILES, .context = CONTEXT };
    struct options o;
    bool good = true;
    int c, status = 2;
    options_defaults(&o, stdout);
    while (good && (c = arguments_next(argc, argv, "f:s:M:n:C:awo:h", longs)) != -1) {
        switch (c) {
        case 'f': w.function = optarg; break;
        case 's': w.source = optarg; split_line(optarg, &w.line); break;
        case 'M': o.metric = optarg; break;
        case 'n':
        case 'C':
            if (!options_number(optarg, c == 'n' ? &w.files : &w.context) || w.context > 1 << 30) {
                fprintf(stderr, "prof: --%s %s: not a number of %s\n",
                        c == 'n' ? "limit" : "context", optarg, c == 'n' ? "files" : "lines");
                good = false;
            }
            break;
        case 'a': w.all = true; w.files = 0; break;
        case 'w': w.whole = true; break;
        case OPT_PHYSICAL: o.physical = true; break;
        case OPT_OVERHEAD: overhead[patterns++] = optarg; break;
        case OPT_SYMBOLS: good = files_add_folder(optarg); break;
        case OPT_JSON: o.form = FORM_JSON; w.sarif = false; break;
        case OPT_SARIF: o.form = FORM_JSON; w.sarif = true; break;
        case 'o': output = optarg; break;
        case 'h': printf(usage, FILES, CONTEXT); free(overhead); return 0;
        default: good = false; break;
        }
    }
    o.overhead = overhead;
    char *newest = 0;
    if (!good) {
        /* options_check or getopt has printed why */
    } else if (argc - optind > 1) {
        fputs("prof: annotate takes one FILE\n", stderr);
    } else if (w.function && w.source) {
        fputs("prof: either --function or --source\n", stderr);
    } else if (options_check(&o) && (optind < argc || (newest = profile_newest("annotate")))) {
        struct output out;
        if (output_open(&out, &o, output))
            status = output_close(&out,
                                  annotate(newest ? newest : argv[optind], &o, &w, out.stream));
    }
    free(newest);
    free(overhead);
    return status;
}
