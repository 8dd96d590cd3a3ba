# what: strace -f over threads, forks and exec: status and output, and what the program itself opens and runs
# packages: strace gcc
# needs: strace gcc
# quick: yes
cat >p.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static void *work(void *x) { close(open("of-a-thread", O_CREAT | O_WRONLY, 0600)); return x; }
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    if (!fork()) execlp("sh", "sh", "-c", "echo of a child; exit 3", (char *)0);
    int s;
    wait(&s);
    printf("child %d\n", WEXITSTATUS(s));
    return 4;
}
END
gcc -O1 -pthread p.c -o p || exit 1
strace -f -qq -o trace ./p
echo "status $?"
grep -c 'of-a-thread' trace
grep -cE 'execve(\(| resumed).*= 0$' trace     # a call may be cut by another thread's
strace -c -f -qq -o counts ./p
echo "status $?"
./p & strace -f -qq -o attached -p $! 2>/dev/null
wait $!
echo "attached $?"
