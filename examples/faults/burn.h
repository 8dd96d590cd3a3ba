/* burn.h - CPU time for the programs of this folder: about US microseconds of dependent steps. It
 * returns a value, so that no caller ends in a jump to it. */
#ifndef EXAMPLES_FAULTS_BURN_H
#define EXAMPLES_FAULTS_BURN_H

#include <stdint.h>

static volatile uint64_t burnt;

static __attribute__((noinline)) uint64_t burn(double us)
{
    uint64_t x = 88172645463325252u;
    for (uint64_t n = us * 600; n; n--) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

#endif
