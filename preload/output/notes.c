/* notes.c - the notes of a profile (struct lpf_note): what was lost, and what makes the figures
 * less than exact, in the words of the report.
 */
#define _GNU_SOURCE
#include "output/sections.h"
#include "base/program.h"
#include "dag/job.h"
#include "dag/run.h"
#include "dag/thread.h"
#include "dagrec/dagrec.h"
#include "libprof_format.h"
#include "base/forbid.h"

static void note(struct sections *s, uint32_t kind, const char *name, const char *text,
                 uint64_t count)
{
    struct lpf_note n = { .kind = kind, .name = buffer_string(&s->strings, name),
                          .text = buffer_string(&s->strings, text), .count = count };
    buffer_add(&s->notes, &n, sizeof n);
}

/* Constructs whose span is a lower bound, not exact, or that of this run. */
static void note_caveats(struct sections *s)
{
    static const char *const text[] = {
        [LPF_NOTE_LOWER_BOUND] = "not all dependences between these tasks are visible: the "
                                 "span is a lower bound",
        [LPF_NOTE_NOT_EXACT] = "which tasks a wait is for is not visible: the span may be too "
                               "long",
        [LPF_NOTE_EXECUTED] = "the order of its items or messages was decided by this run: "
                              "the span is that of this run",
    };
    for (unsigned i = 0; i < ENGINE_CAVEATS && engine_caveats[i].construct; i++) {
        /* The count comes first. A kind that is read too early is 0. */
        uint32_t kind = __atomic_load_n(&engine_caveats[i].kind, __ATOMIC_RELAXED);
        kind = kind ? kind : LPF_NOTE_LOWER_BOUND;
        note(s, kind, engine_caveats[i].construct, text[kind], engine_caveats[i].count);
    }
    if (job_is_cut())
        note(s, LPF_NOTE_LOWER_BOUND, "MPI_Finalize",
             "this rank has not come to it with the others, whose paths may be longer: the span "
             "is a lower bound",
             1);
}

static void note_losses(struct sections *s, const struct snapshot *snap)
{
    static const struct { const char *name, *text; } loss[LOSSES] = {
        [LOSS_MEMORY] = { "memory", "events dropped because the kernel gave no memory" },
        [LOSS_CONTEXTS] = { "contexts", "spawns beyond PROF_CONTEXTS, or without memory for more: "
                                        "their histories are merged" },
        [LOSS_LATE_JOIN] = { "late-join", "joins that did not see a task's end in time: "
                                          "the span may be short" },
        [LOSS_REGION] = { "region", "regions stopped without a start, "
                                    "or open when their task ended" },
        [LOSS_UNBALANCED] = { "unbalanced", "tasks seen in an order the agent does not know" },
        [LOSS_NODES] = { "nodes", "frames of call paths beyond PROF_NODES: their paths end early" },
        [LOSS_PATHS] = { "paths", "contexts beyond half of PROF_CONTEXTS: "
                                  "each has one call path for several" },
        [LOSS_PREFIX] = { "prefix", "path prefixes not kept: "
                                    "the on-span split is approximate there" },
        [LOSS_SAMPLES] = { "samples", "threads without samples, or with none from some point on: "
                                      "that work is not split" },
        [LOSS_FS_BASE] = { "fs-base", "samples dropped where a thread had another FS base than its "
                                      "own, as in an emulator" },
    };
    for (unsigned i = 0; i < LOSSES; i++)
        if (snap->lost[i] && loss[i].name)
            note(s, LPF_NOTE_LOSS, loss[i].name, loss[i].text, snap->lost[i]);
}

/* What the recorded dag does not have. */
static void note_dag(struct sections *s)
{
    for (unsigned i = 0; i < DAGREC_HIDDEN; i++)
        if (s->dag.used && dagrec_hidden_count(i))
            note(s, LPF_NOTE_DAG, dagrec_hidden_name(i), "not in the recorded dag",
                 dagrec_hidden_count(i));
}

static void note_hints(struct sections *s, const struct snapshot *snap)
{
    if (snap->running)
        note(s, LPF_NOTE_HINT, "running",
             snap->final ? "strands were still running when the program ended: "
                           "what they had done is read off their threads' CPU clocks"
                         : "strands were running at this checkpoint: "
                           "what they had done is read off their threads' CPU clocks, "
                           "without the strands that wait for them",
             snap->running);
    if (program.no_proc)
        note(s, LPF_NOTE_HINT, "no /proc",
             *program.exe
                 ? "it is not mounted here: where strands were blocked is not known, nor how "
                   "long they waited for processors"
                 : "it is not mounted here: the program's file is not known, so its functions "
                   "have no names; where strands were blocked is not known either",
             1);
    if (job.left_among_tasks)
        note(s, LPF_NOTE_HINT, "MPI and tasks",
             "the job's path left a rank for another one while tasks were a part of it: how it is "
             "split there between these tasks and the code beside them is an estimate",
             job.left_among_tasks);
    if (snap->approximate)
        note(s, LPF_NOTE_HINT, "cross-join",
             "joins of tasks that another strand spawned: the span is exact, "
             "its split over sites charges what such a join added to the joined site",
             snap->approximate);
}

/* After the dag is emitted. */
void sections_notes(struct sections *s, const struct snapshot *snap)
{
    note_caveats(s);
    note_losses(s, snap);
    note_dag(s);
    note_hints(s, snap);
}
