/* names.h - see arch/names.h. */
#ifndef ARCH_AARCH64_NAMES_H
#define ARCH_AARCH64_NAMES_H

#define ARCH_NAME "AArch64"
#define ARCH_MACHINE EM_AARCH64
#define ARCH_MACHINE_32 EM_ARM
#define ARCH_ILP32 "ILP32"
#define ARCH_MULTIARCH "aarch64-linux-gnu"

#endif
