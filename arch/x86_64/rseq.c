/* rseq.c - see arch/rseq.h. */
#include "arch/rseq.h"

__asm__(".pushsection .text\n"
        ".balign 16\n"
        ".long 0x53053053\n"
        ".globl rseq_abort\n.hidden rseq_abort\n.type rseq_abort, @function\n"
        "rseq_abort: ud2\n"
        ".size rseq_abort, 2\n"
        ".popsection\n");
