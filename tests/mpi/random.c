/* random.c - random programs of everything that point.c, collective.c and comm.c have.
 *   random SEED STEPS [PROGRAMS]    so many programs, of SEED and the seeds that follow
 * All ranks draw the program from one generator, so all know what each of them does, and it cannot
 * block itself: each position of a bunch needs only that the others reach this position. At the end
 * of a bunch each rank completes its requests in an order of its own. After each program a rank is
 * watched, as oracle.h states.
 *
 * Programs of even seeds are modelled: each rank computes the S of all ranks by the rules (s[]),
 * and asserts its own. Something costs between completions only where the model knows their order.
 * Programs of odd seeds are as executed: something costs between completions of any order. What a
 * message carries is then its payload alone, so none is empty.
 */
#include "operations.h"

enum { MESSAGES = 10, PENDING = 64, COMMS = 6, LARGEST = 200 << 10, WILD_TAG = 100, NEVER_TAG = 99,
       GO_TAG = 98 };

struct generator {
    uint64_t state;
};

static struct generator shared, local;
static int modelled, no_freed, no_matched;
static int64_t s[RANKS_MAX];        /* by the rules: S of each rank */
static char attached[4 << 20];

static uint32_t draw(struct generator *g, uint32_t n)
{
    g->state = g->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((g->state >> 33) % n);
}

/* A communicator, or what one split made: each color is one, and all of them do the same. */
struct comm {
    MPI_Comm handle;
    int color[RANKS_MAX], place[RANKS_MAX]; /* by rank of WORLD */
    int n[RANKS_MAX], members[RANKS_MAX][RANKS_MAX];    /* by color */
};
static struct comm comms[COMMS];
static int comm_count;

/* How a message is sent and received. The R modes wait for a word that the receive is posted. */
enum sending {
    ISEND, ISSEND, IBSEND, SEND, SSEND, BSEND, SEND_INIT, SSEND_INIT, FREED, RSEND, IRSEND, SENDINGS
};
enum receiving { IRECV, RECV, RECV_INIT, PROBE, MPROBE, IPROBE, IMPROBE, RECEIVINGS };

struct message {
    int from, to, tag, any_tag, size, room, wild;
    enum sending sending;
    enum receiving receiving;
    struct comm *comm;
    char *in, *out;
    int64_t sent;                   /* by the rules */
};

/* What a rank has to complete: a receive, an operation, or only a request. */
struct pending {
    struct message *message;
    struct flight *flight;
    int persistent, cancelled;
};
static MPI_Request requests[PENDING];
static struct pending pending[PENDING];
static int pending_count;
static int64_t brings[RANKS_MAX][PENDING];  /* by the rules: what each completion brings */
static int brings_count[RANKS_MAX];

/* Buffers of freed sends may be used again only when their messages have arrived. */
static char *held[1024];
static int held_count;

static void add_pending(MPI_Request request, struct message *m, struct flight *f, int persistent,
                        int cancelled)
{
    CHECK(pending_count < PENDING);
    requests[pending_count] = request;
    pending[pending_count++] = (struct pending){ m, f, persistent, cancelled };
}

static void add_brings(int r, int64_t m)
{
    CHECK(brings_count[r] < PENDING);
    brings[r][brings_count[r]++] = m;
}

static void model_take(int r, int64_t m)
{
    s[r] = larger(s[r], m);
}

static void random_costs(void)
{
    for (int r = 0; r < ranks; r++) {
        int64_t c = draw(&shared, 3) ? draw(&shared, 1000) : 0;

        s[r] += c;
        if (r == rank && c)
            cost(c);
    }
}

static char pattern(int64_t from, int i)
{
    return (char)(from * 31 + i * 7);
}

static void fill(struct message *m)
{
    m->out = malloc(m->size + 8);
    memcpy(m->out, &oracle_s, 8);
    for (int i = 8; i < m->size; i++)
        m->out[i] = pattern(oracle_s, i);
}

