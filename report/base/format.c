/* format.c - see format.h. */
#define _GNU_SOURCE
#include "base/format.h"
#include <stdarg.h>
#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *format_memory(void *p)
{
    if (p)
        return p;
    fputs("prof: out of memory\n", stderr);
    exit(2);
}

const char *format_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void format_gnuplot(const char *text, FILE *out)
{
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', out);
        putc(*text, out);
    }
    putc('\'', out);
}

char *format_text(const char *format, ...)
{
    char *text;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&text, format, ap);
    va_end(ap);
    return format_memory(n < 0 ? NULL : text);
}

const char *format_count(uint64_t v, char *buffer)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)v), used = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            buffer[used++] = ',';
        buffer[used++] = digits[i];
    }
    buffer[used] = 0;
    return buffer;
}

/* The limits allow for rounding: 999.9996 us becomes 1.000 ms, not 1000.000 us. */
static const char *scaled(double ns, int decimals, char *buffer)
{
    static const struct { double unit, limit; const char *name; } units[] = {
        { 1e9, 999.9995e6, "s" }, { 1e6, 999.9995e3, "ms" }, { 1e3, 999.95, "us" },
    };
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++)
        if (ns >= units[i].limit) {
            double v = ns / units[i].unit;
            if (decimals < 3)
                decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
            snprintf(buffer, FORMAT_SIZE, v < 1e9 ? "%.*f %s" : "%.*e %s", decimals, v,
                     units[i].name);
            return buffer;
        }
    snprintf(buffer, FORMAT_SIZE, decimals < 3 && ns >= 99.95 ? "%.0f ns" : "%.1f ns", ns);
    return buffer;
}

const char *format_ns(double ns, char *buffer)
{
    return scaled(ns, 3, buffer);
}

const char *format_short_ns(double ns, char *buffer)
{
    return scaled(ns, 2, buffer);
}

const char *format_ratio(double v, char *buffer)
{
    if (!(v > 0))
        return strcpy(buffer, "-");
    snprintf(buffer, FORMAT_SIZE,
             v < 99.995   ? "%.2f"
             : v < 9999.5 ? "%.1f"
             : v < 1e15   ? "%.0f"
                          : "%.3g",
             v);
    return buffer;
}

const char *format_about(double v, char *buffer)
{
    return v > 99.5 && v < 1e15 ? format_count((uint64_t)(v + 0.5), buffer)
                                : format_ratio(v, buffer);
}

/* The length in bytes of the UTF-8 character at S. 0: the byte is not UTF-8, or the character could
 * change what a terminal shows; the caller escapes the byte. */
static int printable(const unsigned char *s)
{
    if (*s < 0x80)
        return *s >= 0x20 && *s != 0x7f;
    int n = *s >= 0xc2 && *s < 0xe0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;
    uint32_t c = n ? *s & (0xff >> (n + 1)) : 0;
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (!n || (n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff)))
        return 0;
    bool hostile = c < 0xa0 /* C1 controls */ || (c >= 0xd800 && c < 0xe000) || c == 0x200e ||
                   c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
                   c == 0xfeff;
    return hostile ? 0 : n;
}

char *format_clean(const char *text)
{
    size_t length = strlen(text), used = 0;
    char *out = format_memory(malloc(length * 4 + 1));
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int n = printable(s);
        if (n) {
            memcpy(out + used, s, n);
            used += n;
            s += n;
        } else {
            used += sprintf(out + used, "\\x%02x", *s++);
        }
    }
    out[used] = 0;
    return out;
}

int format_width(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

/* The offset of the byte at which column N of TEXT starts; the first column is 0. */
static size_t column(const char *text, int n)
{
    size_t i = 0;
    for (; text[i]; i++)
        if ((text[i] & 0xc0) != 0x80 && n-- == 0)
            break;
    return i;
}

void format_fit(char *text, int width)
{
    int n = format_width(text);
    if (n <= width || width < 0)
        return;
    if (width < 6) {
        text[column(text, width)] = 0;
        return;
    }
    int head = (width - 2 + 1) / 2, tail = width - 2 - head;
    size_t from = column(text, n - tail), to = column(text, head);
    memcpy(text + to, "..", 2);
    memmove(text + to + 2, text + from, strlen(text + from) + 1);
}

/* libc has the names only from glibc 2.32 on. */
const char *format_signal(unsigned number, char *buffer)
{
    static const char *const names[] = {
        [SIGHUP] = "HUP",   [SIGINT] = "INT",   [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
        [SIGTRAP] = "TRAP", [SIGABRT] = "ABRT", [SIGBUS] = "BUS",   [SIGFPE] = "FPE",
        [SIGKILL] = "KILL", [SIGUSR1] = "USR1", [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
        [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM", [SIGSTKFLT] = "STKFLT",
        [SIGCHLD] = "CHLD", [SIGCONT] = "CONT", [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
        [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU", [SIGURG] = "URG",   [SIGXCPU] = "XCPU",
        [SIGXFSZ] = "XFSZ", [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH",
        [SIGIO] = "POLL",   [SIGPWR] = "PWR",   [SIGSYS] = "SYS",
    };
    if (number < sizeof names / sizeof names[0] && names[number])
        snprintf(buffer, FORMAT_SIZE, "SIG%s", names[number]);
    else
        snprintf(buffer, FORMAT_SIZE, "signal %u", number);
    return buffer;
}
