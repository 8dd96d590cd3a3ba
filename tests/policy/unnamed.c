/* unnamed.c - runs a program whose file has no name any more.
 *
 *     unnamed memory FILE ARGUMENT...   a copy in memory (memfd_create)
 *     unnamed removed FILE ARGUMENT...  a copy that is removed before it starts
 */
#define _GNU_SOURCE
#include <fcntl.h>
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
    int out = !strcmp(argv[1], "memory") ? memfd_create("copy", 0) : mkstemp(copy);
    if (in < 0 || out < 0 || fstat(in, &st) || sendfile(out, in, 0, st.st_size) != st.st_size ||
        fchmod(out, 0700))
        return 90;
    if (strcmp(argv[1], "memory")) {
        close(out);
        if ((out = open(copy, O_RDONLY)) < 0 || unlink(copy))
            return 91;
    }
    fexecve(out, argv + 2, environ);
    return 92;
}
