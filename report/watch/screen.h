/* screen.h - the terminal while prof watch draws on it: its alternate screen, keys, signals. Plain
 * escape sequences of ECMA-48 and xterm, which every terminal of today knows.
 *
 * The screen is on only while prof is in the terminal's foreground. It goes off, and the terminal
 * is as before, however prof ends or stops, SIGKILL apart. There is one screen in a process.
 */
#ifndef REPORT_WATCH_SCREEN_H
#define REPORT_WATCH_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "watch/keys.h"

/* Can there be a screen: a terminal that understands escape sequences? OUT is a descriptor to
 * which a user would look for it. */
bool screen_possible(int out);

/* Opens the terminal, and turns the screen on if prof is in the foreground. Until screen_close,
 * what goes to prof's stderr is kept. FATAL: SIGINT, SIGTERM, SIGHUP and SIGQUIT are asked for by
 * screen_signal; else they stay as they are. Returns 0 or -errno. */
int screen_open(bool fatal);
/* Turns the screen off. PRINT: prints what was kept of stderr. */
void screen_close(bool print);

/* Is the screen on? Turns it on again when prof has come back to the foreground. */
bool screen_is_on(void);
/* The last line that prof has printed on stderr meanwhile; "": none. In a static buffer. */
const char *screen_message(void);
/* The size in columns and lines. */
void screen_size(int *width, int *height);
/* Shows TEXT, lines that end with \n, by one write. Lines beyond the screen's height are left
 * out. */
void screen_show(const char *text, int height);
/* The signal that should end prof; 0: none has come. */
int screen_signal(void);

/* Waits at most MILLISECONDS until a key is pressed, the terminal's size changes, a signal comes,
 * or OTHER, a descriptor or -1, can be read. Fills KEYS with the keys. Returns how many. */
size_t screen_wait(int milliseconds, int other, char keys[KEYS_MOST]);

#endif
