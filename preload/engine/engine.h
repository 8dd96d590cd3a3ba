/* engine.h - exact work and span, online, in parallel (DESIGN 4).
 *
 * Every task carries, for the point its execution has reached,
 *   S      length of the longest path from the start of the program (T_inf so far)
 *   L, K   the same in the burdened dag: length without burdens, and number of burdened edges;
 *          compared by L + K * burden (Cilkview section 3; the burden sits on the edge that a
 *          thief takes, which in a child-stealing runtime is the one to the child)
 *   work   own strands (own) and everything joined into it (joined)
 * and the provenance of S RELATIVE TO ITS BIRTH: which contexts the critical path from the task's
 * birth to now leads through. Relative paths are what makes this cheap: a child needs nothing of
 * its parent's path, and a child that loses its join is dropped without an allocation.
 *
 *   birth <= blk <= S, and always   sum(bag.span_local) + loc + (S - blk) == S - birth
 *   blk   S when a joined child was last adopted as the critical path (start of the "block")
 *   loc   the task's own cost on its critical path, birth..blk
 *   bag   what its descendants contribute to it, birth..blk, by context
 *
 * A child that was born at x and ends at S_c > S on the join replaces the parent's continuation:
 * the parent's path becomes [its own path up to x] + [child's path]; x - blk is the parent's own
 * part. Children born before blk need the path as it was: scopes keep snapshots (rare; see scope).
 *
 * Threads. A task is touched by the thread that runs it. A scope has two halves: `local` for the
 * thread that runs the scope's owner (no atomics), `remote` for everybody else, under a lock
 * held for a few dozen instructions. A task that ended before its children gives up the local half.
 *
 * Tags: [hook] on an application thread, outside signal handlers, inside an enter/leave pair;
 * [init] before recording starts; [writer] the thread that writes the profile; [any].
 */
#ifndef PRELOAD_ENGINE_H
#define PRELOAD_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include "clock/clock.h"
#include "context/context.h"
#include "base/lock.h"
#include "base/memory.h"

struct bag;
struct dag_node;
struct hit;
struct region_instance;
struct thread;
struct whatif_inside;
struct whatif_thread;

enum task_flag {
    TASK_CALL = 1,      /* its spawner waits for it at once: no thief can take it, no burden */
    TASK_INHERIT = 2,   /* made by a construct itself: belongs to the parent's invocation */
    TASK_STOLEN = 4,
    TASK_CLOSED = 8,    /* its body has ended, children are outstanding (under self.lock) */
    TASK_ROOT = 16,     /* a thread's own strand that nobody spawned */
    TASK_CANCELLED = 32,
    TASK_FOREIGN = 64,  /* spawned by another strand than its scope's owner: its birth says nothing
                           about the owner's path */
    TASK_MOVED = 128,   /* it runs on another stack for a while: entry and base are of that */
    TASK_REST = 256,    /* what outlives a task that ended before its children: see engine_end_loose */
    TASK_ENTRY_AT = 512, /* entry is the address of the word that holds it; 0 there: not known yet */
    TASK_AGENT_OMP = 1024, /* the agent that uses `agent`, for those whose constructs nest in others' tasks */
    TASK_AGENT_AWAY = 2048, TASK_AGENT_UNTIED = 4096, TASK_AGENT_OVER = 8192, /* agent's */
    TASK_SWEEPS = 16384, /* sweep_in is set */
};

/* What finished tasks leave to the join. All-zero when empty, also on the free list. */
struct scope_half {
    struct task *best;      /* the finished task that has the longest path; it is kept until the join */
    uint64_t L, K;          /* best burdened path */
    uint64_t *scaled;       /* best of each scenario (whatif.h); NULL: none */
    uint64_t work;          /* subtree work of the finished tasks */
    uint64_t inherited_work; /* local T1 of what inherited tasks did of their parent's invocation */
    uint64_t done;          /* finished tasks; release-stored after everything above */
};

/* A path prefix of the owner at an earlier block, for children born then. */
struct prefix {
    struct prefix *next;
    uint64_t blk, end;      /* births in blk..end belong to it */
    uint64_t loc;
    struct bag *bag;        /* owned copy */
};

/* What tasks of a scope left behind when they ended before their children (engine_end_loose): it is joined
 * with the scope's group, not with its tasks. Under the scope's lock. */
struct scope_rest {
    uint64_t spawned;
    struct scope_half half;
};

