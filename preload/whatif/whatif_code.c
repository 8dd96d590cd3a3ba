/* whatif_code.c - the code of candidates. See whatif_private.h.
 *
 * `prof run` turns functions and lines into ranges of addresses, and writes them into a file. The
 * file has a line for each range: "CANDIDATE START END MODULE". The numbers are hexadecimal, the
 * addresses are those of the ELF file, and MODULE is the module's build id, or its path if it has
 * none. CANDIDATE + OWN: the candidate is the code itself, without what it calls.
 */
#define _GNU_SOURCE
#include "whatif/whatif_private.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "contexts/modules.h"
#include "libprof_format.h"
#include "dag/run.h"
#include "unwind/call_tree.h"
#include "base/forbid.h"

#define CODE_BYTES (4u << 20)   /* a larger file is refused */
#define OWN 0x100u
#define KNOWN 0x80000000u       /* this node or context has been looked up */

struct range {
    uint64_t start, end;
    bool own;
    const char *module;         /* in the file's text; equal modules have equal pointers */
    uint32_t candidate;
};
static struct range *ranges;
uint32_t whatif_ranges;
uint8_t whatif_by_size[WHATIF_CANDIDATES];

/* The candidates as bits, and KNOWN; 0: not looked up yet. Relaxed: every thread finds the same
 * bits. A context has the union of its frames' candidates, without their order: few frames are code
 * of candidates. */
static uint32_t *node_bits;     /* by node of the calling context tree */
static uint32_t *context_bits;  /* by context */

/* Reads a hexadecimal number and a space at *P, and moves *P past them. False: they are not
 * there. */
static bool hex(const char **p, uint64_t *v)
{
    const char *c = *p;
    for (*v = 0; (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'f'); c++)
        *v = *v << 4 | (*c <= '9' ? *c - '0' : *c - 'a' + 10);
    bool ok = c != *p && *c == ' ';
    *p = c + ok;
    return ok;
}

/* Reads the file PATH into *TEXT, and sets *SIZE. Returns what is wrong, or NULL. */
static const char *read_file(const char *path, char **text, size_t *size)
{
    int fd = syscall(SYS_openat, (long)AT_FDCWD, path,
                     (long)(O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), 0L);
    if (fd < 0)
        return "cannot be opened";
    char *t = *text = memory_map(CODE_BYTES);
    size_t n = 0;
    long got = 0;
    while (t && n < CODE_BYTES - 1 &&
           (got = syscall(SYS_read, (long)fd, t + n, CODE_BYTES - 1 - n)) > 0)
        n += got;
    syscall(SYS_close, (long)fd);
    *size = n;
    return !t || got < 0 || n == CODE_BYTES - 1 ? "cannot be read, or is larger than 4 MiB" : 0;
}

/* Adds the range that LINE describes, and its length to its candidate's SIZE. False: LINE is no
 * such line. */
static bool add_range(const char *line, uint64_t size[WHATIF_CANDIDATES])
{
    uint64_t c;
    struct range *r = &ranges[whatif_ranges];
    if (!hex(&line, &c) || !hex(&line, &r->start) || !hex(&line, &r->end) || !*line ||
        (c & ~(uint64_t)OWN) >= whatif_candidates || r->start >= r->end)
        return false;
    r->own = c & OWN;
    r->candidate = c &= ~(uint64_t)OWN;
    r->module = line;
    for (uint32_t i = whatif_ranges; i-- > 0;)
        if (!strcmp(ranges[i].module, line)) {
            r->module = ranges[i].module;
            break;
        }
    size[c] += r->end - r->start;
    whatif_seen[c].code = true;
    whatif_ranges++;
    return true;
}

bool whatif_code_start(void)
{
    node_bits = memory_map(cct_budget * sizeof *node_bits);
    context_bits = memory_map(context_budget * sizeof *context_bits);
    return node_bits && context_bits;
}

const char *whatif_code_load(const char *path)
{
    char *text;
    size_t n;
    const char *wrong = read_file(path, &text, &n);
    if (wrong)
        return wrong;
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
        if (!add_range(p, size))
            return "is not what prof run writes";
    }
    for (uint32_t i = 0; i < whatif_candidates; i++) {
        uint32_t j = i;
        for (; j && size[whatif_by_size[j - 1]] < size[i]; j--)
            whatif_by_size[j] = whatif_by_size[j - 1];
        whatif_by_size[j] = i;
    }
    return 0;
}

uint32_t whatif_code_at(uintptr_t address, bool call)
{
    struct module_facts m;
    uint32_t found = 0;
    if (!whatif_ranges || !modules_find(address, &m))
        return 0;
    uint64_t at = address - m.bias;
    for (uint32_t i = 0; i < whatif_ranges; i++)
        if (at - ranges[i].start < ranges[i].end - ranges[i].start && !(call && ranges[i].own) &&
            (!strcmp(ranges[i].module, m.build_id) || !strcmp(ranges[i].module, m.path)))
            found |= 1u << ranges[i].candidate;
    return found;
}

uint32_t whatif_code_of_node(uint32_t node)
{
    uint32_t bits = __atomic_load_n(&node_bits[node], __ATOMIC_RELAXED);
    if (!bits) {
        const struct cct_node *n = cct_node(node);
        bits = KNOWN;
        if (n->kind == LPF_NODE_FRAME || n->kind == LPF_NODE_LEAF)
            bits |= whatif_code_at(n->address - (n->kind == LPF_NODE_FRAME),
                                   n->kind == LPF_NODE_FRAME);
        __atomic_store_n(&node_bits[node], bits, __ATOMIC_RELAXED);
    }
    return bits & ~KNOWN;
}

uint32_t whatif_code_of_context(const struct context *ctx)
{
    if (!whatif_ranges || !ctx->id || ctx->id >= context_budget)
        return 0;
    uint32_t bits = __atomic_load_n(&context_bits[ctx->id], __ATOMIC_RELAXED);
    if (!bits) {
        const struct segment *s = ctx->path ? ctx->path->segment : 0;
        bits = KNOWN;
        for (uint32_t i = 0; s && i < s->count; i++)
            bits |= whatif_code_at(s->address[i] - 1, true);
        bool first = !__atomic_exchange_n(&context_bits[ctx->id], bits, __ATOMIC_RELAXED);
        for (uint32_t c = 0; first && c < whatif_candidates; c++)
            __atomic_fetch_add(&whatif_seen[c].contexts, bits >> c & 1, __ATOMIC_RELAXED);
    }
    return bits & ~KNOWN;
}
