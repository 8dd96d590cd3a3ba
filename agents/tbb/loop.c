/* loop.c - chunks of loops: how many iterations a task of parallel_for or parallel_reduce has.
 *
 * Such a task begins with its range, and its C++ class says what that is. The iterations of a
 * blocked_range of numbers or of pointers can be counted, in one dimension to three. A range of the
 * program's own class cannot, nor can iterators whose layout is not that of a pointer.
 */
#include <string.h>
#include "engine/divide.h"
#include "tbb.h"
#include "unwind/runtime.h"

enum { DIMENSIONS = 3 };

/* The words of a range. No dimensions: its iterations cannot be counted. */
struct shape {
    unsigned dimensions : 2;
    unsigned size : 12;         /* bytes of each dimension's value: 4 bits each */
    unsigned stride : 2;        /* log2 of the bytes that an iterator goes on by */
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

/* The namespace that a name begins with is TBB's: written out, or an abbreviation of what came
 * before, which was TBB's as well. */
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

/* A value at AT: its bytes, and for a pointer to numbers what it goes on by. */
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

/* What the range is of a loop whose task's class has this mangled NAME. */
static struct shape shape_of_name(const char *name)
{
    static const char *const loops[] = { "start_forI", "start_reduceI",
                                         "start_deterministic_reduceI" };
    static const char *const ranges[] = { "13blocked_rangeI", "15blocked_range2dI",
                                          "15blocked_range3dI" };
    struct shape s = { 0, 0, 0 };
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

/* By vtable, direct-mapped: the vtable's address and the shape in one word, so that they belong
 * together. */
enum { CACHE = 64 };
static uint64_t cache[CACHE];

static inline uint64_t *place_in_cache(void *const *vptr)
{
    return &cache[((uintptr_t)vptr >> 4) % CACHE];
}

static inline unsigned shape_bits(struct shape s)
{
    return s.dimensions | s.size << 2 | s.stride << 14;
}

static inline struct shape shape_from(unsigned bits)
{
    return (struct shape){ .dimensions = bits & 3, .size = bits >> 2 & 0xfff,
                           .stride = bits >> 14 & 3 };
}

static __attribute__((noinline, cold)) struct shape shape_new(void *const *vptr)
{
    const struct tbb_typeinfo *type = vptr[VTABLE_TYPEINFO];
    struct shape s = { 0, 0, 0 };
    if (type && type->name)
        s = shape_of_name(type->name);
    __atomic_store_n(place_in_cache(vptr), (uint64_t)(uintptr_t)vptr << 16 | shape_bits(s),
                     __ATOMIC_RELAXED);
    return s;
}

static inline struct shape shape_of(void *const *vptr)
{
    uint64_t word = __atomic_load_n(place_in_cache(vptr), __ATOMIC_RELAXED);
    if (__builtin_expect(word >> 16 == (uintptr_t)vptr, 1))
        return shape_from(word & 0xffff);
    return shape_new(vptr);
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

static inline uint64_t iterations(const struct tbb_task *t, struct shape s)
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

void tbb_loop_chunk(struct tbb_task *t, void *const *vptr, struct task *from, struct task *rec)
{
    uint64_t n = iterations(t, shape_of(vptr));
    if (from && from->flags & TASK_DIVIDES)
        divide_split(from, rec, n);
    else
        divide_begin(rec, n);
}
