/* flow_node_class.h - the kind and the layout of a flow graph's node, from its type information.
 *
 * Nodes are classes of the program (header templates), and its compiler lays them out. We must know
 * where their receivers and senders are, and which kind of node they are. The type_info of the
 * node's class has both: it names the class's bases and their offsets.
 */
#ifndef AGENTS_TBB_FLOW_NODE_CLASS_H
#define AGENTS_TBB_FLOW_NODE_CLASS_H

#include <stdbool.h>
#include <stdint.h>
#include "tbb_abi.h"

enum flow_kind {
    /* hands messages on at once, on the strand that puts them: broadcast, split, composite */
    FLOW_PASS,
    FLOW_CONTINUE,
    FLOW_FUNCTION,      /* function_node, multifunction_node, async_node */
    FLOW_BUFFER,        /* buffer_node, queue_node, sequencer_node, priority_queue_node */
    FLOW_OVERWRITE,     /* overwrite_node, write_once_node */
    FLOW_JOIN,
    FLOW_INDEXER,
    FLOW_LIMITER,
    FLOW_INPUT,
    FLOW_UNKNOWN,       /* a class of the program's own */
};
enum flow_order { FLOW_FIFO, FLOW_LIFO, FLOW_PRIORITY };        /* of a buffer */
enum flow_join { FLOW_QUEUEING, FLOW_RESERVING, FLOW_MATCHING };

#define FLOW_PORTS_MAX 10

/* Offsets are from the node's top, which is its graph_node; 0: the node has none. */
struct flow_node_class {
    struct flow_node_class *next;
    void *const *vptr;
    const char *name;           /* in reports */
    enum flow_kind kind;
    enum flow_order order;
    enum flow_join join;
    bool light;                 /* lightweight policy */
    bool sponsors;              /* async_node: strands that its body starts put messages
                                 * (flow_guest.c) */
    bool puts_late; /* function_node: it puts its result when its body's slot is free */
    bool counts;                /* limiter_node: its decrementer takes continue_msg */
    bool sequences;             /* sequencer_node: `body` computes a message's index */
    uint32_t receiver, sender;
    uint32_t buffer;            /* tbb_item_buffer */
    uint32_t body;              /* pointer to the body, an object with a virtual operator() */
    uint32_t ports;             /* input ports; limiter_node: the decrementer */
    uint32_t port[FLOW_PORTS_MAX];
};

/* [hook] The class of the node whose graph_node stands at NODE, with its vptr VPTR. NULL: no
 * memory. It is made once for each class, and kept. */
const struct flow_node_class *flow_node_class_of(const struct tbb_graph_node *node,
                                                 void *const *vptr);

/* [hook] Code was unloaded: another class may have its vtable at the same address. */
void flow_node_class_forget(void);

/* [hook] Copies BYTES of the program's memory. False: they cannot be read. */
bool flow_peek(const void *from, void *to, size_t bytes);

#endif
