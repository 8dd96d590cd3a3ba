# what: memcheck, callgrind and no tool over a program with threads: what they find in the program, and nothing else
# packages: valgrind gcc
# needs: valgrind gcc
# limit: 900
cat >p.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *work(void *x) { long s = 0; for (long i = 0; i < 20000; i++) s += i ^ (long)x; return (void *)s; }
int main(int argc, char **argv)
{
    pthread_t t[4];
    long s = 0;
    void *r;
    for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (long i = 0; i < 4; i++) { pthread_join(t[i], &r); s += (long)r; }
    printf("%ld\n", s);
    volatile char *lost = malloc(33);
    lost[0] = 0;
    lost = 0;
    return argc > 1 ? ((volatile char *)malloc(5))[5] * 0 : 0;
}
END
gcc -g -O1 -pthread p.c -o p || exit 1
valgrind -q --error-exitcode=9 ./p
echo "memcheck $?"
valgrind -q --error-exitcode=9 ./p x 2>&1 | grep -c 'Invalid read of size 1'
valgrind -q --leak-check=full ./p 2>&1 | grep -o '33 bytes in 1 blocks are definitely lost'
valgrind -q --tool=callgrind --callgrind-out-file=cg ./p && callgrind_annotate cg | grep -c ':work '
valgrind -q --tool=none ./p
