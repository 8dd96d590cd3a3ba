# what: statically linked programs, which no preload reaches: of libc with threads and fork, and of 32 bits without libc
# packages: gcc binutils
# needs: gcc
# quick: yes
cat >p.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static void *work(void *x) { return (char *)x + 1; }
int main(void)
{
    pthread_t t;
    void *r;
    int s;
    pthread_create(&t, 0, work, (void *)41);
    pthread_join(t, &r);
    if (!fork()) execlp("sh", "sh", "-c", "exit 4", (char *)0);
    wait(&s);
    printf("%d %d\n", (int)(long)r, WEXITSTATUS(s));
    return 3;
}
END
gcc -O1 -static p.c -o p -pthread && ./p
echo "status $?"
cat >q.s <<'END'
.globl _start
_start: movl $4, %eax; movl $1, %ebx; movl $text, %ecx; movl $8, %edx; int $0x80
        movl $1, %eax; movl $9, %ebx; int $0x80
.data
text: .ascii "32 bits\n"
END
as --32 q.s -o q.o && ld -m elf_i386 q.o -o q || exit 1
./q
case $? in 9) echo "status 9" ;; *) echo "32 bits $?" ;; esac