/* The message has arrived: is it whole? Returns what it carries. */
static int64_t arrived(struct message *m, const MPI_Status *status)
{
    int64_t carried;
    int size = m->size;

    if (status) {
        MPI_Get_count(status, MPI_BYTE, &size);
        if (!m->wild) {
            CHECK_EQUAL(size, m->size);
            CHECK_EQUAL(status->MPI_TAG, m->tag);
            CHECK_EQUAL(status->MPI_SOURCE, m->comm->place[m->from]);
        }
    }
    if (size < 8)
        return m->sent;
    memcpy(&carried, m->in, 8);
    for (int i = 8; i < size; i++)
        CHECK(m->in[i] == pattern(carried, i));
    if (modelled && !m->wild)
        CHECK_EQUAL(carried, m->sent);
    return carried;
}

/* MESSAGE's receive, up to where it waits for nothing more than its message. */
static void receive(struct message *m, int probe_cost)
{
    MPI_Comm comm = m->comm->handle;
    int from = m->wild ? MPI_ANY_SOURCE : m->comm->place[m->from];
    int tag = m->any_tag ? MPI_ANY_TAG : m->tag, flag = 0;
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;

    m->in = malloc(m->room);
    switch (m->receiving) {
    case IRECV:
        MPI_Irecv(m->in, m->room, MPI_BYTE, from, tag, comm, &request);
        add_pending(request, m, NULL, 0, 0);
        return;
    case RECV_INIT:
        MPI_Recv_init(m->in, m->room, MPI_BYTE, from, tag, comm, &request);
        MPI_Start(&request);
        add_pending(request, m, NULL, 1, 0);
        return;
    case PROBE: MPI_Probe(from, tag, comm, &status); break;
    case IPROBE:
        while (!flag)
            MPI_Iprobe(from, tag, comm, &flag, &status);
        break;
    case MPROBE: MPI_Mprobe(from, tag, comm, &message, &status); break;
    case IMPROBE:
        while (!flag)
            MPI_Improbe(from, tag, comm, &flag, &message, &status);
        break;
    default: break;
    }
    if (modelled && m->receiving != RECV) { /* a probe takes what its message carries */
        CHECK_EQUAL(status.MPI_TAG, m->tag);
        take(m->sent);
        cost(probe_cost);
    }
    switch (m->receiving) {
    case MPROBE: MPI_Mrecv(m->in, m->room, MPI_BYTE, &message, &status); break;
    case IMPROBE:
        MPI_Imrecv(m->in, m->room, MPI_BYTE, &message, &request);
        MPI_Wait(&request, &status);
        break;
    default: MPI_Recv(m->in, m->room, MPI_BYTE, from, tag, comm, &status);
    }
    take(arrived(m, &status));
    free(m->in);
}

static void transmit(struct message *m)
{
    MPI_Comm comm = m->comm->handle;
    int to = m->comm->place[m->to], n = m->size, tag = m->tag;
    MPI_Request request;

    if (m->sending == RSEND || m->sending == IRSEND)
        recv_s(m->to, GO_TAG, WORLD);
    fill(m);
#define TO m->out, n, MPI_BYTE, to, tag, comm
    switch (m->sending) {
    case SEND: MPI_Send(TO); break;
    case SSEND: MPI_Ssend(TO); break;
    case BSEND: MPI_Bsend(TO); break;
    case RSEND: MPI_Rsend(TO); break;
    case ISEND: MPI_Isend(TO, &request); break;
    case ISSEND: MPI_Issend(TO, &request); break;
    case IBSEND: MPI_Ibsend(TO, &request); break;
    case IRSEND: MPI_Irsend(TO, &request); break;
    case SEND_INIT: MPI_Send_init(TO, &request); break;
    case SSEND_INIT: MPI_Ssend_init(TO, &request); break;
    case FREED:
        MPI_Isend(TO, &request);
        MPI_Request_free(&request);
        CHECK(held_count < 1024);
        held[held_count++] = m->out;
        m->out = NULL;
        return;
    case SENDINGS: break;
    }
    if (m->sending == SEND_INIT || m->sending == SSEND_INIT)
        MPI_Startall(1, &request);
    if (m->sending == SEND || m->sending == SSEND || m->sending == BSEND || m->sending == RSEND)
        return;
    add_pending(request, NULL, NULL, m->sending == SEND_INIT || m->sending == SSEND_INIT, 0);
}

