/* call_code.h - see arch/call_code.h: call rel32, call *register and call *memory. Each may have
 * prefixes. */
#ifndef ARCH_X86_64_CALL_CODE_H
#define ARCH_X86_64_CALL_CODE_H

#define CALL_CODE_MAX 7u
#define CALL_CODE_LEAST 2u
#define LINKAGE_BYTES 16u

#endif