/* The set of tasks that a join waits for, spawned by one task. */
struct scope {
    struct task *owner;     /* NULL: orphan, its owner has ended */
    struct thread *thread;  /* uses `local`; NULL: nobody */
    uint64_t spawned;       /* written by the owner's strand */
    uint64_t spawned_foreign; /* by other strands, under lock */
    struct scope_half local;
    uint64_t taken_work;    /* part of work credited to a joiner already (foreign joins) */
    uint32_t born_block;    /* owner's block number of the last spawn, and 1; 0: none since it was joined */
    uint32_t prefix_count;
    struct prefix *prefixes; /* newest first */
    struct scope_rest *rest; /* NULL: nothing was left behind */
    uint32_t dag_id;        /* its number in dagrec.h's lists; 0: nothing was spawned since it was joined */
    bool left;              /* nobody will join it (engine_scope_leave); under lock */
    struct scope *owner_next; /* owner's list of scopes */
    struct scope *key_next;  /* agent's list of scopes of one key */
    void *key;              /* agent's: the task group's context, the pthread, ... */
    struct lock lock;       /* of `remote`, `left`, of `closed` decisions and of who frees it; nests in nothing */
    struct scope_half remote;
};

struct task {
    uint64_t S, L, K;
    uint64_t birth, blk;
    /* zero at birth, down to and with ctx: one run of stores */
    uint64_t loc;
    uint64_t own;           /* cost of its own strands */
    uint64_t joined;        /* subtree work of what was joined into it */
    uint64_t inherited_work; /* local work of inherited tasks joined into it */
    struct bag *bag;
    struct scope *scopes;   /* its scopes other than self, newest first */
    struct region_instance *regions;
    void *agent, *agent_node, *agent_place; /* the agent's own */
    void *word;             /* for agents beyond include/libprof_agent.h */
    const void *agent_class;
    uint64_t *scaled;       /* S in every scenario (whatif.h); NULL: none are tried */
    struct dag_node *node;  /* its record (dagrec.h); NULL: none is kept */
    uint32_t next_seq;      /* for its children */
    uint32_t block;         /* number of the current block, below 2^31 (task_block_next) */
    uint32_t fresh;         /* scopes spawned into in this block, not yet joined */
    uint32_t seq;           /* spawn order in the spawner: breaks ties the same way in every schedule, also
                               when 2^32 were spawned and it starts again; set after */
    uint64_t late;          /* its path from birth to its own start: others' that it depends on (engine_after) */
    struct context *ctx;
    const struct whatif_inside *inside; /* candidates that it is inside of; only with `scaled` */
    struct scope *scope;    /* where it is joined; NULL: detached */
    struct thread *spawner;
    uint64_t spawn_tsc;
    uintptr_t entry;        /* agent's: where its body was called, on its stack; what a walk ends at */
    const struct logical_path *base; /* TASK_MOVED: what its frames hang on; else ctx->path */
    uint32_t flags;
    uint32_t sweep_in;      /* TASK_SWEEPS: scopes that it makes until engine_scopes_sweep walks them again */
    struct task *interrupted; /* agent's */
    struct scope self;      /* children joined at its own end (terminally strict constructs) */
};

/* An edge of the dag that is not a join: the longest path that was put into it. */
struct edge {
    struct lock lock;
    uint64_t S, L, K;
    uint64_t *scaled;
    struct context *ctx;    /* of the strand that put S */
    uint32_t dag_event;     /* dagrec.h; 0: none */
    bool mixed;             /* that path led through other contexts, too */
    bool one_invocation;    /* set by the agent: all who put and get are tasks of one invocation */
};

/* A critical path put aside, relative to a birth that strands of one invocation share (the items of a
 * pipeline): handed on whole, with its provenance, so that the split of the span stays exact.
 *   sum(bag.span_local) + loc == S - birth */
struct path {
    uint64_t S, L, K;
    uint64_t *scaled;
    uint64_t loc;
    struct bag *bag;        /* owned */
    uint32_t dag_event;     /* dagrec.h; 0: none */
    struct thread *thread;  /* that put it, and when (ticks); NULL, 0: empty */
    uint64_t tsc;
};

/* A critical path that messages carry, shared and immutable: of a strand of SCOPE at some moment, or (ctx NULL) a
 * point of the strand that owns SCOPE. As in struct task: sum(bag.span_local) + loc == S - birth. */
