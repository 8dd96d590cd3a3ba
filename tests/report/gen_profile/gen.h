/* gen.h - what the parts of gen_profile share. A section fills entry by entry; entries.c has a
 * function for each kind of entry, the other files build whole profiles of them. */
#ifndef TESTS_REPORT_GEN_PROFILE_GEN_H
#define TESTS_REPORT_GEN_PROFILE_GEN_H

#include <stdbool.h>
#include <stdint.h>
#include "libprof_format.h"

enum { SECTIONS = LPF_AWAITED };

/* A section while it is being filled. Index = type - 1. */
extern struct filling {
    char *data;
    size_t used, size;
    uint32_t entry;
} sections[SECTIONS];

/* What the layout has beside or instead of the usual; SPOIL strikes before the checksums. */
extern struct layout {
    uint32_t extra_entry, extra_header, extra_table, flags;
    bool unknown_section;
    void (*spoil)(struct lpf_header *h, struct lpf_section *table);
} layout;

/* The first entry of the section of TYPE. */
#define FIRST(type) ((void *)sections[(type) - 1].data)

/* file.c */
_Noreturn void die(const char *why);
void *add(unsigned type, const void *entry, size_t bytes);
uint32_t string(const char *text);
void emit(void);

/* entries.c */
struct lpf_totals *totals(const char *clock, const char *exe);
uint32_t site(const char *construct, uint32_t site_flags, uint64_t address);
struct lpf_context *context(uint32_t parent, uint32_t site, uint64_t n, uint64_t w, uint64_t s,
                            uint64_t on_span);
void note(uint32_t kind, const char *name, const char *text, uint64_t count);
void region(const char *name, uint64_t count, uint64_t work, uint64_t span);
struct lpf_module *module(uint64_t start, uint64_t end, const char *path, uint32_t flags);
void setting(const char *key, const char *value);
uint32_t node(uint32_t parent, uint32_t kind, uint64_t address);
void sample(uint32_t at, uint64_t weight, uint64_t idle, uint64_t on_span);
void candidate(const char *name, uint64_t regions, uint64_t samples);
void term(uint32_t of, uint32_t num, uint32_t den);
void chunks(uint32_t of, uint64_t by_runtime, uint64_t by_program, uint32_t flags);
void typical(uint64_t span, uint64_t count);
void scenario(uint32_t terms, uint32_t scenario_flags, uint64_t work, uint64_t span);

/* paths.c */
extern const char *program;
void basic(const char *clock);
void paths(void);
void late(bool wrong);
void chosen(unsigned n);
void unhit(void);
void halves(unsigned first, unsigned second);
void off_cpu(void);
void wait_kinds(const char *wrong);
void whatif(void);
void whatif_few(void);
void recursion(void);
void scaled(void);

/* timelines.c */
void timeline(void);
void timed(void);
void ready(void);
void ready_unknown(void);
int bad_timeline(const char *what);
int bad_timed(const char *what);
int bad_ready(const char *what);
void cpus(void);
int bad_cpus(const char *what);

/* dags.c */
void dag(uint64_t seed, long tasks);
void dag_arcs(uint64_t seed, unsigned tasks);
void dag_after(bool circle);
void dag_buried(void);
void dag_wait(void);
void dag_own(uint64_t between);
void dag_locked(const char *path, uint64_t lock);

/* sizes.c */
void deep(uint32_t nodes, bool wide);
void big(void);
void large(int argc, char **argv);
void wide(void);

/* hostile_names.c */
extern const char evil[];
void hostile(void);
void names(void);

/* runs.c */
void real_sites(int argc, char **argv);
void lines(int argc, char **argv);
void run(double f, double g, unsigned threads, const char *clock, const char *exe);
void rank(int argc, char **argv);
void waits(int argc, char **argv);
void cpu(int argc, char **argv);
void grain(int argc, char **argv);

/* bad_layout.c: 0, or -1 where no such damage is known */
int bad(const char *what);

#endif
