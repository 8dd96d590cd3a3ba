// dlopen_user.cpp - loads loop_plugin.so RTLD_LOCAL, runs it, unloads it; several times.
#include <cstdio>
#include <dlfcn.h>

int main(int, char **argv)
{
    for (int i = 0; i < 3; i++) {
        void *h = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        auto run = h ? (void (*)(long))dlsym(h, "plugin_run") : nullptr;
        if (!run) {
            std::fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        run(100);
        dlclose(h);
    }
}
