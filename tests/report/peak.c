/* peak.c - peak COMMAND...: runs it and prints the most memory that it held, in KiB; ends as it
 * does. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage u;
    int status = 0;
    pid_t pid = argc > 1 ? fork() : -1;
    if (!pid) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
        return 3;
    printf("%ld\n", u.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
