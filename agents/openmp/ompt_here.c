/* ompt_here.c - a thread's state on libomp, and where the program called libomp. See ompt.h. */
#include "lifecycle/thread.h"
#include <string.h>
#include "ompt.h"
#include "dag/own_overhead.h"
#include "unwind/runtime_registry.h"
#include "unwind/walk.h"
#include "base/forbid.h"

static const char *const header_prefixes[] = { "__kmp", 0 };
const struct site_style ompt_style = { "openmp", header_prefixes, END_OPENMP };

const char ompt_outside_regions[] = "depend or taskgroup (outside of OpenMP regions)";

__thread struct ompt_here ompt_here OMPT_TLS;
ompt_get_task_info_fn *ompt_get_task_info;
bool ompt_frame_before_data;

struct task *ompt_running(void)
{
    struct thread *th = ompt_get_task_info ? thread_self() : 0;
    return th ? th->cur : 0;
}

/* libomp tells before its first task, not while it initializes a tool. */
static __attribute__((noinline)) uintptr_t entry_word_asked(const ompt_data *data)
{
    ompt_frame *frame = 0;
    ompt_data *of = 0;
    int flags;
    if (!ompt_get_task_info(0, &flags, &of, &frame, 0, 0) || !frame)
        return 0;
    if (of == data && (const ompt_frame *)data - 1 == frame)
        __atomic_store_n(&ompt_frame_before_data, true, __ATOMIC_RELAXED);
    return (uintptr_t)&frame->exit_frame;
}

uintptr_t ompt_entry_word(const ompt_data *data)
{
    if (__builtin_expect(__atomic_load_n(&ompt_frame_before_data, __ATOMIC_RELAXED), 1))
        return (uintptr_t)&((const ompt_frame *)data - 1)->exit_frame;
    return entry_word_asked(data);
}

/* What the thread has found out before. */
enum { KNOWN = 8, KNOWN_LEARNS = 64 };
static __thread struct {
    uintptr_t programs[KNOWN];  /* return addresses in the program */
    /* Call paths from a callback to the strand's entry without a frame of the program's: in the
     * tasks by which libomp splits taskloops. */
    const struct segment *runtimes[KNOWN];
    uint32_t learns;            /* how many such paths were learned; bounded */
    uint32_t unloads;           /* when all this was noted */
} known __attribute__((tls_model("initial-exec")));

static inline void known_renew(void)
{
    uint32_t unloads = __atomic_load_n(&runtime_unloads, __ATOMIC_RELAXED);
    if (__builtin_expect(known.unloads != unloads, 0)) {
        memset(&known, 0, sizeof known);
        known.unloads = unloads;
    }
}

static inline const struct segment **known_segment(const struct segment *s)
{
    return &known.runtimes[(uintptr_t)s >> 4 & (KNOWN - 1)];
}

static inline uintptr_t *known_address(uintptr_t address)
{
    return &known.programs[address >> 2 & (KNOWN - 1)];
}

/* ADDRESS is the return address of a function of the runtime. Is it in the program? */
static bool is_programs(uintptr_t address)
{
    if (runtime_owns(address))
        return false;
    *known_address(address) = address;
    return true;
}

bool ompt_is_programs(uintptr_t address)
{
    known_renew();
    return *known_address(address) == address || is_programs(address);
}

/* Finds the program's innermost frame from MINE up to LIMIT. .from == 0: there is none. */
static struct path_point point_walk(struct thread *th, struct path_point mine, uintptr_t limit)
{
    struct own own = own_from(th);
    struct walk_frame f = {
        .pc = mine.from, .sp = mine.cfa, .fp = mine.fp, .tried = mine.cfa & -WALK_PAGE
    };
    enum walk_end end = WALK_LIMIT;
    for (unsigned i = 0; i < 32 && end == WALK_LIMIT && runtime_owns(f.pc); i++)
        end = walk_step(&f, limit, 0);
    own_until_now(th, own, 0, 0);
    return end == WALK_LIMIT ? (struct path_point){ f.pc, f.sp, f.fp } : mine;
}

/* FP, OMPT's frame, leads to no address that is known; NULL: there is none. ENTRY 0: not known. */
static __attribute__((noinline)) struct path_point
point_slow(struct thread *th, const uintptr_t *fp, struct path_point mine, uintptr_t entry)
{
    const struct segment *s = entry ? path_known(&mine, entry) : 0;
    if (s && *known_segment(s) == s)
        return (struct path_point){ 0, mine.cfa, mine.fp };
    if (fp && is_programs(fp[1]))
        return (struct path_point){ fp[1], (uintptr_t)(fp + 2), fp[0] };
    struct path_point found = point_walk(th, mine, entry ? entry : th->stack_top);
    if (found.from || !entry)
        return found;
    /* So that the next look-up knows it. A stack that cannot be learned is walked each time. */
    if (!s && known.learns < KNOWN_LEARNS) {
        known.learns++;
        s = path_here(&mine, entry);
    }
    if (s)
        *known_segment(s) = s;
    return found;
}

#define ACTIVE_FRAMES 8u

/* Does FP belong to a function that is active? CALLER is the frame pointer in the callback's
 * caller. The functions of the runtime that have noted their frames keep them there. libomp 14
 * gives a task with dependences a stale record from its birth on. */
static inline bool is_active(uintptr_t fp, uintptr_t caller, uintptr_t cfa, uintptr_t limit)
{
    for (unsigned i = 0; caller != fp; i++) {
        if (i == ACTIVE_FRAMES || caller <= cfa || caller >= limit || caller & 7)
            return false;
        cfa = caller;
        caller = *(const uintptr_t *)caller;
    }
    return true;
}

/* OMPT's record is sometimes stale, or leads to another function of the runtime, or not to the CFA.
 * Then this walks the stack. */
void ompt_program_point(const ompt_frame *frame, struct path_point *point)
{
    struct thread *th = thread_self();
    uintptr_t entry = th->cur ? task_entry(th->cur) : 0, limit = entry ? entry : th->stack_top;
    const uintptr_t *fp = frame ? frame->enter_frame : 0;
    if (!RECORD_ENDS_AT_CFA || (uintptr_t)fp <= point->cfa || (uintptr_t)fp >= limit ||
        (uintptr_t)fp & 7 || !is_active((uintptr_t)fp, point->fp, point->cfa, limit))
        fp = 0;
    known_renew();
    if (__builtin_expect(fp && *known_address(fp[1]) == fp[1], 1))
        *point = (struct path_point){ fp[1], (uintptr_t)(fp + 2), fp[0] };
    else
        *point = point_slow(th, fp, *point, entry);
}

void ompt_waited_for(struct task *strand, struct path_point mine, const char *construct,
                     uint32_t flags)
{
    uint64_t ticks = omp_entered(strand);
    struct thread *th = ticks ? thread_self() : 0;
    if (th && th->cur && construct) {
        ompt_program_point(0, &mine);
        omp_waited(ticks, &mine, &ompt_style, construct, flags);
    }
}
