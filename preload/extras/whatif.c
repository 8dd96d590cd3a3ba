/* whatif.c - see whatif.h.
 *
 * Order of the file: the setting, candidates' code, chains of candidates, lengths, samples.
 *
 * Who writes what. Chains (struct whatif_inside) and estimates are interned in tables that only grow, under `lock`,
 * and read without it. An estimate's weights are replaced under the lock and may be read half old, half new: either is
 * an estimate. A thread's sums (struct whatif_thread) are its own.
 */
#define _GNU_SOURCE
#include "extras/whatif.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "model/block.h"
#include "clock/clock.h"
#include "base/config.h"
#include "libprof_format.h"
#include "base/message.h"
#include "model/run.h"
#include "model/strand.h"
#include "model/thread.h"
#include "context/modules.h"
#include "unwind/cct.h"
#include "base/forbid.h"

#define UNIT 65536u             /* weights are of this order: 2^47 ticks, most of a day, are still a length */
#define CHAINS 4096u            /* beyond, candidates that nest in more ways count as not nested */
#define ESTIMATES 8192u         /* a power of two */
#define OWN_SAMPLES 16u         /* a strand part with so many goes by its own */
#define CODE_BYTES (4u << 20)

READ_MOSTLY uint32_t whatif_scenarios, whatif_candidates, whatif_unit, whatif_slots;
struct whatif_scenario whatif_scenario[WHATIF_SCENARIOS];
struct whatif_term whatif_term[WHATIF_TERMS];
char *whatif_candidate[WHATIF_CANDIDATES];
struct whatif_seen whatif_seen[WHATIF_CANDIDATES];

static uint32_t term_count;
static uint32_t delay[WHATIF_CANDIDATES];       /* how many times more it is to cost, times DELAY_UNIT */
static bool delays;
#define DELAY_UNIT 64u
static uint32_t lengths_class;
LOCK_DEFINE(whatif_lock, LOCK_LEAF);    /* growth of the tables; memory.c's nests in it */

/* Candidates that a strand is inside of: a chain, outermost first; interned, never freed. */
struct whatif_inside {
    const struct whatif_inside *outer;  /* NULL: inside of none */
    uint32_t candidate, id;
    struct whatif_inside *inner[WHATIF_CANDIDATES];
    uint32_t weight[];          /* by scenario; the last: what it is delayed by */
};
static struct whatif_inside *outside;
static uint32_t chains;

/* What the samples of one context, inside of the same, say about its strands' weights. */
struct estimate {
    uint32_t context, inside;
    uint64_t samples;
    uint64_t *sums;             /* of their weights, by scenario */
    uint32_t *weight;           /* their mean */
};
static struct estimate *estimates;      /* by hash; context + 1 is the key, 0: free */
static uint32_t estimate_count;

struct whatif_thread {
    const struct task *sampled; /* whose strand part `part` samples hit */
    uint64_t part;
    uint32_t delaying;
    uint64_t *part_sum;         /* by scenario, and of the delays */
    uint64_t *work;             /* by scenario: cost times weight */
};

/* ---- the setting ---- */

static uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* NAME, with \ before what would end it; *P moves behind it. */
static int candidate(const char **p, const char *ends)
{
    char name[CONFIG_STRING];
    size_t n = 0;
    while (**p && !strchr(ends, **p) && n < sizeof name - 1) {
        if (**p == '\\' && (*p)[1])
            (*p)++;
        name[n++] = *(*p)++;
    }
    name[n] = 0;
    if (!n)
        return -1;
    int known = whatif_index(name);
    if (known >= 0)
        return known;
    if (whatif_candidates == WHATIF_CANDIDATES || !(whatif_candidate[whatif_candidates] = memory_keep(n + 1)))
        return -1;
    strcpy(whatif_candidate[whatif_candidates], name);
    return whatif_candidates++;
}

/* A factor: a decimal number with up to three places, at most 1000; "inf"; an x may follow. */
static bool factor(const char **p, uint32_t *num, uint32_t *den)
{
    const char *c = *p;
    uint64_t n = 0, d = 1;
    if (!strncmp(c, "inf", 3)) {
        *num = 1;
        *den = 0;
        *p = c + 3;
        return true;
    }
    bool point = false, digits = false;
    for (;; c++) {
        if (*c == '.' && !point) {
            point = true;
            continue;
        }
        if (*c < '0' || *c > '9')
            break;
        digits = true;
        n = n * 10 + (*c - '0');
        d *= point ? 10 : 1;
        if (n > 1000000 || d > 1000)
            return false;
    }
    if (*c == 'x')
        c++;
    if (!digits || !n || n > 1000 * d || d > 1000 * n)
        return false;
    uint32_t g = gcd(n, d);
    *num = n / g;
    *den = d / g;
    *p = c;
    return true;
}

