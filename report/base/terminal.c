/* terminal.c - see terminal.h. */
#define _GNU_SOURCE
#include "base/terminal.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/format.h"

bool terminal_when(const char *option, const char *text, enum terminal_when *when)
{
    static const char *const names[] = { [TERMINAL_AUTO] = "auto", [TERMINAL_ALWAYS] = "always",
                                         [TERMINAL_NEVER] = "never" };
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(text, names[i])) {
            *when = i;
            return true;
        }
    fprintf(stderr, "prof: %s %s: the values are auto, always, never\n", option, text);
    return false;
}

static bool is_dumb(void)
{
    const char *term = getenv("TERM");
    return term && !strcmp(term, "dumb");
}

bool terminal_permits_colors(void)
{
    const char *none = getenv("NO_COLOR");
    return !(none && *none);
}

bool terminal_has_colors(FILE *out)
{
    return isatty(fileno(out)) && terminal_permits_colors() && !is_dumb();
}

/* Each of these sets a variable of its own. Terminals that do not know links may print them. */
bool terminal_has_links(FILE *out)
{
    static const char *const programs[] = { "iTerm.app", "WezTerm", "vscode", "ghostty", "rio" };
    static const char *const terms[] = { "xterm-kitty", "foot", "alacritty", "xterm-ghostty",
                                         "wezterm" };
    const char *program = getenv("TERM_PROGRAM"), *term = getenv("TERM"),
               *vte = getenv("VTE_VERSION");
    bool known = (vte && atoi(vte) >= 5000) || getenv("KONSOLE_VERSION") || getenv("WT_SESSION");
    for (unsigned i = 0; program && i < sizeof programs / sizeof programs[0]; i++)
        known |= !strcmp(program, programs[i]);
    for (unsigned i = 0; term && i < sizeof terms / sizeof terms[0]; i++)
        known |= !strcmp(term, terms[i]);
    return known && isatty(fileno(out)) && !is_dumb();
}

char *terminal_link(const char *file, int line)
{
    char host[256] = "", *text = NULL;
    size_t size = 0;
    gethostname(host, sizeof host - 1);
    FILE *f = format_memory(open_memstream(&text, &size));
    fprintf(f, "\033]8;;file://%s", host);
    for (const unsigned char *c = (const unsigned char *)file; *c; c++)
        fprintf(f, isalnum(*c) || strchr("/._-+~", *c) ? "%c" : "%%%02X", *c);
    if (line > 0)
        fprintf(f, "#%d", line);
    fputs("\033\\", f);
    fclose(f);
    return format_memory(text);
}

bool terminal_is_utf8(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}
