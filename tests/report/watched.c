/* watched.c FILE - a program that prof watch shows: two threads of 100 units of virtual time each
 * beside main's 100. It prints what it was given, waits until FILE is there, and exits with 7. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "libprof.h"

static void *body(void *unused)
{
    libprof_cost(100);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    int in = getchar();
    libprof_cost(100);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, body, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    printf("\033[31moutput\033[0m %s, input %s\n", isatty(1) ? "on a terminal" : "elsewhere",
           in == EOF ? "at its end" : "there");
    fprintf(stderr, "\033]0;a title\a\033]8;;a link\033\\to stderr\n");
    while (argc > 1 && access(argv[1], F_OK))
        usleep(10000);
    puts("the last line");
    return 7;
}
