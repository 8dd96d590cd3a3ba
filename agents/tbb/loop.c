/* loop.c - chunks of loops: how many iterations a task of parallel_for or parallel_reduce has.
 *
 * Such a task begins with its range, and the name of its C++ class contains the range's class. We
 * can count the iterations of a blocked_range of numbers or of pointers, in one to three
 * dimensions. We cannot count those of a range of the program's own class, or of iterators whose
 * layout is not that of a pointer.
 *
 * The class's name ends with the partitioner. simple_partitioner splits every range that is
 * divisible, so the range's grain size alone decides on the chunks. The others split for the number
 * of workers, and where workers are free. But they split no range that has no more iterations than
 * its grain size: then the program chose the size, too.
 */
#include <string.h>
#include "engine/divide.h"
#include "tbb.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

enum { DIMENSIONS = 3 };

/* The words of a range. No dimensions: its iterations cannot be counted. */
struct shape {
    unsigned dimensions : 2;
    unsigned size : 12;         /* bytes of each dimension's value: 4 bits each */
    unsigned stride : 2;        /* log2 of the bytes that an iterator goes on by */
    bool by_grain;              /* the program's grain size alone cuts the loop */
    bool reduces;               /* parallel_reduce: it makes and joins one more body for each part
                                 * that was stolen, whatever the partitioner */
};

/* ---- the class's name ---- */

/* Bytes of a number, by its letter in a mangled name; 0: it is none. */
static unsigned number_bytes(char letter)
{
    static const char letters[] = "ahcbstijwlmxy";
    static const unsigned char bytes[] = { 1, 1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8 };
    const char *at = letter ? strchr(letters, letter) : 0;
    return at ? bytes[at - letters] : 0;
}

static bool skip(const char **at, const char *prefix)
{
    size_t n = strlen(prefix);
    if (strncmp(*at, prefix, n))
        return false;
    *at += n;
    return true;
}

/* Skips TBB's namespace at the start of a name. It is written out, or abbreviated to an earlier
 * part of the name, which was also TBB's. */
static bool skip_namespace(const char **at)
{
    if (!skip(at, "N"))
        return false;
    if (skip(at, "3tbb6detail2d1"))
        return true;
    if (!skip(at, "S"))
        return false;
    while ((**at >= '0' && **at <= '9') || (**at >= 'A' && **at <= 'Z'))
        ++*at;
    return skip(at, "_");
}

/* The size of the value type at AT, 0 if it is not known. *STRIDE: log2 of the step of a pointer to
 * numbers. */
static unsigned value_bytes(const char **at, unsigned *stride)
{
    unsigned bytes = number_bytes(**at);
    if (bytes) {
        ++*at;
        return bytes;
    }
    skip(at, "N9__gnu_cxx17__normal_iteratorI");
    if (!skip(at, "P"))
        return 0;
    skip(at, "K");
    unsigned of = **at == 'f' ? 4 : **at == 'd' || **at == 'P' ? 8 : number_bytes(**at);
    *stride = of ? __builtin_ctz(of) : 0;
    return of ? 8 : 0;
}

/* Does the grain size alone decide on the chunks of the loop whose task has a class of this NAME?
 * The last argument of the template is the partitioner. If an earlier part of the name has it, too,
 * it is abbreviated there (S5_), and known only if the name has no other partitioner. */
static bool is_by_grain(const char *name)
{
    static const char *const others[] = { "14auto_partitioner", "16static_partitioner",
                                          "20affinity_partitioner" };
    static const char simple[] = "18simple_partitioner", end[] = "18simple_partitionerEEE";
    size_t n = strlen(name);
    if (!strstr(name, simple))
        return false;
    if (n >= sizeof end && !strcmp(name + n - (sizeof end - 1), end))
        return true;
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strstr(name, others[i]))
            return false;
    return true;
}

/* The shape of the range of a loop, from the mangled NAME of its task's class. */
static struct shape range_of_name(const char *name)
{
    static const char *const loops[] = { "start_forI", "start_reduceI",
                                         "start_deterministic_reduceI" };
    static const char *const ranges[] = { "13blocked_rangeI", "15blocked_range2dI",
                                          "15blocked_range3dI" };
    struct shape s = { 0 };
    const char *at = 0;
    for (unsigned i = 0; i < sizeof loops / sizeof loops[0] && !at; i++)
        if ((at = strstr(name, loops[i])))
            at += strlen(loops[i]);
    if (!at || !skip_namespace(&at))
        return s;
    unsigned n = 0, stride = 0, size = 0;
    while (n < DIMENSIONS && !skip(&at, ranges[n]))
        n++;
    if (n++ == DIMENSIONS)
        return s;
    for (unsigned i = 0; i < n; i++) {
        unsigned bytes = value_bytes(&at, &stride);
        if (!bytes || (stride && n > 1))
            return s;
        size |= bytes << 4 * i;
    }
    return (struct shape){ .dimensions = n, .size = size, .stride = stride };
}

/* ---- its cache ---- */

/* By vtable, direct-mapped. The vtable's address, a multiple of 8, and the shape are in one word.
 * So a reader gets both from one store. */
enum { CACHE = 64, SHAPE_BITS = 18, BY_GRAIN = 1 << 16, REDUCES = 1 << 17 };
static uint64_t cache[CACHE];

