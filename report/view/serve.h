/* serve.h - serves one page by HTTP, to this machine alone. */
#ifndef REPORT_VIEW_SERVE_H
#define REPORT_VIEW_SERVE_H

#include <stddef.h>

/* Serves PAGE, SIZE bytes, on a free port of 127.0.0.1, and prints the address. The address cannot
 * be guessed, because other users and other pages can reach the port. Returns 0 once SIGINT or
 * SIGTERM arrives, or 2 if there is no port, or if no connection can be accepted any longer. */
int serve_page(const char *page, size_t size);

#endif
