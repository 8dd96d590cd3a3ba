/* rseq.h - restartable sequences: the code to which the kernel would abort one. glibc's signature
 * stands before it. libprof's sequence covers no code, so the kernel never jumps there. */
#ifndef ARCH_RSEQ_H
#define ARCH_RSEQ_H

void rseq_abort(void);

#endif
