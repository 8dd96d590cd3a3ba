/* tiny.c - see tiny.h. Nothing here knows of libprof. */
#include "tiny.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct tiny_task *queue;
static struct tiny_task outside;        /* what threads run that run no task */
static __thread struct tiny_task *current = &outside;

void tiny_run(struct tiny_task *task)
{
    struct tiny_task *before = current;
    current = task;
    task->function(task->argument);
    tiny_sync();                /* a task ends with its children */
    current = before;
}

/* With the lock. */
static void run_one(void)
{
    struct tiny_task *task = queue;
    queue = task->next;
    pthread_mutex_unlock(&lock);
    tiny_run(task);
    pthread_mutex_lock(&lock);
    task->parent->children--;
    pthread_cond_broadcast(&more);
}

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;)
        if (queue)
            run_one();
        else
            pthread_cond_wait(&more, &lock);
    return 0;
}

void tiny_start(int p)
{
    pthread_t id;
    while (--p > 0)
        if (!pthread_create(&id, 0, worker, 0))
            pthread_detach(id);
}

void tiny_spawn(struct tiny_task *task, void (*function)(void *), void *argument)
{
    task->function = function;
    task->argument = argument;
    task->parent = current;
    task->children = 0;
    pthread_mutex_lock(&lock);
    current->children++;
    task->next = queue;
    queue = task;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

void tiny_sync(void)
{
    pthread_mutex_lock(&lock);
    while (current->children)
        if (queue)
            run_one();
        else
            pthread_cond_wait(&more, &lock);
    pthread_mutex_unlock(&lock);
}
