# what: qemu-user: an emulated program with threads, with libprof preloaded into the emulator and into the program
# packages: qemu-user gcc
# needs: qemu-x86_64 gcc
# limit: 600
cat >p.c <<'END'
#include <pthread.h>
#include <stdio.h>
static void *work(void *x)
{
    for (volatile long i = 0; i < 3000000; i++)
        ;
    return (char *)x + 1;
}
int main(void)
{
    pthread_t t[4];
    long sum = 0;
    for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 4; i++) { void *r; pthread_join(t[i], &r); sum += (long)r; }
    printf("%ld\n", sum);
    return 3;
}
END
gcc -O1 p.c -o p -pthread || exit 1
# qemu aligns no handler's stack: a sample must not need it
for i in 1 2 3 4 5; do
    PROF_SAMPLE=1000 qemu-x86_64 ./p
    echo "status $?"
done
