/* spool.c - see spool.h. */
#define _GNU_SOURCE
#include "watch/spool.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>
#include "base/format.h"

struct spool {
    int to, master, file;
    int ending[2];              /* a pipe: closed by spool_end, so that the thread ends */
    pthread_t thread;
    pthread_mutex_t lock;       /* protects the next two; nests in nothing */
    off_t size;                 /* of the file */
    bool passing;
};

/* Returns how much it has written; less than SIZE: then FD takes no more. */
static size_t write_all(int fd, const char *text, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = write(fd, text + done, size - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? n : 0;
    }
    return done;
}

/* With the lock held. What is written on, and fails, is lost as if the program's own write had
 * failed. */
static void pass(struct spool *s)
{
    char text[4096];
    ssize_t n;
    for (off_t at = 0; !s->passing && (n = pread(s->file, text, sizeof text, at)) > 0; at += n)
        write_all(s->to, text, n);
    s->passing = true;
}

/* Reads what there is of the output. False: there is no more, and never will be. */
static bool take(struct spool *s)
{
    char text[4096];
    ssize_t n = read(s->master, text, sizeof text);
    if (n <= 0)
        return n < 0 && (errno == EINTR || errno == EAGAIN);
    pthread_mutex_lock(&s->lock);
    size_t kept = s->passing ? 0 : write_all(s->file, text, n);
    s->size += kept;
    if (kept < (size_t)n) {     /* where the disk is full, output goes to the picture */
        pass(s);
        write_all(s->to, text + kept, n - kept);
    }
    pthread_mutex_unlock(&s->lock);
    return true;
}

static void *reader(void *spool)
{
    struct spool *s = spool;
    struct pollfd on[] = { { .fd = s->master, .events = POLLIN }, { .fd = s->ending[0] } };
    for (bool more = true; more;) {
        if (poll(on, 2, -1) < 0)
            continue;
        /* A process that the program has left behind may hold its end open. So the end comes when
         * nothing is left to read. */
        more = on[0].revents ? take(s) : !on[1].revents;
    }
    return 0;
}

static int file_for_output(void)
{
    const char *set = getenv("TMPDIR");
    int fd = open(set && *set ? set : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd >= 0 ? fd : memfd_create("prof-watch-output", MFD_CLOEXEC);
}

/* The program's end passes every byte as it is: the terminal at the end of the way does what it
 * would have done with it. */
static int open_slave(int master, int to)
{
    char name[64];
    struct termios t;
    struct winsize w;
    if (grantpt(master) || unlockpt(master) || ptsname_r(master, name, sizeof name))
        return -1;
    int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave >= 0 && !tcgetattr(slave, &t)) {
        t.c_oflag &= ~OPOST;
        t.c_lflag &= ~(ECHO | ICANON | ISIG);
        tcsetattr(slave, TCSANOW, &t);
    }
    if (!ioctl(to, TIOCGWINSZ, &w))
        ioctl(master, TIOCSWINSZ, &w);
    return slave;
}

struct spool *spool_new(int to, int *slave)
{
    struct spool *s = format_memory(calloc(1, sizeof *s));
    sigset_t all, mask;
    pthread_mutex_init(&s->lock, 0);
    s->to = to;
    s->file = file_for_output();
    s->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    *slave = s->master >= 0 ? open_slave(s->master, to) : -1;
    bool piped = s->file >= 0 && *slave >= 0 && !pipe2(s->ending, O_CLOEXEC);
    int error = piped ? 0 : errno;
    sigfillset(&all);           /* signals are the main thread's */
    sigprocmask(SIG_SETMASK, &all, &mask);
    if (piped)
        error = pthread_create(&s->thread, 0, reader, s);
    sigprocmask(SIG_SETMASK, &mask, 0);
    if (!error)
        return s;
    fprintf(stderr, "prof: no place for the program's output: %s\n", strerror(error));
    if (piped) {
        close(s->ending[0]);
        close(s->ending[1]);
    }
    if (*slave >= 0)
        close(*slave);
    *slave = -1;
    if (s->master >= 0)
        close(s->master);
    if (s->file >= 0)
        close(s->file);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return 0;
}

void spool_resize(struct spool *s, int width, int height)
{
    struct winsize w = { .ws_col = width, .ws_row = height };
    ioctl(s->master, TIOCSWINSZ, &w);
}

void spool_pass(struct spool *s)
{
    pthread_mutex_lock(&s->lock);
    pass(s);
    pthread_mutex_unlock(&s->lock);
}

void spool_last(struct spool *s, char *text, size_t size)
{
    pthread_mutex_lock(&s->lock);
    off_t from = s->size < (off_t)size ? 0 : s->size - (off_t)size + 1;
    ssize_t n = pread(s->file, text, size - 1, from);
    pthread_mutex_unlock(&s->lock);
    text[n > 0 ? n : 0] = 0;
}

void spool_end(struct spool *s)
{
    close(s->ending[1]);
    pthread_join(s->thread, 0);
    spool_pass(s);
    close(s->ending[0]);
    close(s->master);
    close(s->file);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
