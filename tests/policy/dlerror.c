/* The error that dlopen and dlsym leave for dlerror(). ./dlerror [PLUGIN...] prints what is pending
 * at the start, and whether an error of the program's own stays pending across its first thread and
 * across the first parallel construct of each PLUGIN (`run`).
 *
 * -DNONE_PENDING: no error is pending when the first thread starts.
 * -DOWN_FREE: a `free` that looks the real one up at its first call. It would call itself for ever
 * if an error were pending.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef OWN_FREE
void free(void *p)
{
    static void (*real)(void *);
    if (!real)
        real = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    real(p);
}
#endif

static void *nothing(void *unused)
{
    return unused;
}

static void say(const char *when)
{
    const char *error = dlerror();
    printf("%s: %s\n", when, error ? error : "no error");
}

static void fail(void)
{
    if (dlopen("/nonexistent/errors.so", RTLD_NOW))
        puts("it exists");
}

int main(int argc, char **argv)
{
    pthread_t t;
    say("at the start");
    void *volatile p = malloc(10);      /* gcc removes a pair that it sees */
    free(p);
#ifndef NONE_PENDING
    fail();
#endif
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    say("a thread");
    say("again");
    for (int i = 1; i < argc; i++) {
        void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "run") : 0;
        if (!run) {
            say("no plugin");
            continue;
        }
        fail();
        printf("%d\n", run());
        say("the first construct");
        say("again");
        printf("%d\n", run());
        say("the second construct");
    }
    return 0;
}
