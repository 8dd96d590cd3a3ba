# life.sh - sourced by check.sh: how threads and processes begin and end.

# C11's threads are tasks, as those of pthread_create are: joined, joined by another thread than
# their creator, ended by thrd_exit, detached.
cat >"$tmp/c11.c" <<'END'
#include <stdatomic.h>
#include <threads.h>
#include "libprof.h"
static atomic_int done;
static int small(void *a) { libprof_cost(50); return a != 0; }
static int joins(void *a)
{
    thrd_t t;
    int result;
    libprof_cost(100);
    thrd_create(&t, small, a);
    thrd_join(t, &result);
    return 2 + result;
}
static int leaves(void *a) { (void)a; libprof_cost(200); thrd_exit(4); }
static int detached(void *a) { (void)a; libprof_cost(1000); done = 1; return 0; }
static thrd_t other;
static int joins_other(void *a)
{
    int result;
    (void)a;
    thrd_join(other, &result);
    libprof_cost(7);
    return result;
}
int main(void)
{
    thrd_t a, b, c;
    int first, second, third;
    libprof_cost(1);
    thrd_create(&a, joins, &a);
    thrd_create(&b, leaves, 0);
    thrd_join(a, &first);
    thrd_join(b, &second);
    thrd_create(&c, detached, 0);
    thrd_detach(c);
    while (!done)
        thrd_yield();
    thrd_create(&other, leaves, 0);
    thrd_create(&c, joins_other, 0);
    thrd_join(c, &third);
    libprof_cost(2);
    return 16 * first + 4 * second + third;
}
END
gcc -std=gnu11 -O1 -w -I"$here/../../include" "$tmp/c11.c" -o "$tmp/c11" -pthread
# the path: 1, 200 of `leaves`, 1000 of the detached one; work: 1 + 150 + 200 + 1000 + 207 + 2
wants thrd_create && found "$(same "$tmp/c11"; quiet
    "$prof" report --json "$tmp"/run/*.prof 2>&1 |
        jq -c '.program | [.work_ns, .span_ns, .tasks, .exact]' >"$tmp/got"
    grep -qx '\[1560,1201,6,true\]' "$tmp/got" || echo "got $(cat "$tmp/got")")"

# The originals of what libprof interposes: libc may be before libprof, as the program itself or
# because libprof is linked behind it.
libc=$(ldd "$victim" | sed -n 's/.*libc\.so\.6 => \([^ ]*\) .*/\1/p')
wants libc-as-program && found "$(same "$libc"; quiet; files 0
    grep -q 'C Library' "$tmp/out" || echo 'libc does not run here')"
gcc -O1 -I"$here/../../include" "$here/victim.c" -o "$tmp/behind" -pthread -lc \
    -Wl,--no-as-needed "$so" -Wl,-rpath,"$(dirname "$so")"
wants linked-behind-libc && found "$(rm -rf "$tmp/run"; mkdir "$tmp/run"; cd "$tmp/run" &&
    PROF_OUTPUT=b.prof timeout 20 "$tmp/behind" normal 7 >"$tmp/out" 2>"$tmp/err"; s=$?
    [ $s = 7 ] || echo "status $s"
    printf 'hello normal\n' | cmp - "$tmp/out"; cat "$tmp/err")"
