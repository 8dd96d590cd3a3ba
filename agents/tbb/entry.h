/* entry.h - the real entry points of libtbb, which our exported namesakes call. */
#ifndef AGENTS_TBB_ENTRY_H
#define AGENTS_TBB_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tbb_abi.h"

struct tbb_control;

struct tbb_entry {
    void (*spawn)(struct tbb_task *, struct tbb_context *);
    void (*spawn_slot)(struct tbb_task *, struct tbb_context *, uint16_t);
    void (*submit)(struct tbb_task *, struct tbb_context *, void *, uintptr_t);
    void (*enqueue)(struct tbb_task *, void *);
    void (*enqueue_context)(struct tbb_task *, struct tbb_context *, void *);
    void (*wait)(void *, struct tbb_context *);
    void (*execute_and_wait)(struct tbb_task *, struct tbb_context *, void *, struct tbb_context *);
    void (*execute)(void *, struct tbb_delegate *);
    void (*suspend)(void (*)(void *, void *), void *);
    void (*resume)(void *);
    void (*context_initialize)(struct tbb_context *);
    void (*context_destroy)(struct tbb_context *);
    void *(*allocate)(void **, size_t, const struct tbb_execution_data *);
    void (*deallocate)(void *, void *, size_t, const struct tbb_execution_data *);
    bool (*is_cancelled)(struct tbb_context *);
    void (*parallel_pipeline)(struct tbb_context *, size_t, const struct tbb_filter_node *);
    void (*set_end_of_input)(struct tbb_filter *);
    void *(*allocate_memory)(size_t);
    void (*deallocate_memory)(void *);
    int (*max_concurrency)(const void *);
    /* of tbb::global_control; all three may be missing */
    void (*control_create)(struct tbb_control *);
    void (*control_destroy)(struct tbb_control *);
    size_t (*control_value)(int);
    int (*interface_version)(void);
};

/* [hook] The entry points. They are resolved at start-up if the program is linked with libtbb, else
 * by the first call of one (of a user that was dlopened). */
extern struct tbb_entry tbb_entry_ __attribute__((visibility("hidden")));
static inline const struct tbb_entry *entry(void)
{
    return &tbb_entry_;
}

#endif
