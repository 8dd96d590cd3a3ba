/* serve.c - see serve.h. It serves one request at a time, each on a connection of its own. It
 * closes the connection if the request is not complete after PATIENCE_SECONDS, or if the client
 * takes nothing of the answer for so long. A page may take longer through a tunnel. */
#define _GNU_SOURCE
#include "view/serve.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
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

static void answer(int fd, const char *status, const char *body, size_t size, bool with_body)
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

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

/* Reads a request up to its empty line. No browser's request is too long for REQUEST. */
static bool read_request(int fd, char *request)
{
    size_t used = 0;
    struct pollfd on = { .fd = fd, .events = POLLIN };
    long long end = now_ms() + 1000 * PATIENCE_SECONDS, left;
    while (used < REQUEST_BYTES - 1 && (left = end - now_ms()) > 0 && poll(&on, 1, left) > 0) {
        ssize_t n = recv(fd, request + used, REQUEST_BYTES - 1 - used, 0);
        if (n <= 0)
            return false;
        used += n;
        request[used] = 0;
        if (strstr(request, "\r\n\r\n"))
            return true;
    }
    return false;
}

static void serve(int fd, const char *key, const char *page, size_t size)
{
    static const char missing[] = "Nothing here: the address that prof printed is longer.\n";
    char request[REQUEST_BYTES], wanted[64];
    if (!read_request(fd, request))
        return;
    bool head = !strncmp(request, "HEAD ", 5);
    int n = snprintf(wanted, sizeof wanted, "/%s/ HTTP/1.", key);
    const char *path = request + (head ? 5 : 4);
    if (!head && strncmp(request, "GET ", 4))
        answer(fd, "405 Method Not Allowed", "", 0, false);
    else if (!strncmp(path, wanted, n))
        answer(fd, "200 OK", page, size, !head);
    else
        answer(fd, "404 Not Found", missing, sizeof missing - 1, !head);
}

/* The next connection. -1: prof was stopped, or for PATIENCE_SECONDS there could be none; *ERROR is
 * the reason of the latter. */
static int next_connection(int s, int *error)
{
    enum { PAUSE_MS = 100 };
    for (int failed = 0; !stopped;) {
        int fd = accept4(s, 0, 0, SOCK_CLOEXEC);
        if (fd >= 0)
            return fd;
        if (errno == EINTR || errno == ECONNABORTED)
            continue;
        *error = errno;
        if (++failed * PAUSE_MS > 1000 * PATIENCE_SECONDS)
            return -1;
        poll(0, 0, PAUSE_MS);
    }
    *error = 0;
    return -1;
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
    int error = 0;
    for (int fd; (fd = next_connection(s, &error)) >= 0;) {
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        serve(fd, key, page, size);
        shutdown(fd, SHUT_WR);
        close(fd);
    }
    close(s);
    if (error)
        fprintf(stderr, "prof: cannot serve the page any longer: %s\n", strerror(error));
    return error ? 2 : 0;
}
