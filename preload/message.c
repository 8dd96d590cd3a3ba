/* message.c - see message.h. */
#include "message.h"
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
#include "config.h"

#define MAX_LINES 20

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

void message(enum message_level level, const char *format, ...)
{
    static unsigned lines;
    if (config.quiet || (int)level > config.verbose)
        return;
    if (__atomic_fetch_add(&lines, 1, __ATOMIC_RELAXED) >= MAX_LINES)
        return;
    int saved = errno;
    char line[512] = "libprof: ";
    va_list ap;
    va_start(ap, format);
    int n = 9 + format_v(line + 9, sizeof line - 10, format, ap);
    va_end(ap);
    line[n++] = '\n';
    ssize_t ignored = write(2, line, n);  /* a closed stderr: nobody wants to know */
    (void)ignored;
    errno = saved;
}
