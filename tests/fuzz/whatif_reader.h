/* whatif_reader.h - libprof.so's reader of PROF_WHATIF, PROF_DELAY and PROF_WHATIF_CODE, for
 * fuzz_text.c. */
#ifndef TESTS_FUZZ_WHATIF_READER_H
#define TESTS_FUZZ_WHATIF_READER_H

#include <stddef.h>
#include <stdint.h>

void whatif_read_setting(const char *text);
void whatif_read_code(const uint8_t *data, size_t size);

/* Zeroed memory until fuzz_memory_free, and a file: for the reader, whose source may not call
 * malloc or stdio. */
void *fuzz_memory(size_t bytes);
void fuzz_memory_free(void);
int fuzz_file(const uint8_t *data, size_t size, char name[64]);

#endif