struct trail {
    uint64_t S, birth, loc;
    struct scope *scope;
    struct bag *bag;        /* owned */
    uint64_t *scaled;       /* owned: the latest of all that this trail stands for, in every scenario */
    struct context *ctx;
    uint64_t work_local, work, late;
    uint32_t flags;
    uint32_t seq;           /* of the strand: equal paths are told apart the same way in every schedule */
    uint32_t references;
};

/* What a strand may have to wait for: the longest trail that arrived, and the longest burdened path. All-zero:
 * nothing. */
struct arrival {
    struct trail *trail;    /* a reference */
    uint64_t L, K;
    uint32_t dag_event;     /* dagrec.h: all that arrived; 0: none */
};

/* The critical path of a task that has ended, or of a strand that is paused, for those that start after it: relative to the
 * task's birth. Its own part of it is what the bag does not have. */
struct kept {
    uint64_t S, L, K;
    uint64_t birth, late;
    uint64_t work_local, work;  /* of its invocation, of its subtree */
    struct bag *bag;            /* owned */
    struct context *ctx;        /* NULL: nothing is kept */
    struct kept_more *more;     /* of scenarios and recorded dags; NULL: neither is wanted */
    uint32_t flags, seq;        /* the task's */
};

enum loss { LOSS_MEMORY, LOSS_CONTEXTS, LOSS_LATE_JOIN, LOSS_REGION, LOSS_UNBALANCED, LOSS_PREFIX,
            LOSS_NODES, LOSS_PATHS, LOSS_SAMPLES, LOSSES };

/* What a look at a thread found (blocked.c). */
struct thread_watch {
    uint64_t cpu, delay;        /* ns of CPU time then, and of waiting for a CPU */
    uint32_t tid, node;         /* tid 0: there was no strand */
    bool blocked;               /* in NODE */
};

/* Per-thread state. Never freed: a slot is reused by a later thread. */
struct thread {
    struct task *cur;       /* strand that runs now; NULL: none (idle, in the runtime) */
    uint64_t t0;            /* clock at the start of the strand's current part */
    struct hit *sampled;    /* sampler.c: first node hit since the last reading; NULL: none */
    struct clock_thread clock;
    uint32_t guard;         /* inside libprof or a nested hook: call through */
    uint32_t kind;          /* enum lpf_thread_kind */
    uint32_t tid;
    uint32_t live;
    struct task *root;      /* its own strand: the program's, of a thread that the program created, or nobody's */
    uintptr_t stack_top;    /* above every frame of the thread's own stack */
    uint64_t idle_since;    /* tsc when the last strand paused or ended */
    uint64_t busy_tsc;      /* wall ticks inside strands */
    uint64_t strand_tsc;    /* tsc when the current strand part began */
    /* Gaps between strands that were idle, wall and clock, summed. What the last gap before a resume was is
     * known only at the join: until then resume_gap is its clock part. */
    uint64_t idle_gap_tsc, idle_gap_cost, resume_gap;
    uint64_t life_since, life_tsc, life_cost; /* wall and clock of the thread, and of earlier ones of this slot */
    uint64_t spawns, syncs, steals;
    uint64_t lost[LOSSES];
    uint64_t approximate;   /* joins whose on-span split is approximate */
    uint64_t steal_histogram[128]; /* steal latency, 4 buckets an octave of ticks */
    uint64_t steal_samples;
    struct task *detached;  /* longest detached task that ended here; kept */
    uint64_t detached_L, detached_K, *detached_scaled;
    struct block *free_blocks[BLOCK_CLASSES]; /* memory.h: mine */
    struct block *returned; /* what others freed: lock-free stack, anyone pushes, owner takes all */
    char *slab, *slab_end;
    size_t slab_bytes;      /* of the next one; 0: the first */
    struct thread *next;    /* all threads, newest first; never removed */
    struct sampling *sampling; /* sampler.c */
    char *signal_stack;     /* sigstack.c */
    struct path_deep *deep_spawns;  /* unwind/path.c */
    struct whatif_thread *whatif; /* whatif.c */
    int64_t dag_nodes;      /* made less freed here, not told yet */
    uint64_t measured_tsc;       /* own time as measured (own.h) */
    struct task *open_task; /* snapshot.c: the strand that ran at the snapshot, and */
    uint64_t open, open_blocked; /* what it had cost and been off the CPU since its last reading */
    struct thread_watch watch __attribute__((aligned(64)));     /* blocked.c's, whose thread writes it while this one runs */
    /* By context id: pieces of METRICS_PIECE contexts, mapped when the first of them is measured here, and then for ever; the first is
     * always there. Own thread writes, writer reads. */
    struct metrics *metrics[] __attribute__((aligned(64)));
};

