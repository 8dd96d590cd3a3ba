/* thread.c - see thread.h. */
#include "dag/thread.h"
#include "base/forbid.h"

#undef thread_self_
__thread struct thread *thread_self_ __attribute__((tls_model("initial-exec")));
struct thread *engine_threads;
READ_MOSTLY struct thread *engine_main;

/* Contexts have ids below 2 * context_budget. */
uint32_t thread_metrics_pieces(void)
{
    return (2 * context_budget + METRICS_PIECE - 1) / METRICS_PIECE;
}

__attribute__((noinline, cold)) struct metrics *thread_metrics_new(struct thread *th, uint32_t id)
{
    struct metrics_piece *piece = memory_map(sizeof *piece);
    if (!piece) {
        th->lost[LOSS_MEMORY]++;
        return thread_metrics(th, 0);
    }
    __atomic_store_n(&th->metrics[id / METRICS_PIECE], piece, __ATOMIC_RELEASE);
    return &piece->of[id % METRICS_PIECE];
}

void thread_blocked_add(struct thread *th, uint32_t id, uint64_t ticks)
{
    thread_metrics_made(th, id);
    struct metrics_piece *piece = th->metrics[id / METRICS_PIECE];
    if (piece)
        piece->blocked[id % METRICS_PIECE] += ticks;
    else
        th->metrics[0]->blocked[0] += ticks;
}

/* Makes what few contexts have. NULL: no memory. */
static __attribute__((noinline)) struct metrics_rare *rare_made(struct thread *th, uint32_t id)
{
    thread_metrics_made(th, id);
    struct metrics_piece *piece = th->metrics[id / METRICS_PIECE];
    if (piece && !piece->rare) {
        struct metrics_rare *rare = memory_map(sizeof *rare);
        if (!rare)
            th->lost[LOSS_MEMORY]++;
        __atomic_store_n(&piece->rare, rare, __ATOMIC_RELEASE);
    }
    return piece ? piece->rare : 0;
}

static inline struct metrics_rare *rare_of(struct thread *th, uint32_t id)
{
    struct metrics_piece *piece = th->metrics[id / METRICS_PIECE];
    return __builtin_expect(piece && piece->rare, 1) ? piece->rare : rare_made(th, id);
}

void thread_team_of_one(struct thread *th, uint32_t id, uint64_t work)
{
    struct metrics_rare *rare = rare_of(th, id);
    if (!rare)
        return;
    rare->teams[id % METRICS_PIECE].executions++;
    rare->teams[id % METRICS_PIECE].work += work;
}

struct chunks *thread_chunks(struct thread *th, uint32_t id)
{
    struct metrics_rare *rare = rare_of(th, id);
    return rare ? &rare->chunks[id % METRICS_PIECE] : 0;
}
