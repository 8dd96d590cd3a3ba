/* ompt_here.c - a thread's state on libomp, and where the program called libomp. See ompt.h. */
#include "process/thread.h"
#include <string.h>
#include "ompt.h"
#include "unwind/walk.h"
#include "dag/own_overhead.h"
#include "unwind/runtime_code.h"
#include "base/forbid.h"

static const char *const header_prefixes[] = { "__kmp", 0 };
const struct site_style ompt_style = { "openmp", header_prefixes, END_OPENMP };

const char ompt_outside_regions[] = "depend or taskgroup (outside of OpenMP regions)";

__thread struct ompt_here ompt_here OMPT_TLS;
ompt_get_task_info_fn *ompt_get_task_info;
bool ompt_frame_before_data;

struct task *ompt_running(void)
{
    struct thread *th = ompt_get_task_info ? engine_self() : 0;
    return th ? th->cur : 0;
}

uintptr_t ompt_entry_word(const ompt_data *data)
{
    if (ompt_frame_before_data)
        return (uintptr_t)&((const ompt_frame *)data - 1)->exit_frame;
    ompt_frame *frame = 0;
    int flags;
    return ompt_get_task_info(0, &flags, 0, &frame, 0, 0) && frame ? (uintptr_t)&frame->exit_frame
                                                                   : 0;
}

/* ADDRESS is the return address of a function of the runtime. Is it in the program? */
static bool is_programs(uintptr_t address)
{
    enum { KNOWN = 8 };
    static __thread struct {
        uintptr_t address[KNOWN];
        uint32_t unloads;       /* when they were noted */
    } known __attribute__((tls_model("initial-exec")));
    uint32_t unloads = __atomic_load_n(&runtime_unloads, __ATOMIC_RELAXED),
             i = address >> 2 & (KNOWN - 1);
    if (__builtin_expect(known.unloads != unloads, 0))
        memset(&known, 0, sizeof known);
    if (__builtin_expect(known.address[i] == address, 1))
        return true;
    if (runtime_owns(address))
        return false;
    known.address[i] = address;
    known.unloads = unloads;
    return true;
}

/* Where the strand's frames end, for the walk. */
static uintptr_t walk_limit(const struct thread *th)
{
    uintptr_t entry = th->cur ? task_entry(th->cur) : 0;
    return entry ? entry : th->stack_top;
}

/* OMPT's record is sometimes stale, or leads to another function of the runtime. Then this walks
 * the stack. */
struct path_point ompt_program_point(const ompt_frame *frame, struct path_point mine)
{
    struct thread *th = engine_self();
    uintptr_t limit = walk_limit(th);
    const uintptr_t *fp = frame ? frame->enter_frame : 0;
    if (fp && (uintptr_t)fp > mine.cfa && (uintptr_t)fp < limit && !((uintptr_t)fp & 7) &&
        is_programs(fp[1]))
        return (struct path_point){ fp[1], (uintptr_t)(fp + 2), fp[0] };
    struct own own = own_from(th);
    struct walk_frame f = {
        .pc = mine.from, .rsp = mine.cfa, .rbp = mine.rbp, .tried = mine.cfa & -WALK_PAGE
    };
    enum walk_end end = WALK_LIMIT;
    for (unsigned i = 0; i < 32 && end == WALK_LIMIT && runtime_owns(f.pc); i++)
        end = walk_step(&f, limit, 0);
    own_until_now(th, own, 0, 0);
    return end == WALK_LIMIT ? (struct path_point){ f.pc, f.rsp, f.rbp } : mine;
}

void ompt_waited_for(struct task *strand, struct path_point mine, const char *construct,
                     uint32_t flags)
{
    uint64_t ticks = omp_entered(strand);
    struct thread *th = ticks ? engine_self() : 0;
    if (th && th->cur && construct) {
        struct path_point from = ompt_program_point(0, mine);
        omp_waited(ticks, &from, &ompt_style, construct, flags);
    }
}