static inline uint64_t *place_in_cache(void *const *vptr)
{
    return &cache[((uintptr_t)vptr >> 4) % CACHE];
}

static inline unsigned shape_bits(struct shape s)
{
    return s.dimensions | s.size << 2 | s.stride << 14 | s.by_grain << 16 | s.reduces << 17;
}

static inline struct shape shape_from(uint64_t bits)
{
    return (struct shape){ .dimensions = bits & 3, .size = bits >> 2 & 0xfff,
                           .stride = bits >> 14 & 3, .by_grain = bits >> 16 & 1,
                           .reduces = bits >> 17 & 1 };
}

static __attribute__((noinline, cold)) struct shape shape_new(void *const *vptr)
{
    const struct tbb_typeinfo *type = vptr[VTABLE_TYPEINFO];
    struct shape s = { 0 };
    if (type && type->name) {
        s = range_of_name(type->name);
        s.by_grain = is_by_grain(type->name);
        s.reduces = strstr(type->name, "start_reduceI");
    }
    uint64_t address = (uintptr_t)vptr / sizeof *vptr;
    __atomic_store_n(place_in_cache(vptr), address << SHAPE_BITS | shape_bits(s),
                     __ATOMIC_RELAXED);
    return s;
}

/* The bits of VPTR's shape. */
static inline uint64_t shape_of(void *const *vptr)
{
    uint64_t word = __atomic_load_n(place_in_cache(vptr), __ATOMIC_RELAXED);
    if (__builtin_expect((word >> SHAPE_BITS) * sizeof *vptr == (uintptr_t)vptr, 1))
        return word;
    return shape_bits(shape_new(vptr));
}

static void forget(void)
{
    for (unsigned i = 0; i < CACHE; i++)
        __atomic_store_n(&cache[i], 0, __ATOMIC_RELAXED);
}

__attribute__((constructor(111))) static void start(void)
{
    runtime_on_unload(forget);
}

/* ---- iterations ---- */

/* A d1::blocked_range at P, of values of BYTES: its end, its begin, its grain size. Differences
 * wrap as the values do. */
static inline uint64_t length(const void *p, unsigned bytes)
{
    if (__builtin_expect(bytes == 8, 1))
        return ((const uint64_t *)p)[0] - ((const uint64_t *)p)[1];
    if (bytes == 4)
        return ((const uint32_t *)p)[0] - ((const uint32_t *)p)[1];
    if (bytes == 2)
        return (uint16_t)(((const uint16_t *)p)[0] - ((const uint16_t *)p)[1]);
    return (uint8_t)(((const uint8_t *)p)[0] - ((const uint8_t *)p)[1]);
}

static __attribute__((noinline)) uint64_t iterations_of_shape(const struct tbb_task *t,
                                                              struct shape s)
{
    const char *p = (const char *)(t + 1);
    unsigned bytes = s.size & 15;
    if (!s.dimensions)
        return DIVIDE_UNKNOWN;
    uint64_t n = length(p, bytes) >> s.stride;
    for (unsigned i = 1; __builtin_expect(i < s.dimensions, 0); i++) {
        p += (2 * bytes + 7) / 8 * 8 + sizeof(size_t);
        bytes = s.size >> 4 * i & 15;
        n *= length(p, bytes);
    }
    return n;
}

/* BITS: of the shape. */
static inline uint64_t iterations(const struct tbb_task *t, uint64_t bits)
{
    enum { OF_4 = 1 | 4 << 2, OF_8 = 1 | 8 << 2, OF_RANGE = (1 << 16) - 1 };
    if ((bits & OF_RANGE) == OF_4)      /* these two are nearly all */
        return length(t + 1, 4);
    if ((bits & OF_RANGE) == OF_8)
        return length(t + 1, 8);
    return iterations_of_shape(t, shape_from(bits));
}

/* Has C, a chunk, no more iterations than GRAIN? */
static inline bool is_smallest(const struct task *c, size_t grain)
{
    return c->flags & TASK_DIVIDES && c->iterations <= grain;
}

/* No partitioner splits a range of no more iterations than its grain size, which follows the end
 * and the begin. A range of several dimensions has one for each. */
static inline void note_smallest(const struct tbb_task *t, uint64_t bits, struct task *from,
                                 struct task *rec)
{
    struct shape s = shape_from(bits);
    unsigned bytes = s.size & 15;
    if (s.dimensions != 1)
        return;
    size_t grain = *(const size_t *)((const char *)(t + 1) + (2 * bytes + 7) / 8 * 8);
    if (is_smallest(rec, grain))
        divide_sized(rec);
    if (from && is_smallest(from, grain))
        divide_sized(from);
}

void tbb_loop_chunk(struct tbb_task *t, void *const *vptr, struct task *from, struct task *rec)
{
    uint64_t bits = shape_of(vptr), n = iterations(t, bits);
    if (from && from->flags & TASK_DIVIDES)
        divide_split(from, rec, n);
    else
        divide_begin(rec, n);
    if ((bits & (BY_GRAIN | REDUCES)) == BY_GRAIN)
        divide_by_program(rec);
    else if (bits & BY_GRAIN)
        divide_sized(rec);
    else
        note_smallest(t, bits, from, rec);
}
