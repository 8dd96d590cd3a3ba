/* kernel.c - see kernel.h. */
#include "base/kernel.h"
#include <errno.h>
#include "base/memory.h"
#include "base/forbid.h"

READ_MOSTLY bool kernel_closed;

long kernel_refuses(void)
{
    errno = EPERM;
    return -1;
}
