/* debuginfod.c - see debuginfod.h. The client is loaded when it is first needed: it brings the
 * libraries of HTTP and TLS with it, and few runs of prof ask a server. libdw loads it in the same
 * way, for debug information of a module that is on this machine. */
#define _GNU_SOURCE
#include "symbols/debuginfod.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/progress.h"

/* As <elfutils/debuginfod.h> declares them. */
struct debuginfod_client;
typedef struct debuginfod_client *begin_function(void);
typedef int find_function(struct debuginfod_client *, const unsigned char *, int, char **);

/* The client, once debuginfod_file has been called; written by it alone. */
static struct {
    bool tried;
    struct debuginfod_client *client;   /* NULL: there is none */
    find_function *debuginfo, *executable;
} server;

bool debuginfod_is_set(void)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    return urls && *urls;
}

static void load(void)
{
    server.tried = true;
    void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    begin_function *begin = library ? (begin_function *)dlsym(library, "debuginfod_begin") : 0;
    if (begin) {
        server.debuginfo = (find_function *)dlsym(library, "debuginfod_find_debuginfo");
        server.executable = (find_function *)dlsym(library, "debuginfod_find_executable");
        if (server.debuginfo && server.executable)
            server.client = begin();
    }
    if (!server.client) {
        progress_done();
        fputs("prof: DEBUGINFOD_URLS is set, but libdebuginfod.so.1 cannot be loaded: no server is "
              "asked\n", stderr);
    }
}

int debuginfod_file(const unsigned char *id, size_t length, bool executable, char **path)
{
    *path = 0;
    if (!debuginfod_is_set() || !length)
        return -1;
    if (!server.tried)
        load();
    if (!server.client)
        return -1;
    progress_now("asking the servers of DEBUGINFOD_URLS");
    int fd = (executable ? server.executable : server.debuginfo)(server.client, id, length, path);
    return fd < 0 ? -1 : fd;
}
