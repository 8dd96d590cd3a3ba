/* frame_owner.c - whose a frame is: the program's, a runtime's, the system's or libprof's, by the
 * functions and files of the code at its address; and whether a sample there is overhead, and of
 * which kind. The profile keeps all frames. path_tree.c leaves a runtime's out of the logical tree.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "analysis/paths.h"
#include "analysis/paths_private.h"
#include "analysis/summary.h"
#include "analysis/services.h"
#include "base/format.h"
#include "profile/profile.h"
#include "symbols/names.h"
#include "symbols/symbols.h"

const char *const overhead_names[OVERHEAD_KINDS] = { "spawn",  "sync", "schedule and steal",
                                                     "memory", "lock", "other" };

/* ---- interned names ---- */

const char *path_intern(struct paths *t, const char *text)
{
    struct name *n;
    if (!text)
        return 0;
    size_t length = strlen(text);
    HASH_FIND(hh, t->private->names, text, length, n);
    if (!n) {
        n = format_memory(malloc(sizeof *n + length + 1));
        memcpy(n->text, text, length + 1);
        HASH_ADD(hh, t->private->names, text, length, n);
    }
    return n->text;
}

static bool is_runtime(const char *plain, const char *file)
{
    static const char *const spaces[] = { "tbb::", "__pstl::", "pstl::", "oneapi::tbb::" };
    static const char *const places[] = { "/oneapi/tbb/", "/include/tbb/", "/pstl/" };
    for (unsigned i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (format_starts(plain, spaces[i]))
            return true;
    for (unsigned i = 0; file && i < sizeof places / sizeof places[0]; i++)
        if (strstr(file, places[i]))
            return true;
    return false;
}

static bool holds(const char *s, const char *const *parts, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (strstr(s, parts[i]))
            return true;
    return false;
}
#define HOLDS(s, parts) holds(s, parts, sizeof(parts) / sizeof(parts)[0])

/* Is this code of a runtime's headers that compares, moves or adds the program's elements, rather
 * than make, split or wait for tasks? BARE is of name_bare: what it runs is in no argument. */
static bool is_element_of_runtime(const char *bare)
{
    /* parallel_sort's partition and comparisons; std::execution::par's loops over elements */
    static const char *const tbb[] = { "::quick_sort_range", "::quick_sort_pretest_body",
                                       "::quick_sort_body" };
    static const char *const pstl[] = { "pstl::__internal::__brick_", "pstl::__unseq_backend::",
                                        "pstl::__utils::__serial_", "::__move_range",
                                        "::__move_value", "::__merge_func::merge_ranges",
                                        "::__merge_func::process_ranges",
                                        "::__merge_func::move_" };
    /* the lambdas of a pattern are what a task does with its elements */
    static const char pattern[] = "pstl::__internal::__pattern_";
    if (strstr(bare, "tbb::") && HOLDS(bare, tbb))
        return true;
    return strstr(bare, "pstl::") &&
           (HOLDS(bare, pstl) || (strstr(bare, pattern) && strstr(bare, "{lambda")));
}

/* Does this code of the C++ library work on elements: is it an algorithm, a function object that
 * one calls, or a container that only programs fill? Atomics, lists, queues and allocators are
 * none: runtimes use them, too. What a runtime's header does in a vector, a string or a map, such
 * as to free each thread's own, it does for the program. */
static bool is_for_elements(const char *bare, const char *file)
{
    static const char *const files[] = {
        "/bits/stl_algo.h",      "/bits/stl_algobase.h",  "/bits/stl_heap.h",
        "/bits/stl_numeric.h",   "/bits/stl_function.h",  "/bits/predefined_ops.h",
        "/bits/ranges_algo.h",   "/bits/ranges_cmp.h",    "/__algorithm/",
        "/__functional/operati", "/__numeric/",
    };
    static const char *const names[] = {
        "std::__introsort_loop",  "std::__introselect",      "std::__unguarded_",
        "std::__insertion_sort",  "std::__final_insertion",  "std::__move_median",
        "std::__adjust_heap",     "std::__push_heap",        "std::__pop_heap",
        "std::__make_heap",       "std::__heap_select",      "std::__merge",
        "std::__inplace_",        "std::__sort",             "std::sort",
        "std::stable_sort",       "std::__lower_bound",      "std::__upper_bound",
        "std::less<",             "std::greater<",           "std::plus<",
        "std::minus<",            "std::multiplies<",        "__gnu_cxx::__ops::",
        "std::vector<",           "std::deque<",             "std::basic_string<",
        "std::_Hashtable<",       "std::_Rb_tree<",          "std::__cxx11::basic_string<",
    };
    if (!format_starts(bare, "std::") && !format_starts(bare, "__gnu_cxx::"))
        return false;
    if (file && HOLDS(file, files))
        return true;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (format_starts(bare, names[i]))
            return true;
    return false;
}

/* Does a program ask the runtime with this, without a need to wait? A loop that polls the time does
 * that for the program's sake. */
static bool is_question(const char *plain)
{
    return format_starts(plain, "omp_get_") || format_starts(plain, "omp_in_") ||
           format_starts(plain, "omp_is_");
}

static bool is_glue(const char *plain)
{
    static const char *const prefixes[] = { "std::thread::", "std::__invoke", "std::invoke" };
    if (name_is_start(plain))
        return true;
    for (unsigned i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (format_starts(plain, prefixes[i]))
            return true;
    return false;
}

static uint32_t module_flags(const struct paths *t, uint64_t address)
{
    const struct profile *p = t->summary->profile;
    for (size_t i = 0; i < p->module_count; i++)
        if (address >= p->modules[i].start && address < p->modules[i].end)
            return p->modules[i].flags;
    return 0;
}

bool module_is_system(const char *path)
{
    static const char *const libraries[] = { "libc.so",    "libc-",    "libm.so",
                                             "libpthread", "ld-linux", "libstdc++",
                                             "libgcc_s",   "libc++",   "libunwind",
                                             "linux-vdso", "[vdso]" };
    const char *base = path ? strrchr(path, '/') : 0;
    for (unsigned i = 0; path && i < sizeof libraries / sizeof libraries[0]; i++)
        if (format_starts(base ? base + 1 : path, libraries[i]))
            return true;
    return false;
}

static const struct known *known_of(struct paths *t, const char *function, const char *file)
{
    struct known *k, like;
    memset(&like, 0, sizeof like);
    like.key.function = function;
    like.key.file = file;
    HASH_FIND(hh, t->private->known, &like.key, sizeof like.key, k);
    if (k)
        return k;
    char *plain = name_plain(function);
    k = format_memory(malloc(sizeof *k));
    *k = like;
    k->function = path_intern(t, plain);
    k->file = path_intern(t, file);
    char *bare = name_bare(function);
    k->element = is_element_of_runtime(bare) || is_for_elements(bare, file);
    free(bare);
    k->runtime = !k->element && is_runtime(plain, file);
    k->question = is_question(plain);
    k->glue = is_glue(plain);
    k->library = name_is_library(function, 0) || (file && name_is_languages(file));
    k->service = service_of_name(plain);
    k->shared = name_is_shared(k->function);
    HASH_ADD(hh, t->private->known, key, sizeof k->key, k);
    free(plain);
    return k;
}

/* Is ADDRESS in the body of a serial filter? Where no table shows the function's start, only its
 * first instruction is. */
static bool in_filter(struct paths *t, uint64_t address)
{
    const struct profile *p = t->summary->profile;
    struct symbols *s = t->summary->symbols;
    for (size_t i = 0; i < p->site_count; i++) {
        uint64_t body = p->sites[i].address[0] - 1;
        if (!(p->sites[i].flags & LPF_SITE_SERIAL))
            continue;
        const char *start = symbols_function(s, address);
        if (start ? !strcmp(start, symbols_code(s, body)) : address == body)
            return true;
    }
    return false;
}

static struct code *code_at(struct paths *t, uint64_t address)
{
    struct code *c;
    HASH_FIND(hh, t->private->codes, &address, sizeof address, c);
    if (c)
        return c;
    struct frame f[INLINED_MOST];
    size_t n = symbols_lookup(t->summary->symbols, address, f, INLINED_MOST);
    c = format_memory(calloc(1, sizeof *c + n * sizeof c->frame[0]));
    c->address = address;
    c->module = symbols_module(t->summary->symbols, address);
    c->count = n;
    uint32_t flags = module_flags(t, address);
    c->runtime_module = flags & LPF_MODULE_RUNTIME;
    c->libprof = flags & LPF_MODULE_LIBPROF;
    c->system = module_is_system(c->module);
    c->nameless = f[0].nameless;
    c->filter = in_filter(t, address);
    bool inside = false;        /* a frame of the program encloses this one */
    bool of_runtime = false;    /* the innermost frame around this one that is no other header's */
    for (size_t i = 0; i < n; i++) {
        const struct frame *from = &f[n - 1 - i];
        const char *start = from->nameless ? symbols_function(t->summary->symbols, address) : 0;
        const struct known *k = known_of(t, start ? start : from->function, from->file);
        bool inner = c->runtime_module || c->libprof;
        c->frame[i] = (struct code_frame){
            .function = k->function,
            .file = k->file,
            .line = from->line,
            .declared = from->declared,
            .apart = k->shared ? from->declared : 0,
            .runtime = !k->question && (inner || k->runtime),
            .element = k->element && !inner,
            .question = k->question,
            .glue = k->glue,
            .folded = from->header && (inside || (of_runtime && !k->element)),
            .inner = from->header && of_runtime && !k->element,
            .service = k->service,
            .library = k->library,
        };
        if (c->frame[i].runtime || !from->header || k->element)
            of_runtime = c->frame[i].runtime;
        inside |= !from->header && !c->frame[i].runtime && !k->glue;
    }
    HASH_ADD(hh, t->private->codes, address, sizeof address, c);
    return c;
}

struct code *path_code_of(struct paths *t, const struct lpf_node *n)
{
    struct code **known = &t->private->path_code_of[n - t->summary->profile->nodes];
    if (!*known) {
        struct code *c = code_at(t, n->kind == LPF_NODE_LEAF ? n->address : n->address - 1);
        if (n->kind == LPF_NODE_LEAF && !c->runtime_module && !c->system && !c->libprof)
            c->spins = symbols_spins(t->summary->symbols, n->address);
        *known = c;
    }
    return *known;
}

bool path_is_program(const struct code *c, const struct code_frame *f)
{
    return !c->runtime_module && !c->system && !c->libprof && !f->runtime && !f->glue &&
           !f->folded && !f->library && !format_starts(f->function, "std::") &&
           !format_starts(f->function, "__gthread_");
}

/* ---- overhead ---- */

static enum overhead_kind kind_of(const struct code_frame *f)
{
    static const struct { const char *part; enum overhead_kind kind; } parts[] = {
        { "lock", OVERHEAD_LOCK },
        { "futex", OVERHEAD_LOCK },
        { "alloc", OVERHEAD_MEMORY },
        { "malloc", OVERHEAD_MEMORY },
        { "free", OVERHEAD_MEMORY },
        { "operator new", OVERHEAD_MEMORY },
        { "operator delete", OVERHEAD_MEMORY },
        { "_pool", OVERHEAD_MEMORY },
        { "spawn", OVERHEAD_SPAWN },
        { "submit", OVERHEAD_SPAWN },
        { "enqueue", OVERHEAD_SPAWN },
        { "run<", OVERHEAD_SPAWN },
        { "initialize", OVERHEAD_SPAWN },
        { "::run", OVERHEAD_SPAWN },
        { "wait", OVERHEAD_SYNC },
        { "notify", OVERHEAD_SYNC },
        { "join", OVERHEAD_SYNC },
        { "fold_tree", OVERHEAD_SYNC },
        { "finalize", OVERHEAD_SYNC },
        { "destroy", OVERHEAD_SYNC },
        { "release", OVERHEAD_SYNC },
        { "steal", OVERHEAD_SCHEDULE },
        { "dispatch", OVERHEAD_SCHEDULE },
        { "execute", OVERHEAD_SCHEDULE },
        { "partition", OVERHEAD_SCHEDULE },
        { "split", OVERHEAD_SCHEDULE },
        { "balance", OVERHEAD_SCHEDULE },
    };
    if (f->service >= SERVICE_LOCK)
        return OVERHEAD_LOCK;
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(f->function, parts[i].part))
            return parts[i].kind;
    return OVERHEAD_OTHER;
}

static bool matches(const char *const *patterns, const char *function)
{
    for (; patterns && *patterns; patterns++)
        if (strstr(function, *patterns))
            return true;
    return false;
}

/* Is a sample at node I of the profile overhead, and of which kind? It is if a runtime's frame lies
 * between the innermost frame and the program's innermost one. The kind is that of the innermost of
 * the runtime's frames whose name shows one. What a question to the runtime takes is the program's.
 * In a stripped runtime only the entry point that the program called has a name. */
bool path_is_overhead(struct paths *t, uint32_t i, enum overhead_kind *kind)
{
    const struct profile *p = t->summary->profile;
    bool overhead = false;
    *kind = OVERHEAD_OTHER;
    for (; p->nodes[i].kind == LPF_NODE_FRAME || p->nodes[i].kind == LPF_NODE_LEAF;
         i = p->nodes[i].parent) {
        const struct code *c = path_code_of(t, &p->nodes[i]);
        for (uint32_t k = c->count; k-- > 0;) {
            const struct code_frame *f = &c->frame[k];
            if (f->question)
                return false;
            bool pattern = matches(t->private->patterns, f->function);
            if (f->runtime || pattern) {
                overhead = true;
                if (*kind == OVERHEAD_OTHER)
                    *kind = kind_of(f);
            } else if (f->element || (!c->runtime_module && !c->system && !f->glue && !f->inner &&
                                      !format_starts(f->function, "std::"))) {
                return overhead;        /* this frame is the program's, or does its work */
            }
        }
    }
    return overhead;
}

/* Is FUNCTION one of libc's that passes through libprof? Its time there is the program's. */
static bool passes_through(const char *function)
{
    static const char *const prefixes[] = { "pthread_", "exec",  "fexec", "dlclose",   "sig",
                                            "_exit",    "_Exit", "abort", "quick_exit" };
    for (unsigned i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (format_starts(function, prefixes[i]))
            return true;
    return false;
}

/* Is a sample at node I of the profile profiler overhead? The innermost frame outside the system's
 * libraries decides. */
bool path_hits_libprof(struct paths *t, uint32_t i)
{
    const struct profile *p = t->summary->profile;
    for (; p->nodes[i].kind == LPF_NODE_FRAME || p->nodes[i].kind == LPF_NODE_LEAF;
         i = p->nodes[i].parent) {
        const struct code *c = path_code_of(t, &p->nodes[i]);
        if (c->libprof)
            return !passes_through(c->frame[0].function);
        if (!c->system)
            return false;
    }
    return false;
}
