/* serve.c - see serve.h. It serves one request at a time, each on a connection of its own. It
 * closes the connection of a slow client. */
#define _GNU_SOURCE
#include "view/serve.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KEY_BYTES = 16, REQUEST_BYTES = 4096, PATIENCE_SECONDS = 5 };

static volatile sig_atomic_t stopped;
static void stop(int signal)
{
    stopped = 1;
}

static void send_all(int fd, const char *data, size_t size)
{
    for (ssize_t n; size && (n = send(fd, data, size, MSG_NOSIGNAL)) > 0; size -= n)
        data += n;
}

static void answer(int fd, const char *status, const char *body, size_t size, int with_body)
{
    char head[512];
    int n = snprintf(head, sizeof head,
                     "HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: "
                     "%zu\r\nConnection: close\r\n"
                     "Cache-Control: no-store\r\nX-Content-Type-Options: "
                     "nosniff\r\nReferrer-Policy: no-referrer\r\n"
                     "Content-Security-Policy: frame-ancestors "
                     "'none'\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n",
                     status, size);
    send_all(fd, head, n);
    if (with_body)
        send_all(fd, body, size);
}

/* Reads a request up to its empty line. No browser's request is too long for REQUEST. */
static int read_request(int fd, char *request)
{
    size_t used = 0;
    for (ssize_t n; used < REQUEST_BYTES - 1 &&
                    (n = recv(fd, request + used, REQUEST_BYTES - 1 - used, 0)) > 0;) {
        used += n;
        request[used] = 0;
        if (strstr(request, "\r\n\r\n"))
            return 1;
    }
    return 0;
}

static void serve(int fd, const char *key, const char *page, size_t size)
{
    static const char missing[] = "Nothing here: the address that prof printed is longer.\n";
    char request[REQUEST_BYTES], wanted[64];
    if (!read_request(fd, request))
        return;
    int head = !strncmp(request, "HEAD ", 5),
        n = snprintf(wanted, sizeof wanted, "/%s/ HTTP/1.", key);
    const char *path = request + (head ? 5 : 4);
    if (!head && strncmp(request, "GET ", 4))
        answer(fd, "405 Method Not Allowed", "", 0, 0);
    else if (!strncmp(path, wanted, n))
        answer(fd, "200 OK", page, size, !head);
    else
        answer(fd, "404 Not Found", missing, sizeof missing - 1, !head);
}

int serve_page(const char *page, size_t size)
{
    unsigned char random[KEY_BYTES];
    char key[2 * KEY_BYTES + 1];
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof a;
    /* without SA_RESTART, so that accept ends */
    struct sigaction action = { .sa_handler = stop, .sa_flags = SA_RESETHAND };
    struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s < 0 || bind(s, (struct sockaddr *)&a, sizeof a) || listen(s, 8) ||
        getsockname(s, (struct sockaddr *)&a, &length) ||
        getrandom(random, sizeof random, 0) != sizeof random) {
        fprintf(stderr, "prof: cannot serve the page: %s\n", strerror(errno));
        if (s >= 0)
            close(s);
        return 2;
    }
    for (unsigned i = 0; i < KEY_BYTES; i++)
        snprintf(key + 2 * i, 3, "%02x", random[i]);
    sigaction(SIGINT, &action, 0);
    sigaction(SIGTERM, &action, 0);
    printf("http://127.0.0.1:%u/%s/\n", ntohs(a.sin_port), key);
    fflush(stdout);
    fputs("prof: open this address in a browser on this machine; Ctrl-C ends\n", stderr);
    while (!stopped) {
        int fd = accept4(s, 0, 0, SOCK_CLOEXEC);
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        serve(fd, key, page, size);
        shutdown(fd, SHUT_WR);
        close(fd);
    }
    close(s);
    return 0;
}
