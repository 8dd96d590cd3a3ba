/* path_service.c - see path_service.h. */
#define _GNU_SOURCE
#include "analysis/path_service.h"
#include "analysis/paths_private.h"
#include "profile/profile.h"

enum service path_service_of(struct paths *t, uint32_t i)
{
    const struct profile *p = t->summary->profile;
    bool spins = p->nodes[i].kind == LPF_NODE_LEAF && path_code_of(t, &p->nodes[i])->spins;
    enum service found = spins ? SERVICE_SPIN : SERVICE_NONE;
    for (; p->nodes[i].kind == LPF_NODE_FRAME || p->nodes[i].kind == LPF_NODE_LEAF;
         i = p->nodes[i].parent) {
        const struct code *c = path_code_of(t, &p->nodes[i]);
        for (uint32_t k = c->count; k-- > 0;) {
            if (path_is_program(c, &c->frame[k]))
                return found;
            if (c->frame[k].service > found)
                found = c->frame[k].service;
        }
    }
    /* what a thread does around its own code */
    return found == SERVICE_MEMORY ? SERVICE_THREAD : found;
}
