/* path_wait.c - see path_wait.h. */
#define _GNU_SOURCE
#include "analysis/path_wait.h"
#include "analysis/paths_private.h"
#include "profile/profile.h"

enum wait path_wait_of(struct paths *t, uint32_t i)
{
    const struct profile *p = t->summary->profile;
    bool spins = p->nodes[i].kind == LPF_NODE_LEAF && path_code_of(t, &p->nodes[i])->spins;
    enum wait found = spins ? WAIT_SPIN : WAIT_NONE;
    for (; p->nodes[i].kind == LPF_NODE_FRAME || p->nodes[i].kind == LPF_NODE_LEAF;
         i = p->nodes[i].parent) {
        const struct code *c = path_code_of(t, &p->nodes[i]);
        for (uint32_t k = c->count; k-- > 0;) {
            if (path_is_program(c, &c->frame[k]))
                return found;
            if (c->frame[k].wait > found)
                found = c->frame[k].wait;
        }
    }
    return found;
}
