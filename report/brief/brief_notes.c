/* brief_notes.c - what is not certain of the brief report's figures, a line each. A figure that is
 * not what it seems would be false without it, so none is left out. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/certainty.h"
#include "base/format.h"
#include "brief/brief_page.h"
#include "layout/cost.h"
#include "text/sections.h"
#include "words/names_words.h"

enum { MOST_LOSSES = 5 };

/* Prints TEXT, which this frees, on one line: what does not fit is cut at a word. */
static void one_line(const struct text_page *g, const char *mark, char *text)
{
    char *clean = format_clean(text);
    int room = g->o->width - 4;
    if (format_width(clean) > room) {
        char *end = clean;
        for (int n = 0; *end && n < room - 4; end++)
            n += (end[1] & 0xc0) != 0x80;
        while (end > clean && *end != ' ')
            end--;
        strcpy(end, " ...");
    }
    paragraph(g, mark, "%s", clean);
    free(clean);
    free(text);
}

/* A rank with so many times the mean part of the job's critical path is worth a look. */
#define UNEVEN_PATH 1.15

/* "JOB of 4 ranks: work is the SUM; the critical path is the job's, 74 % of it in rank 0" */
static char *job_line(const struct text_page *g)
{
    const struct profile *p = g->p;
    const struct lpf_rank *most = 0;
    for (size_t i = 0; i < p->rank_count; i++)
        if (!most || p->ranks[i].on_path_cost > most->on_path_cost)
            most = &p->ranks[i];
    if (!most)
        return format_text("JOB without ranks");
    char *missing = p->rank_count < most->size
                        ? format_text(", of which %zu are here", p->rank_count)
                        : format_text("%s", "");
    double share = ratio(most->on_path_cost, p->totals.span_cost);
    char *text = share * most->size < UNEVEN_PATH
                     ? format_text("JOB of %u ranks%s: work is the SUM; each rank has %.0f %% or "
                                   "less of the job's critical path",
                                   most->size, missing, ceil(100 * share))
                     : format_text("JOB of %u ranks%s: work is the SUM; %.0f %% of the job's "
                                   "critical path is in rank %u",
                                   most->size, missing, 100 * share, most->rank);
    free(missing);
    return text;
}

/* A rank's own file. */
static void print_rank(const struct text_page *g)
{
    if (!summary_is_one_rank(g->m))
        return;
    const struct lpf_rank *r = g->p->ranks;
    paragraph(g, "!",
              r->flags & LPF_RANK_FINISHED
                  ? "RANK %u of %u alone: the span is the job's, %.0f %% of it in this rank. "
                    "prof merge makes the job's profile of all ranks' files"
                  : "RANK %u of %u alone, which did not end with the others: the span is that of "
                    "the path that led here, %.0f %% of it in this rank",
              r->rank, r->size, 100 * ratio(r->on_path_cost, g->p->totals.span_cost));
}

static void print_merged(const struct text_page *g)
{
    const struct lpf_input *in = g->p->inputs;
    size_t n = g->p->input_count;
    if (!n)
        return;
    one_line(g, "!",
             in->mode == LPF_MERGE_RUNS
                 ? format_text("MERGED from %zu run%s: work, span, times and counts are their SUMS",
                               n, n == 1 ? "" : "s")
             : in->mode == LPF_MERGE_JOB ? job_line(g)
                 : format_text("MERGED from %zu process%s: work is the SUM, span the LONGEST", n,
                               n == 1 ? "" : "es"));
}

/* What hides a part of the span: all of it, on as many lines as it needs. */
static void print_bounds(const struct text_page *g)
{
    if (!certainty_caveat(g->m, false))
        return;
    char *list = text_hidden(g);
    if (certainty_span(g->m) == CERTAIN_NOT)
        paragraph(g, "!", "Span is NOT EXACT, parallelism may be lower or higher: %s", list);
    else
        paragraph(g, "!", "Span is a LOWER BOUND, parallelism may be lower: %s",
                  *list ? list : "data was lost");
    free(list);
}

static void print_losses(const struct text_page *g)
{
    char b[FORMAT_SIZE];
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < g->p->note_count; i++) {
        const struct lpf_note *n = &g->p->notes[i];
        if (n->kind != LPF_NOTE_LOSS)
            continue;
        if (shown++ < MOST_LOSSES)
            one_line(g, "!",
                     format_text("LOST: %s (%s): %s", profile_string(g->p, n->name),
                                 format_count(n->count, b), profile_string(g->p, n->text)));
        else
            more++;
    }
    if (more)
        paragraph(g, "!", "%zu more kinds of events were LOST: prof report --full names them",
                  more);
}

static void print_own(const struct text_page *g)
{
    struct own_share own = paths_own_share_all(g->m, g->paths);
    char least[FORMAT_SIZE], taken[FORMAT_SIZE];
    if (own.taken > 0)
        one_line(g, "!",
                 format_text("libprof took off %s, the work left is no more: work and span are "
                             "estimates", format_short_ns(own.taken, taken)));
    else if (own.large)
        one_line(g, "!",
                 format_text("%.0f %% of the samples in strands are libprof's: work is at least %s",
                             100 * ratio(own.own, own.samples),
                             cost_text(g->p,
                                       profile_ns(g->p, paths_work_at_least(&own,
                                                                            g->t->work_cost)),
                                       least)));
}

/* Hints, as that a thread was still running, are about what the profile does not have. */
static void print_hints(const struct text_page *g)
{
    char b[FORMAT_SIZE];
    for (size_t i = 0; i < g->p->note_count; i++) {
        const struct lpf_note *n = &g->p->notes[i];
        if (n->kind == LPF_NOTE_HINT)
            one_line(g, "-",
                     format_text("%s (%s): %s", profile_string(g->p, n->name),
                                 format_count(n->count, b), profile_string(g->p, n->text)));
    }
}

void brief_notes(const struct text_page *g)
{
    print_merged(g);
    print_rank(g);
    print_bounds(g);
    text_waited(g);
    print_losses(g);
    print_own(g);
    print_hints(g);
    char *lacking = names_lacking(g->m->symbols);
    if (lacking)
        one_line(g, "-", format_text("Names are missing for %s", lacking));
    free(lacking);
}
