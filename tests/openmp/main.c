/* main.c - OpenMP constructs under the virtual clock, and what libprof must measure of them.
 *
 *   constructs CASE              run CASE on OMP_NUM_THREADS threads
 *   constructs --expect CASE     print the expected values: the model's, compared with closed forms
 *   constructs --where CASE      print the source file and line of CASE
 *   constructs --list            name the cases
 *   constructs --time CASE US    run CASE with costs that sleep, US microseconds a unit: with
 *                                enough threads the elapsed time is the span, and OpenMP itself
 *                                has checked the model
 *
 * The case random_SEED, or "random SEED" (--time random US SEED), is a random program (random.c);
 * twin_SEED is one that is the same for all compilers. The other cases are those of constructs/.
 * Every run checks that the declared costs add up to the expected work.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "libprof.h"
#include "cases.h"

int P;
static long unit_us, declared;
static long want_handed[3];
static long want_work = -1, want_span = -1, want_divisible = -1, span_min = -1, span_max = -1;
static int no_work, no_tasks;
static const char *skipped, *named_construct;
static long named_work;

enum { BEFORE = 3, AFTER = 4 }; /* costs around every case */

void cost(long c)
{
    libprof_cost(c);
    __atomic_fetch_add(&declared, c, __ATOMIC_RELAXED);
    if (unit_us && c) {
        struct timespec t = { c * unit_us / 1000000, c * unit_us % 1000000 * 1000 };
        nanosleep(&t, NULL);
    }
}
void check(int holds)
{
    if (!holds) {
        fprintf(stderr, "wrong result\n");
        abort();
    }
}

void closed(long w, long s) { want_work = w, want_span = s; }
void work_unknown(void) { no_work = 1; }
void span_between(long min, long max) { span_min = min, span_max = max; }
void divisible(long s) { want_divisible = s; }
void handed(long chunks, long work, long longest)
{
    want_handed[0] = chunks;
    want_handed[1] = work;
    want_handed[2] = longest;
}
void tasks_unknown(void) { no_tasks = 1; }
void skip(const char *reason) { skipped = reason; }
void named(long work, const char *construct) { named_work = work, named_construct = construct; }

void in_single(void (*body)(void))
{
#pragma omp parallel
#pragma omp single
    body();
}
void m_in_single(void (*body)(void))
{
    m_fork(P);
    body();
    m_join();
}

/* The linker gives these names to the section's begin and end. */
extern const struct omp_case *__start_omp_cases[], *__stop_omp_cases[];
enum { RANDOM_SEEDS = 24 };

static const struct omp_case *find(const char *name, const char *seed)
{
    if (!strncmp(name, "random", 6) && (name[6] ? name[6] == '_' : seed != NULL)) {
        random_program(atol(name[6] ? name + 7 : seed), 0);
        return &random_case;
    }
    if (!strncmp(name, "twin_", 5)) {
        random_program(atol(name + 5), 1);
        return &random_case;
    }
    for (const struct omp_case **c = __start_omp_cases; c < __stop_omp_cases; c++)
        if (!strcmp((*c)->name, name))
            return *c;
    fprintf(stderr, "no case %s\n", name);
    exit(2);
}

static int expect(const struct omp_case *c, int print)
{
    m_cost(BEFORE);
    c->expect();
    m_cost(AFTER);
    long w = m_work(), s = m_span(), around = BEFORE + AFTER;
    if ((want_work >= 0 && want_work + around != w) ||
        (want_span >= 0 && want_span + around != s)) {
        fprintf(stderr, "model: %ld %ld, closed form: %ld %ld\n", w - around, s - around, want_work,
                want_span);
        exit(3);
    }
    if (!print)
        return 0;
    if (named_construct)
        printf("named %ld %s\n", named_work + around, named_construct);
    if (skipped)
        return printf("skip %s\n", skipped), 0;
    if (!no_work)
        printf("work %ld\n", w);
    if (span_max < 0)
        printf("span %ld\n", s);
    else
        printf("span_min %ld\nspan_max %ld\n", span_min + around, span_max + around);
    if (want_handed[0])
        printf("handed %ld\nhanded_work %ld\nhanded_longest %ld\n", want_handed[0], want_handed[1],
               want_handed[2]);
    if (want_divisible >= 0)
        printf("divisible %ld\n", want_divisible + around);
    if (!no_tasks && !m_chunked()) /* whether a chunk counts as a spawn, the agent decides */
        printf("tasks %ld\nimplicit %ld\n", m_tasks(), m_implicit());
    return 0;
}

static double run(const struct omp_case *c)
{
    struct timespec t0, t1;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    cost(BEFORE);
    c->run();
    cost(AFTER);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    expect(c, 0);
    if (!no_work && declared != m_work()) {
        fprintf(stderr, "%ld declared, %ld expected\n", declared, m_work());
        exit(4);
    }
    return (t1.tv_sec - t0.tv_sec) * 1e6 + (t1.tv_nsec - t0.tv_nsec) / 1e3;
}

static int time_it(const struct omp_case *c, long us)
{
    if (us <= 0)
        return 2;
    unit_us = us;
    omp_set_max_active_levels(1);
#pragma omp parallel    /* the threads exist */
    ;
    double units = run(c) / unit_us;
    if (span_max < 0)
        printf("elapsed %.1f span %ld\n", units, m_span());
    else
        printf("elapsed %.1f span %ld to %ld\n", units, span_min + BEFORE + AFTER,
               span_max + BEFORE + AFTER);
    return 0;
}

static void list(void)
{
    for (const struct omp_case **c = __start_omp_cases; c < __stop_omp_cases; c++)
        puts((*c)->name);
    for (int i = 1; i <= RANDOM_SEEDS; i++)
        printf("random_%d\n", i);
}

int main(int argc, char **argv)
{
    P = omp_get_max_threads();
    if (argc == 2 && !strcmp(argv[1], "--list"))
        return list(), 0;
    if (argc >= 3 && !strcmp(argv[1], "--expect"))
        return expect(find(argv[2], argv[3]), 1);
    if (argc >= 3 && !strcmp(argv[1], "--where")) {
        const struct omp_case *c = find(argv[2], argv[3]);
        printf("%s:%d\n", c->file, c->line);
        return 0;
    }
    if (argc >= 4 && !strcmp(argv[1], "--time"))
        return time_it(find(argv[2], argv[4]), atol(argv[3]));
    if (argc < 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: %s --list | --expect CASE | --where CASE | --time CASE US | CASE\n",
                argv[0]);
        return 2;
    }
    run(find(argv[1], argv[2]));
    return 0;
}
