/* stack_call.c - see arch/stack_call.h. */
#include "arch/stack_call.h"

__attribute__((naked, noinline)) void stack_call(void *top __attribute__((unused)),
                                                 void (*f)(void *) __attribute__((unused)),
                                                 void *argument __attribute__((unused)))
{
    __asm__("push %rbp\n\t"
            ".cfi_def_cfa_offset 16\n\t"
            ".cfi_offset %rbp, -16\n\t"
            "mov %rsp, %rbp\n\t"
            ".cfi_def_cfa_register %rbp\n\t"
            "mov %rdi, %rsp\n\t"
            "mov %rdx, %rdi\n\t"
            "call *%rsi\n\t"
            "leave\n\t"
            ".cfi_def_cfa %rsp, 8\n\t"
            "ret");
}
