/* serve.h - one page over HTTP, to this machine alone. */
#ifndef REPORT_VIEW_SERVE_H
#define REPORT_VIEW_SERVE_H

#include <stddef.h>

/* Serves PAGE, SIZE bytes, on a free port of 127.0.0.1. Prints the address, which cannot be
 * guessed: a profile is for its owner, but other people and other pages can reach that port, too.
 * Returns when interrupted (SIGINT, SIGTERM): 0; 2 if there is no port. */
int serve_page(const char *page, size_t size);

#endif
