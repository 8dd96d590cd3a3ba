/* flow_node_class.c - see flow_node_class.h.
 *
 * The layout of type information is that of the Itanium C++ ABI (2.9.5): __si_class_type_info has
 * one base at offset 0, __vmi_class_type_info has a table of bases. The name of a type_info's own
 * class distinguishes the two, whichever copy of the C++ library it belongs to.
 *
 * Members are not in the type information. So once for each class we search the node's memory for
 * pointers to vtables with the right names. These are the node's ports and bodies. We read all
 * memory through the kernel until we know that it has the expected layout.
 */
#define _GNU_SOURCE
#include "flow_node_class.h"
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "dag/block.h"
#include "base/kernel.h"
#include "flow_private.h"
#include "unwind/cfi.h"
#include "unwind/walk.h"
#include "base/forbid.h"

/* d1, and since 2022.0 d2 */
#define NAMESPACE "N3tbb6detail2d"
enum { NAME_MAX_LOOKED_AT = 1024, BASES_MAX = 64, DEPTH_MAX = 12, LOOK_BYTES = 384 };

static struct flow_node_class *classes;      /* push-only; under classes_lock when written */
LOCK_DEFINE(classes_lock, LOCK_AGENT);

/* Containers and emulators may refuse the copy. Then each page is tried, which is as good unless
 * another thread unmaps it meanwhile. */
bool flow_peek(const void *from, void *to, size_t bytes)
{
    static bool refused;
    struct iovec mine = { to, bytes }, theirs = { (void *)from, bytes };
    if (!__atomic_load_n(&refused, __ATOMIC_RELAXED)) {
        int saved = errno;
        long n = kernel_call(SYS_process_vm_readv, kernel_call(SYS_getpid), &mine, 1ul, &theirs,
                             1ul, 0ul);
        bool now = n < 0 && (errno == ENOSYS || errno == EPERM) && !kernel_closed;
        errno = saved;
        if (!now)
            return n == (long)bytes;
        __atomic_store_n(&refused, true, __ATOMIC_RELAXED);
    }
    uintptr_t page = (uintptr_t)from & -WALK_PAGE;
    for (; page < (uintptr_t)from + bytes; page += WALK_PAGE)
        if (!walk_mapped(page))
            return false;
    memcpy(to, from, bytes);
    return true;
}

/* The string at FROM, cut to SIZE - 1. */
static bool peek_string(const char *from, char *to, size_t size)
{
    size_t n = 0;
    while (n + 1 < size) {
        size_t step = 64 - ((uintptr_t)(from + n) & 63);        /* never across a page */
        if (step > size - 1 - n)
            step = size - 1 - n;
        if (!flow_peek(from + n, to + n, step))
            return false;
        to[n + step] = 0;
        if (strlen(to + n) < step)
            return true;
        n += step;
    }
    return true;
}

/* type_info, with the members that follow it in the classes with bases. */
struct type_info {
    void *const *vptr;
    const char *name;
    union {
        const struct type_info *single;
        struct {
            uint32_t flags, count;
        };
    };
};
struct base_info {
    const struct type_info *type;
    long offset_flags;          /* 1: virtual base; offset << 8 */
};

static bool type_name(void *const *vptr, char *name, size_t size)
{
    const struct type_info *type = 0;
    struct tbb_typeinfo t = { 0 };
    return !((uintptr_t)vptr & 7) && vptr &&
           flow_peek(vptr + VTABLE_TYPEINFO, &type, sizeof type) && type &&
           flow_peek(type, &t, sizeof t) && t.name && peek_string(t.name, name, size);
}

/* The state of a walk through the bases of a class. */
struct look {
    struct flow_node_class *c;
    bool graph_node;
    bool since_2022;            /* by the namespace */
    uint32_t function, forwarding;
};

static bool is(const char *name, const char *what)
{
    name += *name == '*';       /* a class of internal linkage */
    if (strncmp(name, NAMESPACE, sizeof NAMESPACE - 1))
        return false;
    name += sizeof NAMESPACE - 1;
    return (*name == '1' || *name == '2') && !strncmp(name + 1, what, strlen(what));
}

