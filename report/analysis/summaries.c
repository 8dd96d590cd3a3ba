/* summaries.c - see summaries.h. */
#include "analysis/summaries.h"
#include <stdlib.h>
#include "base/format.h"

static void close_last(struct summaries *s)
{
    if (s->profile)
        profile_close(s->profile);
    free(s->profile);
    s->profile = 0;
}

bool summaries_open(struct summaries *s, const char *path, bool raw, struct summary *m)
{
    struct profile *p = format_memory(malloc(sizeof *p));
    if (profile_open(p, path)) {
        free(p);
        return false;
    }
    summary_new_with(m, p, raw, symbols_renew(s->symbols, p));
    s->symbols = 0;
    close_last(s);
    s->profile = p;
    return true;
}

void summaries_close(struct summaries *s, struct summary *m)
{
    s->symbols = m->symbols;
    m->symbols = 0;
    summary_free(m);
}

void summaries_free(struct summaries *s)
{
    symbols_free(s->symbols);
    s->symbols = 0;
    close_last(s);
}