#define METRICS_PIECE 64u       /* contexts; a page of metrics */

/* [any] TH's metrics of context ID; NULL: nothing was measured there yet. */
static inline struct metrics *thread_metrics(const struct thread *th, uint32_t id)
{
    struct metrics *piece = __atomic_load_n(&th->metrics[id / METRICS_PIECE], __ATOMIC_ACQUIRE);
    return __builtin_expect(piece != 0, 1) ? &piece[id % METRICS_PIECE] : 0;
}
/* [hook] The same, made if needed. Without memory: the root's, and that is counted. */
struct metrics *thread_metrics_made(struct thread *th, uint32_t id);

extern __thread struct thread *thread_self_ __attribute__((tls_model("initial-exec")));
extern bool engine_recording;          /* set after setup; cleared at the final snapshot */
extern bool engine_extras;             /* scenarios are tried, or the dag is recorded: every spawn, join and end has more
                                          to do than the short ways of engine.c do; written at set-up */
extern uint64_t engine_burden;         /* cost; current estimate unless set */
extern uint64_t engine_start_tsc;
extern uint32_t engine_forking, engine_forking_pid; /* the thread that is in fork(): it has no state, nor has its
                                          copy in the child yet; 0: none */

/* [init] */
int engine_setup(void);
/* [hook] the calling thread's state, made on first use with a root strand; NULL: not recording. */
struct thread *engine_thread(void);
struct thread *engine_thread_make(uint32_t kind);
static inline struct thread *engine_self(void)
{
    struct thread *th = thread_self_;
    return __builtin_expect(th != 0, 1) ? th : engine_thread();
}
/* [hook] the thread is about to end: finishes its root strand, releases its slot. */
void engine_thread_exit(struct thread *th);
/* [hook] child of fork: the calling thread is the only one; the profile starts anew. */
void engine_forked(void);

/* [hook] The running strand of TH spawns a task into SCOPE (NULL: detached). NULL: out of memory. */
struct task *engine_spawn(struct thread *th, struct scope *scope, struct context *ctx, uint32_t flags);
/* [hook] TASK starts on TH (th->cur == NULL), its body ends, its strand stops and goes on. */
void engine_begin(struct thread *th, struct task *task);
void engine_end(struct thread *th);
struct task *engine_pause(struct thread *th);
/* [hook] The same at one reading of the clock: the running strand is paused and TASK starts; the running task ends
 * (loosely, see engine_end_loose) and NEXT, paused here, goes on. */
void engine_interrupt(struct thread *th, struct task *task);
void engine_end_into(struct thread *th, struct task *next);
void engine_resume(struct thread *th, struct task *task);
/* [hook] A spawned task that will never run. */
void engine_discard(struct thread *th, struct task *task);
/* [hook] TASK, paused, goes on on another stack for a while, called from POINT of its own: *SAVED is what
 * engine_moved_back needs. ENTRY as in struct task. */
struct task_place {
    uintptr_t entry;
    const struct logical_path *base;
    uint32_t moved;
};
void engine_move(struct task *task, const struct path_point *point, uintptr_t entry, struct task_place *saved);
void engine_moved_back(struct task *task, const struct task_place *saved);
/* Where T's frames end; 0: not known. */
static inline uintptr_t task_entry(const struct task *t)
{
    return __builtin_expect(t->flags & TASK_ENTRY_AT, 0) ? *(const volatile uintptr_t *)t->entry : t->entry;
}
static inline const struct logical_path *task_path(const struct task *t)
{
    return t->flags & TASK_MOVED ? t->base : t->ctx->path;
}
/* [hook] TASK may go on on another thread from now: nobody uses its scopes' local halves. */
void engine_unbias(struct task *task);

/* Joins take S as of the last reading: they stand right after engine_resume, or engine_cut.
 * [hook] A new scope of the running strand; its join, which also empties it (waits, bounded, for
 * tasks whose end has not been recorded yet); a join by another task than the owner. */
