/* tbb_abi.h - the part of oneTBB's binary interface that this agent uses (libtbb.so.12,
 * "detail::d1").
 *
 * These layouts are ABI: the library shares them with code that programs inline from its headers.
 * So they cannot change without a new soname. They are from the headers of 2021.8. 2023.2 has the
 * same. Every task is checked when it is armed (tbb_task_fits). A task that does not fit is left
 * alone. The flow graph's are no ABI: 2022.0 changed them, see below.
 */
#ifndef AGENTS_TBB_TBB_ABI_H
#define AGENTS_TBB_TBB_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/lock.h"

struct task;
struct scope;
struct flow_graph;

/* d1::task: 64 bytes. The runtime uses reserved[0] (context) and reserved[2] (isolation). */
struct tbb_task {
    void *const *vptr;
    uint64_t traits;
    uint64_t reserved0[3];
    struct task *rec;           /* reserved[3]: ours while the task is armed */
    void *const *original_vptr; /* reserved[4]: ours while the task is armed */
    uint64_t reserved5;
};
_Static_assert(sizeof(struct tbb_task) == 64, "d1::task");
_Static_assert(offsetof(struct tbb_task, rec) == 40, "m_reserved[3]");

/* Virtual functions of d1::task, as indices from vptr. */
enum { VTABLE_D1, VTABLE_D0, VTABLE_EXECUTE, VTABLE_CANCEL, VTABLE_SLOTS };
#define VTABLE_TYPEINFO (-1)

/* std::type_info: vptr, then the mangled name. */
struct tbb_typeinfo {
    void *vptr;
    const char *name;
};

struct tbb_context;

/* d1::execution_data */
struct tbb_execution_data {
    struct tbb_context *context;
    uint16_t original_slot, affinity_slot;
};

/* d1::task_group_context: 128 bytes, of which 72..127 are padding: ours. */
struct tbb_context {
    uint8_t runtime[13];
    uint8_t traits;             /* TBB_CONTEXT_CONCURRENT_WAIT */
    uint8_t runtime2[50];
    uint64_t name;              /* d1::string_resource_index: the construct */
    uint64_t magic;             /* CONTEXT_MAGIC ^ address once the rest is ours */
    struct task *creator;       /* strand that constructed it */
    struct scope *creator_scope;/* that strand's scope: no lock needed */
    struct scope *scopes;       /* other strands' scopes, under lock */
    struct lock lock;
    struct flow_graph *graphs;  /* flow graphs whose tasks run in it, under lock */
    const void *waited;         /* wait_context of the last wait, if it is not the own group's */
};
_Static_assert(sizeof(struct tbb_context) == 128, "d1::task_group_context");
_Static_assert(offsetof(struct tbb_context, name) == 64, "my_name");
#define TBB_CONTEXT_CONCURRENT_WAIT 2   /* of a task_group that has a context of its own */
_Static_assert(offsetof(struct tbb_context, magic) == 72, "padding");
#define CONTEXT_MAGIC 0x6c696270726f6621ull

/* d1::task_group_base: the wait_context (16 bytes), then its own context. */
#define TASK_GROUP_CONTEXT_OFFSET 16

/* d1::node of the reduction trees: parent, reference count. */
struct tbb_node {
    struct tbb_node *parent;
    int ref_count;
};

/* d1::delegate_base: bool operator()() const, D1, D0. */
struct tbb_delegate {
    void *const *vptr;
};

/* d1::base_filter, which parallel_pipeline runs. The runtime links it into its chain of filters. */
struct tbb_filter {
    void *const *vptr;
    struct tbb_filter *next;    /* TBB_FILTER_UNLINKED until it is in a pipeline; NULL: the last */
    void *buffer;
    uint32_t mode, pad;         /* TBB_FILTER_* */
    void *pipeline;
};
_Static_assert(sizeof(struct tbb_filter) == 40, "d1::base_filter");
#define TBB_FILTER_UNLINKED ((struct tbb_filter *)-1)
enum {
    TBB_FILTER_SERIAL = 1,
    TBB_FILTER_OUT_OF_ORDER = 2,
    TBB_FILTER_MAY_EMIT_NULL = 4,
    TBB_FILTER_MODES = 7
};
enum {
    VTABLE_FILTER_CALL,
    VTABLE_FILTER_D1,
    VTABLE_FILTER_D0,
    VTABLE_FILTER_FINALIZE,
    VTABLE_FILTER_SLOTS
};

