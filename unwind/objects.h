/* objects.h - which loaded object an address is in, found without the loader's lock.
 *
 * glibc 2.35 and later answer that (_dl_find_object). For older ones libprof keeps a table of its
 * own, from dl_iterate_phdr. libprof does not see dlopen, so hooks ask the loader whether objects
 * came or went before they walk a stack that they have not seen, and dlclose asks as well. A sample
 * in an object that was loaded since is in no object: its call path ends there.
 *
 * The table may have an object that is not mapped any more. So while another thread is in dlclose,
 * it answers only for the objects that the program started with, which stay. libc itself closes
 * objects, too, unseen. So of another object it first asks the kernel whether its first page and
 * its unwind tables are mapped.
 */
#ifndef UNWIND_OBJECTS_H
#define UNWIND_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

struct object {
    uintptr_t start, end;       /* its mapping, from the first segment to the last */
    uintptr_t bias;             /* an address in memory less the address in the file */
    const char *path;           /* the loader's, while the object is loaded; "": the program */
    const uint8_t *eh_frame;    /* .eh_frame_hdr; NULL: it has none */
};

/* [init] Finds the loader's interface. Without it, or if OWN_TABLE, makes the table. False: there
 * is neither, and no stack can be walked. */
bool objects_setup(bool own_table);

/* [any] Finds the object that holds PC. False: none does. */
bool objects_find(uintptr_t pc, struct object *object);

/* [hook] Follows the loader: true if objects came or went since the last call and the table has
 * changed. Takes the loader's lock, unless the loader has the interface. So the caller holds no
 * lock. It may be in a callback of dl_iterate_phdr. */
bool objects_follow(void);

/* [hook] Around each dlclose, on its thread. End: the caller has followed the loader. True: objects
 * may not have been found meanwhile that were there. */
void objects_unload_begin(void);
bool objects_unload_end(void);
/* Calls of dlclose under way; sequentially consistent. */
extern uint32_t objects_unloading;
/* [hook] In the child of fork. */
void objects_forked(void);

#endif
