/* forbid.h - included last by every file of libprof.so that can: names that must not appear there.
 *
 * libprof runs inside somebody else's program, in the middle of its calls: its allocator may be on
 * the stack below us, its stdio locked, its environment being changed. What is needed instead:
 *   memory     memory.h, block.h             text     message_format()
 *   settings   config (a snapshot)           locks    lock.h
 *   libc functions that we interpose, and their originals: real()
 * real.c alone looks symbols up. tests/abi checks the same of the linked object.
 */
#ifndef PRELOAD_FORBID_H
#define PRELOAD_FORBID_H

#pragma GCC poison malloc calloc realloc free strdup asprintf qsort
#pragma GCC poison printf fprintf vfprintf sprintf snprintf fopen fwrite fputs puts perror
#pragma GCC poison getenv setenv secure_getenv dlsym dlopen
#pragma GCC poison pthread_mutex_lock pthread_mutex_unlock pthread_cond_wait pthread_once
#pragma GCC poison strerror assert

#endif