struct scope *engine_scope_new(struct thread *th);
void engine_join(struct thread *th, struct scope *scope);
void engine_join_foreign(struct thread *th, struct scope *scope);
void engine_scope_free(struct thread *th, struct scope *scope); /* empty and joined */
/* [any thread, TH may be NULL] Nobody will join SCOPE, whoever owns it: what ends there ends with the program, like a task
 * without a scope. Of its owner (when it ends, or sweeps), its tasks and this call the last one frees it: it is not the
 * caller's any more.
 * [hook] sweep: the running strand, about to make a scope that may be left, gives up those that were. It walks its scopes
 * when it has made as many as the last walk kept: a scope costs O(1), and of those left no more stay than of the others. */
void engine_scope_leave(struct thread *th, struct scope *scope);
void engine_scopes_sweep(struct thread *th);
/* [hook] Who waits for a record that is a moment late asks for it between turns, for as long as there are any; then says whether it
 * came. All-zero at the begin. errno is the caller's to keep. */
struct late {
    uint64_t since;
    uint32_t spins, yields, naps;
};
bool engine_late_turn(struct late *l);
void engine_late_end(struct thread *th, const struct late *l, bool came);
static inline uint64_t scope_spawned(const struct scope *s)
{
    return __atomic_load_n(&s->spawned, __ATOMIC_ACQUIRE) +
           __atomic_load_n(&s->spawned_foreign, __ATOMIC_ACQUIRE);
}
static inline bool scope_is_empty(const struct scope *s) { return scope_spawned(s) == 0; }
/* [hook] end the current part of the running strand, so that its numbers are of now. */
void engine_cut(struct thread *th);
/* [hook] the sync is a statement of the program (counts in syncs). */
static inline void engine_count_sync(struct thread *th) { th->syncs++; }

/* [hook] Edges: put the running strand's S; make the running strand start after what was put. paused: T's. */
void engine_edge_put(struct thread *th, struct edge *e);
void engine_edge_get(struct thread *th, struct edge *e);
void engine_edge_put_paused(struct thread *th, const struct task *t, struct edge *e);
void engine_edge_get_paused(struct thread *th, struct task *t, struct edge *e);
/* Nobody will use E again. */
void engine_edge_drop(struct thread *th, struct edge *e);

/* [hook] A dag inside one invocation. OWNER, paused, is the invocation's task: its strands are tasks in
 * OWNER's own scope, born where OWNER stands. They are spawned by the dag, not by a running strand (th->cur
 * == NULL); SEQ orders them. What they depend on is got while they do not run. get empties the path, and
 * adds BURDENS burdened edges to it; put overwrites it. end_paused: engine_end of a strand that is paused. */
struct task *engine_spawn_of(struct thread *th, struct task *owner, uint32_t seq, uint32_t flags);
void engine_path_put(struct thread *th, const struct task *t, struct path *p);
void engine_path_get(struct thread *th, struct task *t, struct path *p, uint32_t burdens);
void engine_path_drop(struct thread *th, struct path *p);
void engine_end_paused(struct thread *th, struct task *t);

/* [hook] A dag whose edges are messages (a flow graph). arrival_now: the path of the running strand as it is now, on top
 * of an empty A; a strand that owns SCOPE is a point at which SCOPE's tasks are born, any other must be a task of SCOPE. max: INTO becomes the
 * later of both. spawn_after: a task of SCOPE, made ready by its messages and not by a running strand; after: T, not
 * yet begun, starts after A, over BURDENS burdened edges; after_running: the running strand goes on after A. */
void engine_arrival_now(struct thread *th, struct scope *scope, struct arrival *a);
void engine_trail_drop(struct thread *th, struct trail *trail);
void engine_arrival_max(struct thread *th, struct arrival *into, const struct arrival *a);
struct task *engine_spawn_after(struct thread *th, struct scope *scope, struct context *ctx, uint32_t seq, uint32_t flags);
void engine_task_after(struct thread *th, struct task *t, const struct arrival *a, uint32_t burdens);
void engine_running_after(struct thread *th, const struct arrival *a);

/* [hook] Tasks that end before their children. engine_end lets a task end, for its scope, with the last of
 * them; a runtime whose join waits for children but not for THEIR children (OpenMP's taskwait) ends tasks so:
 * the join sees the task's own path, and the children it left behind belong to the scope's group, which
 * engine_join_group joins with the scope; or to the end of the scope's owner. paused: of a strand that is. */
