/* message.h - one line to stderr, without stdio and without memory.
 *
 * [any] message(): async-signal-safe, preserves errno, one write(2). Understands %s %d %u %x %c %lu
 * %lx %ld %p %%. Lines are cut at 500 bytes. A process prints at most 20 lines: a profiler must not
 * flood the program's stderr. For the same reason a process does not repeat a line that its parent,
 * or another process that was forked and has not called exec, has printed (said.h).
 *
 * It writes only to the stderr that the process was started with. A daemon may close descriptor 2
 * and get the same number for a socket: our text does not go there. If stderr is a full pipe, the
 * line is dropped, so the program never waits for it. A pipe without a reader does not raise
 * SIGPIPE.
 */
#ifndef PRELOAD_MESSAGE_H
#define PRELOAD_MESSAGE_H

enum message_level {
    /* memory, a thread or a timer was refused: one such line a process and a family (said.h),
     * because one shortage causes the others */
    MESSAGE_SHORTAGE = -1,
    MESSAGE_WARNING,    /* something is missing or wrong */
    MESSAGE_INFO,       /* with PROF_VERBOSE=1 */
    MESSAGE_DEBUG,      /* with PROF_VERBOSE=2 */
};

/* [init] Remembers which file descriptor 2 is. message() writes nothing before this call. */
void message_setup(void);

/* [init] message_hold keeps lines until message_release writes them. A preload over a script
 * reaches many processes, and only those that libprof profiles should print that a setting is
 * wrong. Of shortages, the last one is kept: it names the result. message_release is [any], and
 * cheap if no line is held. */
void message_hold(void);
void message_release(void);

void message(enum message_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A debug build's last line (debug.h). No setting and no limit suppresses it. */
void message_debug_line(const char *line, int n);

/* The same formatter into a buffer; returns the length that was written (cut to SIZE - 1). */
int message_format(char *buffer, int size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
