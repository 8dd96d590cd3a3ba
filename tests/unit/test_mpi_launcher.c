/* test_mpi_launcher.c - what the environments of launchers state. */
#include <criterion/criterion.h>
#include "base/mpi_launcher.h"

static void setup(char **environment)
{
    launcher = (struct launcher){ .rank = -1 };
    launcher_setup(environment);
}

Test(launcher, none)
{
    char *environment[] = { "PATH=/bin", "PMI_RANKS=3", "SLURM_PROCID=1", 0 };
    setup(environment);
    cr_expect_eq(launcher.rank, -1);
    cr_expect_eq(launcher.job, 0);
}

Test(launcher, open_mpi)
{
    char *environment[] = { "OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=8",
                            "OMPI_COMM_WORLD_LOCAL_SIZE=4", "PMIX_NAMESPACE=77", 0 };
    setup(environment);
    cr_expect_eq(launcher.rank, 2);
    cr_expect_eq(launcher.size, 8);
    cr_expect_eq(launcher.local_size, 4);
    uint64_t job = launcher.job;
    cr_expect_neq(job, 0);
    environment[0] = "OMPI_COMM_WORLD_RANK=3";
    setup(environment);
    cr_expect_eq(launcher.job, job, "the ranks of a job name it alike");
    environment[3] = "PMIX_NAMESPACE=78";
    setup(environment);
    cr_expect_neq(launcher.job, job, "another job has another name");
    cr_expect_neq(launcher.everywhere, 0);
    char *of_host[] = { "PMIX_RANK=5", "PMIX_NAMESPACE=78", "PMIX_SERVER_URI2=78.2;tcp4://h:1", 0 };
    uint64_t everywhere = launcher.everywhere;
    setup(of_host);
    cr_expect_eq(launcher.everywhere, everywhere, "all hosts name a job alike");
    cr_expect_neq(launcher.job, launcher.everywhere, "a server is of one host");
}

Test(launcher, hydra)
{
    char *environment[] = { "PMI_RANK=0", "PMI_SIZE=2", "MPI_LOCALNRANKS=2", 0 };
    setup(environment);
    cr_expect_eq(launcher.rank, 0);
    cr_expect_eq(launcher.size, 2);
    cr_expect_eq(launcher.local_size, 2);
}

/* Slurm lists the tasks of its nodes in groups of equal ones. */
Test(launcher, slurm)
{
    static const struct { const char *node; int tasks; } nodes[] = {
        { "SLURM_NODEID=0", 2 }, { "SLURM_NODEID=2", 2 }, { "SLURM_NODEID=3", 1 },
        { "SLURM_NODEID=4", 16 }, { "SLURM_NODEID=5", 0 },
    };
    for (unsigned i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        char *environment[] = { "SLURM_STEP_TASKS_PER_NODE=2(x3),1,16", "SLURM_PROCID=7",
                                "SLURM_STEP_NUM_TASKS=23", "SLURM_JOB_ID=5", (char *)nodes[i].node,
                                0 };
        setup(environment);
        cr_expect_eq(launcher.rank, 7);
        cr_expect_eq(launcher.size, 23);
        cr_expect_eq(launcher.everywhere, 0, "a batch job has several steps");
        cr_expect_eq(launcher.local_size, nodes[i].tasks, "%s: %d", nodes[i].node,
                     launcher.local_size);
    }
}

Test(launcher, hostile)
{
    char *environment[] = { "PMI_RANK=-1", "OMPI_COMM_WORLD_SIZE=x", "MPI_LOCALNRANKS=", 0 };
    setup(environment);
    cr_expect_eq(launcher.rank, -1);
    cr_expect_eq(launcher.size, 0);
    cr_expect_eq(launcher.local_size, 0);
}
