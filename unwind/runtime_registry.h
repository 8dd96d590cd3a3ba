/* runtime_registry.h - which code belongs to a task runtime.
 *
 * Agents register the text of their runtimes. The thread agent asks whether a runtime created a
 * thread. Such a thread is a worker, and its loop is not work. callsite/site.c asks where the
 * dispatcher's frames begin. Neither knows a runtime by name. Nothing here hides frames from the
 * report: report/analysis/frame_owner.c does.
 */
#ifndef UNWIND_RUNTIME_REGISTRY_H
#define UNWIND_RUNTIME_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

/* [hook] Registers the text of the loaded object that holds ADDRESS as runtime NAME's (a static
 * string). Takes the loader's lock. At most 16 objects; more are ignored. */
void runtime_register_module_of(uintptr_t address, const char *name);
/* [init] The same for the profiler's own text. All samples in it count at HERE, one address in it.
 * Nobody needs the profiler's single instructions, and a leaf for each would let the tree grow for
 * hours. */
void runtime_register_self(uintptr_t here, const char *name);
/* Where runtime_register_self's text is; 0, 0: it was not called. */
extern struct runtime_self { uintptr_t lo, hi, here; } runtime_self;
/* [any] The place at which a sample with the program counter PC is counted. */
static inline uintptr_t runtime_leaf(uintptr_t pc)
{
    const struct runtime_self *s = &runtime_self;
    return __builtin_expect(pc - s->lo < s->hi - s->lo, 0) ? s->here : pc;
}
/* [hook] Registers OWNS, which returns whether an address is in runtime NAME's code. It must be
 * async-signal-safe. */
void runtime_register_owner(int (*owns)(uintptr_t), const char *name);
/* [any] Does ADDRESS lie in a registered runtime? Lock-free. */
bool runtime_owns(uintptr_t address);
/* [any] The name of the runtime that ADDRESS belongs to; NULL: none. */
const char *runtime_name(uintptr_t address);
/* How often code was unmapped. When the number has changed, cached results about addresses may be
 * wrong. */
extern uint32_t runtime_unloads;
/* [init] Registers FORGET, which libprof calls each time that code was unmapped. At most 16. */
void runtime_on_unload(void (*forget)(void));
/* [hook] lifecycle/dlclose.c: code was unmapped. */
void runtime_unloaded(void);

/* [init] The library whose file name begins with LIBRARY has an agent. Where it is loaded and no
 * task was seen, SILENCE is a message that states why that may be so. Static strings; at most
 * 16. */
void runtime_expect(const char *library, const char *silence);
/* [hook] The SILENCE of an expected library that is loaded, and LIBRARY; NULL: none is. Takes the
 * loader's lock. */
const char *runtime_silence(const char **library);

#endif
