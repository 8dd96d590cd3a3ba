/* message.h - prints one line to stderr, without stdio and without memory.
 *
 * [any] message(): async-signal-safe, preserves errno, one write(2). Understands %s %d %u %x %c %lu
 * %lx %ld %p %%. Lines are cut at 500 bytes. A process prints at most 20 lines: a profiler must not
 * flood the program's stderr. For the same reason a process does not repeat a line that another
 * process of its family has printed (printed.h).
 *
 * message() writes only to the stderr that the process was started with. A daemon may close
 * descriptor 2 and get the same number for a socket. Our text does not go there. If stderr is a
 * full pipe, the line is dropped, so the program never waits. A pipe without a reader does not
 * raise SIGPIPE.
 */
#ifndef PRELOAD_BASE_MESSAGE_H
#define PRELOAD_BASE_MESSAGE_H

enum message_level {
    /* A profile is lost. Each process that loses one prints it, whatever else was printed. */
    MESSAGE_LOSS = -2,
    /* The kernel refused memory, a thread or a timer. A family (printed.h) prints one such line,
     * because one shortage causes the others. */
    MESSAGE_SHORTAGE = -1,
    MESSAGE_WARNING,    /* something is missing or wrong */
    MESSAGE_INFO,       /* with PROF_VERBOSE=1 */
    MESSAGE_DEBUG,      /* with PROF_VERBOSE=2 */
};

/* [init] Remembers which file descriptor 2 is. message() writes nothing before this call. */
void message_setup(void);

/* [init] message_hold keeps lines until message_release writes them. A preload over a script
 * reaches many processes. Only those that libprof profiles should print that a setting is wrong.
 * Of shortages, only the last one is kept: it names the result. message_release is [any], and cheap
 * if no line is held. */
void message_hold(void);
void message_release(void);

void message(enum message_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A warning that matters only if the process leaves a profile. It is kept until
 * message_profile_left writes it. A process keeps one. Both functions are [any], but must not run
 * at the same time. */
void message_with_profile(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_profile_left(void);

/* A debug build's last line (debug.h). No setting and no limit suppresses it. */
void message_debug_line(const char *line, int n);

/* The same formatter into a buffer; returns the length that was written (cut to SIZE - 1). */
int message_format(char *buffer, int size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
