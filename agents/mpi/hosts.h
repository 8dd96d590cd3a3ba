/* hosts.h - a job whose ranks are on several hosts.
 *
 * Hosts share no memory, and no message can ask a rank whether it has libprof. But under `prof run`
 * they share the folder of the job's files. Before MPI_Init, the rank that completes the count of a
 * host leaves a file there that says how many they are. After MPI_Init, which returns when all
 * ranks have called it, each rank adds these up. If they are all, all ranks have libprof.
 *
 * A rank that comes late may see more of them than one that has not waited so long. All must decide
 * alike, or some would wait for the others for ever. So the first that knows makes a symbolic link,
 * and the others, who cannot make it any more, read it. A file system makes a name once, whatever
 * its clients have cached.
 */
#ifndef AGENTS_MPI_HOSTS_H
#define AGENTS_MPI_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

/* [hook] Before MPI_Init: RANKS of this host have libprof. Called once for each of them at most. */
void hosts_tell(uint32_t ranks);
/* [hook] After it: do all SIZE ranks have libprof? Waits for WAIT_NS until all have told. False
 * after a line on stderr: of the rank that decided, or, where there is no folder, of a rank that
 * has a reason WHY it cannot count them alone (NULL: another rank prints). */
bool hosts_all(uint32_t size, const char *why, uint64_t wait_ns);
/* [hook] The number of the kernel that runs here. Containers of one machine have the same. */
uint32_t hosts_kernel(void);

#endif
