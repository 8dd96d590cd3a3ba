/* test_objects.c - libprof's own table of loaded objects agrees with the loader's, while libraries
 * come and go. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "unwind/objects.h"

#define LIBRARY "libpfm.so.4"   /* one that no test program links */

static unsigned compared;

static void compare(uintptr_t pc)
{
    struct object ours;
    bool found = objects_find(pc, &ours);
#ifdef DLFO_EH_SEGMENT_TYPE
    struct dl_find_object loaders;
    cr_assert_eq(found, !_dl_find_object((void *)pc, &loaders), "%lx", pc);
    if (!found)
        return;
    cr_assert_eq(ours.start, (uintptr_t)loaders.dlfo_map_start);
    cr_assert_eq(ours.end, (uintptr_t)loaders.dlfo_map_end);
    cr_assert_eq(ours.bias, loaders.dlfo_link_map->l_addr);
    cr_assert_eq(ours.eh_frame, loaders.dlfo_eh_frame);
    cr_assert_str_eq(ours.path, loaders.dlfo_link_map->l_name);
#else
    cr_assert(found);           /* of addresses in objects: the first and the last */
    cr_assert(pc >= ours.start && pc < ours.end);
#endif
    compared++;
}

static int compare_object(struct dl_phdr_info *info, size_t size, void *unused)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            compare(start);
            compare(start + info->dlpi_phdr[i].p_memsz - 1);
        }
    return 0;
}

Test(objects, agree_with_the_loader)
{
    struct object o;
    cr_assert(objects_setup(true));
    dl_iterate_phdr(compare_object, 0);
    cr_assert_gt(compared, 10u);
    cr_assert(!objects_find(0, &o));
    cr_assert(!objects_find(UINTPTR_MAX, &o));
    cr_assert(!objects_find((uintptr_t)&o, &o), "the stack is in no object");
}

Test(objects, libraries_come_and_go)
{
    struct object o;
    cr_assert(objects_setup(true));
    cr_assert(!objects_follow(), "nothing came or went");
    void *h = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    cr_assert(h, "%s", dlerror());
    uintptr_t code = (uintptr_t)dlsym(h, "pfm_initialize");
    cr_assert(!objects_find(code, &o), "nobody asked the loader since");
    cr_assert(objects_follow());
    cr_assert(!objects_follow());
    cr_assert(objects_find(code, &o));
    cr_assert(strstr(o.path, "libpfm"), "%s", o.path);
    dl_iterate_phdr(compare_object, 0);
    dlclose(h);
    cr_assert(objects_follow());
    cr_assert(!objects_find(code, &o));
}

/* Readers, in threads and in a handler, find this program's code at any moment. */
static uint32_t over;
static unsigned wrong, asked, handled;

static void ask(void)
{
    struct object o;
    if (!objects_find((uintptr_t)ask, &o) || (uintptr_t)ask - o.start >= o.end - o.start || *o.path)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void *ask_again(void *unused)
{
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        ask();
        __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
    }
    return 0;
}

static void handler(int signal)
{
    ask();
    handled++;
}

static int follow_inside(struct dl_phdr_info *info, size_t size, void *unused)
{
    objects_follow();
    return 1;
}

Test(objects, readers_are_never_wrong)
{
    enum { READERS = 3, TURNS = 300 };
    pthread_t reader[READERS];
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
    struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
    cr_assert(objects_setup(true));
    for (int i = 0; i < READERS; i++)
        cr_assert(!pthread_create(&reader[i], 0, ask_again, 0));
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &often, 0);
    for (int i = 0; i < TURNS; i++) {
        void *h = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
        if (i & 1)
            objects_follow();
        else
            dl_iterate_phdr(follow_inside, 0);
        dlclose(h);
        objects_follow();
    }
    setitimer(ITIMER_REAL, &never, 0);
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < READERS; i++)
        pthread_join(reader[i], 0);
    cr_assert_eq(wrong, 0u, "%u of %u, %u in a handler", wrong, asked, handled);
    cr_assert_gt(asked, 100u);
    cr_assert_gt(handled, 10u);
}

/* While another thread is in dlclose, only what the program started with is found. A child of fork
 * has no such thread. */
static void *close_until_over(void *began)
{
    objects_unload_begin();
    __atomic_store_n((uint32_t *)began, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
        sched_yield();
    objects_unload_end();
    return 0;
}

Test(objects, others_close)
{
    struct object o;
    uint32_t began = 0;
    pthread_t t;
    int status;
    cr_assert(objects_setup(true));
    void *h = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    uintptr_t code = (uintptr_t)dlsym(h, "pfm_initialize");
    cr_assert(objects_follow());
    objects_unload_begin();
    cr_assert(objects_find(code, &o), "this thread closes");
    objects_unload_end();
    cr_assert(!pthread_create(&t, 0, close_until_over, &began));
    while (!__atomic_load_n(&began, __ATOMIC_ACQUIRE))
        sched_yield();
    cr_assert(!objects_find(code, &o));
    cr_assert(objects_find((uintptr_t)ask, &o));
    pid_t child = fork();
    if (!child) {
        objects_forked();
        _exit(objects_find(code, &o) ? 7 : 8);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
    pthread_join(t, 0);
    cr_assert(objects_find(code, &o));
}
