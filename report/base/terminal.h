/* terminal.h - what the terminal can show, and links to files for those that know them. */
#ifndef REPORT_BASE_TERMINAL_H
#define REPORT_BASE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

enum terminal_when { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

/* Reads TEXT, the value of OPTION: auto, always or never. False after one line on stderr: it is
 * none of them. */
bool terminal_when(const char *option, const char *text, enum terminal_when *when);

/* Does the user permit colours? NO_COLOR forbids them unless it is empty. */
bool terminal_permits_colors(void);
/* Is OUT a terminal with colours, as far as NO_COLOR and TERM show? */
bool terminal_has_colors(FILE *out);
/* Is OUT a terminal that has links (OSC 8), as far as the environment shows? */
bool terminal_has_links(FILE *out);

/* Does the locale have the characters of UTF-8, as far as the environment shows? */
bool terminal_is_utf8(void);

/* The escape sequence that begins a link to LINE of FILE, an absolute path; TERMINAL_LINK_END ends
 * it. The caller frees it. */
char *terminal_link(const char *file, int line);
#define TERMINAL_LINK_END "\033]8;;\033\\"

#endif
