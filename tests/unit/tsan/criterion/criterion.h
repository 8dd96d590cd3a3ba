/* criterion.h - the part of Criterion's interface that our unit tests use, for ThreadSanitizer
 * alone: Criterion's own runner does not survive it (its workers are forked with threads running).
 * Every test runs in a child of a single-threaded parent, one after the other; TAP lines, as
 * Criterion's.
 */
#ifndef TESTS_UNIT_TSAN_CRITERION_CRITERION_H
#define TESTS_UNIT_TSAN_CRITERION_CRITERION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct plain_test {
    const char *suite, *name;
    void (*run)(void), (*init)(void);
    double timeout;
    struct plain_test *next;
};
static struct plain_test *plain_tests;
static int plain_failed;

static inline void plain_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    plain_failed = 1;
}

#define Test(suite_, name_, ...)                                                                   \
    static void test_##suite_##_##name_(void);                                                     \
    static struct {                                                                                \
        void (*init)(void);                                                                        \
        double timeout;                                                                            \
    } test_##suite_##_##name_##_options = { __VA_ARGS__ };                                         \
    __attribute__((constructor)) static void test_##suite_##_##name_##_add(void)                   \
    {                                                                                              \
        static struct plain_test t = { #suite_, #name_, test_##suite_##_##name_, 0, 0, 0 };        \
        t.init = test_##suite_##_##name_##_options.init;                                           \
        t.timeout = test_##suite_##_##name_##_options.timeout;                                     \
        t.next = plain_tests;                                                                      \
        plain_tests = &t;                                                                          \
    }                                                                                              \
    static void test_##suite_##_##name_(void)

#define cr_expect(c, ...) ((c) ? (void)0 : plain_fail(__FILE__, __LINE__, #c))
#define cr_assert(c, ...) ((c) ? (void)0 : (plain_fail(__FILE__, __LINE__, #c), _exit(1)))
#define cr_expect_eq(a, b, ...) cr_expect((a) == (b))
#define cr_expect_lt(a, b, ...) cr_expect((a) < (b))
#define cr_expect_gt(a, b, ...) cr_expect((a) > (b))
#define cr_expect_geq(a, b, ...) cr_expect((a) >= (b))
#define cr_expect_str_eq(a, b, ...) cr_expect(!strcmp(a, b))
#define cr_assert_eq(a, b, ...) cr_assert((a) == (b))
#define cr_assert_lt(a, b, ...) cr_assert((a) < (b))
#define cr_assert_leq(a, b, ...) cr_assert((a) <= (b))
#define cr_assert_neq(a, b, ...) cr_assert((a) != (b))
#define cr_assert_geq(a, b, ...) cr_assert((a) >= (b))
#define cr_assert_gt(a, b, ...) cr_assert((a) > (b))
#define cr_assert_null(a, ...) cr_assert(!(a))
#define cr_assert_not_null(a, ...) cr_assert(a)
#define cr_log_info(...) ((void)fprintf(stderr, __VA_ARGS__), (void)fputc('\n', stderr))
#define cr_skip_test(...) _exit(77)

int main(int argc, char **argv)
{
    int failed = 0;
    for (struct plain_test *t = plain_tests; t; t = t->next) {
        fflush(0);
        pid_t child = fork();
        if (child == 0) {
            alarm(t->timeout ? (unsigned)t->timeout : 120);
            if (t->init)
                t->init();
            t->run();
            exit(plain_failed);         /* the sanitizer's own status where it reported something */
        }
        int status = 0;
        waitpid(child, &status, 0);
        int skipped = WIFEXITED(status) && WEXITSTATUS(status) == 77, ok = skipped || status == 0;
        failed += !ok;
        printf("%s - %s::%s%s\n", ok ? "ok" : "not ok", t->suite, t->name,
               skipped ? " # SKIP" : "");
    }
    return failed != 0;
}

#endif
