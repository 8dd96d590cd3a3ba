/* fib.c - a program of tiny: fib [N [P]]. */
#include <libprof.h>
#include <stdio.h>
#include <stdlib.h>
#include "tiny.h"

struct fib {
    long n, result;
};

static void fib(void *p)
{
    struct fib *f = p;
    libprof_cost(1);            /* for the virtual clock */
    if (f->n < 2) {
        f->result = f->n;
        return;
    }
    struct fib a = { f->n - 1, 0 }, b = { f->n - 2, 0 };
    struct tiny_task task;
    tiny_spawn(&task, fib, &a);
    fib(&b);
    tiny_sync();
    f->result = a.result + b.result;
}

int main(int argc, char **argv)
{
    struct fib f = { argc > 1 ? atol(argv[1]) : 20, 0 };
    tiny_start(argc > 2 ? atoi(argv[2]) : 2);
    fib(&f);
    printf("%ld\n", f.result);
    return 0;
}
