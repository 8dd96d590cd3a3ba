/* reduce.c - reduction trees: which strand joins what.
 *
 * parallel_reduce joins two results in the strand that finishes last. We do not see the decrement
 * that decides which strand that is. The join must start after BOTH strands. So each node of the
 * tree has an edge. The strand that finishes first puts its path when its task ends, a few
 * instructions later. The other strand gets the edge when it starts to join (seen as
 * is_group_execution_cancelled) or deletes the node (deallocate).
 */
#include "tbb.h"
#include "base/inline.h"
#include "base/memory.h"
#include "dag/block.h"
#include "entry.h"

READ_MOSTLY bool tbb_reductions;

struct reduce_node {
    struct tbb_node *address;
    struct reduce_node *parent;
    struct edge edge;
    uint32_t puts;              /* 1: the first strand to finish has put its path; release-stored */
    bool taken;
};

/* The last two blocks that this thread allocated. A split allocates the child and the tree node. No
 * array: the ABI aligns an array of 16 bytes, and the gap would come out of each thread's stack. */
static __thread struct { void *last, *before; } recent __attribute__((tls_model("initial-exec")));

__attribute__((noinline)) void tbb_reduce_split(struct thread *th, struct tbb_task *t,
                                                struct task *rec)
{
    struct task *cur = th->cur;
    struct tbb_node *n = recent.last == t     ? recent.before
                         : recent.before == t ? recent.last
                                              : 0;
    recent.last = recent.before = 0;
    struct reduce_node *parent = cur->agent_node;
    if (!n || n->ref_count != 2 || (parent && n->parent != parent->address)) {
        run_lower_bound(((const struct task_class *)rec->agent_class)->construct);
        return;
    }
    struct reduce_node *r = block_new(th, block_class(sizeof *r));
    if (!r)
        return;
    zero_words(r, sizeof *r);
    r->address = n;
    r->parent = parent;
    r->edge.one_invocation = true;
    cur->agent_node = rec->agent_node = r;
}

void tbb_reduce_end(struct thread *th, struct task *rec)
{
    struct reduce_node *r = rec->agent_node;
    engine_pause(th);           /* one reading ends the strand and dates what it puts */
    edge_put_only(th, rec, &r->edge);
    __atomic_store_n(&r->puts, 1, __ATOMIC_RELEASE);
    engine_end_paused(th, rec);
}

static void reduce_take(struct thread *th, struct reduce_node *r)
{
    if (r->taken)
        return;
    r->taken = true;
    for (uint32_t turns = 0; !__atomic_load_n(&r->puts, __ATOMIC_ACQUIRE); lock_turn(&turns)) {
        /* the other strand was preempted for seconds, or never was ours */
        if (turns > LOCK_TURNS_MOST) {
            th->lost[LOSS_LATE_JOIN]++;
            return;
        }
    }
    edge_take(th, &r->edge);
}

/* The tree node of the reduction that the running strand works on; usually there is none. TH: the
 * thread's state, read only where the program has reductions. */
static ALWAYS_INLINE struct reduce_node *node_here(struct thread **th)
{
    if (__builtin_expect(!tbb_reductions, 1))
        return 0;
    *th = thread_self_;
    const struct task *cur = *th ? (*th)->cur : 0;
    return cur ? cur->agent_node : 0;
}

/* ---- entry points ---- */

EXPORT void *tbb_allocate(void **pool, size_t bytes, const struct tbb_execution_data *ed)
    __asm__(TBB("8allocateERPNS0_2d117small_object_poolEmRKNS2_14execution_dataE"));
EXPORT void *tbb_allocate(void **pool, size_t bytes, const struct tbb_execution_data *ed)
{
    if (__builtin_expect(!tbb_reductions, 1))
        return entry()->allocate(pool, bytes, ed);
    void *p = entry()->allocate(pool, bytes, ed);
    recent.before = recent.last;
    recent.last = p;
    return p;
}

/* The two functions below are out of line so that their callers save no registers. */
static __attribute__((noinline, cold)) void deallocate_node(struct thread *th, void *pool, void *p,
                                                            size_t bytes,
                                                            const struct tbb_execution_data *ed)
{
    struct task *cur = th->cur;
    struct reduce_node *r = cur->agent_node;
    reduce_take(th, r);
    cur->agent_node = r->parent;
    block_free(th, r);
    entry()->deallocate(pool, p, bytes, ed);
}

EXPORT void tbb_deallocate(void *pool, void *p, size_t bytes, const struct tbb_execution_data *ed)
    __asm__(TBB("10deallocateERNS0_2d117small_object_poolEPvmRKNS2_14execution_dataE"));
EXPORT void tbb_deallocate(void *pool, void *p, size_t bytes, const struct tbb_execution_data *ed)
{
    struct thread *th;
    const struct reduce_node *r = node_here(&th);
    if (__builtin_expect(r && r->address == p, 0))
        deallocate_node(th, pool, p, bytes, ed);
    else
        entry()->deallocate(pool, p, bytes, ed);
}

static __attribute__((noinline, cold)) bool is_cancelled_in_join(struct thread *th,
                                                                 struct tbb_context *ctx)
{
    reduce_take(th, th->cur->agent_node);
    return entry()->is_cancelled(ctx);
}

EXPORT bool tbb_is_cancelled(struct tbb_context *ctx)
    __asm__(TBB("28is_group_execution_cancelledERNS0_2d118task_group_contextE"));
EXPORT bool tbb_is_cancelled(struct tbb_context *ctx)
{
    struct thread *th;
    const struct reduce_node *r = node_here(&th);
    if (__builtin_expect(r && __atomic_load_n(&r->address->ref_count, __ATOMIC_ACQUIRE) == 0, 0))
        return is_cancelled_in_join(th, ctx);   /* the join of this node starts now */
    return entry()->is_cancelled(ctx);
}
