/* watch.c - `prof watch`: runs a program as prof run does, or takes the profile of a running one,
 * and shows what the checkpoints hold while the program runs (watch/watch.h).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/format.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/run.h"
#include "launch/launch.h"
#include "launch/program.h"
#include "watch/screen.h"
#include "watch/spool.h"
#include "watch/watch.h"

static const char usage[] =
    "usage: prof watch [options] -- PROGRAM [arguments]\n"
    "       prof watch [options] FILE\n"
    "Shows work, span, where the time went and the top functions while PROGRAM runs\n"
    "under libprof, then reports as prof run does. Or follows FILE, the profile of a\n"
    "running process. Keys: m metric, p pause, h help, q leave.\n"
    "  -i, --interval N      seconds between checkpoints of PROGRAM (1)\n"
    "  -M, --metric METRIC   what functions are sorted by at first: work, span,\n"
    "                        idleness, overhead, blocked, own\n"
    "  -o, --output FILE     the profile, as for prof run\n"
    "  -c, --clock CLOCK     PROF_CLOCK, as for prof run\n"
    "  -e, --env KEY=VALUE   any other setting for PROGRAM; may be repeated\n"
    "      --no-report       no report at the end\n"
    "      --no-screen       a block of text for each checkpoint, as without a\n"
    "                        terminal\n"
    "  -h, --help            this\n";

enum { OPT_NO_REPORT = 256, OPT_NO_SCREEN };

static const struct option longs[] = {
    { "interval", required_argument, 0, 'i' },
    { "metric", required_argument, 0, 'M' },
    { "output", required_argument, 0, 'o' },
    { "clock", required_argument, 0, 'c' },
    { "env", required_argument, 0, 'e' },
    { "no-report", no_argument, 0, OPT_NO_REPORT },
    { "no-screen", no_argument, 0, OPT_NO_SCREEN },
    { "help", no_argument, 0, 'h' },
    { 0 },
};

/* Reads the options. Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct run *r, struct watch *w)
{
    size_t seconds;
    int c;
    while ((c = arguments_next(argc, argv, "+i:M:o:c:e:h", longs)) != -1) {
        switch (c) {
        case 'i':
            if (!options_number(optarg, &seconds) || !seconds || seconds >= 1000000000) {
                fprintf(stderr, "prof: --interval %s: a number of seconds, at least 1, is "
                                "expected\n", optarg);
                return 2;
            }
            w->interval = seconds;
            break;
        case 'M': r->options.metric = w->metric = optarg; break;
        case 'o': r->output = optarg; break;
        case 'c': run_set(r, format_text("PROF_CLOCK=%s", optarg)); break;
        case 'e':
            if (!run_set_any(r, optarg))
                return 2;
            break;
        case OPT_NO_REPORT: r->report = false; break;
        case OPT_NO_SCREEN: w->screen = false; break;
        case 'h': fputs(usage, stdout); return 0;
        default: return 2;
        }
    }
    return options_check(&r->options) ? -1 : 2;
}

/* Runs COMMAND. Its output is kept where it would go to the terminal that prof draws on. There,
 * keys are prof's, and the program reads the end of its input. */
static int watch_command(struct run *r, struct watch *w, char **command)
{
    struct launch_setup setup = { .in = -1, .out = -1, .err = -1,
                                  .meanwhile = watch_program, .context = w };
    bool out = isatty(STDOUT_FILENO), err = isatty(STDERR_FILENO);
    w->screen = w->screen && screen_possible(out ? STDOUT_FILENO : STDERR_FILENO);
    w->command = command[0];
    w->pattern = &r->pattern;
    w->start = &r->start;
    if (w->screen) {
        w->spool = spool_new(out ? STDOUT_FILENO : STDERR_FILENO, &w->slave);
        if (!w->spool)
            return 2;
        setup.out = out ? w->slave : -1;
        setup.err = err ? w->slave : -1;
        if (isatty(STDIN_FILENO))
            setup.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    bool set = false;           /* by --env */
    for (unsigned i = 0; i < r->setting_count; i++)
        set |= !strncmp(r->settings[i], "PROF_CHECKPOINT=", 16);
    if (!set)
        run_set(r, format_text("PROF_CHECKPOINT=%u", w->interval));
    return run_program(r, command, &setup);
}

int watch_main(int argc, char **argv)
{
    struct run r = { .report = true };
    struct watch w = { .metric = "work", .interval = 1, .slave = -1, .screen = true };
    options_defaults(&r.options, stderr);
    int status = parse(argc, argv, &r, &w);
    if (status >= 0)
        return status;
    bool program = optind > 1 && !strcmp(argv[optind - 1], "--");
    if (optind == argc || (!program && argc - optind > 1)) {
        fputs("prof: which program, or which profile? (prof watch -- PROGRAM [arguments], or prof "
              "watch FILE)\n", stderr);
        return 2;
    }
    if (program)
        return watch_command(&r, &w, argv + optind);
    struct program p;
    if (!program_inspect(argv[optind], &p) && p.elf) {
        char *clean = format_clean(argv[optind]);
        fprintf(stderr, "prof: %s is a program; did you mean prof watch -- %s?\n", clean, clean);
        free(clean);
        return 2;
    }
    w.screen = w.screen && screen_possible(STDOUT_FILENO);
    w.interval = 0;
    return watch_file(&w, argv[optind]);
}
