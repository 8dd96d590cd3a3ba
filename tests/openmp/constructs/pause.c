/* pause.c - omp_pause_resource_all. */
#include "cases.h"

/* Between its regions the program makes the runtime free its resources. libomp then ends its tools
 * interface: libprof sees the first region in full, and of others what the first thread does. */
CASE(paused)
static void paused_run(void)
{
    for (int i = 0; i < 3; i++) {
#pragma omp parallel
        cost(20);
        check(omp_pause_resource_all(omp_pause_hard) == 0);
    }
}
static void paused_expect(void)
{
    if (LIBOMP) {
        skip("libomp ends its tools interface when it is paused");
        named(20 * P + 40, "OpenMP (after omp_pause_resource)");
    }
    for (int i = 0; i < 3; i++) {
        m_fork(P);
        for (int k = 0; k < P; k++) {
            m_thread(k);
            m_cost(20);
        }
        m_join();
    }
    closed(60 * P, 60);
}
