/* path_fold.c - see path_private.h. Frames that a walk met, with recursion folded, become segments.
 *
 * Lists of frames and segments are interned. Segments stay for good: calling contexts name them.
 * All functions need path_shared.lock.
 */
#include "unwind/path_private.h"
#include <string.h>
#include "unwind/cfi.h"
#include "unwind/code_place.h"
#include "unwind/runtime_registry.h"
#include "base/memory.h"
#include "base/forbid.h"

#define SEGMENTS_MAX 65536      /* beyond, a segment is the spawn's own frame alone */
#define FOLDED_MAX 262144       /* lists of frames; beyond, paths end early */

struct path_shared path_shared;
LOCK_LISTED(path_lock, path_shared.lock, LOCK_PATHS);
struct path_statistics path_statistics;

struct segment_entry {
    UT_hash_handle hh;
    struct segment s;
};
static struct segment_entry *segments[2];       /* [0] whole ones, [1] cut ones, by their places */

/* Where the function of return address PC starts. A look-up takes longer than the rest of a walk's
 * step, so the results are kept. */
static SELDOM struct { uintptr_t pc, start; } functions[1024];

static uintptr_t function_of(uintptr_t pc)
{
    unsigned i = (pc ^ pc >> 12) & (sizeof functions / sizeof functions[0] - 1);
    if (functions[i].pc != pc) {
        functions[i].start = cfi_function(pc - 1);
        functions[i].pc = pc;
    }
    return functions[i].start;
}

void path_functions_flush(void)
{
    memset(functions, 0, sizeof functions);
}

struct path_frames *path_frames_add(struct path_frames *f, uintptr_t pc)
{
    uintptr_t function = function_of(pc);
    unsigned seen = 0;
    for (struct path_frames *at = f; at && seen < PATH_FOLD_WINDOW; at = at->key.inner, seen++)
        if (at->key.address == pc || (function && at->function == function))
            return at;
    struct path_frames *found, like;
    memset(&like, 0, sizeof like);
    like.key.inner = f;
    like.key.address = pc;
    HASH_FIND(hh, path_shared.frames, &like.key, sizeof like.key, found);
    if (found)
        return found;
    static uint32_t made;
    if ((found = path_shared.free_frames)) {
        path_shared.free_frames = found->key.inner;
    } else {
        found = made < FOLDED_MAX ? memory_keep(sizeof *found) : 0;
        if (!found)
            return f;
        made++;
    }
    *found = like;
    found->function = function;
    found->count = f ? f->count + 1 : 1;
    HASH_ADD(hh, path_shared.frames, key, sizeof found->key, found);
    return found;
}

const struct segment *path_intern(const uintptr_t *place, uint32_t count, bool cut)
{
    struct segment_entry *e;
    HASH_FIND(hh, segments[cut], place, count * sizeof *place, e);
    if (e)
        return &e->s;
    e = memory_keep(sizeof *e + count * sizeof *place);
    if (!e)
        return 0;
    e->s.id = path_statistics.segments++;
    e->s.count = count;
    e->s.cut = cut;
    memcpy(e->s.address, place, count * sizeof *place);
    HASH_ADD_KEYPTR(hh, segments[cut], e->s.address, count * sizeof *place, e);
    return &e->s;
}

const struct segment *path_frames_segment(struct path_frames *f, bool cut)
{
    static SELDOM uintptr_t place[PATH_FOLD_WINDOW * 4];    /* path_shared.lock */
    while (path_statistics.segments >= SEGMENTS_MAX && f->key.inner) {
        f = f->key.inner;
        cut = true;
    }
    while (f->count > 1 && runtime_owns(f->key.address))
        f = f->key.inner;
    while (f->count > sizeof place / sizeof place[0]) {
        f = f->key.inner;
        cut = true;
    }
    for (struct path_frames *at = f; at; at = at->key.inner)
        place[at->count - 1] = place_of(at->key.address);
    return path_intern(place, f->count, cut);
}
