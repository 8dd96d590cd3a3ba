/* engine.h - exact work and span, online, in parallel: all that agents report to.
 *
 *   dag/task.h      the model: S, work, and where S comes from
 *   strand.h        spawn, begin, pause, resume, end
 *   scope.h         scopes and joins
 *   edge.h          dependences that are no join
 *   loose.h         tasks that end before their children
 *   region.h        annotated regions
 *   divide.h        chunks of loops that divide further
 *   dag/run.h       worker slots, named lower bounds
 *
 * Every rule commutes, so that the result does not depend on the schedule:
 *   a strand's part of cost c ends    S += c, L += c, D += c, work += c
 *   spawn                             the child's S is the parent's; K + 1 unless it is a call
 *   a task ends                       its scope keeps the longest
 *   join, edge                        S = max(S, theirs), and L + K * burden likewise
 */
#ifndef PRELOAD_ENGINE_ENGINE_H
#define PRELOAD_ENGINE_ENGINE_H

#include "engine/edge.h"
#include "engine/loose.h"
#include "engine/region.h"
#include "engine/scope.h"
#include "engine/strand.h"
#include "dag/run.h"

#endif
