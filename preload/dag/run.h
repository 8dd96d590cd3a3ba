/* run.h - facts of the whole run that every hook reads. */
#ifndef PRELOAD_DAG_RUN_H
#define PRELOAD_DAG_RUN_H

#include <stdbool.h>
#include <stdint.h>

extern bool engine_recording;   /* set after start-up; cleared at the final snapshot */
/* Scenarios are tried, or the dag is recorded. Then every spawn, join and end takes the engine's
 * slow ways. Set at start-up. */
extern bool engine_extras;
extern uint64_t engine_burden;  /* cost of a steal: as set, or the current estimate */
extern int burden_measured;     /* 1: the burden is measured from steals (PROF_BURDEN=auto) */
extern uint64_t engine_start_tsc;

/* Agents call these for the report. [hook], cheap when repeated. */
void run_workers(uint32_t p);                   /* worker slots of a runtime: the maximum counts */
extern uint32_t engine_worker_slots;
/* The next three functions count their calls. CONSTRUCT (static string) makes the span a lower
 * bound. */
void run_lower_bound(const char *construct);
/* CONSTRUCT makes the span not exact: it may be less or more. */
void run_not_exact(const char *construct);
/* The order of tasks in CONSTRUCT is this run's, so the span is exact for this run alone. */
void run_as_executed(const char *construct);
struct caveat {
    const char *construct;
    uint64_t count;
    uint32_t kind;              /* enum lpf_note_kind */
};
enum { ENGINE_CAVEATS = 32 };  /* constructs; further ones are not counted */
extern struct caveat engine_caveats[ENGINE_CAVEATS];

/* The burdened length, with the burden as known now. */
static inline uint64_t burdened(uint64_t L, uint64_t K)
{
    return L + K * engine_burden;
}

#endif
