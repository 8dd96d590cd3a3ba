/* names_words.h - which modules lack names, as a sentence. */
#ifndef REPORT_WORDS_NAMES_WORDS_H
#define REPORT_WORDS_NAMES_WORDS_H

struct symbols;

/* "libfoo.so.1 (not on this machine), app (another build id)". The caller frees it. NULL: no module
 * lacks names. */
char *names_lacking(struct symbols *s);

#endif
