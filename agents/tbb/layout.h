/* layout.h - what this agent knows of oneTBB's binary interface (libtbb.so.12, "detail::d1").
 *
 * These are ABI: user code inlined from the headers and the library share them, so they cannot
 * change without a new soname. Read from the headers of 2021.8, also found in 2023.2 (FACTS).
 * Every task is checked when it is armed (task_fits); one that does not fit is left alone.
 */
#ifndef AGENTS_TBB_LAYOUT_H
#define AGENTS_TBB_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct task;
struct scope;

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
    uint8_t runtime[64];
    uint64_t name;              /* d1::string_resource_index: the construct */
    uint64_t magic;             /* CONTEXT_MAGIC ^ address once the rest is ours */
    struct task *creator;       /* strand that constructed it */
    struct scope *creator_scope;/* that strand's scope: no lock needed */
    struct scope *scopes;       /* other strands' scopes, under lock */
    uint32_t lock;
    uint32_t pad;
    uint64_t unused[2];
};
_Static_assert(sizeof(struct tbb_context) == 128, "d1::task_group_context");
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

/* d1::base_filter: what parallel_pipeline runs. The runtime links it into its chain of filters. */
struct tbb_filter {
    void *const *vptr;
    struct tbb_filter *next;    /* TBB_FILTER_UNLINKED until it is in a pipeline; NULL: the last */
    void *buffer;
    uint32_t mode, pad;         /* TBB_FILTER_* */
    void *pipeline;
};
_Static_assert(sizeof(struct tbb_filter) == 40, "d1::base_filter");
#define TBB_FILTER_UNLINKED ((struct tbb_filter *)-1)
enum { TBB_FILTER_SERIAL = 1, TBB_FILTER_OUT_OF_ORDER = 2, TBB_FILTER_MAY_EMIT_NULL = 4, TBB_FILTER_MODES = 7 };
enum { VTABLE_FILTER_CALL, VTABLE_FILTER_D1, VTABLE_FILTER_D0, VTABLE_FILTER_FINALIZE, VTABLE_FILTER_SLOTS };

/* d1::filter_node: the expression "filter & filter & ..."; its leaves make the filters. */
struct tbb_filter_node {
    void *const *vptr;
    intptr_t references;
    const struct tbb_filter_node *left, *right; /* both or none */
};
_Static_assert(sizeof(struct tbb_filter_node) == 32, "d1::filter_node");
enum { VTABLE_NODE_CREATE, VTABLE_NODE_D1, VTABLE_NODE_D0, VTABLE_NODE_SLOTS };

#define TBB(name) "_ZN3tbb6detail2r1" name

#endif
