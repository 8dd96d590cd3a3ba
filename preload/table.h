/* table.h - uthash for tables off the hot path: its memory comes from memory_keep() (tables only
 * grow), and running out of it must not end the application, which is uthash's default.
 * With HASH_NONFATAL_OOM a failed insertion leaves the item out of the table.
 */
#ifndef PRELOAD_TABLE_H
#define PRELOAD_TABLE_H

#include "memory.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(bytes) memory_keep(bytes)
#define uthash_free(p, bytes) ((void)(p), (void)(bytes))
#define uthash_nonfatal_oom(item) ((void)(item))
#include <uthash.h>

#endif
