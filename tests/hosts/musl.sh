# what: a program with threads for musl, and a static one for it, under prof run: libprof cannot be there, the program runs, one line states why
# packages: musl-tools musl
# needs: musl-gcc
# quick: yes
cat >p.c <<'END'
#include <pthread.h>
#include <stdio.h>
static void *work(void *x) { return (char *)x + 1; }
int main(int argc, char **argv)
{
    pthread_t t;
    void *r;
    pthread_create(&t, 0, work, (void *)41);
    pthread_join(t, &r);
    printf("%d\n", (int)(long)r);
    return 3;
}
END
musl-gcc -O1 p.c -o p -pthread && musl-gcc -O1 -static p.c -o s -pthread || exit 1
if [ -n "$LD_PRELOAD" ]; then under="env -u LD_PRELOAD -u PROF_OUTPUT $PROF run"; else under=env; fi
for p in p s; do
    $under ./$p 2>err
    echo "$p $? more than a line: $([ "$(wc -l <err)" -gt 1 ] && head -3 err || echo no)"
done
