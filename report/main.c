/* main.c - the prof command: finds the subcommand. */
#include <stdio.h>
#include <string.h>
#include "report.h"

#ifndef LIBPROF_VERSION
#define LIBPROF_VERSION "0.1"
#endif

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
    const char *help;
} commands[] = {
    { "run", run_main, "run a program under libprof, then report" },
    { "report", report_main, "show a profile: text, --json, --csv" },
    { "doctor", doctor_main, "say what this machine, and a program, allow" },
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static int help(FILE *out)
{
    fputs("usage: prof COMMAND [options]\n", out);
    for (unsigned i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
    fputs("prof COMMAND --help tells more; so does prof(1).\n", out);
    return out == stdout ? 0 : 2;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return help(stderr);
    if (!strcmp(argv[1], "--version")) {
        puts("prof " LIBPROF_VERSION);
        return 0;
    }
    if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return help(stdout);
    for (unsigned i = 0; i < COMMANDS; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].main(argc - 1, argv + 1);
    fprintf(stderr, "prof: there is no command %s (prof help lists them)\n", argv[1]);
    return 2;
}
