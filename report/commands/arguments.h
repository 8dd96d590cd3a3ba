/* arguments.h - reads options as getopt_long does, and helps with those that are not right. */
#ifndef REPORT_COMMANDS_ARGUMENTS_H
#define REPORT_COMMANDS_ARGUMENTS_H

#include <getopt.h>
#include <stddef.h>

/* getopt_long, with three differences. A long option has its whole name: the start of one is
 * unknown. After an unknown long option, its line on stderr names the one that may be meant. "--"
 * is no value of an option, so that an option without its value does not take it. */
int arguments_next(int argc, char **argv, const char *shorts, const struct option *longs);

/* The one of the COUNT NAMES that WORD is a misspelling of, or NULL. STRIDE: bytes from one pointer
 * to a name to the next. */
const char *arguments_meant(const char *word, const void *names, size_t count, size_t stride);

#endif
