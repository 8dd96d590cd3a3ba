/* spins.c - which instructions are in a loop that waits on the CPU, by their bytes: cases of
 * symbols/spin_code.h. Prints what is wrong. */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include "symbols/spin_code.h"

static const struct {
    const char *name;
    unsigned machine;
    const char *code;           /* in hexadecimal */
    const char *in;             /* a digit a byte: 1 where an instruction is in the loop */
} cases[] = {
    /* mov (%rdi),%eax; test %eax,%eax; jne out; pause; jmp back; ret */
    { "load", EM_X86_64, "8b07" "85c0" "7504" "f390" "ebf6" "c3", "11111111110" },
    /* pause; cmpl $0,(%rdi); je back; ret */
    { "compare", EM_X86_64, "f390" "833f00" "74f9" "c3", "11111110" },
    /* nop; pause; ret: once, not in a loop */
    { "once", EM_X86_64, "90" "f390" "c3", "0000" },
    /* inc %eax; jmp back: a loop without a pause, then one with */
    { "beside", EM_X86_64, "ffc0" "ebfc" "f390" "ebfc", "00001111" },
    /* pause; jmp forward; nop; nop */
    { "forward", EM_X86_64, "f390" "eb02" "9090", "000000" },
    /* ldr w1,[x0]; cbnz w1,out; yield; b back; ret */
    { "arm", EM_AARCH64, "010040b9" "61000035" "3f2003d5" "fdffff17" "c0035fd6",
      "11111111111111110000" },
    /* yield; ldr w1,[x0]; cbz w1,back; ret */
    { "arm-compare", EM_AARCH64, "3f2003d5" "010040b9" "c1ffff34" "c0035fd6", "1111111111110000" },
    /* subs x1,x1,#1; b.ne back: no yield */
    { "arm-count", EM_AARCH64, "210400f1" "e1ffff54", "00000000" },
    /* mov 0x2bf6(%rip),%eax; test %eax,%eax; je back; ret */
    { "poll", EM_X86_64, "8b05f62b0000" "85c0" "74f6" "c3", "11111111110" },
    /* cmpl $0,(%rdi); je back; ret */
    { "poll-compare", EM_X86_64, "833f00" "74fb" "c3", "111110" },
    /* movzbl 8(%rbx),%eax; cmp $3,%al; jne back */
    { "poll-byte", EM_X86_64, "0fb64308" "3c03" "75f8", "11111111" },
    /* mov 8(%r12),%rax; cmp %rax,%r13; jle back: with prefixes */
    { "poll-wide", EM_X86_64, "498b442408" "4939c5" "7ef6", "1111111111" },
    /* mov (%rax),%rax; test %rax,%rax; jne back: along a list, which ends by itself */
    { "list", EM_X86_64, "488b00" "4885c0" "75f8", "00000000" },
    /* inc %rdi; cmpb $0,(%rdi); jne back: along a string */
    { "string", EM_X86_64, "48ffc7" "803f00" "75f8", "00000000" },
    /* mov %eax,(%rdi); jmp back: stores */
    { "stores", EM_X86_64, "8907" "ebfc", "0000" },
    /* test %eax,%eax; jne back: loads nothing */
    { "nothing", EM_X86_64, "85c0" "75fc", "0000" },
    /* ldar w1,[x0]; cbz w1,back; ret */
    { "arm-poll", EM_AARCH64, "01fcdf88" "e1ffff34" "c0035fd6", "111111110000" },
    /* ldr x0,[x0]; cbnz x0,back: along a list */
    { "arm-list", EM_AARCH64, "000040f9" "e0ffffb5", "00000000" },
    /* the same bytes for a machine of which nothing is known */
    { "other", EM_PPC64, "f390" "ebfc", "0000" },
    { "empty", EM_X86_64, "", "" },
};

int main(void)
{
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t code[64];
        size_t size = strlen(cases[i].code) / 2;
        for (size_t k = 0; k < size; k++)
            sscanf(cases[i].code + 2 * k, "%2hhx", &code[k]);
        for (size_t k = 0; k < size; k++)
            if (spin_code_is(cases[i].machine, code, size, k) != (cases[i].in[k] == '1'))
                printf("%s: byte %zu\n", cases[i].name, k);
    }
    return 0;
}
