/* csv.c - one line for each site, call path or program, by RFC 4180. The columns are keys of the
 * JSON, which docs/JSON.md describes.
 */
#include "csv/csv.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/certainty.h"
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "layout/options.h"
#include "profile/profile.h"

void csv_quoted(FILE *out, const char *s)
{
    char *clean = format_clean(s ? s : "");
    fputc('"', out);
    for (const char *c = clean; *c; c++) {
        if (*c == '"')
            fputc('"', out);
        fputc(*c, out);
    }
    fputc('"', out);
    free(clean);
}

static void number(FILE *out, uint64_t v)
{
    fprintf(out, ",%" PRIu64, v);
}

static void measure(FILE *out, const struct profile *p, const struct measure *m)
{
    number(out, m->count);
    number(out, profile_whole_ns(p, m->work));
    number(out, profile_whole_ns(p, m->span));
}

static void print_totals(const struct summary *m, bool header, FILE *out)
{
    const struct profile *p = m->profile;
    const struct lpf_totals *t = &p->totals;
    if (header)
        fputs("profile,program,clock,unit,work_ns,span_ns,burdened_span_ns,parallelism,burdened_"
              "parallelism,"
              "spawns,syncs,tasks,steals,elapsed_ns,cpu_ns,workers,idle_ns,own_ns,burden_ns,"
              "exact,span_typical_ns,parallelism_typical\r\n",
              out);
    csv_quoted(out, p->path);
    fputc(',', out);
    csv_quoted(out, profile_string(p, t->exe));
    fputc(',', out);
    csv_quoted(out, profile_string(p, t->clock));
    fputc(',', out);
    csv_quoted(out, profile_unit(p));
    number(out, profile_whole_ns(p, t->work_cost));
    number(out, profile_whole_ns(p, t->span_cost));
    number(out, profile_whole_ns(p, m->burdened_cost));
    if (m->span > 0)
        fprintf(out, ",%.12g,%.12g", m->parallelism, m->burdened_parallelism);
    else
        fputs(",,", out);
    const uint64_t rest[] = { t->spawns,     t->syncs,
                              t->tasks,      t->steals,
                              t->elapsed_ns, t->cpu_ns,
                              t->workers,    profile_idle_ns(p),
                              t->own_ns,     profile_whole_ns(p, t->burden_cost),
                              certainty_span(m) == CERTAIN_EXACT &&
                                  !(summary_taken_most(m, NULL) > 0) };
    for (unsigned i = 0; i < sizeof rest / sizeof rest[0]; i++)
        number(out, rest[i]);
    if (p->typical_count)
        number(out, profile_whole_ns(p, profile_typical_span(p)));
    else
        fputc(',', out);
    if (p->typical_count && m->typical_span > 0)
        fprintf(out, ",%.12g\r\n", m->typical_parallelism);
    else
        fputs(",\r\n", out);
}

static void print_site(const struct summary *m, const struct row *r, FILE *out)
{
    const struct profile *p = m->profile;
    csv_quoted(out, p->path);
    fputc(',', out);
    csv_quoted(out, r->function);
    fputc(',', out);
    csv_quoted(out, r->file);
    if (r->file)
        fprintf(out, ",%d,", r->line);
    else
        fputs(",,", out);
    csv_quoted(out, r->code);
    fputc(',', out);
    csv_quoted(out, r->module);
    fputc(',', out);
    csv_quoted(out, r->construct);
    fputc(',', out);
    csv_quoted(out, r->runtime);
    number(out, r->invocations);
    number(out, r->tasks);
    number(out, r->steals);
    fprintf(out, ",%.6f", r->share);
    const struct measure *all[] = { &r->top,    &r->topcaller,    &r->local,
                                    &r->on_top, &r->on_topcaller, &r->on_local };
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        measure(out, p, all[i]);
    fprintf(out, ",%d,%d", r->lower_bound, r->as_executed);
    const uint64_t outliers[] = { r->outliers.count, r->outliers.parts,
                                  profile_whole_ns(p, r->outliers.excess),
                                  profile_whole_ns(p, r->outliers.longest) };
    for (unsigned i = 0; i < sizeof outliers / sizeof outliers[0]; i++)
        if (p->typical_count)
            number(out, outliers[i]);
        else
            fputc(',', out);
    fputs("\r\n", out);
}

