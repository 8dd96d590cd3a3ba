/* serve.h - one page over HTTP, to this machine alone. */
#ifndef REPORT_VIEW_SERVE_H
#define REPORT_VIEW_SERVE_H

#include <stddef.h>

/* Serves PAGE, SIZE bytes, on a free port of 127.0.0.1, at an address that it prints and that
 * cannot be guessed: a profile is for its owner, and other people and other pages reach that port
 * as well. Returns when interrupted (SIGINT, SIGTERM): 0; 2 when there is no port. */
int serve_page(const char *page, size_t size);

#endif