static bool add_scenario(const struct whatif_term *terms, uint32_t n, bool limit)
{
    if (whatif_scenarios == WHATIF_SCENARIOS || term_count + n > WHATIF_TERMS)
        return false;
    whatif_scenario[whatif_scenarios++] = (struct whatif_scenario){ term_count, n, limit };
    for (uint32_t i = 0; i < n; i++)
        whatif_term[term_count++] = terms[i];
    return true;
}

/* ITEM;ITEM...  ITEM: NAME=F[,F...] [& NAME=F ...]. An item with one name is a scenario a factor; one with several
 * is one scenario of all of them. Several items of one name each are tried jointly, too: the first factors
 * together, the second, ... (the last of a shorter list goes on). Returns what is wrong, or NULL. */
static const char *parse(const char *p)
{
    enum { FACTORS = 16 };
    struct whatif_term item[WHATIF_CANDIDATES][FACTORS];
    uint32_t factors[WHATIF_CANDIDATES], items = 0, longest = 0;
    bool joint = true;
    while (*p) {
        struct whatif_term terms[WHATIF_CANDIDATES];
        uint32_t n = 0, f = 0;
        do {
            int c = candidate(&p, "=");
            if (c < 0 || *p != '=')
                return c < 0 ? "a name is missing, or there are more than 16" : "NAME=FACTOR is expected";
            for (f = 0; *p == (f ? ',' : '='); f++) {
                p++;
                struct whatif_term t = { .candidate = c };
                if (f == FACTORS || !factor(&p, &t.num, &t.den))
                    return "a factor is a number from 0.001 to 1000, or inf; 16 a name at most";
                if (n == WHATIF_CANDIDATES || items == WHATIF_CANDIDATES)
                    return "there are more than 16 names";
                terms[n] = item[items][f] = t;
            }
            n++;
        } while (*p == '&' && f == 1 && *++p);
        if (*p && *p != ';')
            return *p == '&' ? "one factor a name between &" : "; is expected between two candidates";
        p += *p == ';';
        if (n > 1) {
            joint = false;
            if (!add_scenario(terms, n, false))
                return "there are too many scenarios";
            continue;
        }
        for (uint32_t i = 0; i < f; i++)
            if (!add_scenario(&item[items][i], 1, false))
                return "there are too many scenarios";
        factors[items++] = f;
        longest = f > longest ? f : longest;
    }
    for (uint32_t k = 0; joint && items > 1 && k < longest; k++) {
        struct whatif_term all[WHATIF_CANDIDATES];
        for (uint32_t i = 0; i < items; i++)
            all[i] = item[i][k < factors[i] ? k : factors[i] - 1];
        if (!add_scenario(all, items, false))
            return "there are too many scenarios";
    }
    return 0;
}

/* NAME=FACTOR;...: what is to cost FACTOR times more. */
static const char *parse_delays(const char *p)
{
    while (*p) {
        struct whatif_term t;
        int c = candidate(&p, "=");
        if (c < 0 || *p++ != '=' || !factor(&p, &t.num, &t.den) || t.num < t.den || !t.den || t.num > 100 * t.den || (*p && *p != ';'))
            return "NAME=FACTOR[;NAME=FACTOR...] is expected, with factors from 1 to 100";
        p += *p == ';';
        delay[c] = (t.num - t.den) * DELAY_UNIT / t.den;
        delays = true;
    }
    return 0;
}

static const char *finish_setting(void)
{
    for (uint32_t c = 0; c < whatif_candidates; c++) {
        struct whatif_term nothing = { c, 1, 0 };
        if (!add_scenario(&nothing, 1, true))
            return "there are too many scenarios";
    }
    uint64_t unit = 1;          /* weights are whole, unless the factors' common multiple is too large */
    for (uint32_t i = 0; i < term_count && unit <= UNIT; i++)
        unit = unit / gcd(unit, whatif_term[i].num) * whatif_term[i].num;
    whatif_unit = unit <= UNIT ? UNIT / unit * unit : UNIT;
    whatif_slots = whatif_scenarios + 1;
    return whatif_scenarios ? 0 : "nothing is asked";
}

