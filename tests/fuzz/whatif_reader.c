/* whatif_reader.c - see whatif_reader.h. The reader keeps what it read in static tables, and is asked once a process: here its source
 * stands in this file, so that they can be emptied between two inputs. What it needs of the rest of libprof.so is at the end.
 */
#include "../../preload/whatif.c"
#include "whatif_reader.h"

static void empty(void)
{
    whatif_scenarios = whatif_candidates = whatif_unit = whatif_slots = term_count = range_count = chains = 0;
    delays = false;
    memset(delay, 0, sizeof delay);
    memset(whatif_seen, 0, sizeof whatif_seen);
    memset(by_size, 0, sizeof by_size);
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
    for (uint32_t i = 0; i < range_count; i++)
        bits |= candidates_at(ranges[i].start, false) | candidates_at(ranges[i].end - 1, true);
    for (uint32_t i = 0; i < range_count && i < 64; i++)
        enter_all(outside, candidates_at(ranges[i].start, i & 1));
    if (bits >> whatif_candidates)
        __builtin_trap();
    close(fd);
    empty();
}

/* ---- the rest of libprof.so ---- */

enum clock_kind clock_kind;
uint64_t clock_quick_gap;
bool engine_extras;
uint64_t clock_gap, clock_armed_value;
struct cct_node *cct_piece[CCT_PIECES];
uint32_t cct_budget = 1, context_budget = 1;
struct thread *engine_threads;

void *memory_map(size_t bytes) { return fuzz_memory(bytes); }
void *memory_keep(size_t bytes) { return fuzz_memory(bytes); }
uint32_t block_class(size_t bytes) { return 0; }
void *block_new_slow(struct thread *th, uint32_t class_) { return 0; }
void clock_tell_all(void) {}
void message(enum message_level level, const char *format, ...) {}
uint64_t clock_now_slow(struct clock_thread *c) { return 0; }
uint64_t lock_generation;
void lock_wait(struct lock *l) {}

bool writer_find_module(uintptr_t address, struct writer_module *out)
{
    *out = (struct writer_module){ address & 0xfff, "/bin/app", "ab" };
    return true;
}
