/* message.c - see message.h. System calls go through syscall(2): write and poll are cancellation
 * points, and the program may interpose them.
 */
#define _GNU_SOURCE
#include "base/memory.h"
#include "base/kernel.h"
#include "base/message.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/config.h"
#include "base/debug.h"
#include "base/printed.h"
#include "base/forbid.h"

#define MAX_LINES 20

/* What stderr was at the start; written once by message_setup. */
static bool have_stderr;
static dev_t stderr_device;
static ino_t stderr_inode;

struct out {
    char *at, *end;
};

static void put(struct out *o, char c)
{
    if (o->at < o->end)
        *o->at++ = c;
}

static void put_number(struct out *o, uint64_t v, unsigned base)
{
    char digits[24];
    int n = 0;
    do
        digits[n++] = "0123456789abcdef"[v % base];
    while (v /= base);
    while (n)
        put(o, digits[--n]);
}

static int format_v(char *buffer, int size, const char *f, va_list ap)
{
    struct out o = { buffer, buffer + size - 1 };
    for (; *f; f++) {
        if (*f != '%') {
            put(&o, *f);
            continue;
        }
        int l = 0;
        while (*++f == 'l')
            l = 1;
        switch (*f) {
        case 's': {
            const char *s = va_arg(ap, const char *);
            for (s = s ? s : "(null)"; *s; s++)
                put(&o, *s);
            break;
        }
        case 'd': {
            int64_t v = l ? va_arg(ap, long) : va_arg(ap, int);
            if (v < 0)
                put(&o, '-');
            put_number(&o, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
            break;
        }
        case 'u':
            put_number(&o, l ? va_arg(ap, unsigned long) : va_arg(ap, unsigned), 10);
            break;
        case 'x':
            put_number(&o, l ? va_arg(ap, unsigned long) : va_arg(ap, unsigned), 16);
            break;
        case 'p':
            put(&o, '0');
            put(&o, 'x');
            put_number(&o, (uintptr_t)va_arg(ap, void *), 16);
            break;
        case 'c':
            put(&o, va_arg(ap, int));
            break;
        case '%':
            put(&o, '%');
            break;
        default:
            put(&o, '?');
            if (!*f)
                f--;
        }
    }
    *o.at = 0;
    return o.at - buffer;
}

int message_format(char *buffer, int size, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = format_v(buffer, size, format, ap);
    va_end(ap);
    return n;
}

void message_setup(void)
{
    struct stat st;
    have_stderr = !kernel_call(SYS_fstat, 2L, &st);
    stderr_device = st.st_dev;
    stderr_inode = st.st_ino;
}

/* Is descriptor 2 the same file as at the start, and would a line not block? */
static bool writable(void)
{
    struct stat st;
    /* not poll: it fails for more descriptors than RLIMIT_NOFILE allows */
    unsigned long set = 1ul << 2;
    struct timespec now = { 0, 0 };
    return have_stderr && !kernel_call(SYS_fstat, 2L, &st) && st.st_dev == stderr_device &&
           st.st_ino == stderr_inode && kernel_call(SYS_pselect6, 3L, 0L, &set, 0L, &now, 0L) == 1;
}

/* With PROF_VERBOSE every process prints everything. A shortage is printed once in a family,
 * whatever is short. A lost profile is each process's own. */
static bool wanted(enum message_level level, const char *line, int n)
{
    static const char any[] = "shortage";
    if (config.verbose > 0 || level == MESSAGE_LOSS)
        return true;
    return level == MESSAGE_SHORTAGE ? printed_first(any, sizeof any) : printed_first(line, n);
}

/* Does write(2), which may raise SIGPIPE or SIGXFSZ (a file at its size limit) in the calling
 * thread. This function blocks both signals, so they stay pending. It then removes what the write
 * raised. */
static void write_line(const char *line, int n)
{
    uint64_t raised = 1ull << (SIGPIPE - 1) | 1ull << (SIGXFSZ - 1), old = 0, pending = 0;
    struct timespec now = { 0, 0 };
    kernel_call(SYS_rt_sigprocmask, SIG_BLOCK, &raised, &old, 8L);
    kernel_call(SYS_rt_sigpending, &pending, 8L);
    long done = 0, more;
    while ((more = kernel_call(SYS_write, 2L, line + done, n - done)) > 0 && (done += more) < n)
        ;
    if (more < 0 && (errno == EPIPE || errno == EFBIG) && (raised &= ~pending))
        kernel_call(SYS_rt_sigtimedwait, &raised, 0L, &now, 8L);
    kernel_call(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0L, 8L);
}

/* Lines from the start of the process, kept until libprof knows that it profiles the process. */
static SELDOM char held[2048];
static unsigned held_used;
static bool holding;
/* The last shortage so far. Only one is printed. */
static char shortage[512];
static int shortage_length;
static bool shortage_said;      /* this process or an ancestor has printed it. Children lack the
                                 * same thing */

void message_hold(void)
{
    holding = true;
}

void message_release(void)
{
    if (!__atomic_exchange_n(&holding, false, __ATOMIC_ACQ_REL))
        return;
    int saved = errno;
    for (unsigned at = 0, n; at < held_used && writable(); at += n) {
        for (n = 0; held[at + n++] != '\n';)
            ;
        if (wanted(MESSAGE_WARNING, held + at, n))
            write_line(held + at, n);
    }
    if (shortage_length && writable()) {
        shortage_said = true;
        if (wanted(MESSAGE_SHORTAGE, shortage, shortage_length))
            write_line(shortage, shortage_length);
    }
    errno = saved;
}

void message(enum message_level level, const char *format, ...)
{
    static unsigned lines;
    if (config.quiet || (int)level > config.verbose)
        return;
    if (level == MESSAGE_SHORTAGE && !holding &&
        __atomic_exchange_n(&shortage_said, true, __ATOMIC_RELAXED))
        return;
    int saved = errno;
    if ((holding || writable()) &&
        (level == MESSAGE_LOSS || (__atomic_load_n(&lines, __ATOMIC_RELAXED) < MAX_LINES &&
                                   __atomic_fetch_add(&lines, 1, __ATOMIC_RELAXED) < MAX_LINES))) {
        char line[512] = "libprof: ";
        va_list ap;
        va_start(ap, format);
        int n = 9 + format_v(line + 9, sizeof line - 10, format, ap);
        va_end(ap);
        for (int i = 0; i < n; i++)     /* text from the environment must stay one line */
            if ((unsigned char)line[i] < 32 || line[i] == 127)
                line[i] = '?';
        line[n++] = '\n';
        if (!holding) {
            if (wanted(level, line, n))
                write_line(line, n);
        } else if (level == MESSAGE_SHORTAGE) {
            memcpy(shortage, line, n);
            shortage_length = n;
        } else if (held_used + n <= sizeof held) {
            memcpy(held + held_used, line, n);
            held_used += n;
        }
    }
    errno = saved;
}

static char with_profile[448];

void message_with_profile(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    format_v(with_profile, sizeof with_profile, format, ap);
    va_end(ap);
}

void message_profile_left(void)
{
    if (*with_profile)
        message(MESSAGE_SHORTAGE, "%s", with_profile);
    *with_profile = 0;
}

#if LIBPROF_DEBUG
void message_debug_line(const char *line, int n)
{
    message_release();
    if (writable())
        write_line(line, n);
}
#endif
