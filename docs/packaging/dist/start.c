/* start.c - what a program needs that is built with the headers and the start-up code of a newer
 * glibc, and linked with names of 2.31 (glibc.sh).
 */
#include <sys/stat.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* Before 2.33 the functions of <sys/stat.h> were inline, and called these. */
int __xstat(int version, const char *path, struct stat *status);
int __fxstat(int version, int fd, struct stat *status);
enum { STAT_VERSION = 1 };

HIDDEN int stat(const char *path, struct stat *status)
{
    return __xstat(STAT_VERSION, path, status);
}

HIDDEN int fstat(int fd, struct stat *status)
{
    return __fxstat(STAT_VERSION, fd, status);
}

/* Since 2.34 the start-up code leaves the constructors to libc. Before, it gave libc a function
 * that runs them. A newer libc calls that function, too, and then leaves them alone. */
typedef void constructor(int, char **, char **);
extern constructor *__init_array_start[] HIDDEN, *__init_array_end[] HIDDEN;
extern void _init(void);

static void construct(int argc, char **argv, char **environment)
{
    _init();
    for (constructor **c = __init_array_start; c < __init_array_end; c++)
        (*c)(argc, argv, environment);
}

int __real___libc_start_main(int (*)(int, char **, char **), int, char **, constructor *,
                             void (*)(void), void (*)(void), void *);
int __wrap___libc_start_main(int (*)(int, char **, char **), int, char **, constructor *,
                             void (*)(void), void (*)(void), void *);
int __wrap___libc_start_main(int (*program)(int, char **, char **), int argc, char **argv,
                             constructor *init, void (*end)(void), void (*loader_end)(void),
                             void *stack)
{
    return __real___libc_start_main(program, argc, argv, construct, end, loader_end, stack);
}
