/* depend_dag.c - dags of depend clauses: a wavefront, a random one. */
#include "depend.h"

enum { WAVE = 16 };
static long wave_cost(int i, int j) { return 1 + (3 * i + 5 * j) % 7; }
CASE(dep_wavefront)
static void dep_wavefront_body(void)
{
    static long v[WAVE + 1][WAVE + 1];
    for (int i = 0; i <= WAVE; i++)
        v[i][0] = v[0][i] = 0;
    for (int i = 1; i <= WAVE; i++)
        for (int j = 1; j <= WAVE; j++)
#pragma omp task depend(in : v[i - 1][j], v[i][j - 1]) depend(out : v[i][j]) firstprivate(i, j)
        {
            v[i][j] = wave_cost(i, j) + larger(v[i - 1][j], v[i][j - 1]);
            cost(wave_cost(i, j));
        }
#pragma omp taskwait
    check(v[WAVE][WAVE] > 0);
}
static void dep_wavefront_model(void)
{
    for (int i = 1; i <= WAVE; i++)
        for (int j = 1; j <= WAVE; j++) {
            m_depend(M_IN, (i - 1) * 100 + j);
            m_depend(M_IN, i * 100 + j - 1);
            m_dep_task(M_OUT, i * 100 + j, wave_cost(i, j));
        }
    m_taskwait();
}
static void dep_wavefront_run(void) { in_single(dep_wavefront_body); }
static void dep_wavefront_expect(void)
{
    long v[WAVE + 1][WAVE + 1] = { { 0 } }, w = 0;
    for (int i = 1; i <= WAVE; i++)
        for (int j = 1; j <= WAVE; j++) {
            w += wave_cost(i, j);
            v[i][j] = wave_cost(i, j) + larger(v[i - 1][j], v[i][j - 1]);
        }
    m_in_single(dep_wavefront_model);
    closed(w, v[WAVE][WAVE]);
}

/* 300 tasks, each after up to 4 earlier ones: task i writes e[i], and its creator has spent i /
 * 10 before it. */
enum { DAG = 300 };
static int edge_count[DAG], edge[DAG][4], dag_costs[DAG];
static void dag_make(void)
{
    unsigned long s = 12345;
    for (int i = 0; i < DAG; i++) {
        edge_count[i] = i ? (s >> 40) % 5 : 0;
        for (int k = 0; k < edge_count[i]; k++) {
            s = s * 6364136223846793005ul + 1442695040888963407ul;
            edge[i][k] = i - 1 - (s >> 40) % (i < 40 ? i : 40);
        }
        s = s * 6364136223846793005ul + 1442695040888963407ul;
        dag_costs[i] = 1 + (s >> 45) % 50;
    }
}
CASE(dep_dag)
static void dep_dag_body(void)
{
    static char e[DAG], done[DAG];
    for (int i = 0; i < DAG; i++)
        done[i] = 0;
    for (int i = 0; i < DAG; i++) {
        if (i % 10 == 0)
            cost(1);
#pragma omp task depend(iterator(k = 0 : edge_count[i]), in : e[edge[i][k]]) depend(out : e[i])    \
    firstprivate(i)
        {
            for (int k = 0; k < edge_count[i]; k++)
                check(done[edge[i][k]]);
            cost(dag_costs[i]);
            done[i] = 1;
        }
    }
#pragma omp taskwait
}
static void dep_dag_model(void)
{
    for (int i = 0; i < DAG; i++) {
        if (i % 10 == 0)
            m_cost(1);
        for (int k = 0; k < edge_count[i]; k++)
            m_depend(M_IN, edge[i][k]);
        m_dep_task(M_OUT, i, dag_costs[i]);
    }
    m_taskwait();
}
static void dep_dag_run(void)
{
    dag_make();
    in_single(dep_dag_body);
}
static void dep_dag_expect(void)
{
    long end[DAG], w = DAG / 10, longest = 0;
    dag_make();
    /* Readers of e[j] come after i = j only: the longest path is over EDGES alone. */
    for (int i = 0; i < DAG; i++) {
        end[i] = i / 10 + 1;
        for (int k = 0; k < edge_count[i]; k++)
            end[i] = larger(end[i], end[edge[i][k]]);
        end[i] += dag_costs[i];
        w += dag_costs[i];
        longest = larger(longest, end[i]);
    }
    m_in_single(dep_dag_model);
    closed(w, longest);
}
