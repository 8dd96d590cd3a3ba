/* unnamed.c - runs a program whose file has no name any more.
 *
 *     unnamed memory FILE ARGUMENT...   a copy in memory (memfd_create)
 *     unnamed removed FILE ARGUMENT...  a copy that is removed before it starts
 *     unnamed at FILE ARGUMENT...       the copy in memory, by execveat where dlsym finds one
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char copy[] = "/tmp/removed.XXXXXX";
    struct stat st;
    int in = open(argv[2], O_RDONLY);
    bool removed = !strcmp(argv[1], "removed");
    int (*at)(int, const char *, char *const[], char *const[], int) =
        strcmp(argv[1], "at") ? 0 : dlsym(RTLD_DEFAULT, "execveat");
    int out = removed ? mkstemp(copy) : memfd_create("copy", 0);
    if (in < 0 || out < 0 || fstat(in, &st) || sendfile(out, in, 0, st.st_size) != st.st_size ||
        fchmod(out, 0700))
        return 90;
    if (removed) {
        close(out);
        if ((out = open(copy, O_RDONLY)) < 0 || unlink(copy))
            return 91;
    }
    if (at)
        at(out, "", argv + 2, environ, AT_EMPTY_PATH);
    fexecve(out, argv + 2, environ);
    return 92;
}