/* One line for each call path; parents come first. */
static void print_paths(const struct summary *m, const struct paths *t, bool header, FILE *out)
{
    const struct profile *p = m->profile;
    if (header)
        fputs("profile,node,parent,function,file,line,work_ns,span_ns,overhead_ns,idleness_ns,"
              "blocked_ns,own_ns,samples,samples_on_span,"
              "all_work_ns,all_span_ns,all_overhead_ns,all_idleness_ns,all_blocked_ns,all_own_ns,"
              "all_samples,all_samples_on_span\r\n",
              out);
    for (size_t i = 0; t && i < t->node_count; i++) {
        const struct path_node *n = &t->nodes[i];
        csv_quoted(out, p->path);
        fprintf(out, i ? ",%zu,%u," : ",%zu,,", i, n->parent);
        csv_quoted(out, n->function);
        fputc(',', out);
        csv_quoted(out, n->file);
        fprintf(out, n->file ? ",%d" : ",", n->line);
        for (int all = 0; all < 2; all++) {
            const struct path_cost *c = all ? &n->all : &n->self;
            number(out, c->work);
            number(out, c->span);
            number(out, c->overhead);
            number(out, path_idleness(c));
            number(out, c->blocked);
            number(out, c->own);
            number(out, c->samples);
            number(out, c->on_span);
        }
        fputs("\r\n", out);
    }
}

/* ---- as Cilkscale prints it: a line for each tag; the program's, without a tag, is the last
 * ---- */

static void print_tag(const struct summary *m, const char *tag, uint64_t work, uint64_t span,
                      uint64_t burdened, FILE *out)
{
    const struct profile *p = m->profile;
    double unit = p->totals.ns_num ? 1e9 : 1, w = profile_ns(p, work), s = profile_ns(p, span),
           b = profile_ns(p, burdened);
    if (*tag)
        csv_quoted(out, tag);
    fprintf(out, ",%.9g,%.9g,%.6g,%.9g,%.6g\r\n", w / unit, s / unit, summary_parallelism(w, s),
            b / unit, summary_parallelism(w, b));
}

static void print_tags(const struct summary *m, bool header, FILE *out)
{
    const struct profile *p = m->profile;
    char *unit = p->totals.ns_num ? format_text("seconds") : format_clean(profile_unit(p));
    if (header)
        fprintf(out,
                "tag,work (%s),span (%s),parallelism,burdened_span (%s),burdened_parallelism\r\n",
                unit, unit, unit);
    for (size_t i = 0; i < p->region_count; i++) {
        const struct lpf_region *r = &p->regions[i];
        uint64_t burdened = profile_burdened(p, r->burdened_len_cost, r->burdened_edges);
        print_tag(m, profile_string(p, r->name), r->work_cost, r->span_cost,
                  burdened < r->span_cost ? r->span_cost : burdened, out);
    }
    print_tag(m, "", p->totals.work_cost, p->totals.span_cost, m->burdened_cost, out);
    free(unit);
}

void csv_print(const struct summary *m, const struct paths *t, const struct options *o, bool header,
               FILE *out)
{
    if (o->cilkscale) {
        print_tags(m, header, out);
        return;
    }
    if (o->totals) {
        print_totals(m, header, out);
        return;
    }
    if (o->paths) {
        print_paths(m, t, header, out);
        return;
    }
    if (header)
        fputs(
            "profile,function,file,line,code,module,construct,runtime,invocations,tasks,steals,"
            "share_of_span,"
            "top_count,top_work_ns,top_span_ns,topcaller_count,topcaller_work_ns,topcaller_span_ns,"
            "local_count,local_work_ns,local_span_ns,on_top_count,on_top_work_ns,on_top_span_ns,"
            "on_topcaller_count,on_topcaller_work_ns,on_topcaller_span_ns,"
            "on_local_count,on_local_work_ns,on_local_span_ns,lower_bound,as_executed,"
            "outliers,outliers_of_strands,outliers_excess_ns,outliers_longest_ns\r\n",
            out);
    for (size_t i = 0; i < m->row_count; i++)
        print_site(m, &m->rows[i], out);
}
