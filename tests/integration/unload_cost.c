/* unload_cost.c - what dlclose costs with many plug-ins at once: opens each OBJECT, lets it make a
 * thread, then closes all.
 *   unload_cost OBJECT...
 * -DPLUGIN: such a plug-in.
 */
#include <pthread.h>
#ifdef PLUGIN
static void *nothing(void *unused) { return unused; }

void run(void)
{
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    __asm__ volatile("");
}
#else
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static void *object[1000];
    for (int i = 1; i < argc && i < 1000; i++) {
        object[i] = dlopen(argv[i], RTLD_NOW);
        void *symbol = object[i] ? dlsym(object[i], "run") : 0, (*run)(void);
        if (!symbol)
            return fprintf(stderr, "%s\n", dlerror()), 1;
        memcpy(&run, &symbol, sizeof run);
        run();
    }
    for (int i = 1; i < argc && i < 1000; i++)
        dlclose(object[i]);
    return 0;
}
#endif
