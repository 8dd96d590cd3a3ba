/* sleepers.c - threads that sleep deep in plug-ins of their own, which they close at once: sleepers
 * SECONDS OBJECT... A walk of their stacks meets code that may be unmapped at the next moment.
 * -DPLUGIN: such a plug-in.
 */
#include <stdlib.h>
#include <unistd.h>
#ifdef PLUGIN
int sleep_deep(int depth, int us)
{
    int below = depth ? sleep_deep(depth - 1, us) : usleep(us);
    __asm__ volatile("" : "+r"(below));
    return below;
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static time_t end;

static void *sleeper(void *object)
{
    unsigned seed = (unsigned)((char *)object)[strlen(object) - 4];
    while (time(0) < end) {
        void *handle = dlopen(object, RTLD_NOW), *symbol = handle ? dlsym(handle, "sleep_deep") : 0;
        int (*sleep_deep)(int, int);
        if (!symbol) {
            fprintf(stderr, "%s\n", dlerror());
            exit(1);
        }
        memcpy(&sleep_deep, &symbol, sizeof sleep_deep);
        sleep_deep(5000, rand_r(&seed) % 15000);
        dlclose(handle);
    }
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread[16];
    int threads = 0;
    end = time(0) + atoi(argv[1]);
    for (int i = 2; i < argc && threads < 16; i++)
        pthread_create(&thread[threads++], 0, sleeper, argv[i]);
    while (threads)
        pthread_join(thread[--threads], 0);
    return 0;
}
#endif
