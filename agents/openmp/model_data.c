/* model_data.c - see model_data.h. */
#include "model_data.h"
#include "base/inline.h"
#include "dag/block.h"
#include "base/forbid.h"

struct omp_data *omp_data_new(struct thread *th, struct task *t)
{
    struct omp_data *d = block_new(th, block_class(sizeof *d));
    if (d)
        zero_words(d, sizeof *d);
    return t->agent = d;
}

struct omp_data_more *omp_more_of(struct thread *th, struct omp_data *d)
{
    if (!d->more && (d->more = block_new(th, block_class(sizeof *d->more))))
        *d->more = (struct omp_data_more){ .step = 0 };
    return d->more;
}

/* A task may end after the join, although it should not (late_turn). It still reports to S.
 * So S then stays with its owner. */
void omp_scope_drop(struct thread *th, struct scope *s)
{
    s->key = 0;
    if (__builtin_expect(scope_is_empty(s) && !__atomic_load_n(&s->rest, __ATOMIC_RELAXED), 1))
        scope_free(th, s);
}
