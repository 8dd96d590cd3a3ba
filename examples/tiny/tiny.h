/* tiny.h - a task runtime of three functions, for the example agent: one queue, P threads. */
#ifndef EXAMPLES_TINY_TINY_H
#define EXAMPLES_TINY_TINY_H

struct tiny_task {
    void (*function)(void *);
    void *argument;
    struct tiny_task *next;
    struct tiny_task *parent;   /* who waits for it */
    int children;               /* not ended */
    void *reserved;             /* zero; tiny does not look at it */
};

/* Starts P - 1 threads; the caller is the last worker. */
void tiny_start(int p);
/* FUNCTION(ARGUMENT) may run from now, on any thread; TASK is the caller's until tiny_sync. */
void tiny_spawn(struct tiny_task *task, void (*function)(void *), void *argument);
/* Waits for what the calling task has spawned; runs other tasks meanwhile. */
void tiny_sync(void);
/* What workers call to run a task; exported, so that it can be seen. */
void tiny_run(struct tiny_task *task);

#endif
