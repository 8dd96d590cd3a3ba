/* call_code.c - see arch/call_code.h. */
#include "arch/call_code.h"
#include <string.h>

/* The length of the instruction at C if it is call *register or call *memory; else 0. */
static unsigned indirect_call(const uint8_t *c)
{
    unsigned mode = c[1] >> 6, base = c[1] & 7, n = 2;
    if (c[0] != 0xff || (c[1] >> 3 & 7) != 2)
        return 0;
    if (mode != 3 && base == 4) {       /* a scaled index */
        base = c[2] & 7;
        n += 1 + (mode == 0 && base == 5) * 4;
    } else if (mode == 0 && base == 5) {
        n += 4;                         /* relative to the next instruction */
    }
    return n + (mode == 1) + (mode == 2) * 4;
}

/* AFTER and the distance in the four bytes before END. */
static uintptr_t relative(const uint8_t *end, uintptr_t after)
{
    int32_t distance;
    memcpy(&distance, end - sizeof distance, sizeof distance);
    return after + (uintptr_t)(intptr_t)distance;
}

struct call_code call_code_before(const uint8_t *end, unsigned there, uintptr_t back)
{
    if (there >= 5 && end[-5] == 0xe8)
        return (struct call_code){ .bytes = 5, .to = relative(end, back) };
    for (unsigned n = CALL_CODE_LEAST; n <= there; n++)
        if (indirect_call(end - n) == n)
            return (struct call_code){ .bytes = n,
                                       .slot = end[1 - (int)n] == 0x15 ? relative(end, back) : 0 };
    return (struct call_code){ 0 };
}

/* [endbr64] [bnd] jmp *SLOT(%rip) */
uintptr_t call_code_linkage(const uint8_t *c)
{
    static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
    c += memcmp(c, endbr64, sizeof endbr64) ? 0 : sizeof endbr64;
    c += *c == 0xf2;
    return c[0] == 0xff && c[1] == 0x25 ? relative(c + 6, (uintptr_t)c + 6) : 0;
}
