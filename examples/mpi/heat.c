/* heat.c - a rod is divided among the ranks of an MPI job. In each step the ranks exchange their
 * ends, each smooths its part, and the energy of the whole rod is summed.
 *
 * The fault: rank 0 gets all parts and sums them alone, while the others wait. With -DMENDED each
 * rank sums its own part. docs/JOBS.md finds it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 60000, STEPS = 600, ROUNDS = 12 };

static int rank, ranks;

static void exchange(unsigned *rod)
{
    int left = rank ? rank - 1 : MPI_PROC_NULL;
    int right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    MPI_Request request[4];

    MPI_Irecv(&rod[0], 1, MPI_UNSIGNED, left, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&rod[CELLS + 1], 1, MPI_UNSIGNED, right, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(&rod[1], 1, MPI_UNSIGNED, left, 1, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(&rod[CELLS], 1, MPI_UNSIGNED, right, 0, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

__attribute__((noinline)) static void smooth(unsigned *rod)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 1; i <= CELLS; i++)
            rod[i] = (rod[i - 1] + 2 * rod[i] + rod[i + 1]) / 4;
}

/* The energy of a part: some dozens of operations for each cell. */
__attribute__((noinline)) static unsigned long energy_of(const unsigned *part)
{
    unsigned long sum = 0;

    for (int i = 0; i < CELLS; i++) {
        unsigned long e = part[i];
        for (int k = 0; k < 24; k++)
            e = e * 6364136223846793005ul + 1442695040888963407ul;
        sum += e >> 40;
    }
    return sum;
}

static unsigned long total_energy(const unsigned *rod, unsigned *all)
{
    unsigned long sum = 0, mine;

#ifdef MENDED
    mine = energy_of(&rod[1]);
    MPI_Allreduce(&mine, &sum, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
    (void)all;
#else
    MPI_Gather(&rod[1], CELLS, MPI_UNSIGNED, all, CELLS, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < ranks; r++)
        sum += energy_of(&all[(size_t)r * CELLS]);
    mine = sum;
    MPI_Bcast(&mine, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    sum = mine;
#endif
    return sum;
}

int main(int argc, char **argv)
{
    unsigned *rod, *all;
    unsigned long energy = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rod = calloc(CELLS + 2, sizeof *rod);
    all = calloc((size_t)CELLS * ranks, sizeof *all);
    for (int i = 1; i <= CELLS; i++)
        rod[i] = ((unsigned)(rank * CELLS + i) * 2654435761u) >> 12;
    for (int step = 0; step < STEPS; step++) {
        exchange(rod);
        smooth(rod);
        energy += total_energy(rod, all);
    }
    if (rank == 0)
        printf("energy %lu\n", energy);
    free(all);
    free(rod);
    MPI_Finalize();
    return 0;
}