/* ---- candidates' code ---- */

/* The file of prof run: a line a range, "CANDIDATE START END MODULE", numbers in hexadecimal, addresses those of the
 * ELF file; MODULE is its build id, or its path where it has none. CANDIDATE + OWN: without what it calls. */
#define OWN 0x100u
struct range {
    uint64_t start, end;
    bool own;
    const char *module;         /* one pointer a module */
    uint32_t candidate;
};
static struct range *ranges;
static uint32_t range_count;
static uint8_t by_size[WHATIF_CANDIDATES];      /* code in code: the larger is the outer one */

static bool hex(const char **p, uint64_t *v)
{
    const char *c = *p;
    for (*v = 0; (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'f'); c++)
        *v = *v << 4 | (*c <= '9' ? *c - '0' : *c - 'a' + 10);
    bool ok = c != *p && *c == ' ';
    *p = c + ok;
    return ok;
}

static const char *load_code(const char *path)
{
    int fd = syscall(SYS_openat, (long)AT_FDCWD, path, (long)(O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), 0L);
    if (fd < 0)
        return "cannot be opened";
    char *text = memory_map(CODE_BYTES);
    size_t n = 0;
    long got = 0;
    while (text && n < CODE_BYTES - 1 && (got = syscall(SYS_read, (long)fd, text + n, CODE_BYTES - 1 - n)) > 0)
        n += got;
    syscall(SYS_close, (long)fd);
    if (!text || got < 0 || n == CODE_BYTES - 1)
        return "cannot be read, or is larger than 4 MiB";
    uint32_t lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    ranges = memory_map((lines + 1) * sizeof *ranges);
    if (!ranges)
        return "there is no memory for it";
    uint64_t size[WHATIF_CANDIDATES] = { 0 };
    for (char *p = text, *end; lines; lines--, p = end + 1) {
        for (end = p; *end != '\n'; end++)
            ;
        *end = 0;
        const char *at = p;
        uint64_t c;
        struct range *r = &ranges[range_count];
        if (!hex(&at, &c) || !hex(&at, &r->start) || !hex(&at, &r->end) || !*at || (c & ~(uint64_t)OWN) >= whatif_candidates ||
            r->start >= r->end)
            return "is not what prof run writes";
        r->own = c & OWN;
        r->candidate = c &= ~(uint64_t)OWN;
        r->module = at;
        for (uint32_t i = range_count; i-- > 0;)
            if (!strcmp(ranges[i].module, at)) {
                r->module = ranges[i].module;
                break;
            }
        size[c] += r->end - r->start;
        whatif_seen[c].code = true;
        range_count++;
    }
    for (uint32_t i = 0; i < whatif_candidates; i++) {
        uint32_t j = i;
        for (; j && size[by_size[j - 1]] < size[i]; j--)
            by_size[j] = by_size[j - 1];
        by_size[j] = i;
    }
    return 0;
}

/* The candidates whose code ADDRESS is, as bits. CALL: it is that of a call, which has led somewhere else. */
static uint32_t candidates_at(uintptr_t address, bool call)
{
    struct module_facts m;
    uint32_t found = 0;
    if (!range_count || !modules_find(address, &m))
        return 0;
    uint64_t at = address - m.bias;
    for (uint32_t i = 0; i < range_count; i++)
        if (at - ranges[i].start < ranges[i].end - ranges[i].start && !(call && ranges[i].own) &&
            (!strcmp(ranges[i].module, m.build_id) || !strcmp(ranges[i].module, m.path)))
            found |= 1u << ranges[i].candidate;
    return found;
}

/* By node of the calling context tree, and by context: bits of candidates, KNOWN when they were looked for. */
#define KNOWN 0x80000000u
static uint32_t *node_bits;

static uint32_t candidates_of_node(uint32_t node)
{
    uint32_t bits = __atomic_load_n(&node_bits[node], __ATOMIC_RELAXED);
    if (!bits) {
        const struct cct_node *n = cct_node(node);
        bits = KNOWN;
        if (n->kind == LPF_NODE_FRAME || n->kind == LPF_NODE_LEAF)
            bits |= candidates_at(n->address - (n->kind == LPF_NODE_FRAME), n->kind == LPF_NODE_FRAME);
        __atomic_store_n(&node_bits[node], bits, __ATOMIC_RELAXED);
    }
    return bits & ~KNOWN;
}

/* ---- chains ---- */

