/* json.h - values as docs/JSON.md writes them. Each function returns a new reference. */
#ifndef REPORT_JSON_JSON_H
#define REPORT_JSON_JSON_H

#include <stdint.h>
#include "analysis/causes.h"
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "layout/options.h"

struct json_t;

/* At most 2^63-1. */
struct json_t *json_number(uint64_t v);
/* null: V is infinite, or not a number. */
struct json_t *json_finite(double v);
/* null where there is none. */
struct json_t *json_fraction(double a, double b);
/* What is not UTF-8 must not lose the document; it stands as \\xNN. NULL is null. */
struct json_t *json_text(const char *s);
struct json_t *json_path_cost(const struct path_cost *c);

/* The profile of M; T may be NULL: it has no call paths. */
struct json_t *json_report(const struct summary *m, const struct paths *t, const struct options *o);
/* The profile's what-if scenarios: { "candidates": [...], "scenarios": [...] }; NULL: nothing was
 * tried. */
struct json_t *scenarios_json(const struct summary *m);

/* The parallelism of WORK and SPAN; null: no span. */
struct json_t *json_parallelism(double work, double span);
/* COST of P's clock as a whole number of ns, or of its own unit. */
struct json_t *json_cost(const struct profile *p, uint64_t cost);
/* A new array, the value of KEY in TABLE, which owns it. */
struct json_t *json_column(struct json_t *table, const char *key);
/* Function, file, line, code, module, construct, runtime of R. */
struct json_t *json_place(const struct row *r);
/* Puts into TO the return addresses of every site in R; and the first one's callers, as far as
 * known. */
void json_put_addresses(struct json_t *to, const struct summary *m, const struct row *r);
/* POP's efficiencies E. */
struct json_t *json_efficiencies(const struct efficiencies *e);
/* The MPI job of M, T may be NULL; null: it is none. */
struct json_t *json_job(const struct summary *m, const struct paths *t);
/* Who chose the size of C's chunks, by P. */
void json_put_cut(struct json_t *to, const struct profile *p, const struct cut *c);
/* The whole program of M, T may be NULL. */
struct json_t *json_program(const struct summary *m, const struct paths *t);
/* The gain of F, a finding of C: four members of an object. */
struct json_t *json_gain(const struct causes *c, const struct cause_finding *f);
/* What limits the program of M, largest gain first. T may be NULL: there is nothing then. */
struct json_t *json_findings(const struct summary *m, const struct paths *t);
/* Worker slots times elapsed, and where it went: what the text calls the ledger. */
struct json_t *json_ledger(const struct summary *m, const struct paths *t);
/* How long threads of M's program were idle at a time; null: the profile does not have it. */
struct json_t *json_idle_intervals(const struct summary *m);
/* What the threads of P did over the run; P has a timeline. */
struct json_t *json_timeline(const struct profile *p);
/* Who had the processors while P ran; P has a machine. */
struct json_t *json_processors(const struct profile *p);
/* By enum lpf_thread_kind. */
struct json_t *json_thread_kind(uint32_t kind);
/* How the process ended, by enum lpf_end. */
struct json_t *json_end(uint32_t end);

/* COUNT ROWS of T, functions or lines. WHOLE: with all that they call. */
struct json_t *json_path_rows(const struct paths *t, const struct cost_row *rows, size_t count,
                              bool whole);
struct json_t *json_path_nodes(const struct paths *t);
/* The same rows and nodes, by column. */
struct json_t *json_path_columns(const struct paths *t);

#endif
