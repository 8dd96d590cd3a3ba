/* predict.c - `prof predict`: the program's time on P workers (predict/predict.h). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "analysis/summary.h"
#include "base/format.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "layout/options.h"
#include "predict/predict.h"
#include "profile/newest.h"
#include "profile/profile.h"

#define MAX_P 1024
#define SEEDS 64

static const char usage[] =
    "usage: prof predict [options] [FILE]\n"
    "How long the program would take on P workers: simulates a work-stealing and a\n"
    "greedy scheduler on the dag of a profile made with prof run --dag (or\n"
    "PROF_DAG=64m).\n"
    "  -P, --processors LIST  numbers of workers, from 1 to 1024 (1,2,4,...,1024)\n"
    "  -n, --seeds N          simulations of work stealing, whose victims are random,\n"
    "                         at each P (3)\n"
    "      --tasks N          simulate at most N tasks: merge small tasks of a larger\n"
    "                         dag (1000000)\n"
    "      --json, --csv      for programs; JSON.md describes it\n"
    "  -h, --help             this\n";

/* Reads a whole number from LOW to HIGH at *TEXT, and moves *TEXT past it. False: there is none. */
static bool parse_whole(const char **text, unsigned long low, unsigned long high,
                        unsigned long *value)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *value = strtoul(*text, &end, 10);
    *text = end;
    return *value >= low && *value <= high;
}

static bool parse_processors(struct predictor *q, const char *list)
{
    const char *s = list;
    unsigned long v;
    for (q->p_count = 0; q->p_count < PREDICTIONS && parse_whole(&s, 1, MAX_P, &v); s++) {
        q->p[q->p_count++] = v;
        if (!*s)
            return true;
        if (*s != ',')
            break;
    }
    char *clean = format_clean(list);
    fprintf(stderr,
            "prof: --processors %s: at most %d numbers from 1 to %d, with commas between them, are "
            "expected\n",
            clean, PREDICTIONS, MAX_P);
    free(clean);
    return false;
}

static bool parse_count(const char *option, const char *text, unsigned long high,
                        unsigned long *value)
{
    const char *s = text;
    if (parse_whole(&s, 1, high, value) && !*s)
        return true;
    char *clean = format_clean(text);
    fprintf(stderr, "prof: --%s %s: a whole number from 1 to %lu is expected\n", option, clean,
            high);
    free(clean);
    return false;
}

static int predict_file(struct predictor *q, const char *path)
{
    struct profile p;
    if (profile_open(&p, path))
        return 2;
    if (!p.dag_count) {
        char *clean = format_clean(path);
        fprintf(stderr, "prof: %s: %s\n", clean, p.flags & LPF_F_CHECKPOINT
                ? "a checkpoint has no dag: it is written when the program ends"
                : p.rank_count
                ? "a job's dag is not recorded: prof predict does not know jobs"
                : "there is no dag in it: record one with prof run --dag, or PROF_DAG=64m");
        free(clean);
        profile_close(&p);
        return 2;
    }
    q->profile = &p;
    /* the names of functions show what samples waited for: CSV has neither */
    summary_new_with(&q->summary, &p, false,
                     q->options.form == FORM_CSV ? symbols_unread(&p) : symbols_new(&p));
    bool ok = predict(q);
    if (ok && q->options.form == FORM_JSON)
        predict_json(q, stdout);
    else if (ok && q->options.form == FORM_CSV)
        predict_csv(q, stdout);
    else if (ok)
        predict_text(q, stdout);
    summary_free(&q->summary);
    profile_close(&p);
    if (ok && (fflush(stdout) || ferror(stdout))) {
        perror("prof: standard output");
        return 2;
    }
    return ok ? 0 : 2;
}

int predict_main(int argc, char **argv)
{
    enum { OPT_JSON = 256, OPT_CSV, OPT_TASKS };
    static const struct option longs[] = {
        { "processors", required_argument, 0, 'P' },
        { "seeds", required_argument, 0, 'n' },
        { "tasks", required_argument, 0, OPT_TASKS },
        { "json", no_argument, 0, OPT_JSON },
        { "csv", no_argument, 0, OPT_CSV },
        { "help", no_argument, 0, 'h' },
        { 0 },
    };
    struct predictor *q = format_memory(calloc(1, sizeof *q));
    unsigned long v;
    int c, status = 2;
    options_defaults(&q->options, stdout);
    q->seeds = 3;
    q->limit = 1000000;
    while (q->p_count < 11)
        q->p[q->p_count] = 1u << q->p_count, q->p_count++;
    while ((c = arguments_next(argc, argv, "P:n:h", longs)) != -1) {
        switch (c) {
        case 'P':
            if (!parse_processors(q, optarg))
                goto out;
            break;
        case 'n':
            if (!parse_count("seeds", optarg, SEEDS, &v))
                goto out;
            q->seeds = v;
            break;
        case OPT_TASKS:
            if (!parse_count("tasks", optarg, 100000000, &v))
                goto out;
            q->limit = v;
            break;
        case OPT_JSON: case OPT_CSV:
            if (!options_form(&q->options, c == OPT_JSON ? FORM_JSON : FORM_CSV))
                goto out;
            break;
        case 'h':
            fputs(usage, stdout);
            status = 0;
            goto out;
        default: goto out;
        }
    }
    if (argc - optind > 1) {
        fputs("prof: one profile is expected\n", stderr);
        goto out;
    }
    char *newest = optind < argc ? 0 : profile_newest("predict");
    const char *file = optind < argc ? argv[optind] : newest;
    status = file ? predict_file(q, file) : 2;
    free(newest);
out:
    free(q);
    return status;
}
