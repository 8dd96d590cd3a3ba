/* message.h - one line to stderr, without stdio and without memory.
 *
 * [any] message(): async-signal-safe, preserves errno, one write(2). Understands %s %d %u %x %c %lu
 * %lx %ld %p %%. Lines are cut at 500 bytes. At most 20 lines a process, then silence: a profiler
 * must not flood the program's stderr.
 *
 * It writes to the stderr that the process was started with and to nothing else: a daemon that
 * closes descriptor 2 and gets the same number for a socket does not find our text in it. A line
 * that a full pipe would make the program wait for is dropped; a pipe without a reader does not
 * raise SIGPIPE.
 */
#ifndef PRELOAD_MESSAGE_H
#define PRELOAD_MESSAGE_H

enum message_level {
    /* memory, a thread, a timer was refused: one such line a process, as one is the cause of the
     * others */
    MESSAGE_SHORTAGE = -1,
    MESSAGE_WARNING,    /* something is missing or wrong */
    MESSAGE_INFO,       /* with PROF_VERBOSE=1 */
    MESSAGE_DEBUG,      /* with PROF_VERBOSE=2 */
};

/* [init] Remembers what descriptor 2 is. Before it nothing is written. */
void message_setup(void);

/* [init] Lines are kept instead of written until message_release, which is [any] and cheap when
 * nothing is held: of the many processes that a preload over a script reaches, only those that it
 * profiles should say that a setting is wrong. Of shortages the last is kept: it says what came of
 * them. */
void message_hold(void);
void message_release(void);

void message(enum message_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A debug build's last line (debug.h), whatever the settings and however many there were. */
void message_debug_line(const char *line, int n);

/* The same formatter into a buffer; returns the length that was written (cut to SIZE - 1). */
int message_format(char *buffer, int size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
