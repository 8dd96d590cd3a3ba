/* keys.h - the keys of prof watch: how they are read, and what each does. picture.c prints their
 * names.
 */
#ifndef REPORT_WATCH_KEYS_H
#define REPORT_WATCH_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What keys have chosen. */
struct keys {
    const char *metric;         /* of path_metrics */
    bool left, paused, help;
};

void keys_press(struct keys *k, char key);

enum { KEYS_MOST = 16 };
/* Sets KEYS to those of the N BYTES that the terminal sent, at most KEYS_MOST. Leaves out escape
 * sequences, such as those of arrows. Returns how many keys. */
size_t keys_read(const char *bytes, ssize_t n, char *keys);

#endif
