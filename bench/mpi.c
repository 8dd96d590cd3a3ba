/* mpi.c - what libprof costs a message. Two ranks (allreduce: all ranks).
 *   mpi latency BYTES COUNT | bandwidth BYTES COUNT | halo BYTES COUNT | allreduce BYTES COUNT
 * Rank 0 prints the ns a message (a Send with its Recv; an Isend or Irecv with its share of the
 * Waitall), or an allreduce. A tenth of COUNT comes before the measured part.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 32, CELLS = 2000 };

static int rank, ranks, bytes;
static char *in, *out;

/* Two messages. */
static void latency(void)
{
    int other = 1 - rank;

    if (rank == 0)
        MPI_Send(out, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(out, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
}

/* WINDOW messages from rank 0 to rank 1, and an answer. */
static void bandwidth(void)
{
    MPI_Request requests[WINDOW];

    for (int i = 0; i < WINDOW; i++)
        if (rank == 0)
            MPI_Isend(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Irecv(in, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    if (rank == 0)
        MPI_Recv(in, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(out, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
}

/* A border each way, and some us of computation beside it. */
static void halo(void)
{
    static double cells[CELLS];
    MPI_Request requests[2];
    int other = 1 - rank;

    MPI_Irecv(in, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, &requests[1]);
    for (int i = 1; i < CELLS - 1; i++)
        cells[i] = 0.25 * (cells[i - 1] + cells[i + 1]) + 0.5 * cells[i];
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    cells[0] = in[0];
}

static void allreduce(void)
{
    MPI_Allreduce(out, in, bytes / 8, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
        int messages;
    } benches[] = {
        { "latency", latency, 2 }, { "bandwidth", bandwidth, WINDOW }, { "halo", halo, 2 },
        { "allreduce", allreduce, 1 }
    };
    int count, which = 0;
    double start = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (which < 4 && (argc != 4 || strcmp(argv[1], benches[which].name)))
        which++;
    if (which == 4 || ranks < 2) {
        fprintf(stderr, "usage: mpi latency|bandwidth|halo|allreduce BYTES COUNT\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    bytes = atoi(argv[2]);
    count = atoi(argv[3]);
    in = calloc(1, bytes + 8);
    out = calloc(1, bytes + 8);
    for (int i = -count / 10; i < count; i++) {
        if (i == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            start = MPI_Wtime();
        }
        benches[which].run();
    }
    if (rank == 0)
        printf("%.1f\n", (MPI_Wtime() - start) * 1e9 / count / benches[which].messages);
    MPI_Finalize();
    return 0;
}
