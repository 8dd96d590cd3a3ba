/* main.c - the prof command: finds the subcommand. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/format.h"
#include "commands/arguments.h"
#include "commands/commands.h"

static const struct command {
    const char *name;
    int (*main)(int argc, char **argv);
    const char *help;
} commands[] = {
    { "run", run_main, "run a program under libprof, then report" },
    { "watch", watch_main, "run a program, and show its figures while it runs" },
    { "report", report_main, "show a profile: text, JSON, CSV" },
    { "annotate", annotate_main, "show the program's source with costs in its margin" },
    { "diff", diff_main, "compare profiles: what changed, by function and by call path" },
    { "check", check_main, "check requirements and regressions: a gate for CI" },
    { "merge", merge_main, "add profiles of processes, or of runs, into one" },
    { "view", view_main, "write a page for a browser: flame graphs, tables, source" },
    { "export", export_main,
      "write a profile for flamegraph.pl, pprof, speedscope and other tools" },
    { "archive", archive_main,
      "pack a profile with symbols and source for another machine" },
    { "whatif", whatif_main,
      "show which code to change first, and what that would bring" },
    { "bench", bench_main,
      "run a program on 1, 2, 4, ... workers: how it scales, why not further" },
    { "predict", predict_main, "show how long the program would take on more workers" },
    { "doctor", doctor_main, "show what this machine, and a program, allow" },
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static int usage(FILE *out)
{
    fputs("usage: prof COMMAND [options]\n", out);
    for (unsigned i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
    fputs("  help     this; prof help COMMAND, prof(1): one command; prof --version\n",
          out);
    return out == stdout ? 0 : 2;
}

/* Returns STATUS, or 2 if not all output could be written: a full disk must not look like a short
 * report. */
static int finish(int status)
{
    if (status || (!fflush(stdout) && !ferror(stdout)))
        return status;
    fprintf(stderr, "prof: standard output: %s\n", strerror(errno));
    return 2;
}

static const struct command *find(const char *name)
{
    for (unsigned i = 0; i < COMMANDS; i++)
        if (!strcmp(name, commands[i].name))
            return &commands[i];
    char *clean = format_clean(name);
    const char *meant = arguments_meant(name, &commands[0].name, COMMANDS, sizeof *commands);
    if (meant)
        fprintf(stderr, "prof: %s: no such command; did you mean %s?\n", clean, meant);
    else if (strchr(name, '/') && !access(name, X_OK))
        fprintf(stderr, "prof: %s: no such command; did you mean prof run -- %s?\n", clean, clean);
    else
        fprintf(stderr, "prof: %s: no such command (prof help lists them)\n", clean);
    free(clean);
    return 0;
}

static bool is(const char *word, const char *a, const char *b)
{
    return !strcmp(word, a) || !strcmp(word, b);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return usage(stderr);
    if (is(argv[1], "--version", "-V")) {
        puts("prof (libprof) " LIBPROF_VERSION);
        return finish(0);
    }
    bool help = is(argv[1], "help", "--help") || !strcmp(argv[1], "-h");
    if (help && (argc < 3 || is(argv[2], "--help", "-h")))
        return finish(usage(stdout));
    const struct command *c = find(argv[help ? 2 : 1]);
    if (!c)
        return 2;
    /* getopt begins its messages with argv[0]. Set it, so that all messages have one prefix. */
    argv++, argc--;
    if (help)
        return finish(c->main(2, (char *[]){ "prof", "--help", 0 }));
    argv[0] = "prof";
    return finish(c->main(argc, argv));
}
