/* test_typical.c - the typical span of known distributions: which parts are outliers, and what they
 * count with. The clock is the virtual one, whose units are taken for ns here.
 */
#include <criterion/criterion.h>
#include "arch/cpu.h"
#include "by_hand.h"
#include "dag/typical.h"
#include "engine/dependence.h"

enum { USUAL = 10000, TASKS = 3000 };

static void judged(void)
{
    engine_fresh(0);
    typical_least = 1024;
    typical_most = 300000;
}

/* A loop of tasks, each of which costs cost(i). Its span and typical span. */
static struct snapshot loop(uint64_t (*cost)(unsigned i))
{
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    for (unsigned i = 0; i < TASKS; i++) {
        child_begin(th, scope_own(th, root), 1);
        child_end(th, root, cost(i));
    }
    engine_join(th, scope_own(th, root));
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    return s;
}

/* With what was taken off and is not confirmed. */
static uint64_t typical(const struct snapshot *s, struct outliers *o)
{
    uint64_t span = s->len.T;
    for (uint32_t i = 0; i < s->context_count; i++) {
        struct outliers of;
        if (!typical_sum(i, &of))
            continue;
        span += of.again;
        if (of.count)
            *o = of;
    }
    return span < s->span ? span : s->span;
}

static uint64_t random32(void)
{
    static uint64_t x = 1;
    x = x * 6364136223846793005u + 1442695040888963407u;
    return x >> 32;
}

static double unit(void)
{
    return (random32() + 1.0) / 4294967297.0;
}

static uint64_t equal(unsigned i) { (void)i; return USUAL; }
static uint64_t hit(unsigned i) { return USUAL + (i % 100 == 50 ? 1000 * (6 + i / 100 * 4) : 0); }
static uint64_t hit_first(unsigned i)
{
    return USUAL + (i % 100 == 10 ? 1000 * (6 + i / 100 * 4) : 0);
}
static uint64_t long_one(unsigned i) { return i == 1234 ? 50000000 : USUAL; }
static uint64_t modes(unsigned i) { return i % 8 ? USUAL : 5 * USUAL; }
/* 100 us where the others take 10: as much of the time as interrupts take, and more than that. */
static uint64_t planted(unsigned i) { return i % 200 == 100 ? 10 * USUAL : USUAL; }
static uint64_t planted_often(unsigned i) { return i % 50 == 25 ? 10 * USUAL : USUAL; }
static uint64_t two_kinds(unsigned i) { return i % 10 < 3 ? 10 * USUAL : USUAL; }
static uint64_t uniform(unsigned i) { (void)i; return 1 + 2 * USUAL * unit(); }
static uint64_t exponential(unsigned i)
{
    double u = unit(), halvings = 0;    /* -log(u), straight between powers of two */
    for (; u < 0.5; u *= 2)
        halvings++;
    (void)i;
    return 1 + USUAL * 0.6931 * (halvings + 2 - 2 * u);
}
static uint64_t half_of_half(unsigned i) { return 1024u << __builtin_ctz(i + 1); }
/* A recursion of sixteen, whose parts cost as much as they have elements. */
static uint64_t sixteenths(unsigned i)
{
    return 1024u << 4 * (__builtin_ctz(i + 1) / 4);
}
static uint64_t late_phase(unsigned i) { return i < 2000 ? USUAL : 5 * USUAL; }
static uint64_t below(unsigned i) { return i % 500 == 250 ? 20000 : 50; }

Test(typical, equal)
{
    judged();
    struct outliers o = { 0 };
    struct snapshot s = loop(equal);
    cr_expect_eq(s.span, USUAL);
    cr_expect_eq(typical(&s, &o), USUAL);
    cr_expect_eq(o.count, 0);
}

/* One strand in a hundred is an outlier, by 6 to 122 us. */
Test(typical, hits)
{
    judged();
    struct outliers o = { 0 };
    struct snapshot s = loop(hit);
    cr_expect_eq(s.span, USUAL + 122000);
    cr_expect_leq(typical(&s, &o), USUAL * 103 / 100);
    cr_expect_eq(o.count, 30);
    cr_expect_eq(o.parts, TASKS);
    cr_expect_geq(o.excess, 30 * 62000);
    cr_expect_leq(o.excess, 30 * 66000);
}

/* Only their costs distinguish them from interrupts. If strands scatter no more than these, T is an
 * estimate. */
Test(typical, planted_few)
{
    judged();
    struct outliers o = { 0 };
    struct snapshot s = loop(planted);
    cr_expect_eq(s.span, 10 * USUAL);
    cr_expect_leq(typical(&s, &o), USUAL * 103 / 100);
    cr_expect_eq(o.count, 15);
    cr_expect_geq(o.longest, 10 * USUAL * 15 / 16);
    cr_expect_leq(o.longest, 10 * USUAL * 17 / 16);
}

