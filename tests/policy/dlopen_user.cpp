// dlopen_user.cpp - loads loop_plugin.so RTLD_LOCAL and runs it three times. (It stays loaded:
// unloading libtbb under its own workers crashes natively.)
#include <cstdio>
#include <dlfcn.h>

int main(int, char **argv)
{
    {
        void *h = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        auto run = h ? (void (*)(long))dlsym(h, "plugin_run") : nullptr;
        if (!run) {
            std::fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        for (int i = 0; i < 3; i++)
            run(100);
    }
}
