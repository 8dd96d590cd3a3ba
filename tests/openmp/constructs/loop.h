/* loop.h - what the cases of a team's loops share: 50 iterations for 4 threads, where iteration i
 * costs i, and their model.
 *
 * OpenMP does not decide everything here. This table states what libprof decided; an agent may
 * decide otherwise.
 *
 *   construct                   libgomp (gcc 12)       libomp (clang 14)      case
 *   schedule(static[,c])        as executed            as executed            loop_static*
 *   schedule(dynamic,c), guided chunks are parallel    chunks are parallel    loop_dynamic*
 *   schedule(runtime)           as OMP_SCHEDULE says   as OMP_SCHEDULE says   loop_runtime*
 *   sections                    sections are parallel  as executed: clang     sections (equal),
 *                               (GOMP_sections_next)   makes a static loop    sections_more (not)
 *   ordered, static             as executed + edges    as executed + edges    ordered_static
 *   ordered(n), static          as executed + edges    as executed + edges    doacross*
 *   ordered(n), dynamic, guided chunks + edges         chunks + edges         doacross_dynamic*
 *   ordered, dynamic            chunks + edges         chunks + edges         ordered_dynamic
 *   critical, atomic, locks     no edge                no edge                critical
 *   cancelled regions and loops up to the cancel       up to the cancel       cancel_region, _loop
 *
 * "As executed": the chunks of thread t lie on t's path, one after the other. "Parallel": a chunk
 * starts where its thread stood at the loop's begin, and the thread continues after the longest of
 * its chunks. For the span to have one value, all threads of such a loop reach it at the same point
 * of their paths and do the same after it: span = own path + largest chunk.
 * "Edges": an ordered block begins no earlier than the one before it ended. (libgomp itself passes
 * the turn on only when the whole iteration ends: GOMP_ordered_end does nothing.) ORDERED_EDGES 0
 * expects no such edges.
 * libomp gives a team of one the whole dynamic loop as a single chunk: these cases ask for
 * num_threads(4).
 */
#ifndef TESTS_OPENMP_CONSTRUCTS_LOOP_H
#define TESTS_OPENMP_CONSTRUCTS_LOOP_H

#include "cases.h"

enum { N = 50 };
/* As both runtimes cut static loops: blocks of 13, 13, 12, 12; or chunks in turn. */
static inline int static_thread(int i, int chunk)
{
    return chunk ? i / chunk % TEAM : i < 26 ? i / 13 : 2 + (i - 26) / 12;
}
static inline void m_static(int chunk)
{
    for (int i = 0; i < N; i++) {
        m_thread(static_thread(i, chunk));
        m_cost(i);
    }
}
static inline void m_all(long c)
{
    for (int i = 0; i < TEAM; i++) {
        m_thread(i);
        m_cost(c);
    }
}
static inline void m_dynamic(int n, int chunk)
{
    m_thread(0);
    for (int i = 0; i < n; i++) {
        if (i % chunk == 0)
            m_chunk();
        m_cost(i);
        if ((i + 1) % chunk == 0 || i + 1 == n)
            m_chunk_end();
    }
    m_chunks_end();
}

/* The first chunks of 1000 iterations for 4 threads: 250 on libgomp, 125 on libomp. The indices 0,
 * 500, 999 lie in different chunks on both. */
static inline long guided_cost(long i) { return i == 0 ? 100 : i == 500 ? 80 : i == 999 ? 60 : 0; }

/* Its chunks: what costs anything is alone in its own, with MORE. */
static inline void m_guided(long more)
{
    m_thread(0);
    for (int i = 0; i < 1000; i++)
        if (guided_cost(i)) {
            m_chunk();
            m_cost(guided_cost(i) + more);
            m_chunk_end();
        }
    m_chunks_end();
}

#endif
