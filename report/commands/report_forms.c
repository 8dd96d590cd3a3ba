/* report_forms.c - see report_forms.h. */
#include "commands/report_forms.h"
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "analysis/paths.h"
#include "analysis/summaries.h"
#include "analysis/summary.h"
#include "base/progress.h"
#include "brief/brief.h"
#include "csv/csv.h"
#include "json/json.h"
#include "layout/options.h"
#include "text/text.h"
#include "view/view.h"

int report_files(char *const *files, int count, const struct options *o, FILE *out)
{
    int status = 0, shown = 0;
    json_t *all = json_array();
    struct summaries names = { 0 };
    struct options screen = *o;
    screen.no_page = !view_has_page();
    for (int i = 0; i < count; i++) {
        struct summary m;
        struct paths t, *paths = 0;
        if (!summaries_open(&names, files[i], o->raw, &m)) {
            status = 2;
            continue;
        }
        summary_sort(&m, o->sort);
        bool brief = o->form == FORM_TEXT && !o->full;
        if (m.profile->node_count) {
            if (brief && !o->all_frames && !o->physical && !o->unfolded)
                paths_new_program(paths = &t, &m, o->overhead);
            else
                paths_new(paths = &t, &m, o->physical, o->form == FORM_TEXT && !o->unfolded,
                          o->overhead);
            paths_sort(paths, o->metric);
        }
        progress_done();
        if (shown && o->form == FORM_TEXT)
            fputs("\n\n", out);
        /* a rank's own file has all of that rank */
        bool whole = !o->ranks && m.profile->rank_count == 1 && m.profile->ranks->rank == o->rank;
        if ((o->ranks || o->one_rank) && !whole)
            status = text_job(&m, paths, o, out) ? status : 2;
        else if (brief)
            brief_print(&m, paths, &screen, out);
        else if (o->form == FORM_TEXT)
            text_print(&m, paths, o, out);
        else if (o->form == FORM_CSV)
            csv_print(&m, paths, o, !shown, out);
        else
            json_array_append_new(all, json_report(&m, paths, o));
        shown++;
        if (paths)
            paths_free(paths);
        summaries_close(&names, &m);
    }
    summaries_free(&names);
    if (o->form == FORM_JSON && shown) {
        json_dumpf(count == 1 ? json_array_get(all, 0) : all, out,
                   JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        fputc('\n', out);
    }
    json_decref(all);
    progress_done();
    if (fflush(out) || ferror(out)) {
        fprintf(stderr, "prof: cannot write the report: %s\n", strerror(errno));
        status = 2;
    }
    return status;
}
