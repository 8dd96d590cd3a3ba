// hybrid_tbb.cpp - MPI among ranks, oneTBB within them: parallel_for with the simple partitioner
// between exchanges. A task costs what its iteration costs, and splitting costs nothing. So a loop
// adds the costliest iteration to S, and all iterations to the work.
#include "oracle.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

namespace {
constexpr int ITERATIONS = 12, ROUNDS = 4;

void loop(int first)
{
    int64_t most = 0;

    tbb::parallel_for(
        tbb::blocked_range<int>(0, ITERATIONS, 1),
        [&](const tbb::blocked_range<int> &range) {
            for (int i = range.begin(); i != range.end(); i++)
                libprof_cost(uint64_t(cost_of(rank, first + i)));
        },
        tbb::simple_partitioner{});
    for (int i = 0; i < ITERATIONS; i++) {
        most = larger(most, cost_of(rank, first + i));
        oracle_work += cost_of(rank, first + i);
    }
    oracle_s += most;
}

void rounds()
{
    for (int i = 0; i < ROUNDS; i++) {
        int64_t in = -1, out;
        MPI_Request requests[2];

        loop(40 * i);
        out = oracle_s;
        MPI_Irecv(&in, 1, S_TYPE, (rank + ranks - 1) % ranks, 1, WORLD, &requests[0]);
        MPI_Isend(&out, 1, S_TYPE, (rank + 1) % ranks, 1, WORLD, &requests[1]);
        loop(40 * i + 20);      // beside the messages
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        take(in);
    }
    int64_t in = -1;
    MPI_Allreduce(&oracle_s, &in, 1, S_TYPE, MPI_MAX, WORLD);
    take(in);
}
} // namespace

int main(int argc, char **argv)
{
    const struct test test = { "rounds", rounds };
    tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);

    start_ranks(&argc, &argv, MPI_THREAD_FUNNELED);
    run_test(&test, 0);
    return end_ranks(0);
}
