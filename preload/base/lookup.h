/* lookup.h - looks symbols and objects up. dlerror() does not show it.
 *
 * libc keeps the last error of dlopen, dlsym and the like for each thread, until the next call or
 * dlerror(). A program may read that error, and it may have one pending when libprof looks
 * something up. And a `free` that looks the real one up by dlsym calls itself for ever while an
 * error is pending: dlsym frees the error's text first. So these functions put the thread's error
 * aside, free the text of an error of their own, and put the thread's error back.
 */
#ifndef PRELOAD_BASE_LOOKUP_H
#define PRELOAD_BASE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

/* [init, hook] As dlsym, dlvsym and dlopen. RTLD_NEXT: the objects after libprof. WHY: where the
 * reason goes if there is no such object; may be NULL. */
void *lookup(void *handle, const char *name);
void *lookup_version(void *handle, const char *name, const char *version);
void *lookup_object(const char *file, int flags, char *why, size_t size);
/* [init, hook] Does a loaded object other than libprof define NAME? Much faster than a look-up that
 * fails, which also calls the program's malloc. Reads the objects' hash tables. */
bool lookup_defined(const char *name);
/* [init, hook] The path, in SIZE bytes, of the first loaded object that defines NAME. False: none
 * does but libprof or the program itself. */
bool lookup_definer(const char *name, char *path, size_t size);

/* [init, hook] Puts the thread's pending error aside, and puts it back, for a call of another
 * function of this kind. */
void *lookup_error_aside(void);
void lookup_error_back(void *error);
/* [init, hook] Frees the thread's pending error. */
void lookup_error_drop(void);

#endif
