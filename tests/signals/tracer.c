/* tracer.c PROGRAM... - runs PROGRAM, and keeps each of its signals 60 until it next stops for
 * another signal. Then it sends the signal, which is now the tracer's own. ltrace does so while it
 * steps over a breakpoint. Status: that of PROGRAM; 128 and the signal that killed it.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status, kept = 0, sent = 0;
    pid_t pid = fork();
    if (!pid) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execv(argv[1], argv + 1);
        _exit(127);
    }
    while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
        int number = WSTOPSIG(status);
        if (number == 60) {
            kept++;
            kill(pid, SIGWINCH);
            number = 0;
        } else if (number == SIGWINCH && kept) {
            kept--;
            sent++;
            number = 60;
        } else if (number == SIGTRAP) {
            number = 0;
        }
        ptrace(PTRACE_CONT, pid, 0, (long)number);
    }
    fprintf(stderr, "%d sent again\n", sent);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
