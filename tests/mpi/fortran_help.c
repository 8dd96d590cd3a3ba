/* fortran_help.c - what fortran.f90 needs from C, under the names that gfortran gives. */
#include <unistd.h>

#include "../../include/libprof.h"

void help_cost_(const int64_t *n);
void help_pid_(int *pid);

void help_cost_(const int64_t *n)
{
    libprof_cost((uint64_t)*n);
}

void help_pid_(int *pid)
{
    *pid = (int)getpid();
}