/* When few parts are known, too. */
Test(typical, hits_at_first)
{
    judged();
    struct outliers o = { 0 };
    struct snapshot s = loop(hit_first);
    cr_expect_leq(typical(&s, &o), USUAL * 103 / 100);
    cr_expect_eq(o.count, 30);
}

/* Parts that are too short for the histogram are the like of one that is an outlier. */
Test(typical, hits_of_short_parts)
{
    judged();
    struct outliers o = { 0 };
    struct snapshot s = loop(below);
    cr_expect_eq(s.span, 20000);
    cr_expect_leq(typical(&s, &o), 1024);
    cr_expect_eq(o.count, 6);
    cr_expect_eq(o.parts, TASKS);
}

static void stays(uint64_t (*cost)(unsigned i), const char *what)
{
    judged();
    struct outliers o = { 0 };
    struct snapshot s = loop(cost);
    double t = typical(&s, &o);
    cr_expect_geq(t, 0.95 * s.span, "%s: %g of %lu", what, t, s.span);
    cr_expect_leq(t, s.span);
}

/* What programs do is no outlier. */
Test(typical, one_long_task) { stays(long_one, "one of 50 ms"); }
Test(typical, several_modes) { stays(modes, "two modes"); }
Test(typical, planted_often) { stays(planted_often, "one in 50 of 100 us"); }
Test(typical, two_kinds) { stays(two_kinds, "three in ten of 100 us"); }
Test(typical, uniform) { stays(uniform, "uniform"); }
Test(typical, exponential) { stays(exponential, "exponential"); }
Test(typical, halves) { stays(half_of_half, "halves of halves"); }
Test(typical, sixteenths) { stays(sixteenths, "sixteenths of sixteenths"); }

/* The first of a new phase are taken for outliers, which later ones do not confirm. */
Test(typical, phases) { stays(late_phase, "two phases"); }

/* What is kept of a task that others depend on takes no more memory after an outlier: there may be
 * many (tests/openmp/memory.c). */
Test(typical, kept_in_place)
{
    judged();
    struct thread *th = thread_self_;
    struct task *t = th->cur;
    struct kept k;
    uint64_t S = t->S += 3;
    t->len = (struct lengths){ .L = S, .D = S, .T = S - 3 };
    kept_take(th, t, &k);
    cr_expect_eq(k.more, 2 * 3 + 1);
    t->len = (struct lengths){ .L = S, .D = S };
    engine_join_kept(th, t, &k, scope_own(th, t));
    cr_expect_eq(t->len.T, S - 3);
    struct kept longer = k;
    longer.more = 2 * 2 + 1;
    cr_expect(kept_covers(&longer, &k) && !kept_covers(&k, &longer));
    kept_drop(th, &k);
}

/* To count a part takes some ten ns, a judgement some us. The next part must not contain them. */
Test(typical, counting_is_overhead)
{
    engine_start("tsc", BURDEN);
    if (typical_least == UINT64_MAX || !clock_gap)
        cr_skip_test("no clock of ticks here");
    struct thread *th = thread_self_;
    /* An interrupt, or the first touch of a page, lengthens some of them: the shortest counts. */
    uint64_t ago = clock_gap / 4, took = UINT64_MAX, judged = UINT64_MAX;
    for (int i = 0; i < 100; i++) {
        uint64_t t0 = th->t0, measured = th->measured_tsc;
        typical_excess(th, th->cur->ctx->id, 0, typical_least, cpu_counter() - ago);
        uint64_t moved = th->t0 - t0;
        cr_expect_eq(th->measured_tsc - measured, moved);
        if (moved > ago && moved < took)    /* else the thread was off its CPU since */
            took = moved;
        /* so long that the thread was off its CPU, which its clock sees: only a judgement counts */
        t0 = th->t0;
        typical_excess(th, th->cur->ctx->id, 0, typical_least, cpu_counter() - 2 * clock_gap);
        if (th->t0 - t0 < judged)
            judged = th->t0 - t0;
    }
    cr_expect_lt(took, clock_gap, "shortest of 100: %lu of a gap of %lu", took, clock_gap);
    cr_expect_lt(judged, clock_gap, "shortest of 100: %lu of a gap of %lu", judged, clock_gap);
}

/* The virtual clock and counters count nothing of the machine's interrupts. */
Test(typical, clean_clock)
{
    engine_fresh(0);
    typical_setup();
    cr_expect_eq(typical_least, UINT64_MAX);
    struct snapshot s = loop(hit);
    cr_expect_eq(s.len.T, s.span);
}
