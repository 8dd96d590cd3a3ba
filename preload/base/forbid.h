/* forbid.h - names that must not appear in libprof.so. Each of its files includes this header last,
 * unless the file needs such a name (tests/layers/forbid).
 *
 * libprof runs inside another program, in the middle of its calls. The program's allocator may be
 * below us on the stack, its stdio locked, its environment half changed. Use these instead:
 *
 *   memory     memory.h, dag/block.h         text     message_format()
 *   settings   config (a snapshot)           locks    lock.h
 *   libc functions that we interpose, and their originals: real()
 *
 * Only lookup.c looks symbols and objects up (clock/pfm.c the symbols of libpfm4). tests/abi checks
 * the same of the linked object.
 */
#ifndef PRELOAD_BASE_FORBID_H
#define PRELOAD_BASE_FORBID_H

#pragma GCC poison malloc calloc realloc free strdup asprintf qsort
#pragma GCC poison printf fprintf vfprintf sprintf snprintf fopen fwrite fputs puts perror
#pragma GCC poison getenv setenv secure_getenv dlsym dlopen dl_iterate_phdr
#pragma GCC poison pthread_mutex_lock pthread_mutex_unlock pthread_cond_wait pthread_once
#pragma GCC poison strerror assert

#endif
