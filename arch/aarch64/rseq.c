/* rseq.c - see arch/rseq.h. */
#include "arch/rseq.h"

__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".inst 0xd428bc00\n"
        ".globl rseq_abort\n.hidden rseq_abort\n.type rseq_abort, %function\n"
        "rseq_abort: udf #0\n"
        ".size rseq_abort, 4\n"
        ".popsection\n");