/* The nodes that a program makes. A class that is derived from one is of its kind. */
static const struct node_class {
    const char *part, *name;
    enum flow_kind kind;
    enum flow_order order;
    enum flow_join join;
} node_classes[] = {
    { "10async_nodeI", "flow::async_node", FLOW_FUNCTION, 0, 0 },
    { "18multifunction_nodeI", "flow::multifunction_node", FLOW_FUNCTION, 0, 0 },
    { "13function_nodeI", "flow::function_node", FLOW_FUNCTION, 0, 0 },
    { "13continue_nodeI", "flow::continue_node", FLOW_CONTINUE, 0, 0 },
    { "10input_nodeI", "flow::input_node", FLOW_INPUT, 0, 0 },
    { "14sequencer_nodeI", "flow::sequencer_node", FLOW_BUFFER, FLOW_FIFO, 0 },
    { "10queue_nodeI", "flow::queue_node", FLOW_BUFFER, FLOW_FIFO, 0 },
    { "19priority_queue_nodeI", "flow::priority_queue_node", FLOW_BUFFER, FLOW_PRIORITY, 0 },
    { "11buffer_nodeI", "flow::buffer_node", FLOW_BUFFER, FLOW_LIFO, 0 },
    { "15write_once_nodeI", "flow::write_once_node", FLOW_OVERWRITE, 0, 0 },
    { "14overwrite_nodeI", "flow::overwrite_node", FLOW_OVERWRITE, 0, 0 },
    { "12join_node_FEINS1_22graph_policy_namespace8queueing", "flow::join_node", FLOW_JOIN, 0,
      FLOW_QUEUEING },
    { "12join_node_FEINS1_22graph_policy_namespace9reserving", "flow::join_node (reserving)",
      FLOW_JOIN, 0, FLOW_RESERVING },
    { "12join_node_FEINS1_22graph_policy_namespace12key_matching",
      "flow::join_node (key matching)", FLOW_JOIN, 0, FLOW_MATCHING },
    { "12indexer_nodeI", "flow::indexer_node", FLOW_INDEXER, 0, 0 },
    { "14broadcast_nodeI", "flow::broadcast_node", FLOW_PASS, 0, 0 },
    { "10split_nodeI", "flow::split_node", FLOW_PASS, 0, 0 },
    { "12limiter_nodeI", "flow::limiter_node", FLOW_LIMITER, 0, 0 },
    { "14composite_nodeI", "flow::composite_node", FLOW_PASS, 0, 0 },
};

static void see_kind(struct flow_node_class *c, const char *name)
{
    const struct node_class *k = node_classes,
                            *end = k + sizeof node_classes / sizeof node_classes[0];
    while (k < end && !is(name, k->part))
        k++;
    if (k == end)
        return;
    c->name = k->name;
    c->kind = k->kind;
    c->order = k->order;
    c->join = k->join;
    c->sponsors = !strcmp(c->name, "flow::async_node");
    c->puts_late = !strcmp(c->name, "flow::function_node");
    c->sequences = !strcmp(c->name, "flow::sequencer_node");
    const char *message = strstr(name, "12continue_msgEEE");
    c->counts = c->kind == FLOW_LIMITER && message && !message[17];
}

/* Notes that NAME is the class itself, or a base at OFFSET. Derived classes come before their
 * bases. */
static void see(struct look *l, const char *name, uint32_t offset)
{
    struct flow_node_class *c = l->c;
    if (is(name, "10graph_nodeE")) {
        l->graph_node = !offset;
        l->since_2022 = name[sizeof NAMESPACE - 1] == '2';
    }
    if (is(name, "19function_input_baseI")) {
        l->function = c->receiver = offset;
        c->light = strstr(name, "lightweight");
    } else if (is(name, "14continue_inputI")) {
        c->receiver = offset;
        c->light = strstr(name, "lightweight");
    } else if (is(name, "8receiverI") && !c->receiver)
        c->receiver = offset;
    else if (is(name, "6senderI"))
        c->sender = offset;
    else if (is(name, "22reservable_item_bufferI"))
        c->buffer = offset;
    else if (is(name, "12join_node_FEI") || is(name, "15indexer_node_FEI"))
        l->forwarding = offset;
    if (c->kind == FLOW_UNKNOWN)
        see_kind(c, name);
}

static bool walk_bases(struct look *l, const struct type_info *type, uint32_t offset,
                       unsigned depth)
{
    struct type_info t = { 0 };
    char kind[64], name[NAME_MAX_LOOKED_AT];
    if (depth > DEPTH_MAX || !flow_peek(type, &t, sizeof(struct tbb_typeinfo)) ||
        !peek_string(t.name, name, sizeof name) || !type_name(t.vptr, kind, sizeof kind))
        return false;
    see(l, name, offset);
    bool single = strstr(kind, "__si_class_type_info");
    if (!single && !strstr(kind, "__vmi_class_type_info"))
        return true;            /* no bases */
    if (!flow_peek(type, &t, sizeof t))
        return false;
    if (single)
        return walk_bases(l, t.single, offset, depth + 1);
    for (uint32_t i = 0; i < t.count && i < BASES_MAX; i++) {
        struct base_info b = { 0 };
        if (!flow_peek((const struct base_info *)(type + 1) + i, &b, sizeof b))
            return false;
        if (!(b.offset_flags & 1) &&
            !walk_bases(l, b.type, offset + (uint32_t)(b.offset_flags >> 8), depth + 1))
            return false;
    }
    return true;
}

/* Is the word W a pointer to an object of a class whose name begins with WHAT? */
static bool points_to(const void *w, const char *what)
{
    void *const *vptr = 0;
    char name[NAME_MAX_LOOKED_AT];
    return w && !((uintptr_t)w & 7) && flow_peek(w, &vptr, sizeof vptr) &&
           type_name(vptr, name, sizeof name) && is(name, what);
}

/* Finds the pointer to the node's body. TWICE: the node has two such pointers side by side, one for
 * the body in use and one for a reset. */
