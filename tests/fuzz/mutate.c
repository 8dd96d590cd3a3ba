/* mutate.c - the mutator of what reads profiles: of fuzz_prof.c and fuzz_files.c.
 *
 * Checksums cover a profile, and prof refuses a profile with one wrong index. So random bytes would
 * never pass the reader's first checks. The mutator therefore knows the format: it takes a file
 * apart into its sections, changes entries - fields, most often to numbers at some limit or to an
 * index that exists - and puts a file together again, with checksums that are right. What libFuzzer
 * keeps are therefore real files, which any prof can be given. One in eight is mutated as bytes,
 * for the checks themselves.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "libprof_format.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

/* ---- files, taken apart ---- */

enum { MAX_SECTIONS = 56, SECTION_TYPES = LPF_AWAITED + 1, SLACK = 4096 };

struct part {
    uint32_t type, entry;
    uint64_t count;
    uint8_t *data;              /* with room for SLACK bytes more */
};
struct parts {
    uint32_t flags;
    unsigned n;
    struct part part[MAX_SECTIONS];
};

static void free_parts(struct parts *f)
{
    for (unsigned i = 0; i < f->n; i++)
        free(f->part[i].data);
    f->n = 0;
}

static bool take_apart(const uint8_t *data, size_t size, struct parts *f)
{
    struct lpf_header h;
    f->n = 0;
    if (size < sizeof h)
        return false;
    memcpy(&h, data, sizeof h);
    if (h.header_size < sizeof h || h.header_size > size ||
        h.section_size < sizeof(struct lpf_section) || h.section_count > MAX_SECTIONS ||
        (uint64_t)h.section_count * h.section_size > size - h.header_size)
        return false;
    f->flags = h.flags;
    for (unsigned i = 0; i < h.section_count; i++) {
        struct lpf_section s;
        uint64_t bytes;
        memcpy(&s, data + h.header_size + (size_t)i * h.section_size, sizeof s);
        if (__builtin_mul_overflow(s.count, (uint64_t)s.entry_size, &bytes) || s.offset > size ||
            bytes > size - s.offset || bytes > 1 << 20) {
            free_parts(f);
            return false;
        }
        struct part *p = &f->part[f->n++];
        *p = (struct part){ s.type, s.entry_size, s.count, calloc(1, bytes + SLACK) };
        memcpy(p->data, data + s.offset, bytes);
    }
    return true;
}

static uint32_t crc32(uint32_t crc, const uint8_t *p, size_t n)
{
    for (crc = ~crc; n--;) {
        crc ^= *p++;
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? 0xedb88320u ^ crc >> 1 : crc >> 1;
    }
    return ~crc;
}

/* The size of the file that F makes, in DATA; 0: it does not fit. */
static size_t put_together(const struct parts *f, uint8_t *data, size_t capacity)
{
    struct lpf_header h = { .magic = LPF_MAGIC, .version = LPF_VERSION, .header_size = sizeof h,
                            .section_count = f->n,
                            .section_size = sizeof(struct lpf_section), .flags = f->flags };
    size_t at = sizeof h + f->n * sizeof(struct lpf_section);
    if (at > capacity)
        return 0;
    for (unsigned i = 0; i < f->n; i++) {
        const struct part *p = &f->part[i];
        size_t bytes = p->count * p->entry, start = (at + 7) & ~(size_t)7;
        if (start > capacity || bytes > capacity - start)
            return 0;
        memset(data + at, 0, start - at);
        memcpy(data + start, p->data, bytes);
        struct lpf_section s = { .type = p->type, .entry_size = p->entry, .offset = start,
                                 .count = p->count,
                                 .crc = crc32(0, data + start, bytes) };
        memcpy(data + sizeof h + i * sizeof s, &s, sizeof s);
        at = start + bytes;
    }
    h.file_size = at;
    memcpy(data, &h, sizeof h);
    h.header_crc = crc32(0, data, sizeof h + f->n * sizeof(struct lpf_section));
    memcpy(data, &h, sizeof h);
    return at;
}

/* ---- the mutator ---- */

static uint64_t seed;
static uint64_t any(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return below ? (seed >> 33) % below : 0;
}

static struct part *section(struct parts *f, uint32_t type)
{
    for (unsigned i = 0; i < f->n; i++)
        if (f->part[i].type == type)
            return &f->part[i];
    return 0;
}

