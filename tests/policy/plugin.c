/* plugin.c - two threads make the process' first spawns at once, one of them in a constructor,
 * inside dlopen: it has the loader's lock, which libprof needs at the other's. With -DPLUGIN the
 * plug-in. Ends with 0. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *nothing(void *arg)
{
    return arg;
}

static int spawns(void)
{
    pthread_t t;
    return pthread_create(&t, 0, nothing, 0) || pthread_join(t, 0);
}

#ifdef PLUGIN
/* The main thread waits for something: for the loader's lock, or, natively, for this thread. */
static int main_waits(void)
{
    char name[64], text[512];
    snprintf(name, sizeof name, "/proc/self/task/%d/stat", getpid());
    FILE *f = fopen(name, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    const char *after_name = strrchr(text, ')');
    return after_name && after_name[2] == 'S';
}

__attribute__((constructor)) static void start(void)
{
    if (write(atoi(getenv("INSIDE")), "", 1) != 1)
        _exit(6);
    for (int waits = 0; waits < 20; usleep(1000))
        waits = main_waits() ? waits + 1 : 0;
    if (spawns())
        _exit(3);
}
#else
static void *opens(void *name)
{
    return dlopen(name, RTLD_NOW) ? name : 0;
}

/* Not the interposed pthread_create, which would be the first spawn. */
static int unseen(pthread_t *t, void *(*routine)(void *), void *arg)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = 0;
    static const char *const libraries[] = { "libc.so.6", "libpthread.so.0" }; /* before 2.34 */
    for (int i = 0; i < 2 && !create; i++) {
        void *library = dlopen(libraries[i], RTLD_NOW | RTLD_NOLOAD);
        *(void **)&create = library ? dlsym(library, "pthread_create") : 0;
    }
    return create ? create(t, 0, routine, arg) : 1;
}

int main(int argc, char **argv)
{
    pthread_t t;
    void *opened = 0;
    int inside[2];
    char number[16], byte;
    if (argc < 2 || pipe(inside))
        return 4;
    snprintf(number, sizeof number, "%d", inside[1]);
    setenv("INSIDE", number, 1);
    if (unseen(&t, opens, argv[1]) || read(inside[0], &byte, 1) != 1)
        return 4;
    if (spawns())
        return 5;
    pthread_join(t, &opened);
    return !opened;
}
#endif
