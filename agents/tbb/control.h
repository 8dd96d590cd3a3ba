/* control.h - the number of oneTBB's workers: set from outside, and as the program has it.
 *
 * This acts as a tbb::global_control for max_allowed_parallelism, through libtbb's own entry point.
 * The smallest of all controls of a process counts. So our control never gives a program more
 * workers than its own control allows.
 */
#ifndef AGENTS_TBB_CONTROL_H
#define AGENTS_TBB_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#define TBB_CONTROL_CREATE "_ZN3tbb6detail2r16createERNS0_2d114global_controlE"
#define TBB_CONTROL_DESTROY "_ZN3tbb6detail2r17destroyERNS0_2d114global_controlE"
#define TBB_CONTROL_VALUE "_ZN3tbb6detail2r127global_control_active_valueEi"
enum { TBB_CONTROL_PARALLELISM };       /* max_allowed_parallelism */

/* d1::global_control, the same in every oneTBB (interface 12xxx). */
struct tbb_control {
    size_t value;
    intptr_t reserved;
    int parameter;              /* TBB_CONTROL_* */
};

/* At most WORKERS threads run tasks, the calling ones included. Called once a process. libtbb keeps
 * the address of the control. So the control lives as long as the process, and so must the object
 * that includes this header (-z nodelete). */
static inline void tbb_control_workers(void (*create)(struct tbb_control *), int workers)
{
    static struct tbb_control control;
    control.value = workers;
    create(&control);
}

/* control.c, in libprof.so alone. */
/* [hook] Worker slots of the arena that the thread is in: not more than PROF_WORKERS allows. */
int tbb_workers(void);

/* How often the program has changed a tbb::global_control. Each time tbb_workers() may change. */
extern uint32_t tbb_controls_changed;
/* [hook] The thread is in another arena than before: its next wait asks for the workers. */
void tbb_workers_unknown(void);

#endif