static void weigh(struct whatif_inside *in)
{
    for (uint32_t j = 0; j < whatif_scenarios; j++) {
        const struct whatif_scenario *s = &whatif_scenario[j];
        uint32_t weight = whatif_unit;
        for (const struct whatif_inside *i = in; i->outer; i = i->outer)        /* the outermost comes last */
            for (uint32_t k = s->first; k < s->first + s->terms; k++)
                if (whatif_term[k].candidate == i->candidate)
                    weight = ((uint64_t)whatif_unit * whatif_term[k].den + whatif_term[k].num / 2) / whatif_term[k].num;
        in->weight[j] = weight;
    }
    in->weight[whatif_scenarios] = 0;
    for (const struct whatif_inside *i = in; i->outer; i = i->outer)
        if (delay[i->candidate])
            in->weight[whatif_scenarios] = delay[i->candidate];
}

static bool has(const struct whatif_inside *in, uint32_t candidate)
{
    while (in->outer && in->candidate != candidate)
        in = in->outer;
    return in->outer;
}

static const struct whatif_inside *enter(const struct whatif_inside *at, uint32_t candidate)
{
    if (has(at, candidate))
        return at;
    struct whatif_inside *from = (struct whatif_inside *)at;
    struct whatif_inside *in = __atomic_load_n(&from->inner[candidate], __ATOMIC_ACQUIRE);
    if (in)
        return in;
    lock_take(&whatif_lock);
    in = from->inner[candidate];
    if (!in && chains < CHAINS && (in = memory_keep(sizeof *in + whatif_slots * sizeof in->weight[0]))) {
        in->outer = at;
        in->candidate = candidate;
        in->id = chains++;
        weigh(in);
        __atomic_store_n(&from->inner[candidate], in, __ATOMIC_RELEASE);
    }
    lock_release(&whatif_lock);
    return in ? in : at;
}

/* CHAIN without CANDIDATE, on top of nothing. */
static const struct whatif_inside *leave(const struct whatif_inside *in, uint32_t candidate)
{
    uint8_t order[WHATIF_CANDIDATES];
    uint32_t n = 0;
    for (; in->outer; in = in->outer)
        if (in->candidate != candidate)
            order[n++] = in->candidate;
    while (n)
        in = enter(in, order[--n]);
    return in;
}

static const struct whatif_inside *enter_all(const struct whatif_inside *in, uint32_t bits)
{
    for (uint32_t i = 0; bits && i < whatif_candidates; i++)
        if (bits >> by_size[i] & 1)
            in = enter(in, by_size[i]);
    return in;
}

/* What a task spawned in CTX from IN is inside of: the frames from the spawner's entry to the spawn decide. */
static uint32_t *context_bits;  /* by context; frames that matter are few, so their union stands for their order */

static const struct whatif_inside *spawned_in(const struct whatif_inside *in, const struct context *ctx)
{
    if (!range_count || !ctx->id || ctx->id >= context_budget)
        return in;
    uint32_t bits = __atomic_load_n(&context_bits[ctx->id], __ATOMIC_RELAXED);
    if (!bits) {
        const struct segment *s = ctx->path ? ctx->path->segment : 0;
        bits = KNOWN;
        for (uint32_t i = 0; s && i < s->count; i++)
            bits |= candidates_at(s->address[i] - 1, true);
        for (uint32_t c = 0; c < whatif_candidates; c++)
            whatif_seen[c].contexts += bits >> c & 1;
        __atomic_store_n(&context_bits[ctx->id], bits, __ATOMIC_RELAXED);
    }
    return bits == KNOWN ? in : enter_all(in, bits & ~KNOWN);
}

int whatif_index(const char *name)
{
    for (uint32_t i = 0; i < whatif_candidates; i++)
        if (!strcmp(whatif_candidate[i], name))
            return i;
    return -1;
}

bool whatif_enter(struct task *t, int index)
{
    if (!t->inside || has(t->inside, index))
        return false;
    t->inside = enter(t->inside, index);
    __atomic_fetch_add(&whatif_seen[index].regions, 1, __ATOMIC_RELAXED);
    return true;
}

void whatif_leave(struct task *t, int index)
{
    if (t->inside)
        t->inside = leave(t->inside, index);
}

/* ---- lengths ---- */

static uint64_t *lengths_new(struct thread *th, const uint64_t *from)
{
    uint64_t *l = block_new(th, lengths_class);
    if (l && from)
        memcpy(l, from, whatif_scenarios * sizeof *l);
    else if (l)
        memset(l, 0, whatif_scenarios * sizeof *l);
    return l;
}