static void find_body(struct flow_node_class *c, const char *node, uint32_t from, const char *what,
                      bool twice)
{
    void *w[2] = { 0 };
    for (uint32_t at = from; at < from + LOOK_BYTES && flow_peek(node + at, w, sizeof w);
         at += sizeof w[0])
        if (points_to(w[0], what) && (!twice || points_to(w[1], what))) {
            c->body = at;
            return;
        }
}

static void find_ports(struct flow_node_class *c, const char *node, uint32_t from, uint32_t to)
{
    static const char *const what[] = { "13queueing_portI", "14reserving_portI",
                                        "17key_matching_portI", "18indexer_input_portI",
                                        "19threshold_regulatorI" };
    for (uint32_t at = from; at < to && c->ports < FLOW_PORTS_MAX; at += sizeof(void *))
        for (unsigned i = 0; i < sizeof what / sizeof what[0]; i++)
            if (points_to(node + at, what[i])) {
                c->port[c->ports++] = at;
                break;
            }
}

/* The number of functions from VPTR on: each begins where a function begins. What follows a vtable
 * in memory does not. */
static unsigned functions_from(void *const *vptr)
{
    uintptr_t f = 0;
    unsigned n = 0;
    while (n < 2 * VTABLE_SENDER_SLOTS && flow_peek(vptr + n, &f, sizeof f) && f &&
           cfi_function(f) == f)
        n++;
    return n;
}

/* TBB_PREVIEW_FLOW_GRAPH_FEATURES adds functions to receivers and senders since 2022.0. They come
 * between those that we replace, and take another argument. The type information does not show
 * them, but the length of the vtable does. */
static bool has_preview(const struct flow_node_class *c, const char *node)
{
    void *const *vptr = 0;
    uint32_t at = c->sender ? c->sender : c->receiver;
    unsigned usual = c->sender ? VTABLE_SENDER_SLOTS : VTABLE_RECEIVER_SLOTS;
    return at && (!flow_peek(node + at, &vptr, sizeof vptr) ||
                  functions_from(flow_vtable_original_of(vptr)) != usual);
}

static bool analyse(struct flow_node_class *c, const struct tbb_graph_node *node)
{
    struct look l = { .c = c };
    const struct type_info *type = 0;
    c->kind = FLOW_UNKNOWN;
    c->name = "flow graph (node of a class of the program)";
    if (!flow_peek(c->vptr + VTABLE_TYPEINFO, &type, sizeof type) || !type ||
        !walk_bases(&l, type, 0, 0) || !l.graph_node)
        return false;
    const char *top = (const char *)node;
    if (l.since_2022 && has_preview(c, top)) {
        c->name = "flow graph (TBB_PREVIEW_FLOW_GRAPH_FEATURES)";
        return false;
    }
    switch (c->kind) {
    case FLOW_FUNCTION:
        if (!l.function)
            return false;
        find_body(c, top, c->receiver + sizeof(struct tbb_function_input),
                  c->puts_late ? "18function_body_leafI" : "23multifunction_body_leafI", true);
        break;
    case FLOW_CONTINUE:
        if (!c->receiver)
            return false;
        find_body(c, top, c->receiver + sizeof(struct tbb_continue_receiver),
                  "18function_body_leafI", true);
        break;
    case FLOW_INPUT:
        find_body(c, top, sizeof *node, "15input_body_leafI", true);
        break;
    case FLOW_BUFFER:
        if (!c->buffer || !c->receiver || !c->sender)
            return false;
        if (c->sequences)
            find_body(c, top, c->sender, "18function_body_leafI", false);
        break;
    case FLOW_JOIN:
    case FLOW_INDEXER:
        if (!l.forwarding || c->sender <= l.forwarding)
            return false;
        find_ports(c, top, l.forwarding, c->sender);
        if (!c->ports)
            return false;
        break;
    case FLOW_LIMITER:
        if (!c->sender)
            return false;
        find_ports(c, top, c->sender, c->sender + LOOK_BYTES);
        if (c->ports != 1)      /* a limiter has one port; a second one is another object's */
            c->ports = c->ports != 0;
        break;
    default:
        break;
    }
    return true;
}

void flow_node_class_forget(void)
{
    lock_take(&classes_lock);
    __atomic_store_n(&classes, (struct flow_node_class *)0, __ATOMIC_RELEASE);
    lock_release(&classes_lock);
}

const struct flow_node_class *flow_node_class_of(const struct tbb_graph_node *node,
                                                 void *const *vptr)
{
    const struct flow_node_class *known = __atomic_load_n(&classes, __ATOMIC_ACQUIRE);
    for (; known; known = known->next)
        if (known->vptr == vptr)
            return known;
    struct flow_node_class *c = memory_keep(sizeof *c);
    if (!c)
        return 0;
    c->vptr = vptr;
    if (!analyse(c, node))
        c->kind = FLOW_UNKNOWN;
    lock_take(&classes_lock);
    c->next = classes;
    __atomic_store_n(&classes, c, __ATOMIC_RELEASE);
    lock_release(&classes_lock);
    return c;
}