/* d1::filter_node: the expression "filter & filter & ..."; its leaves make the filters. */
struct tbb_filter_node {
    void *const *vptr;
    intptr_t references;
    const struct tbb_filter_node *left, *right; /* both, or neither: a leaf */
};
_Static_assert(sizeof(struct tbb_filter_node) == 32, "d1::filter_node");
enum { VTABLE_NODE_CREATE, VTABLE_NODE_D1, VTABLE_NODE_D0, VTABLE_NODE_SLOTS };

/* ---- the flow graph: header code of the program, checked where it is met first (flow_node.c)
 * ---- */

/* Since 2022.0 the classes are in the namespace d2, a graph has a wait_context_vertex in place of
 * its wait_context, and a task has a pointer to a vertex before what its class adds. So two places
 * are 8 bytes further down. This shift is found for each graph: parts of a program may have been
 * compiled with different headers. */
struct tbb_graph;
enum { TBB_SHIFT_2021 = 0, TBB_SHIFT_2022 = 8 };

struct tbb_graph_node {
    void *const *vptr;
    struct tbb_graph *graph;
    struct tbb_graph_node *next, *prev;
};
/* A graph begins with its vptr and the vertex, and the wait_context ends it. Then: */
struct tbb_graph_rest {
    struct tbb_context *context;
    uint8_t own_context, cancelled, exception, active;
    struct tbb_graph_node *nodes, *last;
    uint8_t nodes_lock;         /* spin_mutex */
};
_Static_assert(offsetof(struct tbb_graph_rest, nodes_lock) == 32, "d1::graph");
#define TBB_GRAPH_WAIT 8        /* offsets in a graph, to which the shift is added */
#define TBB_GRAPH_REST 24

/* d1::graph_task, with which all classes derived from it begin. Behind it stands a reference to the
 * node: TBB_TASK_NODE and the shift. */
struct tbb_graph_task {
    struct tbb_task task;
    struct tbb_graph *graph;
    uint32_t priority, pad;
    void *next, *pool;
};
#define TBB_TASK_NODE 96
_Static_assert(sizeof(struct tbb_graph_task) >= TBB_TASK_NODE, "d1::graph_task");
#define TBB_ENQUEUED ((struct tbb_task *)-1)    /* SUCCESSFULLY_ENQUEUED */

struct tbb_item_buffer {
    void *array;
    size_t capacity, head, tail;
};

/* d1::function_input_base, which is a receiver */
struct tbb_function_input {
    void *const *vptr;
    struct tbb_graph *graph;
    size_t max_concurrency, concurrency;    /* 0: unlimited */
    uint32_t priority;
    bool no_throw;
    struct tbb_item_buffer *queue;          /* NULL: it rejects */
};
_Static_assert(offsetof(struct tbb_function_input, queue) == 40, "d1::function_input_base");

/* d1::limiter_node, from its sender on */
struct tbb_limiter {
    void *const *vptr;
    size_t threshold, count;
};

/* d1::priority_task_selector, and the graph's queue from which it takes */
struct tbb_selector {
    struct tbb_task task;
    const char *queue;
};
#define TBB_REST_QUEUE 48       /* from the rest of the graph on */
#define TBB_QUEUE_DATA 256      /* offset of the begin and end of its contents */

struct tbb_continue_receiver {
    void *const *vptr;
    uint8_t mutex;
    int predecessors, current;
};

/* d1::queueing_port: its head, which is all that we need */
struct tbb_queueing_port {
    void *const *vptr;
    struct tbb_item_buffer buffer;
};

/* buffer_node's operations */
struct tbb_buffer_operation {
    uint64_t status;
    void *next;
    uint64_t type;
    const void *item;
};

/* Virtual functions, as indices from the vptr of the base that declares them. */
enum { VTABLE_RECEIVER_PUT = 2, VTABLE_RECEIVER_SLOTS = 8 };
enum {
    VTABLE_SENDER_GET = 2,
    VTABLE_SENDER_RESERVE,
    VTABLE_SENDER_RELEASE,
    VTABLE_SENDER_CONSUME,
    VTABLE_SENDER_SLOTS = 8
};
enum {
    VTABLE_BUFFER_FORWARD = 7,
    VTABLE_BUFFER_PUSH,
    VTABLE_BUFFER_POP,
    VTABLE_BUFFER_RESERVE,
    VTABLE_BUFFER_SLOTS = 13
};
enum { VTABLE_BODY_CALL = 2 };
#define VTABLE_OFFSET_TO_TOP (-2)

#define TBB(name) "_ZN3tbb6detail2r1" name

#endif