void whatif_born(struct thread *th, struct task *t, const struct task *from)
{
    const struct whatif_inside *in = from && from->inside ? from->inside : outside;
    t->scaled = lengths_new(th, from ? from->scaled : 0);
    t->inside = from && from->ctx == t->ctx ? in : spawned_in(in, t->ctx);
}

void whatif_maximum(struct thread *th, uint64_t **into, const uint64_t *from)
{
    uint64_t *to = *into;
    if (!to) {
        *into = lengths_new(th, from);
        return;
    }
    for (uint32_t j = 0; j < whatif_scenarios; j++)
        if (from[j] > to[j])
            to[j] = from[j];
}

void whatif_moved(struct thread *th, uint64_t **into, uint64_t **from)
{
    if (*into) {
        whatif_maximum(th, into, *from);
        block_free(th, *from);
    } else {
        *into = *from;
    }
    *from = 0;
}

void whatif_freed(struct thread *th, uint64_t **lengths)
{
    block_free(th, *lengths);
    *lengths = 0;
}

static struct estimate *estimate_of(uint32_t context, uint32_t inside, bool make)
{
    uint32_t h = (context * 0x9e3779b9u ^ inside * 0x85ebca6bu) >> 7;
    for (;; h++) {
        struct estimate *e = &estimates[h & (ESTIMATES - 1)];
        uint32_t key = __atomic_load_n(&e->context, __ATOMIC_ACQUIRE);
        if (key == context + 1 && e->inside == inside)
            return e;
        if (key)
            continue;
        if (!make || estimate_count >= ESTIMATES / 2)
            return 0;
        /* under the lock */
        uint64_t *sums = memory_keep(whatif_slots * (sizeof *sums + sizeof *e->weight));
        if (!sums)
            return 0;
        e->inside = inside;
        e->sums = sums;
        e->weight = (uint32_t *)(sums + whatif_slots);
        estimate_count++;
        __atomic_store_n(&e->context, context + 1, __ATOMIC_RELEASE);
        return e;
    }
}

static const uint32_t *weights(const struct task *t)
{
    const struct estimate *e = range_count ? estimate_of(t->ctx->id, t->inside->id, false) : 0;
    return e ? e->weight : t->inside->weight;
}

static void forget_part(struct whatif_thread *w)
{
    w->part = 0;
    memset(w->part_sum, 0, whatif_slots * sizeof *w->part_sum);
}

/* The thread's clock goes on by COST, and nothing else does. */
static void waste(struct thread *th, uint64_t cost)
{
    if (clock_kind == CLOCK_VIRTUAL) {
        th->clock.virtual_now += cost;
        return;
    }
    th->whatif->delaying = 1;
    for (uint64_t end = clock_now(&th->clock) + cost; (int64_t)(end - clock_now(&th->clock)) > 0;)
        __builtin_ia32_pause();
    th->whatif->delaying = 0;
}

bool whatif_delaying(const struct thread *th)
{
    return th->whatif && th->whatif->delaying;
}

uint64_t whatif_spent(struct thread *th, struct task *t, uint64_t cost)
{
    struct whatif_thread *w = th->whatif;
    if (!w || !t->scaled)
        return 0;
    bool own = w->part >= OWN_SAMPLES && w->sampled == t;
    const uint32_t *weight = own ? 0 : weights(t);
    uint64_t more = 0;
    if (__builtin_expect(delays, 0)) {
        more = cost * (own ? w->part_sum[whatif_scenarios] / w->part : weight[whatif_scenarios]) / DELAY_UNIT;
        if (more)
            waste(th, more);
        t->S += more;
        t->L += more;
        t->own += more;
    }
    for (uint32_t j = 0; j < whatif_scenarios; j++) {
        uint64_t scaled = (cost + more) * (own ? w->part_sum[j] / w->part : weight[j]);
        t->scaled[j] += scaled;
        w->work[j] += scaled;
    }
    if (w->part)
        forget_part(w);
    return more;
}

/* ---- samples ---- */

