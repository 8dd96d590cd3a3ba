/* self.c - see self.h. Without /proc, as in some containers, the path is the one that was executed.
 * prof never changes its working directory, so a relative path still leads there.
 */
#define _GNU_SOURCE
#include "base/self.h"
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

char *self_path(void)
{
    char *path = realpath("/proc/self/exe", 0);
    const char *executed = path ? 0 : (const char *)getauxval(AT_EXECFN);
    if (executed)
        path = realpath(executed, 0);
    return path;
}
