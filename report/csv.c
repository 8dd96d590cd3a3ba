/* csv.c - one line a site, RFC 4180; docs/JSON.md names the columns (they are the JSON's keys). */
#include <string.h>
#include "report.h"

static void quoted(FILE *out, const char *s)
{
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '"')
            fputc('"', out);
        fputc((unsigned char)*s < 32 ? ' ' : *s, out);
    }
    fputc('"', out);
}

static void measure(FILE *out, const struct profile *p, const struct measure *m)
{
    fprintf(out, ",%llu,%.0f,%.0f", (unsigned long long)m->count, profile_ns(p, m->work), profile_ns(p, m->span));
}

void csv_print(struct model *m, const struct options *o, FILE *out)
{
    const struct profile *p = m->profile;
    const struct lpf_totals *t = &p->totals;
    if (o->totals) {
        fputs("work_ns,span_ns,burdened_span_ns,parallelism,burdened_parallelism,spawns,syncs,steals,"
              "elapsed_ns,workers,idle_ns,exact\r\n", out);
        fprintf(out, "%.0f,%.0f,%.0f,%.6g,%.6g,%llu,%llu,%llu,%llu,%u,%llu,%u\r\n", m->work, m->span,
                m->burdened_span, m->parallelism, m->burdened_parallelism, (unsigned long long)t->spawns,
                (unsigned long long)t->syncs, (unsigned long long)t->steals, (unsigned long long)t->elapsed_ns,
                t->workers, (unsigned long long)t->idle_ns, t->exact);
        return;
    }
    fputs("function,file,line,construct,runtime,invocations,tasks,steals,share_of_span,"
          "top_count,top_work_ns,top_span_ns,topcaller_count,topcaller_work_ns,topcaller_span_ns,"
          "local_count,local_work_ns,local_span_ns,on_top_count,on_top_work_ns,on_top_span_ns,"
          "on_topcaller_count,on_topcaller_work_ns,on_topcaller_span_ns,"
          "on_local_count,on_local_work_ns,on_local_span_ns\r\n", out);
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        quoted(out, r->function);
        fputc(',', out);
        quoted(out, r->file ? r->file : "");
        fprintf(out, ",%d,", r->line);
        quoted(out, r->construct);
        fputc(',', out);
        quoted(out, r->runtime);
        fprintf(out, ",%llu,%llu,%llu,%.6f", (unsigned long long)r->invocations, (unsigned long long)r->tasks,
                (unsigned long long)r->steals, r->share);
        measure(out, p, &r->top);
        measure(out, p, &r->topcaller);
        measure(out, p, &r->local);
        measure(out, p, &r->on_top);
        measure(out, p, &r->on_topcaller);
        measure(out, p, &r->on_local);
        fputs("\r\n", out);
    }
}
