/* fuzz.h - what the targets share. If a target finds something wrong, it aborts, and libFuzzer
 * keeps the input. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include "commands/commands.h"

_Noreturn void fuzz_die(const char *why, const char *what);
/* A file in memory with DATA, and its NAME; the caller closes it. */
int fuzz_file(const uint8_t *data, size_t size, char name[64]);
/* The exit status of a command. WORDS: its name and options, between blanks; FILE goes behind them,
 * and instead of %. */
int fuzz_command(int (*run)(int, char **), const char *words, const char *file);

#endif
