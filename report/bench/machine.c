/* machine.c - facts of the machine that a measurement depends on: its cores, how busy other
 * programs keep them, and whether their clocks are steady. Each fact is optional: a kernel or a
 * container may not show it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/format.h"
#include "bench/bench.h"

/* The steps are dependent multiplications: about 3 cycles each on every machine, whatever caches
 * and other cores do. */
enum { LOOP_STEPS = 1000000, LOOP_REPEATS = 3 };

/* The first line of FILE, without its end; "": it cannot be read. The caller frees it. */
static char *first_line(const char *file)
{
    char line[256] = "";
    FILE *f = fopen(file, "re");
    if (f) {
        if (!fgets(line, sizeof line, f))
            *line = 0;
        fclose(f);
    }
    line[strcspn(line, "\n")] = 0;
    return format_clean(line);
}

static char *cpu_model(void)
{
    char line[256], *model = 0;
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f && !model && fgets(line, sizeof line, f))
        if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
            line[strcspn(line, "\n")] = 0;
            model = format_clean(strchr(line, ':') + 1 + strspn(strchr(line, ':') + 1, " "));
        }
    if (f)
        fclose(f);
    return model ? model : format_text("%s", "");
}

/* ---- the control group ---- */

/* Calls USE with the file NAME of prof's control group, then of each group around it, until USE
 * returns true. CONTROLLER is "" for version 2. The innermost file may be missing or without a
 * limit, because a container shows only a part of the hierarchy. Returns whether USE did. */
static bool each_group(const char *controller, const char *name, bool (*use)(FILE *, void *),
                       void *closure)
{
    char line[512], group[400] = "/";
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f && fgets(line, sizeof line, f)) {
        char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : 0;
        if (!path)
            continue;
        *path++ = 0;
        path[strcspn(path, "\n")] = 0;
        if (*controller ? strstr(names + 1, controller) != 0 : !names[1])
            snprintf(group, sizeof group, "%.399s", path);
    }
    if (f)
        fclose(f);
    bool found = false;
    while (!found) {
        char *file = format_text("/sys/fs/cgroup%s%s%s/%s", *controller ? "/" : "", controller,
                                 group, name);
        f = fopen(file, "re");
        if (f) {
            found = use(f, closure);
            fclose(f);
        }
        free(file);
        char *slash = strrchr(group, '/');
        if (!*group || !slash)
            break;
        *slash = 0;
    }
    return found;
}

static bool read_max(FILE *f, void *quota)
{
    double max, period;
    if (fscanf(f, "%lf %lf", &max, &period) != 2 || max <= 0 || period <= 0)
        return false;           /* "max": a group around may have a limit */
    *(double *)quota = max / period;
    return true;
}

static bool read_number(FILE *f, void *number)
{
    return fscanf(f, "%lf", (double *)number) == 1 && *(double *)number > 0;
}

static bool read_throttled(FILE *f, void *ns)
{
    char key[64];
    double value;
    while (fscanf(f, "%63s %lf", key, &value) == 2) {
        if (!strcmp(key, "throttled_usec"))
            *(double *)ns = value * 1e3;
        else if (!strcmp(key, "throttled_time"))
            *(double *)ns = value;
        else
            continue;
        return true;
    }
    return false;
}

static double quota_cores(void)
{
    double quota = 0, period = 0;
    if (!each_group("", "cpu.max", read_max, &quota) &&
        each_group("cpu", "cpu.cfs_quota_us", read_number, &quota))
        quota = each_group("cpu", "cpu.cfs_period_us", read_number, &period) ? quota / period : 0;
    return quota;
}

double machine_throttled(void)
{
    double ns = 0;
    if (!each_group("", "cpu.stat", read_throttled, &ns))
        each_group("cpu", "cpu.stat", read_throttled, &ns);
    return ns;
}

/* ---- facts ---- */

void machine_facts(struct bench_machine *m)
{
    cpu_set_t set;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    m->host = format_clean(host);
    m->cpu = cpu_model();
    m->governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    m->cpus = sysconf(_SC_NPROCESSORS_ONLN);
    m->allowed = sched_getaffinity(0, sizeof set, &set) ? m->cpus : CPU_COUNT(&set);
    m->quota = quota_cores();
    char *smt = first_line("/sys/devices/system/cpu/smt/active");
    m->smt = *smt == '1';
    free(smt);
    if (getloadavg(&m->load, 1) != 1)
        m->load = 0;
}

void machine_cpu(double *busy, double *steal)
{
    /* user nice system idle iowait irq softirq steal, in ticks; the first two include guests */
    double t[8] = { 0 }, tick = 1e9 / sysconf(_SC_CLK_TCK);
    FILE *f = fopen("/proc/stat", "re");
    if (f) {
        if (fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &t[0], &t[1], &t[2], &t[3], &t[4],
                   &t[5], &t[6], &t[7]) < 7)
            memset(t, 0, sizeof t);
        fclose(f);
    }
    *busy = (t[0] + t[1] + t[2] + t[5] + t[6]) * tick;
    *steal = t[7] * tick;
}

/* ---- the loop ---- */

struct looper {
    const int *go;              /* 0: wait for the others; 1: run; -1: they could not be started */
    double best_ns;
};

static void *loop(void *arg)
{
    struct looper *l = arg;
    int go;
    while (!(go = __atomic_load_n(l->go, __ATOMIC_ACQUIRE)))
        sched_yield();
    l->best_ns = 1e300;
    for (unsigned r = 0; r < LOOP_REPEATS && go > 0; r++) {
        struct timespec a, b;
        uint64_t x = 3;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (unsigned i = 0; i < LOOP_STEPS; i++) {
            x *= x;
            __asm__ volatile("" : "+r"(x));     /* one multiplication a step */
        }
        clock_gettime(CLOCK_MONOTONIC, &b);
        double ns = (b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec);
        l->best_ns = ns < l->best_ns ? ns : l->best_ns;
    }
    return 0;
}

/* The mean of N threads' best times; 0: the threads could not be started. */
static double time_loop(unsigned n)
{
    pthread_t *threads = format_memory(malloc(n * sizeof *threads));
    struct looper *l = format_memory(malloc(n * sizeof *l));
    unsigned started = 0;
    int go = 0;
    double sum = 0;
    for (; started < n; started++) {
        l[started].go = &go;
        if (pthread_create(&threads[started], 0, loop, &l[started]))
            break;
    }
    __atomic_store_n(&go, started == n ? 1 : -1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(threads[i], 0);
        sum += l[i].best_ns;
    }
    free(threads);
    free(l);
    return started == n ? sum / n : 0;
}

void machine_loop(struct bench_machine *m, unsigned p)
{
    m->loop_one = format_memory(realloc(m->loop_one, (m->loops + 1) * sizeof *m->loop_one));
    m->loop_all = format_memory(realloc(m->loop_all, (m->loops + 1) * sizeof *m->loop_all));
    m->loop_p = p;
    m->loop_one[m->loops] = time_loop(1);
    m->loop_all[m->loops] = p > 1 ? time_loop(p) : m->loop_one[m->loops];
    m->loops++;
}
