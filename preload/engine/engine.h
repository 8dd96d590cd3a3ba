/* engine.h - exact work and span, online, in parallel: the interface for agents. It includes the
 * headers of this list but divide.h, which only agents with loops need:
 *
 *   dag/task.h      the model: S, work, and where S comes from
 *   strand.h        spawn, begin, pause, resume, end
 *   scope.h         scopes and joins
 *   late_record.h   waits for a task's end that is recorded late
 *   dependence.h    dependences without a join
 *   between.h       what was between two strands of a thread
 *   region.h        annotated regions
 *   divide.h        chunks of loops that divide further
 *   dag/run.h       worker slots, named lower bounds
 *
 * engine_ is what strands, tasks and joins do. What is done to an object has the object's name:
 * scope_, edge_, critical_ (a critical path that is passed on), arrival_, trail_, kept_, region_,
 * between_, late_.
 *
 * Every rule commutes, so the result does not depend on the schedule (L, K, D, T: dag/lengths.h):
 *   a strand's part of cost c ends    work, S, L, D, T += c (an outlier: T by less)
 *   spawn                             the child's S is the parent's; K + 1 unless it is a call
 *   a task ends                       its scope keeps the longest
 *   join, edge                        S = max(S, theirs), and L + K * burden likewise
 */
#ifndef PRELOAD_ENGINE_ENGINE_H
#define PRELOAD_ENGINE_ENGINE_H

#include "engine/between.h"
#include "engine/dependence.h"
#include "engine/late_record.h"
#include "engine/region.h"
#include "engine/scope.h"
#include "engine/strand.h"
#include "dag/run.h"

#endif
