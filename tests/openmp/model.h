/* model.h - what must be measured: work and span of an OpenMP program, by a serial walk over it.
 *
 * An expectation calls these in the order of a serial execution, one implicit task after the other
 * between two barriers. A task is walked through where it is created, so its end is known at once,
 * and every rule below is a plain maximum over ends that are known:
 *   m_cost c           t += c, work += c
 *   m_task             the child's t = max(the parent's t, the ends of what it depends on)
 *   its end            goes into the parent's children, its taskgroup and its team
 *   m_taskwait         t = max(t, children)
 *   m_group_end        t = max(t, taskgroup): a descendant belongs to the group its creator stood
 *                      in
 *   m_fork k           k implicit tasks, born at the encountering task's t
 *   m_barrier          all implicit t = max of them and of the explicit tasks of the team so far
 *   m_join             the same, and the encountering task goes on from there
 * A task is serial, its parent's path going through it, when it is if(0), when its parent is final
 * or when there is no team at all. In a team of one it is not: what is logically parallel stays so.
 * Depend clauses: a task comes after the siblings created before it with the same address, unless
 * both are `in` or both are `mutexinoutset` (those exclude each other, in no order: no edge).
 */
#ifndef TESTS_OPENMP_MODEL_H
#define TESTS_OPENMP_MODEL_H

enum m_flags { M_IF0 = 1, M_FINAL = 2 };
enum m_kind { M_IN, M_OUT, M_MUTEX };   /* inout is out */

void m_cost(long c);
/* The next m_task or m_taskwait_depend has this clause, too. ADDRESS is any name of a storage
 * location. */
void m_depend(enum m_kind kind, long address);
void m_task(int flags);
void m_end(void);
void m_taskwait(void);
void m_taskwait_depend(void);
void m_group(void);
void m_group_end(void);
void m_fork(int threads);
void m_thread(int i);       /* what follows is done by implicit task i */
void m_barrier(void);
void m_join(void);
/* Any other edge: what follows comes after a point whose path (m_now) was T. */
long m_now(void);
void m_after(long t);
/* m_end of a detached task: it ends no earlier than its fulfilment, the path (m_now) of whoever
 * fulfils its event. */
void m_end_detached(long fulfilled);
/* What a schedule hands out (chunks of dynamic and guided loops, libgomp's sections) are strands
 * beside each other: each starts where its thread stood at the loop's begin, and the loop's end
 * is after the longest. */
void m_chunk(void);
void m_chunk_end(void);
void m_chunks_end(void);
int m_chunked(void);       /* there were any */

/* The results so far. */
long m_work(void);
long m_span(void);
long m_tasks(void);         /* explicit tasks that are not serial */
long m_implicit(void);      /* implicit tasks of the parallel regions */

#endif
