/* file.c - the file: sections fill entry by entry, then emit() lays them out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen.h"

enum { MAX_BYTES = 64 << 20 };

struct filling sections[SECTIONS];
struct layout layout;

_Noreturn void die(const char *why)
{
    fprintf(stderr, "gen_profile: %s\n", why);
    exit(3);
}

void *add(unsigned type, const void *entry, size_t bytes)
{
    struct filling *s = &sections[type - 1];
    if (s->used + bytes > s->size) {
        s->size = (s->used + bytes) * 2 + 4096;
        s->data = realloc(s->data, s->size);
        if (!s->data)
            die("out of memory");
    }
    memcpy(s->data + s->used, entry, bytes);
    s->used += bytes;
    return s->data + s->used - bytes;
}

uint32_t string(const char *text)
{
    struct filling *s = &sections[LPF_STRINGS - 1];
    if (!s->used)
        add(LPF_STRINGS, "", 1);
    if (!*text)
        return 0;
    uint32_t at = s->used;
    add(LPF_STRINGS, text, strlen(text) + 1);
    return at;
}

static uint32_t crc32(uint32_t crc, const void *data, size_t n)
{
    const unsigned char *p = data;
    crc = ~crc;
    while (n--) {
        crc ^= *p++;
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? 0xedb88320u ^ crc >> 1 : crc >> 1;
    }
    return ~crc;
}

/* The bytes of an entry, by type. */
static const uint32_t sizes[SECTIONS] = {
    1, sizeof(struct lpf_setting), sizeof(struct lpf_totals), sizeof(struct lpf_module),
    sizeof(struct lpf_site), sizeof(struct lpf_context), sizeof(struct lpf_region),
    sizeof(struct lpf_note), sizeof(struct lpf_thread), sizeof(struct lpf_node),
    sizeof(struct lpf_sample), sizeof(struct lpf_candidate), sizeof(struct lpf_scenario),
    sizeof(struct lpf_term), sizeof(struct lpf_dag), sizeof(struct lpf_input),
    sizeof(struct lpf_dag_op), sizeof(struct lpf_dag_arc), sizeof(struct lpf_loops),
    sizeof(struct lpf_spread), sizeof(struct lpf_squares), sizeof(struct lpf_typical),
    sizeof(struct lpf_outliers), sizeof(struct lpf_chunks), sizeof(struct lpf_timeline),
    sizeof(struct lpf_timeline_row), sizeof(struct lpf_timeline_bin), sizeof(struct lpf_timed),
    sizeof(struct lpf_timed_sample), sizeof(struct lpf_rank), sizeof(struct lpf_rank_sample),
    sizeof(struct lpf_region_rank), sizeof(struct lpf_team_of_one),
    sizeof(struct lpf_handed), sizeof(struct lpf_ready), sizeof(struct lpf_ready_bin),
    sizeof(struct lpf_cpu), sizeof(struct lpf_machine),
    sizeof(struct lpf_idle), sizeof(struct lpf_phases),
    sizeof(struct lpf_wait), sizeof(struct lpf_switches), sizeof(struct lpf_idle_sum),
    sizeof(struct lpf_awaited),
};
_Static_assert(sizeof sizes / sizeof sizes[0] == SECTIONS, "a section has no size");

/* Writes the section of that index at AT of FILE. */
static struct lpf_section put_section(char *file, unsigned i, uint64_t at)
{
    uint32_t size = sizes[i], entry = i ? size + layout.extra_entry : 1;
    uint64_t n = sections[i].used / size;
    if (at + n * entry > MAX_BYTES)
        die("too large");
    for (uint64_t k = 0; k < n; k++) {
        memcpy(file + at + k * entry, sections[i].data + k * size, size);
        memset(file + at + k * entry + size, 0xee, entry - size);
    }
    return (struct lpf_section){ .type = i + 1, .entry_size = entry, .offset = at, .count = n,
                                 .crc = crc32(0, file + at, n * entry) };
}

static struct lpf_section put_unknown_section(char *file, uint64_t at)
{
    memcpy(file + at, "of a later version", 18);
    return (struct lpf_section){ .type = 4711, .entry_size = 9, .offset = at, .count = 2,
                                 .crc = crc32(0, file + at, 18) };
}

/* The table, then the header: its checksum covers both. */
static void put_header(char *file, struct lpf_header *h, const struct lpf_section *table,
                       uint32_t rows)
{
    char *at = file + sizeof *h + layout.extra_header;
    for (unsigned i = 0; i < rows; i++, at += sizeof *table + layout.extra_table)
        memcpy(at, &table[i], sizeof *table);
    memcpy(file, h, sizeof *h);
    if (!h->header_crc) {
        uint64_t covered = h->header_size + (uint64_t)h->section_count * h->section_size;
        h->header_crc = crc32(0, file, covered < MAX_BYTES ? covered : MAX_BYTES);
        memcpy(file, h, sizeof *h);
    }
}

void emit(void)
{
    char *file = calloc(1, MAX_BYTES);
    struct lpf_section table[SECTIONS + 1];
    uint32_t rows = SECTIONS + layout.unknown_section;
    struct lpf_header h = {
        .magic = LPF_MAGIC, .version = LPF_VERSION, .flags = layout.flags, .section_count = rows,
        .header_size = sizeof h + layout.extra_header,
        .section_size = sizeof table[0] + layout.extra_table,
    };
    if (!file)
        die("out of memory");
    string("");
    uint64_t at = h.header_size + (uint64_t)rows * h.section_size;
    for (unsigned i = 0; i < rows; i++) {
        at = (at + 7) & ~(uint64_t)7;
        table[i] = i == SECTIONS ? put_unknown_section(file, at) : put_section(file, i, at);
        at += table[i].count * table[i].entry_size;
    }
    h.file_size = at;
    if (layout.spoil)
        layout.spoil(&h, table);
    put_header(file, &h, table, rows);
    if (fwrite(file, 1, at, stdout) != at)
        die("write error");
    free(file);
}
