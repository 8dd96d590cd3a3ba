/* plugin.c - two threads make the process' first spawns at once, one of them in a constructor, inside dlopen: it has the loader's lock,
 * which libprof needs at the other's. With -DPLUGIN the plug-in. Ends with 0. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
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
__attribute__((constructor)) static void start(void)
{
    usleep(300000);
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
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    *(void **)&create = libc ? dlsym(libc, "pthread_create") : 0;
    return create ? create(t, 0, routine, arg) : 1;
}

int main(int argc, char **argv)
{
    pthread_t t;
    void *opened = 0;
    if (argc < 2 || unseen(&t, opens, argv[1]))
        return 4;
    usleep(100000);
    if (spawns())
        return 5;
    pthread_join(t, &opened);
    return !opened;
}
#endif