# One is missing: in a copy of libprof.so, the name that it asks for is not one of libc's. (The
# first place with the name is the exported one.)
cp "$so" "$tmp/lacks.so"
at=$(grep -abo 'sighold' "$so" | sed -n '2s/:.*//p')
printf X | dd of="$tmp/lacks.so" bs=1 seek=$((at + 6)) conv=notrunc 2>/dev/null
cat >"$tmp/holds.c" <<'END'
#include <errno.h>
#include <signal.h>
#include <stdio.h>
int sighold(int);
int main(void)
{
    int result = sighold(SIGUSR1), error = errno;
    printf("%d %s\n", result, error == ENOSYS ? "ENOSYS" : "");
    return 3;
}
END
gcc -w "$tmp/holds.c" -o "$tmp/holds"
lacks() { # OUTPUT COMMAND...: natively this, and one line of libprof's
    want=$1; shift
    rm -rf "$tmp/run"; mkdir "$tmp/run"
    (cd "$tmp/run" && timeout 20 env LD_PRELOAD="$tmp/lacks.so" "$@" >"$tmp/out" 2>"$tmp/err"; s=$?
        [ $s = 3 ] || echo "status $s")
    [ "$(cat "$tmp/out")" = "$want" ] || echo "stdout: $(cat "$tmp/out")"
    [ "$(cat "$tmp/err")" = "libprof: libc's sigholX is not found: not profiling" ] ||
        echo "stderr: $(cat "$tmp/err")"
    files 0
}
wants original-missing &&
    found "$(lacks '-1 ENOSYS' "$tmp/holds"; lacks 'hello normal' "$victim" normal 3)"

