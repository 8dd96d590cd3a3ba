/* requests.h - requests that are open, by handle: receives, sends, and collective operations that
 * do not block.
 *
 * [hook] all functions. A request is used by one thread at a time, as MPI demands.
 */
#ifndef AGENTS_MPI_REQUESTS_H
#define AGENTS_MPI_REQUESTS_H

#include "companion.h"

enum request_kind { REQUEST_RECEIVE, REQUEST_SEND, REQUEST_COLLECTIVE };

/* Who goes on after whom: ALL after all, FROM after the root, the root after all (TO), all after
 * lower ranks. */
enum collective { COLLECTIVE_ALL, COLLECTIVE_FROM, COLLECTIVE_TO, COLLECTIVE_SCAN,
                  COLLECTIVE_EXSCAN };

struct request {
    struct posted posted;       /* first: requests.c finds the request of a struct posted */
    struct request *next;       /* in its list */
    word handle;
    uint8_t kind;               /* enum request_kind */
    bool persistent, active;    /* a receive that is not persistent is active */
    bool is_posted;             /* active, and has a companion */
    struct comm *comm;
    int peer, tag;              /* of a persistent one: as the program gave them */
    uint64_t sent;              /* of a send: when its companion was sent */
    /* a collective: libprof's own operation beside it */
    word shadow;
    bool takes;                 /* this rank goes on after `out` */
    struct point in, out;
};

/* NULL: no memory. It is not listed yet. */
struct request *request_new(enum request_kind kind);
void request_list(struct request *r, word handle);
/* Lists the persistent request at AT, for messages to or from PEER of C, as the program gave it. */
void request_persistent(enum request_kind kind, struct comm *c, int peer, int tag, const void *at);
/* Lists the request at AT, of the message that CALL has announced. If MPI has taken the message, it
 * does not: nobody waits for it, and such requests may have one handle. */
void request_sent(const struct call *call, const void *at);
/* R was never listed. */
void request_drop(struct request *r);
/* NULL: not listed. */
struct request *request_of(word handle);
void request_forget(struct request *r);
/* The program will not learn when R completes. */
void request_abandon(struct request *r);

#endif
