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

#include "arch/folder.h"
#include <elf.h>

#include ARCH(names.h)

#endif