void whatif_sample(struct thread *th, const struct task *t, uint32_t node, uint32_t weight)
{
    struct whatif_thread *w = th->whatif;
    if (!range_count || !w || !t->inside)
        return;
    uint32_t hit[32], n = 0;
    for (uint32_t i = node; cct_node(i)->kind != LPF_NODE_TASK && i != CCT_ROOT; i = cct_node(i)->parent)
        if (candidates_of_node(i)) {
            if (n == 32)
                memmove(hit, hit + 1, --n * sizeof *hit);       /* the innermost goes */
            hit[n++] = candidates_of_node(i);
        }
    const struct whatif_inside *in = t->inside;
    while (n)
        in = enter_all(in, hit[--n]);
    for (uint32_t c = 0; c < whatif_candidates; c++)
        if (has(in, c))
            __atomic_fetch_add(&whatif_seen[c].samples, weight, __ATOMIC_RELAXED);
    if (w->sampled != t && w->part)
        forget_part(w);
    w->sampled = t;
    w->part += weight;
    for (uint32_t j = 0; j < whatif_slots; j++)
        w->part_sum[j] += (uint64_t)weight * in->weight[j];
    lock_take(&whatif_lock);
    struct estimate *e = estimate_of(t->ctx->id, t->inside->id, true);
    if (e) {
        e->samples += weight;
        for (uint32_t j = 0; j < whatif_slots; j++) {
            e->sums[j] += (uint64_t)weight * in->weight[j];
            e->weight[j] = (e->sums[j] + e->samples / 2) / e->samples;
        }
    }
    lock_release(&whatif_lock);
}

/* ---- start, fork, and the writer ---- */

void whatif_setup(const char *setting, const char *delayed, const char *code)
{
    if (!*setting && !*delayed)
        return;
    const char *why = parse(setting), *name = "PROF_WHATIF", *value = setting;
    if (!why && (why = parse_delays(delayed))) {
        name = "PROF_DELAY";
        value = delayed;
    }
    if (!why)
        why = finish_setting();
    size_t lengths = whatif_scenarios * sizeof(uint64_t);
    if (!why) {
        outside = memory_keep(sizeof *outside + whatif_slots * sizeof outside->weight[0]);
        estimates = memory_map(ESTIMATES * sizeof *estimates);
        node_bits = memory_map(cct_budget * sizeof *node_bits);
        context_bits = memory_map(context_budget * sizeof *context_bits);
        if (!outside || !estimates || !node_bits || !context_bits)
            why = "there is no memory for it";
    }
    if (why) {
        message(MESSAGE_WARNING, "%s=%s: %s; nothing is tried", name, value, why);
        whatif_scenarios = whatif_candidates = 0;
        return;
    }
    chains = 1;
    weigh(outside);
    lengths_class = block_class(lengths);
    clock_tell_all();
    engine_extras = true;
    strand_scenarios = whatif_spent;
    why = *code ? load_code(code) : 0;
    if (why) {
        message(MESSAGE_WARNING, "PROF_WHATIF_CODE=%s: %s; only regions are tried", code, why);
        range_count = 0;
    }
}

void whatif_thread_start(struct thread *th)
{
    if (!whatif_scenarios || th->whatif)
        return;
    struct whatif_thread *w = memory_keep(sizeof *w + 2 * whatif_slots * sizeof(uint64_t));
    if (!w) {
        th->lost[LOSS_MEMORY]++;
        return;
    }
    w->work = (uint64_t *)(w + 1);
    w->part_sum = w->work + whatif_slots;
    th->whatif = w;
}

void whatif_forked(void)
{
    for (struct thread *th = engine_threads; th; th = th->next)
        if (th->whatif) {
            memset(th->whatif->work, 0, 2 * whatif_slots * sizeof(uint64_t));
            th->whatif->part = 0;
            th->detached_scaled = 0;
        }
    for (uint32_t c = 0; c < whatif_candidates; c++)
        whatif_seen[c].regions = whatif_seen[c].samples = 0;
}

void whatif_work(uint64_t *work)
{
    memset(work, 0, whatif_scenarios * sizeof *work);
    for (const struct thread *th = engine_threads; th; th = th->next)
        for (uint32_t j = 0; th->whatif && j < whatif_scenarios; j++)
            work[j] += th->whatif->work[j] + th->open * (th->open_task && th->open_task->inside ?
                                                         weights(th->open_task)[j] : whatif_unit);
}

void whatif_longest(uint64_t *longest, const uint64_t *lengths, const struct task *t, uint64_t cost)
{
    if (!longest || !lengths)
        return;
    const uint32_t *weight = t && t->inside ? weights(t) : outside->weight;
    for (uint32_t j = 0; j < whatif_scenarios; j++) {
        uint64_t l = lengths[j] + cost * weight[j];
        if (l > longest[j])
            longest[j] = l;
    }
}
