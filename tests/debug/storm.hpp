// storm.hpp - what the storms share: each ends with a line that names what was wrong; each loads
// and unloads a plug-in (tests/soak) that uses the runtime.
#ifndef TESTS_DEBUG_STORM_HPP
#define TESTS_DEBUG_STORM_HPP

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(bool ok, const char *what)
{
    if (!ok) {
        std::fprintf(stderr, "storm: %s\n", what);
        std::_Exit(1);
    }
}

static const char *plugin_file;
static void plugin()
{
    void *h = dlopen(plugin_file, RTLD_NOW);
    must(h, "dlopen");
    must(((long (*)(int))dlsym(h, "soak_plugin"))(50) == 50 * 49 / 2, "plugin");
    dlclose(h);
}

// The child runs another program if I is odd, and ends at once if not.
static void fork_child(int i)
{
    pid_t c = fork();
    if (!c) {
        if (i % 2)
            execl("/bin/true", "true", nullptr);
        _exit(i % 2 ? 9 : 0);
    }
    int s = 1;
    must(c > 0 && waitpid(c, &s, 0) == c, "fork");
    must(s == 0, "child");
}

#endif