static int is_blocking(enum receiving receiving)
{
    return receiving != IRECV && receiving != RECV_INIT;
}

/* Both ends of a message, by the rules. */
static void model_message(struct message *m, int probe_cost)
{
    if (m->sending == RSEND || m->sending == IRSEND)
        model_take(m->from, s[m->to]);
    m->sent = s[m->from];
    if (!is_blocking(m->receiving))
        add_brings(m->to, m->sent);
    switch (m->sending) {
    case SEND: case SSEND: case BSEND: case RSEND: case FREED: break;
    default: add_brings(m->from, 0);
    }
    if (is_blocking(m->receiving)) {
        model_take(m->to, m->sent);
        if (m->receiving != RECV)
            s[m->to] += probe_cost;
    }
}

static void draw_message(struct message *m, int wild, int bunch)
{
    uint32_t kind = draw(&shared, 10);
    int from, to, color, probe_cost;

    memset(m, 0, sizeof *m);
    m->comm = &comms[wild ? 0 : draw(&shared, comm_count)];
    from = m->from = draw(&shared, ranks);
    color = m->comm->color[from];
    to = m->to = m->comm->members[color][draw(&shared, m->comm->n[color])];
    m->tag = wild ? WILD_TAG + bunch : (int)draw(&shared, 2);
    m->any_tag = !wild && draw(&shared, 4) == 0;
    m->wild = wild;
    m->size = kind < 6 ? 8 + (int)draw(&shared, 60) : kind < 8 ? 8 + (int)draw(&shared, 12000) :
              kind < 9 ? 8 + (int)draw(&shared, LARGEST - 8) : 0;
    if (!m->size && (wild || !modelled))
        m->size = 8;
    m->sending = draw(&shared, SENDINGS);
    m->receiving = draw(&shared, RECEIVINGS);
    if (no_freed && m->sending == FREED)
        m->sending = ISEND;
    if (no_matched && (m->receiving == MPROBE || m->receiving == IMPROBE))
        m->receiving = PROBE;
    probe_cost = draw(&shared, 500);
    if (wild) {
        m->receiving = draw(&shared, 4) ? IRECV : RECV_INIT;
        /* a message of a later position may have the receive, so nobody must wait for it here */
        if (m->sending == RSEND || m->sending == IRSEND || m->sending == SEND)
            m->sending = ISEND;
        if (m->sending == SSEND)
            m->sending = ISSEND;
    }
    if ((m->sending == BSEND || m->sending == IBSEND) && m->size > 20000)
        m->size = 20000;
    if (m->sending == RSEND || m->sending == IRSEND)
        m->receiving = draw(&shared, 2) ? IRECV : RECV_INIT;
    if (from == to) {
        if (m->sending == RSEND || m->sending == IRSEND)
            m->sending = ISEND;
        if (m->sending == SEND || m->sending == SSEND)
            m->receiving = IRECV;
    }
    m->room = wild ? LARGEST + 8 : m->size + 8 * (int)draw(&shared, 3) + 1;
    model_message(m, probe_cost);
    if (rank == to && !is_blocking(m->receiving)) {
        receive(m, 0);
        if (m->sending == RSEND || m->sending == IRSEND)
            send_s(from, GO_TAG, WORLD);
    }
    if (rank == from)
        transmit(m);
    if (rank == to && is_blocking(m->receiving))
        receive(m, probe_cost);
}

