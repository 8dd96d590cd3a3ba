/* folder.h - the processor's folder. ARCH(NAME) is the header NAME in it, for an #include. */
#ifndef ARCH_FOLDER_H
#define ARCH_FOLDER_H

#if defined __x86_64__
#define ARCH(name) <arch/x86_64/name>
#elif defined __aarch64__
#define ARCH(name) <arch/aarch64/name>
#else
#error "arch/ has no folder for this processor"
#endif

#endif
