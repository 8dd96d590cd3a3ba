/* names.h - how this processor is called.
 *
 *   ARCH_NAME       in messages
 *   ARCH_MACHINE    in ELF files (e_machine)
 *   ARCH_MACHINE_32 the same, of the 32-bit programs that the processor can run
 *   ARCH_ILP32      the ABI of 64-bit registers and 32-bit pointers
 *   ARCH_MULTIARCH  the folder of its libraries on Debian
 */
#ifndef ARCH_NAMES_H
#define ARCH_NAMES_H

#include <elf.h>

#if defined __x86_64__
#define ARCH_NAME "x86-64"
#define ARCH_MACHINE EM_X86_64
#define ARCH_MACHINE_32 EM_386
#define ARCH_ILP32 "x32"
#define ARCH_MULTIARCH "x86_64-linux-gnu"
#elif defined __aarch64__
#define ARCH_NAME "AArch64"
#define ARCH_MACHINE EM_AARCH64
#define ARCH_MACHINE_32 EM_ARM
#define ARCH_ILP32 "ILP32"
#define ARCH_MULTIARCH "aarch64-linux-gnu"
#else
#error "arch/ has no folder for this processor"
#endif

#endif