/* A collective operation of all colors of a communicator, blocking or not. */
static void draw_operation(void)
{
    struct comm *c = &comms[draw(&shared, comm_count)];
    enum operation operation = draw(&shared, OPERATIONS);
    uint32_t any = draw(&shared, RANKS_MAX);
    int unit = draw(&shared, 8) ? 1 : 1 + (int)draw(&shared, 150);
    int nonblocking = draw(&shared, 3) > 0, mine = c->color[rank];
    struct flight *f = start(operation, any % c->n[mine], unit, nonblocking, c->handle);
    int64_t before[RANKS_MAX];

    memcpy(before, s, sizeof before);
    for (int r = 0; r < ranks; r++) {
        int color = c->color[r], n = c->n[color];
        int64_t in[RANKS_MAX], brought;

        for (int i = 0; i < n; i++)
            in[i] = before[c->members[color][i]];
        brought = rule_for(kind_of[operation], in, n, any % n, c->place[r]);
        if (nonblocking)
            add_brings(r, brought);
        else
            model_take(r, brought);
    }
    if (nonblocking)
        add_pending(f->request, NULL, f, 0, 0);
    else {
        completed(f);
        free(f);
    }
}

/* Round in each color: Sendrecv, or Sendrecv_replace. */
static void draw_exchange(void)
{
    struct comm *c = &comms[draw(&shared, comm_count)];
    int replace = draw(&shared, 2), me = c->place[rank], n = c->n[c->color[rank]];
    int64_t in = oracle_s, out = oracle_s, before[RANKS_MAX];

    if (replace)
        MPI_Sendrecv_replace(&in, 1, S_TYPE, (me + 1) % n, 0, (me + n - 1) % n, 0, c->handle,
                             MPI_STATUS_IGNORE);
    else
        MPI_Sendrecv(&out, 1, S_TYPE, (me + 1) % n, 1, &in, 1, S_TYPE, (me + n - 1) % n, 1,
                     c->handle, MPI_STATUS_IGNORE);
    take(in);
    memcpy(before, s, sizeof before);
    for (int r = 0; r < ranks; r++) {
        int color = c->color[r], size = c->n[color];

        model_take(r, before[c->members[color][(c->place[r] + size - 1) % size]]);
    }
}

/* A receive that never gets a message, and is cancelled. */
static void draw_cancelled(void)
{
    static int64_t never;
    int who = draw(&shared, ranks);

    add_brings(who, 0);
    if (rank == who) {
        MPI_Request request;

        MPI_Irecv(&never, 1, S_TYPE, MPI_ANY_SOURCE, NEVER_TAG, WORLD, &request);
        MPI_Cancel(&request);
        add_pending(request, NULL, NULL, 0, 1);
    }
}

static void complete(int i, const MPI_Status *status)
{
    struct pending *p = &pending[i];

    if (p->cancelled && status) {
        int flag;

        MPI_Test_cancelled(status, &flag);
        CHECK(flag);
    }
    if (p->message) {
        take(arrived(p->message, status));
        free(p->message->in);
    }
    if (p->flight) {
        completed(p->flight);
        free(p->flight);
    }
    if (p->persistent)
        MPI_Request_free(&requests[i]);
    CHECK(requests[i] == MPI_REQUEST_NULL);
}

/* In the order that the model knows: ORDER, with COSTS after each. */
static void complete_in_order(const int *order, const int *costs)
{
    for (int k = 0; k < pending_count; k++) {
        MPI_Status status;
        int i = order[k], flag = 0;

        switch (draw(&local, 3)) {
        case 0:
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            complete(i, NULL);
            break;
        case 1:
            MPI_Wait(&requests[i], &status);
            complete(i, &status);
            break;
        case 2:
            while (!flag)
                MPI_Test(&requests[i], &flag, &status);
            complete(i, &status);
            break;
        }
        cost(costs[k]);
    }
}