# Another preload has a dl_iterate_phdr that keeps the callback in a global, as fakechroot's does.
# One thread of the program calls it, and libprof looks objects up in another one.
cat >"$tmp/global.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
typedef int callback(struct dl_phdr_info *, size_t, void *);
static callback *volatile kept;
static void *volatile kept_data;
static int pass(struct dl_phdr_info *i, size_t n, void *unused) { return kept(i, n, kept_data); }
int dl_iterate_phdr(callback *see, void *data)
{
    static int (*volatile next)(callback *, void *);
    if (!next)
        next = (int (*)(callback *, void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");
    kept = see;
    kept_data = data;
    usleep(200);
    return next(pass, 0);
}
END
cat >"$tmp/opens.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int over;
static int look(struct dl_phdr_info *i, size_t n, void *data)
{
    if (data != (void *)&over)
        exit(4);
    return 0;
}
static void *works(void *path)
{
    for (int i = 0; i < 50; i++) {
        void *h = dlopen(path, RTLD_NOW);
        if (h)
            dlclose(h);
    }
    return 0;
}
static void *looks(void *unused)
{
    while (!over)
        if (dl_iterate_phdr(look, (void *)&over))
            exit(5);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, looks, 0);
    pthread_create(&t[1], 0, works, argv[argc - 1]);
    pthread_join(t[1], 0);
    over = 1;
    pthread_join(t[0], 0);
    puts("closed");
    return 0;
}
END
echo 'int plug(void) { return 1; }' >"$tmp/plug.c"
gcc -O1 -w -fPIC -shared "$tmp/global.c" -o "$tmp/global.so" -ldl &&
    gcc -w -fPIC -shared "$tmp/plug.c" -o "$tmp/plug.so" &&
    gcc -O1 -w "$tmp/opens.c" -o "$tmp/opens" -pthread -ldl
opens() { # PRELOADS
    rm -rf "$tmp/run"; mkdir "$tmp/run"
    (cd "$tmp/run" && timeout -s KILL 60 env LD_PRELOAD="$1" "$tmp/opens" "$tmp/plug.so" \
        >"$tmp/out" 2>"$tmp/err"; s=$?; [ $s = 0 ] || echo "status $s")
    [ "$(cat "$tmp/out")" = closed ] || echo "stdout: $(cat "$tmp/out")"
    cat "$tmp/err"
}
wants another-dl_iterate_phdr-before && found "$(opens "$tmp/global.so:$so"; files 1)"
wants another-dl_iterate_phdr-behind && found "$(opens "$so:$tmp/global.so"; files 1)"

# The last thread ends the process as it does without libprof: with its status, and with the exit
# handlers only where libc runs them. In `handlers`, an exit handler's thread is the last one, so
# libc ends the process while the handler waits for it.
cat >"$tmp/last.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static int by_call, is_first;     /* how the second thread leaves; before the main thread */
static void say(const char *line) { (void)!write(1, line, strlen(line)); }
static void leave_unseen(long status)
{
#ifdef __x86_64__
    __asm__ volatile("syscall" : : "a"(SYS_exit), "D"(status));
#else
    register long number __asm__("x8") = SYS_exit, code __asm__("x0") = status;
    __asm__ volatile("svc 0" : : "r"(number), "r"(code));
#endif
}
static void *nothing(void *unused) { return unused; }
static void wait_for_main(void)         /* a main thread that has left is a zombie */
{
    char name[64], state = 0;
    sprintf(name, "/proc/self/task/%d/stat", (int)getpid());
    while (state != 'Z') {
        FILE *f = fopen(name, "r");
        if (!f || fscanf(f, "%*d %*s %c", &state) != 1)
            exit(9);
        fclose(f);
        usleep(1000);
    }
}
static void *second(void *unused)
{
    if (!is_first)
        wait_for_main();
    say("second\n");
    if (by_call)
        syscall(SYS_exit, 7);
    return unused;
}
static void one_more(void)
{
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    say("at exit\n");
}
static void in_child(void)
{
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    pid_t child = fork();
    if (!child)
        pthread_exit(0);
    int status;
    waitpid(child, &status, 0);
    printf("child %x\n", status);
    fflush(stdout);
    _exit(0);
}
int main(int argc, char **argv)
{
    pthread_t t;
    const char *how = argv[1];
    by_call = !strcmp(how, "thread-call") || !strcmp(how, "both-call");
    is_first = !strcmp(how, "main-last") || !strcmp(how, "end-call");
    if (strcmp(how, "end-call"))
        atexit(one_more);
    if (!strcmp(how, "handlers"))
        in_child();
    pthread_create(&t, 0, second, 0);
    if (!strcmp(how, "main-unseen"))
        leave_unseen(5);
    if (!strcmp(how, "main-call") || !strcmp(how, "both-call"))
        syscall(SYS_exit, 5);
    if (!strcmp(how, "main-last")) {
        pthread_join(t, 0);
        syscall(SYS_exit, 5);
    }
    if (!strcmp(how, "end-call")) {
        pthread_join(t, 0);
        syscall(SYS_exit_group, 6);
    }
    pthread_exit(0);
}
END
gcc -O1 -w "$tmp/last.c" -o "$tmp/last" -pthread
for how in main-call main-unseen main-last both-call thread-call end-call libc; do
    wants last-thread-$how && found "$(same "$tmp/last" $how; quiet; files 1
        "$prof" report --json "$tmp"/run/*.prof | jq .program.spawns >"$tmp/got"
        [ "$(cat "$tmp/got")" -ge 1 ] || echo 'no spawn')"
done
wants last-thread-handlers && found "$(same "$tmp/last" handlers; quiet; files 2)"

# A lost profile has a line of its own, whatever shortage had one before, and in each process of a
# family: here libprof's threads cannot start either.
cat >"$tmp/data.c" <<'END'
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static void *nothing(void *unused) { return unused; }
static void one_thread(void)
{
    pthread_t t;
    if (!pthread_create(&t, 0, nothing, 0))
        pthread_join(t, 0);
}
int main(int argc, char **argv)
{
    struct rlimit none = { 0, 0 };
    if (argc > 1)
        one_thread();
    setrlimit(RLIMIT_DATA, &none);
    one_thread();
    if (argc > 2) {
        pid_t child = fork();
        one_thread();
        if (child)
            waitpid(child, 0, 0);
    }
    return 0;
}
END
gcc -O1 -w "$tmp/data.c" -o "$tmp/data" -pthread
lost() { # PROFILES-LOST ARGUMENTS...
    lost=$1; shift
    same "$tmp/data" "$@"; files 0
    [ "$(grep -c '^libprof: cannot write the profile .*: out of memory' "$tmp/err")" = "$lost" ] ||
        echo "not $lost lost: $(cat "$tmp/err")"
}
# no thread was made, so nothing is lost
wants lost-profile-nothing && found "$(lost 0)"
wants lost-profile-later && found "$(lost 1 x)"
wants lost-profiles-forked && found "$(lost 2 x fork)"
