/* names.h - see arch/names.h. */
#ifndef ARCH_X86_64_NAMES_H
#define ARCH_X86_64_NAMES_H

#define ARCH_NAME "x86-64"
#define ARCH_MACHINE EM_X86_64
#define ARCH_MACHINE_32 EM_386
#define ARCH_ILP32 "x32"
#define ARCH_MULTIARCH "x86_64-linux-gnu"

#endif
