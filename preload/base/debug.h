/* debug.h - assertions. They exist in debug builds only:
 *   make DEBUG=1   ASSERT        a few loads
 *   make DEBUG=2   ASSERT_WALK   walks a structure: a bag, a list of scopes
 *   make DEBUG=3   ASSERT_ALL    walks a list that grows with the program: free blocks, the dag
 * Each level includes the lower ones. An assertion that fails prints one line, whatever
 * PROF_VERBOSE is, and ends the process by SIGABRT. None of the program's signal handlers and exit
 * handlers run: a debug build is for developers of libprof.
 *
 * The invariants themselves are predicates (dag/valid.h). [any]
 */
#ifndef PRELOAD_BASE_DEBUG_H
#define PRELOAD_BASE_DEBUG_H

#ifndef LIBPROF_DEBUG
#define LIBPROF_DEBUG 0
#endif

#if LIBPROF_DEBUG
void debug_failed(const char *file, unsigned line, const char *condition)
    __attribute__((noreturn, cold, visibility("hidden")));
#endif

/* TEXT: the condition as it was written, before its macros are expanded. */
#define DEBUG_ASSERT_(condition, text)                                                             \
    ((condition) ? (void)0 : debug_failed(__FILE__, __LINE__, text))

#if LIBPROF_DEBUG >= 1
#define ASSERT(condition) DEBUG_ASSERT_(condition, #condition)
#else
#define ASSERT(condition) ((void)0)
#endif
#if LIBPROF_DEBUG >= 2
#define ASSERT_WALK(condition) DEBUG_ASSERT_(condition, #condition)
#else
#define ASSERT_WALK(condition) ((void)0)
#endif
#if LIBPROF_DEBUG >= 3
#define ASSERT_ALL(condition) DEBUG_ASSERT_(condition, #condition)
#else
#define ASSERT_ALL(condition) ((void)0)
#endif

#endif
