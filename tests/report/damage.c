/* damage.c - damages a profile in many ways, and asks prof to report each.
 *
 *     damage [-N] FILE truncate STEP COMMAND...   cut at every STEPth byte
 *     damage [-N] FILE sections COMMAND...        cut at, and next to, both ends of every section
 *     damage [-N] FILE flip COUNT COMMAND...      one flipped bit, at COUNT places spread over FILE
 *
 * COMMAND gets the damaged file's name as its last argument, or N damaged files' names at a time.
 * Every time it must exit with status 2, print nothing to stdout and exactly one line to stderr, of
 * each file. If one of N fails, each of them is tried alone, to find it. Prints the number of
 * damaged files; what failed stands before it, and the exit status is 1.
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
static char **command;
static int command_count;
static unsigned tries, failures;

/* The damaged files that wait for COMMAND, and what is wrong with each. */
enum { TOGETHER = 64 };
static struct damaged {
    char path[32], what[32];
} damaged[TOGETHER];
static int damaged_count, together = 1;

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

/* One line a file, in their order; both streams are one, so stdout must be empty. */
static bool refused(char *said, const struct damaged *files, int count)
{
    for (int i = 0; i < count; i++) {
        char *end = strchr(said, '\n');
        if (!end || strncmp(said, "prof: ", 6))
            return false;
        *end = 0;
        if (count > 1 && !strstr(said, files[i].path))
            return false;
        *end = '\n';
        said = end + 1;
    }
    return !*said;
}

static bool ask(const struct damaged *files, int count, bool say)
{
    static char out[TOGETHER * 512], *argv[64 + TOGETHER];
    int status, pipes[2];
    if (pipe(pipes))
        die("pipe");
    memcpy(argv, command, command_count * sizeof *argv);
    for (int i = 0; i < count; i++)
        argv[command_count + i] = (char *)files[i].path;
    argv[command_count + count] = 0;
    pid_t pid = fork();
    if (!pid) {
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
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 2 && refused(out, files, count);
    if (!good && say && failures++ < 5)
        printf("%s%s: status %#x, output: %.200s\n", files->what,
               count > 1 ? " and following" : "", status, out);
    return good;
}

static void try_damaged(void)
{
    unsigned before = failures;
    if (damaged_count && !ask(damaged, damaged_count, damaged_count == 1) && damaged_count > 1) {
        for (int i = 0; i < damaged_count; i++)
            ask(damaged + i, 1, true);
        if (failures == before)
            ask(damaged, damaged_count, true);
    }
    damaged_count = 0;
}

static void try(const char *bytes, size_t n, const char *what, size_t at)
{
    struct damaged *f = &damaged[damaged_count];
    snprintf(f->path, sizeof f->path, "damaged%d.prof", damaged_count);
    snprintf(f->what, sizeof f->what, "%s at %zu", what, at);
    int fd = open(f->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || close(fd))
        die(f->path);
    tries++;
    if (++damaged_count == together)
        try_damaged();
}

static void cut(size_t at)
{
    if (at < size)
        try(data, at, "cut", at);
}

int main(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] == '-') {
        together = atoi(argv[1] + 1);
        argc--;
        argv++;
    }
    if (argc < 4 || together < 1 || together > TOGETHER)
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
    try_damaged();
    printf("%u\n", tries);
    return failures != 0 || !tries;
}
