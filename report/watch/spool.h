/* spool.h - what the program prints while prof watch has the screen. For the program, its output is
 * a terminal as before: a pseudo-terminal, of which a thread reads, so that the program never waits
 * for prof's screen. The output goes to a file, and from there to its place when the screen is
 * gone.
 */
#ifndef REPORT_WATCH_SPOOL_H
#define REPORT_WATCH_SPOOL_H

#include <stdbool.h>
#include <sys/types.h>

struct spool;

/* A spool for output that goes to the terminal of descriptor TO. *SLAVE: the program's end, which
 * the caller closes once the program has it. NULL after a line on stderr: there is no
 * pseudo-terminal, or no room. */
struct spool *spool_new(int to, int *slave);
/* The program's end has this size from now on. */
void spool_resize(struct spool *s, int width, int height);
/* From now on, output goes to its place at once; first, what was kept does. */
void spool_pass(struct spool *s);
/* The last output, at most SIZE - 1 bytes and a NUL, as the program printed it. */
void spool_last(struct spool *s, char *text, size_t size);
/* Call it once the program has ended: waits for the rest of its output, passes it, frees S. */
void spool_end(struct spool *s);

#endif