void engine_end_loose(struct thread *th);
void engine_end_loose_paused(struct thread *th, struct task *t);
/* [hook] The same of T, paused, the owner of a dag inside one invocation, whose strands have all ended. */
void engine_end_loose_dag(struct thread *th, struct task *t);
void engine_join_group(struct thread *th, struct scope *scope);
/* [hook] Joins the group of T's own scope into T, which is paused, whoever calls. T: after engine_unbias. */
void engine_join_paused(struct thread *th, struct task *t);
/* [hook] The gap before the strand that now runs was waiting for others. */
void engine_gap_was_idle(struct thread *th);
/* [hook] The gap before the strand that now runs was libprof's own time. */
void engine_gap_was_own(struct thread *th);
/* [hook] The gap before the strand that now runs was waiting for a thread, which ran instead of this one: no slot idled. */
void engine_gap_was_lent(struct thread *th);
/* [hook] The running strand is about to end, and another will go on for it: it has the regions, too. */
struct region_instance *engine_regions_take(struct thread *th);
void engine_regions_give(struct thread *th, struct region_instance *list);

/* [hook] Dependences between tasks that one strand spawned. keep: the path of T, which has ended or is paused, in *K.
 * after: T, spawned and not yet begun, starts after what was kept; its path then leads through it, with provenance.
 * join_kept: T, paused or just resumed, which spawned it into JOINED, goes on after it. */
void engine_keep(struct thread *th, struct task *t, struct kept *k);
void engine_kept_drop(struct thread *th, struct kept *k);
void engine_after(struct thread *th, struct task *t, const struct kept *k);
void engine_join_kept(struct thread *th, struct task *t, const struct kept *k, struct scope *joined);
/* [any] Of several, whoever comes after them goes first after the longest, of equal ones after the one that was spawned first: so its
 * path is the same in every schedule. covers: who comes after A and then after B comes after B anyhow, with the same path. */
bool engine_keep_longer(const struct kept *k, const struct kept *than);
bool engine_keep_covers(const struct kept *a, const struct kept *b);

/* [hook] annotation API */
void engine_region_start(struct thread *th, const char *name);
void engine_region_stop(struct thread *th, const char *name);

/* ---- what the writer asks for ---- */

/* A checkpoint wants the main strand's path: engine_join publishes it (snapshot.c). */
extern bool engine_publish_wanted;
void engine_publish(struct task *t);


struct region_total {
    struct region_total *next;
    char name[256];
    uint64_t count, work, span, L, K, max_span;
    int candidate;              /* whatif.h; -1: none */
};
extern struct region_total *engine_regions;    /* push-only list */

/* What was sampled with a node of the calling context tree innermost; see struct lpf_sample. */
struct node_samples {
    uint64_t weight, idleness, on_span, blocked;
};

struct snapshot {
    uint64_t work, span, burdened_len, burdened_edges, burden;
    uint64_t root_work, root_span;
    uint64_t tasks, spawns, syncs, steals, events;
    uint64_t idle_tsc, busy_tsc, burden_steals;
    uint32_t workers;               /* P */
    uint64_t search_tsc, sleep_tsc, dispatch_tsc, blocked_tsc, life_tsc;
    uint64_t own_tsc;
    uint32_t burden_source;
    uint32_t context_count;
    uint64_t lost[LOSSES];
    uint64_t approximate;
    uint64_t running;               /* strands of other threads that ran at the snapshot */
    struct metrics *metrics;        /* context_count entries, summed over threads */
    struct on_span *on_span;        /* context_count entries */
    uint32_t node_count;
    struct node_samples *samples;   /* node_count entries */
    uint64_t sampled, sampled_outside, sampled_lost, sampled_cut; /* weights */
    uint64_t *scaled_work, *scaled_span; /* by scenario, times whatif_unit; NULL: none are tried */
    bool final;
};
/* [writer] Sums over all threads. FINAL: called on the thread that ends the program; otherwise a
 * checkpoint, taken while others run: sums are a moment's, on_span is the main strand's last sync.
 * metrics and on_span are mapped memory of the snapshot: engine_snapshot_free. 0 or -ENOMEM. */
int engine_snapshot(struct snapshot *out, bool final);
void engine_snapshot_free(struct snapshot *s);

/* Agents tell what the report needs to know. [hook], cheap when repeated. */
void engine_workers(uint32_t p);                       /* worker slots of a runtime: the maximum counts */
extern uint32_t engine_worker_slots;
void engine_lower_bound(const char *construct);        /* static string; counts */
struct lower_bound { const char *construct; uint64_t count; };
extern struct lower_bound engine_lower_bounds[16];

#endif
