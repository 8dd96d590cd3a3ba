// faults_delay.c - a preload that only spends time: DELAY_NS (500) in each function below, before
// it goes on to the original.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define TBB(name) "_ZN3tbb6detail2r1" name
#define FUNCTIONS(F) \
    F(1, "GOMP_parallel") F(2, "GOMP_task") F(3, "GOMP_single_start") F(4, "GOMP_barrier") \
    F(5, "__kmpc_omp_task_alloc") F(6, "__kmpc_omp_task") F(7, "__kmpc_single") \
    F(8, "__kmpc_barrier") F(9, "pthread_create") F(10, "pthread_join") \
    F(11, TBB("7enqueueERNS0_2d14taskEPNS2_15task_arena_baseE")) \
    F(12, TBB("6resumeEPNS1_18suspend_point_typeE")) \
    F(13, TBB("7suspendEPFvPvPNS1_18suspend_point_typeEES2_")) \
    F(14, TBB("8allocateERPNS0_2d117small_object_poolEm")) \
    F(15, TBB("10deallocateERNS0_2d117small_object_poolEPvmRKNS2_14execution_dataE"))

static int64_t delay_ns = 500;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

void delay(void);
void delay(void)
{
    for (int64_t end = now() + delay_ns; now() < end;)
        ;
}

#define ENTRY(n, name) \
    void *original##n; \
    __asm__(".globl \"" name "\"\n.type \"" name "\", @function\n\"" name "\":\n" \
            "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %rax\n" \
            "call delay@PLT\n" \
            "pop %rax\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\n" \
            "mov original" #n "@GOTPCREL(%rip), %r11\njmp *(%r11)\n");
FUNCTIONS(ENTRY)

__attribute__((constructor(101))) static void find(void)
{
    const char *ns = getenv("DELAY_NS");
    if (ns)
        delay_ns = atoll(ns);
#define FIND(n, name) original##n = dlsym(RTLD_NEXT, name);
    FUNCTIONS(FIND)
}
