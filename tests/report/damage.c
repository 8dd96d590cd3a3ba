/* damage.c - damages a profile in many ways, and asks prof to report each.
 *
 *     damage FILE truncate STEP COMMAND...   cut at every STEPth byte
 *     damage FILE sections COMMAND...        cut at, and next to, both ends of every section
 *     damage FILE flip COUNT COMMAND...      one flipped bit, at COUNT places spread over the file
 *
 * COMMAND gets the damaged file's name as its last argument. Every time it must exit with status 2,
 * print nothing to stdout and exactly one line to stderr. Prints the number of tries; what failed
 * stands before it, and the exit status is 1.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libprof_format.h"

static char *data;
static size_t size;
static char path[64];
static char **command;
static int command_count;
static unsigned tries, failures;

static void die(const char *why)
{
    perror(why);
    exit(3);
}

static size_t slurp(int fd, char *to, size_t capacity)
{
    size_t n = 0;
    ssize_t r;
    while (n < capacity && (r = read(fd, to + n, capacity - n)) > 0)
        n += r;
    return n;
}

static void try(const char *bytes, size_t n, const char *what, size_t at)
{
    char out[4096], *argv[64];
    int status, pipes[2], fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || close(fd) || pipe(pipes))
        die(path);
    memcpy(argv, command, command_count * sizeof *argv);
    argv[command_count] = path;
    argv[command_count + 1] = 0;
    pid_t pid = fork();
    if (!pid) {
        /* both into one pipe: stdout must be empty, so one line in all */
        dup2(pipes[1], 1);
        dup2(pipes[1], 2);
        close(pipes[0]);
        close(pipes[1]);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(pipes[1]);
    size_t used = slurp(pipes[0], out, sizeof out - 1);
    close(pipes[0]);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        die("waitpid");
    out[used] = 0;
    tries++;
    char *end = strchr(out, '\n');
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 2 && !strncmp(out, "prof: ", 6) &&
                end && !end[1];
    if (!good && failures++ < 5)
        printf("%s at %zu: status %#x, output: %.200s\n", what, at, status, out);
}

static void cut(size_t at)
{
    if (at < size)
        try(data, at, "cut", at);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 3;
    bool sections = !strcmp(argv[2], "sections");
    size_t number = sections ? 0 : strtoul(argv[3], 0, 10);
    command = argv + 4 - sections;
    command_count = argc - 4 + sections;
    if (command_count > 60 || (!sections && !number))
        return 3;
    struct stat st;
    int fd = open(argv[1], O_RDONLY);
    if (fd < 0 || fstat(fd, &st) || !(data = malloc(st.st_size + 1)))
        die(argv[1]);
    size = slurp(fd, data, st.st_size);
    snprintf(path, sizeof path, "/tmp/damage.%d.prof", (int)getpid());
    if (sections) {
        struct lpf_header h;
        memcpy(&h, data, sizeof h);
        cut(h.header_size);
        for (uint32_t i = 0; i < h.section_count; i++) {
            struct lpf_section s;
            memcpy(&s, data + h.header_size + (size_t)i * h.section_size, sizeof s);
            uint64_t end = s.offset + s.count * s.entry_size;
            for (int d = -1; d <= 1; d++) {
                cut(s.offset + d);
                cut(end + d);
            }
            cut(h.header_size + (size_t)i * h.section_size);
        }
    } else if (!strcmp(argv[2], "truncate")) {
        for (size_t at = 0; at < size; at += number)
            cut(at);
        cut(size - 1);
    } else {
        for (size_t i = 0; i < number; i++) {
            /* spread evenly; the bit by a multiplicative hash, the same in every run */
            size_t at = size * i / number;
            unsigned bit = (uint32_t)(i * 2654435761u) >> 29;
            data[at] ^= 1 << bit;
            try(data, size, "flip", at);
            data[at] ^= 1 << bit;
        }
    }
    unlink(path);
    printf("%u\n", tries);
    return failures != 0 || !tries;
}
