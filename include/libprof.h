/* libprof.h - name regions of a program and, in tests, declare its costs.
 *
 * A program that includes this header is not linked with libprof: each call looks
 * its target up once with dlsym() and does nothing when libprof.so is not preloaded.
 * With a glibc older than 2.34, dlsym() needs -ldl.  The header may be compiled as
 * C (C99 or later, GNU dialect) or C++ (C++11 or later).
 *
 *     LD_PRELOAD=libprof.so ./app        the calls below reach the profiler
 *     ./app                              each call costs one load and one branch
 *
 * Regions (the "programmer interface" of Cilkview, section 4).  A region is what
 * ONE task does between libprof_region_start(name) and libprof_region_stop(name),
 * with all tasks that it joins in between.  Regions may nest and may overlap:
 * stop names the region it ends.  A region may be entered many times, by many
 * tasks; its measurements add up.  Of several nested starts of one name in one
 * task the outermost counts.
 *   work  = cost of the task and of all tasks that it joins between the calls
 *   span  = growth of the longest path (T_inf) between the calls
 * The same task must call start and stop.  A stop without a start, and a region
 * that is open when its task ends, are dropped and counted as losses.
 *
 * Thread safety: every function may be called from any thread.
 * Signal safety: none may be called from a signal handler.
 * Errors: the functions report none. If libprof has no memory, it drops the region
 * and counts a loss.
 */
#ifndef LIBPROF_H
#define LIBPROF_H

#include <dlfcn.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Looks NAME up in the global scope once. CACHE holds NULL (not looked up yet), (void *)-1
 * (libprof is not preloaded) or the address. Racing callers store the same value. */
static inline void *libprof_lookup_(void **cache, const char *name)
{
    void *p = __atomic_load_n(cache, __ATOMIC_RELAXED);
    if (__builtin_expect(p == 0, 0)) {
        p = dlsym((void *)0 /* RTLD_DEFAULT */, name);
        if (!p)
            p = (void *)-1;
        __atomic_store_n(cache, p, __ATOMIC_RELAXED);
    }
    return p == (void *)-1 ? (void *)0 : p;
}

/* 1 when libprof.so is preloaded and recording, else 0. */
static inline int libprof_active(void)
{
    static void *cache;
    void *p = libprof_lookup_(&cache, "libprof_active_impl");
    return p ? ((int (*)(void))p)() : 0;
}

/* Start a region of this name (up to 255 bytes; longer names are cut). The string is copied. */
static inline void libprof_region_start(const char *name)
{
    static void *cache;
    void *p = libprof_lookup_(&cache, "libprof_region_start_impl");
    if (p)
        ((void (*)(const char *))p)(name);
}

/* Stop the region of this name that the calling task started last. */
static inline void libprof_region_stop(const char *name)
{
    static void *cache;
    void *p = libprof_lookup_(&cache, "libprof_region_stop_impl");
    if (p)
        ((void (*)(const char *))p)(name);
}

/* With PROF_CLOCK=virtual, advances the calling strand's clock by COST units (reported as ns).
 * With every other clock it does nothing. Nothing else advances the virtual clock. So work, span
 * and every profile of a deterministic program have one exact value on any schedule. */
static inline void libprof_cost(uint64_t cost)
{
    static void *cache;
    void *p = libprof_lookup_(&cache, "libprof_cost_impl");
    if (p)
        ((void (*)(uint64_t))p)(cost);
}

#ifdef __cplusplus
} /* extern "C" */

/* RAII form: libprof_region r{"sort"}; */
struct libprof_region {
    const char *name;
    explicit libprof_region(const char *n) : name(n) { libprof_region_start(n); }
    ~libprof_region() { libprof_region_stop(name); }
    libprof_region(const libprof_region &) = delete;
    libprof_region &operator=(const libprof_region &) = delete;
};
#endif

#endif /* LIBPROF_H */
