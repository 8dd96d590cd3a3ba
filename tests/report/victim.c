/* victim.c WHAT [ARGUMENT] - a program that prof run starts: it ends as it is told. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void got(int sig)
{
    printf("signal %d\n", sig);
    fflush(stdout);
    _exit(40 + sig);
}

int main(int argc, char **argv)
{
    (void)argc;
    if (!strcmp(argv[1], "exit"))
        return atoi(argv[2]);
    if (!strcmp(argv[1], "die")) {
        signal(atoi(argv[2]), SIG_DFL);
        raise(atoi(argv[2]));
    }
    if (!strcmp(argv[1], "env")) {
        puts(getenv(argv[2]) ? getenv(argv[2]) : "(none)");
        return 0;
    }
    if (!strcmp(argv[1], "wait")) {
        signal(atoi(argv[2]), got);
        puts("ready");
        fflush(stdout);
        sleep(20);
        return 1;
    }
    if (!strcmp(argv[1], "cd"))
        return chdir("/") != 0;
    return 99;
}
