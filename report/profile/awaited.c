/* awaited.c - see awaited.h. */
#include "profile/awaited.h"

/* In a merged file sums stop at UINT64_MAX: then they are a part of nothing. */
bool awaited_check(const struct profile *p)
{
    bool ok = true;
    uint64_t sum = 0, count = 0;
    for (size_t i = 0; ok && i < p->awaited_count; i++) {
        const struct lpf_awaited *a = &p->awaited[i], *before = i ? a - 1 : a;
        ok = a->context < p->context_count && a->count &&
             (!i || before->context < a->context ||
              (before->context == a->context && before->rank < a->rank));
        if (!ok)
            break;
        const struct lpf_context *c = &p->contexts[a->context];
        sum = before->context == a->context ? sum : 0;
        count = before->context == a->context ? count : 0;
        bool over = __builtin_add_overflow(sum, a->wait_cost, &sum) |
                    __builtin_add_overflow(count, a->count, &count);
        ok = p->sites[c->site].flags & (LPF_SITE_LATE_SENDER | LPF_SITE_COLLECTIVE) &&
             (over ? p->input_count != 0 : sum <= c->top_work_cost && count <= c->top_count);
        sum = over ? UINT64_MAX : sum;
        count = over ? UINT64_MAX : count;
    }
    return ok;
}
