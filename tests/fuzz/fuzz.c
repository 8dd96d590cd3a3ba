/* fuzz.c - see fuzz.h. */
#define _GNU_SOURCE
#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* prof view's page: none is needed to see what goes into it. */
const char view_head[] = "<script>", view_tail[] = "</script>";
const uint64_t view_head_size = sizeof view_head - 1, view_tail_size = sizeof view_tail - 1;

void fuzz_die(const char *why, const char *what)
{
    fprintf(stderr, "fuzz: %s: %s\n", what, why);
    abort();
}

int fuzz_file(const uint8_t *data, size_t size, char name[64])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        fuzz_die("no memory file", "target");
    snprintf(name, 64, "/proc/self/fd/%d", fd);
    return fd;
}

int fuzz_command(int (*run)(int, char **), const char *words, const char *file)
{
    char text[512], *argv[32], *rest = text;
    int argc = 0;
    snprintf(text, sizeof text, "%s", words);
    for (char *word; (word = strsep(&rest, " "));)
        argv[argc++] = strcmp(word, "%") ? word : (char *)file;
    argv[argc++] = (char *)file;
    argv[argc] = 0;
    optind = 0;
    return run(argc, argv);
}