/* In any order, by all functions. */
static void complete_in_any_order(int wild)
{
    int n = pending_count;

    for (int left = n; left > 0;) {
        MPI_Status statuses[PENDING];
        int which[PENDING], count = 0, flag = 0, i = draw(&local, n);
        int ignored = !wild && draw(&local, 2);
        MPI_Status *one = ignored ? MPI_STATUS_IGNORE : statuses;
        MPI_Status *all = ignored ? MPI_STATUSES_IGNORE : statuses;

        switch (draw(&local, 8)) {
        case 0:
        case 1:
            if (requests[i] == MPI_REQUEST_NULL)
                continue;
            flag = 1;
            if (draw(&local, 2))
                MPI_Wait(&requests[i], one);
            else
                MPI_Test(&requests[i], &flag, one);
            which[0] = i;
            count = flag;
            break;
        case 2:
            MPI_Waitany(n, requests, which, one);
            count = 1;
            break;
        case 3:
            MPI_Testany(n, requests, which, &flag, one);
            count = flag;
            break;
        case 4: MPI_Waitsome(n, requests, &count, which, all); break;
        case 5: MPI_Testsome(n, requests, &count, which, all); break;
        default: {      /* all of them: the statuses are those of all places */
            int open[PENDING];

            for (int k = 0; k < n; k++)
                open[k] = requests[k] != MPI_REQUEST_NULL;
            if (draw(&local, 2)) {
                MPI_Waitall(n, requests, all);
                flag = 1;
            } else
                MPI_Testall(n, requests, &flag, all);
            if (!flag)
                continue;
            for (int k = 0; k < n; k++)
                if (open[k])
                    which[count++] = k;
            for (int k = 0; k < count; k++)
                statuses[k] = statuses[which[k]];
        }
        }
        for (int k = 0; k < count; k++)
            complete(which[k], ignored ? NULL : &statuses[k]);
        left -= count;
        if (!modelled && count)
            cost(draw(&local, 700));
    }
}

static void release_held(void)
{
    hidden_maximum(WORLD);      /* all are here */
    while (held_count > 0)
        free(held[--held_count]);
}

static void bunch(int number)
{
    static struct message messages[MESSAGES];
    int wild = draw(&shared, 5) == 0, count = 1 + (int)draw(&shared, MESSAGES), ordered;
    int size;
    void *at;

    pending_count = 0;
    memset(brings_count, 0, sizeof brings_count);
    MPI_Buffer_attach(attached, sizeof attached);
    for (int i = 0; i < count; i++) {
        memset(&messages[i], 0, sizeof messages[i]);
        random_costs();
        switch (draw(&shared, wild ? 3 : 8)) {
        case 0: draw_operation(); break;
        case 3:
            if (draw(&shared, 2))
                draw_exchange();
            else
                draw_cancelled();
            break;
        default: draw_message(&messages[i], wild, number);
        }
    }
    random_costs();

    ordered = modelled && !wild && draw(&shared, 2);
    for (int r = 0; r < ranks; r++) {
        struct generator g = { shared.state + 977 * (uint64_t)(r + 1) };
        int order[PENDING], costs[PENDING], n = brings_count[r];

        for (int k = 0; k < n; k++) {
            int other = draw(&g, k + 1);

            order[k] = order[other];
            order[other] = k;
            costs[k] = draw(&g, 300);
        }
        for (int k = 0; k < n; k++) {
            model_take(r, brings[r][ordered ? order[k] : k]);
            if (ordered)
                s[r] += costs[k];
        }
        if (r != rank)
            continue;
        CHECK_EQUAL(pending_count, n);
        if (ordered)
            complete_in_order(order, costs);
        else
            complete_in_any_order(wild);
    }
    if (modelled)
        CHECK_EQUAL(oracle_s, s[rank]);
    MPI_Buffer_detach(&at, &size);
    for (int i = 0; i < count; i++)
        free(messages[i].out);
    if (held_count > 512 || number % 8 == 7)
        release_held();
}

