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

/* [init, hook] As dl_iterate_phdr: calls SEE for each loaded object, with the loader's list locked,
 * until it returns something else than 0. It is libc's own: fakechroot, for example, has one that
 * keeps SEE in a global, where two threads overwrite each other's. */
struct dl_phdr_info;
int lookup_objects(int (*see)(struct dl_phdr_info *, size_t, void *), void *closure);

/* The lock of the loader's list. libc does not release it in the child of fork. If another thread
 * held it, or this one, which a handler interrupted, then a dl_iterate_phdr or dlopen of libprof's
 * would wait for ever in the child, where the program makes no such call.
 *
 * [init] lookup_setup finds the lock: the mutex in the loader's data that is held in a callback of
 * dl_iterate_phdr, and not after it. Where there is none (another libc), nothing of this is done.
 * [hook] lookup_before_fork waits while another thread holds it, for a quarter of a second at most.
 * lookup_forked, in the child: false if it is held. From then on lookup_objects and lookup_object
 * find nothing, and lookup_is_stuck is true: no other library may ask the loader for libprof. */
void lookup_setup(void);
void lookup_before_fork(void);
bool lookup_forked(void);
bool lookup_is_stuck(void);

/* [init, hook] As dlsym, dlvsym and dlopen. RTLD_NEXT: the objects after libprof. WHY: where the
 * reason goes if there is no such object; may be NULL. */
void *lookup(void *handle, const char *name);
/* [init, hook] The function NAME that a call of libprof's own name goes on to: that of the objects
 * after libprof. If these have none, the first that is loaded: libc may be before libprof, where it
 * runs as a program, or where libprof is linked behind it. NULL: none. */
void *lookup_next(const char *name);
void *lookup_version(void *handle, const char *name, const char *version);
void *lookup_object(const char *file, int flags, char *why, size_t size);
/* [init, hook] Does a loaded object other than libprof define NAME? Much faster than a look-up that
 * fails, which also calls the program's malloc. Reads the objects' hash tables. */
bool lookup_defined(const char *name);

/* [init, hook] Does the process have a NAME of its own, in another object than the one that has
 * BESIDE? */
bool lookup_replaced(const char *name, const char *beside);
/* [init, hook] Does the program itself refer to NAME, without defining it? */
bool lookup_asked(const char *name);

/* The next functions take no lock that the loader holds while it runs an object's constructors.
 * These may wait for the caller's thread. */

/* [init, hook] The address of the function NAME in the first loaded object that defines it. NULL:
 * none does but libprof or the program itself. */
const void *lookup_first(const char *name);
/* [init, hook] As a dlvsym of the object that holds CODE, without libprof and the program itself:
 * the object and those that it needs are searched. VERSION NULL: as dlsym. */
const void *lookup_seen_from(const void *code, const char *name, const char *version);
/* [init, hook] A runtime's function: lookup_seen_from(RUNTIME). RUNTIME NULL: as dlvsym, or dlsym,
 * of the objects after libprof, which takes the loader's lock: at start-up. */
void *lookup_runtime(const void *runtime, const char *name, const char *version);
/* [hook] The function NAME that all objects see which were loaded as late as the one that holds
 * CODE: it is in an object that was opened with RTLD_GLOBAL before. NULL: there is none. If several
 * libraries define NAME, it takes the loader's lock; else the answer does not matter, and is
 * NULL. */
const void *lookup_global(const void *code, const char *name);
/* [init, hook] The address of NAME in the library that holds CODE. NULL: the library does not
 * define it, or CODE is the program's. */
const void *lookup_within(const void *code, const char *name);
/* [init, hook] The object that holds ADDRESS stays loaded, from the next lookup_open_kept on. At
 * most LOOKUP_KEPT; more are ignored. */
enum { LOOKUP_KEPT = 24 };
void lookup_keep(const void *address);
/* [hook] Before a dlclose, and so where the caller may wait for the loader. */
void lookup_open_kept(void);

/* [init, hook] Puts the thread's pending error aside, and puts it back, for a call of another
 * function of this kind. */
void *lookup_error_aside(void);
void lookup_error_back(void *error);
/* [init, hook] Frees the thread's pending error. */
void lookup_error_drop(void);

#endif
