/* slab.h - where objects of the hot path come from: tasks, scopes, bags.
 *
 * Each thread has free lists of blocks, most in power-of-two classes. It fills them from slabs,
 * which are never unmapped. A block that another thread frees goes back to its own thread over a
 * lock-free stack. So a producer and a consumer thread reach a steady state.
 *
 * [hook] TH is the calling thread's state. No locks. No system calls but mmap and madvise, when a
 * slab is used up. block.h has what is inline.
 */
#ifndef PRELOAD_DAG_SLAB_H
#define PRELOAD_DAG_SLAB_H

#include <stddef.h>
#include <stdint.h>

struct thread;

/* Classes below BLOCK_TASK hold 64 << class bytes, header included. Tasks and scopes have classes
 * of their own because their free blocks must be all-zero where the next user expects it. */
enum {
    BLOCK_TASK = 18,
    BLOCK_SCOPE,
    BLOCK_PREFIX,
    BLOCK_REGION,
    BLOCK_NODE,
    /* Bags, and the samples in them, have the same sizes as the classes below BLOCK_TASK, but their
     * own classes. So a snapshot that follows a task's old pointer always finds a bag there, and
     * takes no other data for a count and an address. */
    BLOCK_BAG,
    BLOCK_SAMPLES = BLOCK_BAG + BLOCK_TASK,
    BLOCK_CLASSES = BLOCK_SAMPLES + BLOCK_TASK
};

/* The size of dagrec/dagrec.h's nodes. */
#define BLOCK_NODE_BYTES 176

/* The head of every block. The object follows. */
struct block {
    struct thread *home;        /* the block returns to this thread's lists */
    struct block *next;         /* while free */
    uint32_t class_;
    uint32_t magic;             /* debug: BLOCK_LIVE or BLOCK_FREE */
};

/* Debug builds write these when a block is taken and freed. Any other value: not a block of ours.
 */
enum { BLOCK_LIVE = 0x4556494c, BLOCK_FREE = 0x45455246 };

/* Smallest class whose block holds BYTES. */
uint32_t block_class(size_t bytes);
size_t block_capacity(uint32_t class_);
void *block_new_slow(struct thread *th, uint32_t class_);

#endif
