/* whatif_reader.c - see whatif_reader.h. The reader keeps what it has read in static tables, and
 * runs once in a process. Its sources are included here, so that the tables can be emptied between
 * two inputs. What they need of the rest of libprof.so is at the end.
 */
#define _GNU_SOURCE
/* All headers come first, because the sources forbid names that some of them use. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/config.h"
#include "base/message.h"
#include "clock/clock.h"
#include "contexts/modules.h"
#include "libprof_format.h"
#include "dag/block.h"
#include "dag/run.h"
#include "dag/strand.h"
#include "unwind/call_tree.h"
#include "../../preload/whatif/whatif_setting.c"
#include "../../preload/whatif/whatif_code.c"
#include "../../preload/whatif/whatif_chain.c"
#include "../../preload/whatif/whatif_samples.c"
#include "../../preload/whatif/whatif_delay.c"
#include "../../preload/whatif/whatif.c"
#include "whatif_reader.h"

static void empty(void)
{
    whatif_scenarios = whatif_candidates = whatif_unit = whatif_slots = 0;
    term_count = whatif_ranges = chains = 0;
    whatif_delays = false;
    memset(whatif_delay, 0, sizeof whatif_delay);
    memset(whatif_seen, 0, sizeof whatif_seen);
    memset(whatif_by_size, 0, sizeof whatif_by_size);
    fuzz_memory_free();
}

void whatif_read_setting(const char *text)
{
    whatif_setup(text, "", "");
    empty();
    whatif_setup("a=2", text, "");
    empty();
}

/* Ask about addresses at every limit of the ranges. */
void whatif_read_code(const uint8_t *data, size_t size)
{
    char file[64];
    int fd = fuzz_file(data, size, file);
    whatif_setup("a=2;b=2;c=2", "", file);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < whatif_ranges; i++)
        bits |= whatif_code_at(ranges[i].start, false) | whatif_code_at(ranges[i].end - 1, true);
    for (uint32_t i = 0; i < whatif_ranges && i < 64; i++)
        whatif_chain_enter_all(whatif_outside, whatif_code_at(ranges[i].start, i & 1));
    if (bits >> whatif_candidates)
        __builtin_trap();
    close(fd);
    empty();
}

/* ---- the rest of libprof.so ---- */

enum clock_kind clock_kind;
uint64_t clock_quick_gap;
bool engine_extras;
uint64_t (*strand_scenarios)(struct thread *th, struct task *cur, uint64_t cost);
uint64_t lock_generation;
uint64_t clock_gap, clock_armed_value;
struct cct_node *cct_piece[CCT_PIECES];
uint32_t cct_budget = 1, context_budget = 1;
struct thread *engine_threads;

void *memory_map(size_t bytes) { return fuzz_memory(bytes); }
void *memory_keep(size_t bytes) { return fuzz_memory(bytes); }
uint32_t block_class(size_t bytes) { return 0; }
void *block_new_slow(struct thread *th, uint32_t class_) { return 0; }
void clock_slow_only(void) {}
void lock_wait(struct lock *l) {}
void lock_wake(struct lock *l) {}
void message(enum message_level level, const char *format, ...) {}
uint64_t clock_now_slow(struct clock_thread *c) { return 0; }

bool modules_find(uintptr_t place, struct module_facts *out)
{
    *out = (struct module_facts){ place & 0xfff, "/bin/app", "ab" };
    return true;
}
