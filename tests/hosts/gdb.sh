# what: a batch session: breakpoints in threads, stepping, a call in the program, a core, fork followed, the program's end
# packages: gdb gcc
# needs: gdb gcc
# quick: yes
# The threads may come to the breakpoint in any order: it is for the first, and gdb lets no other
# run while it calls and steps.
cat >p.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int counted;
__attribute__((noinline)) int at(int k) { return k * 3; }
static void *work(void *x) { volatile long s = 0; for (long i = 0; i < 50000000; i++) s += i; __atomic_add_fetch(&counted, at(2), 5); return x; }
int main(int argc, char **argv)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    printf("\ncounted %d\n", counted);     /* gdb may be in the middle of a line */
    if (argc > 1) abort();
    return 5;
}
END
gcc -g -O1 -pthread p.c -o p || exit 1
export DEBUGINFOD_URLS=
# The line that the manual has for .gdbinit; without libprof nothing sends it. The program's lines
# may part a line of gdb's, such as "[Thread ... exited]".
g() { gdb -nx -batch -iex 'handle SIG60 nostop noprint pass' "$@" 2>&1 |
    grep -v -e '^\[' -e 'exited\]$' -e '^Using host' -e '^warning' -e '^$' -e '^Signal' -e '^SIG60' |
    sed -E 's/0x[0-9a-f]+/N/g; s/^Thread [0-9]+ ("p" (hit )?)?//'; }
g -ex 'tbreak at if $_thread > 1' -ex run -ex 'set scheduler-locking on' -ex 'print k' \
    -ex 'print at(14)' -ex finish -ex 'set scheduler-locking off' -ex continue ./p |
    grep -e '^\$' -e counted -e 'breakpoint' -e '^Value' -e SIG
g -ex run -ex 'info threads' ./p | grep -e SIG -e counted -e 'exited'
g -ex run -ex 'frame function main' --args ./p abort | grep -e 'received' -e 'main (argc'