/* A number that somebody may have got wrong. */
static uint64_t number(struct parts *f, const struct part *p)
{
    static const uint64_t limits[] = { 0, 1, 2, 3, 63, 64, 65, 0x7fffffff, 0x80000000, 0xfffffffe,
                                       0xffffffff, 0x100000000, 1000000007,
                                       INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 1,
                                       UINT64_MAX, 0x400000, 0x401011, 1u << 16 };
    const struct part *other = f->n ? &f->part[any(f->n)] : p;
    switch (any(6)) {
    case 0: return any(p->count + 1);
    case 1: return any(other->count + 1);
    case 2: return any(8);
    case 3: return (uint64_t)any(1u << 31) << any(33);
    default: return limits[any(sizeof limits / sizeof limits[0])];
    }
}

static void change_field(struct parts *f, struct part *p)
{
    if (p->entry < 4 || !p->count)
        return;
    uint64_t v = number(f, p);
    size_t wide = p->entry >= 8 && any(2) ? 8 : 4,
        at = any(p->count) * p->entry + any(p->entry / wide) * wide;
    if (any(4) == 0) {          /* a little more or less */
        uint64_t old = 0;
        memcpy(&old, p->data + at, wide);
        v = old + any(17) - 8;
    }
    memcpy(p->data + at, &v, wide);
}

static void change_count(struct part *p)
{
    size_t bytes = p->count * p->entry, at = any(p->count + 1) * p->entry;
    if (!p->entry || p->entry > SLACK || (any(2) && !p->count))
        return;
    if (any(3) && p->count) {   /* one entry twice */
        memmove(p->data + at + p->entry, p->data + at, bytes - at);
        memmove(p->data + at, p->data + any(p->count) * p->entry, p->entry);
        p->count++;
    } else if (p->count && at < bytes) {
        memmove(p->data + at, p->data + at + p->entry, bytes - at - p->entry);
        p->count--;
    }
}

/* Entries of another length, as a later version may have, or a wrong one. */
static void change_entry(struct part *p)
{
    uint32_t entry = any(4) ? p->entry + 8 : any(2 * p->entry + 1);
    if (entry <= p->entry || p->entry == 1 || (uint64_t)p->count * (entry - p->entry) > SLACK) {
        if (entry && entry < p->entry)
            p->entry = entry;
        return;
    }
    for (uint64_t i = p->count; i-- > 0;) {
        memmove(p->data + i * entry, p->data + i * p->entry, p->entry);
        memset(p->data + i * entry + p->entry, 0x5a, entry - p->entry);
    }
    p->entry = entry;
}

static void mutate(struct parts *f)
{
    if (!f->n)
        return;
    struct part *p = &f->part[any(f->n)];
    switch (any(12)) {
    case 0: case 1: change_count(p); break;
    case 2: f->flags = any(8); break;
    case 3:
        if (!any(8))
            change_entry(p);
        break;
    case 4: {                   /* names */
        struct part *s = section(f, LPF_STRINGS);
        if (s && s->count > 2) {
            s->count = 2 + LLVMFuzzerMutate(s->data + 1, s->count - 2, s->count - 2 + SLACK / 2);
            s->data[s->count - 1] = 0;
        }
        break;
    }
    case 5:
        if (!any(16))
            p->type = any(SECTION_TYPES);
        break;
    default: change_field(f, p);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned random)
{
    struct parts f;
    seed = random;
    if (!any(8) || !take_apart(data, size, &f))
        return LLVMFuzzerMutate(data, size, capacity);
    for (unsigned n = 1 + any(4); n; n--)
        mutate(&f);
    size_t made = put_together(&f, data, capacity);
    free_parts(&f);
    return made ? made : LLVMFuzzerMutate(data, size, capacity);
}

/* Sections of one file, sections of another. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t capacity, unsigned random)
{
    struct parts f, g;
    seed = random;
    if (!take_apart(a, a_size, &f))
        return 0;
    if (!take_apart(b, b_size, &g)) {
        free_parts(&f);
        return 0;
    }
    for (unsigned i = 0; i < g.n; i++) {
        struct part *p = section(&f, g.part[i].type);
        if (p && any(2)) {
            struct part old = *p;
            *p = g.part[i];
            g.part[i] = old;
        }
    }
    size_t made = put_together(&f, out, capacity);
    free_parts(&f);
    free_parts(&g);
    return made;
}
