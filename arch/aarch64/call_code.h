/* call_code.h - see arch/call_code.h: bl and blr. */
#ifndef ARCH_AARCH64_CALL_CODE_H
#define ARCH_AARCH64_CALL_CODE_H

#define CALL_CODE_MAX 4u
#define CALL_CODE_LEAST 4u
#define LINKAGE_BYTES 20u

#endif
