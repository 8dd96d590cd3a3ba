/* fold.c - the time off the CPU in the system's code as that of the program's function that called
 * it. Readers of the text look for code to change, and a wait in libc has several frames. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include "base/format.h"
#include "diff/diff.h"

uint32_t *diff_fold(const struct paths *t, uint64_t **blocked)
{
    size_t n = t->node_count;
    uint32_t *home = format_memory(calloc(n + 1, sizeof *home));
    uint64_t *self = format_memory(calloc(2 * n + 2, sizeof *self)), *all = self + n + 1;
    for (size_t i = 0; i < n; i++) {
        const struct path_node *k = &t->nodes[i];
        bool system = i && module_is_system(k->module);
        home[i] = system && home[k->parent] ? home[k->parent] : i;
        self[i] = k->self.blocked;
        all[i] = k->all.blocked;
    }
    /* a callee comes after its caller, so all that it adds to its caller is known by then */
    uint64_t *moved = format_memory(calloc(n + 1, sizeof *moved));
    for (size_t i = n; i-- > 1;) {
        if (home[i] == i) {
            self[i] += moved[i];
            continue;
        }
        moved[i] += self[i];
        self[i] = 0;
        all[i] -= moved[i] < all[i] ? moved[i] : all[i];
        moved[t->nodes[i].parent] += moved[i];
    }
    free(moved);
    *blocked = self;
    return home;
}