/* Of COMM's communicators make others, in place of entry INTO. */
static void make_comm(struct comm *of, struct comm *into, int colors, int turned)
{
    struct comm made;
    int key[RANKS_MAX], wanted[RANKS_MAX];
    int64_t before[RANKS_MAX];

    memset(&made, 0, sizeof made);
    for (int r = 0; r < ranks; r++) {
        wanted[r] = draw(&shared, colors);
        key[r] = turned ? -r : r;
    }
    take_maximum(of->handle);
    if (colors > 1 || turned)
        MPI_Comm_split(of->handle, wanted[rank], key[rank], &made.handle);
    else
        MPI_Comm_dup(of->handle, &made.handle);
    memcpy(before, s, sizeof before);
    for (int r = 0; r < ranks; r++) {
        int color = of->color[r];

        for (int i = 0; i < of->n[color]; i++)
            model_take(r, before[of->members[color][i]]);
    }
    /* places in order of key; equal keys do not occur, but a dup has its parent's order */
    for (int color = 0; color < ranks; color++)
        for (int want = 0; want < colors; want++) {
            int from[RANKS_MAX], n = 0, least = -1;

            for (int i = 0; i < of->n[color]; i++)
                if (wanted[of->members[color][i]] == want)
                    from[n++] = of->members[color][i];
            if (!n)
                continue;
            if (colors > 1 || turned)
                for (int i = 1; i < n; i++)
                    for (int k = i; k > 0 && key[from[k]] < key[from[k - 1]]; k--) {
                        int t = from[k];

                        from[k] = from[k - 1];
                        from[k - 1] = t;
                    }
            /* colors are numbers below `ranks`: the lowest member's rank is one */
            for (int i = 0; i < n; i++)
                if (least < 0 || from[i] < least)
                    least = from[i];
            made.n[least] = n;
            for (int i = 0; i < n; i++) {
                made.members[least][i] = from[i];
                made.color[from[i]] = least;
                made.place[from[i]] = i;
            }
        }
    if (into == &comms[comm_count])
        comm_count++;
    else
        MPI_Comm_free(&into->handle);
    *into = made;
    {
        int me, n;

        MPI_Comm_rank(into->handle, &me);
        MPI_Comm_size(into->handle, &n);
        CHECK_EQUAL(me, into->place[rank]);
        CHECK_EQUAL(n, into->n[into->color[rank]]);
    }
}

static void program(int seed, int steps)
{
    shared.state = 0x9e3779b97f4a7c15u * (uint64_t)(seed + 1);
    local.state = shared.state * (uint64_t)(rank + 3);
    modelled = seed % 2 == 0;
    memset(&comms[0], 0, sizeof comms[0]);
    comms[0].handle = WORLD;
    comms[0].n[0] = ranks;
    for (int r = 0; r < ranks; r++) {
        comms[0].members[0][r] = comms[0].place[r] = r;
        s[r] = oracle_s;        /* the same on all ranks */
    }
    comm_count = 1;
    for (int i = 0; i < steps; i++) {
        turn = i;
        if (draw(&shared, 6) == 0) {
            struct comm *of = &comms[draw(&shared, comm_count)];
            int into = 1 + (int)draw(&shared, comm_count < COMMS ? comm_count : COMMS - 1);

            random_costs();
            make_comm(of, &comms[into], 1 + (int)draw(&shared, 3), draw(&shared, 2));
        } else
            bunch(i);
    }
    release_held();
    for (int i = 1; i < comm_count; i++)
        MPI_Comm_free(&comms[i].handle);
    if (rank == seed % ranks)
        cost(WATCH);
    barrier(WORLD);
}

int main(int argc, char **argv)
{
    int seed = argc > 1 ? atoi(argv[1]) : 1, steps = argc > 2 ? atoi(argv[2]) : 20;
    int programs = argc > 3 ? atoi(argv[3]) : 1;
    char name[32];

    start_ranks(&argc, &argv, -1);
#ifdef MPICH_VERSION
    /* MPICH 4.0 with UCX crashes in MPI_Mrecv after sends whose requests were freed: natively */
    no_freed = seed / 2 % 2 == 0;
    no_matched = !no_freed;
#endif
    for (int i = 0; i < programs; i++) {
        snprintf(name, sizeof name, "seed %d", seed + i);
        test_name = name;
        program(seed + i, steps);
    }
    return end_ranks(0);
}
