/* call_code.c - see arch/call_code.h. */
#include "arch/call_code.h"
#include <string.h>

struct call_code call_code_before(const uint8_t *end, unsigned there, uintptr_t back)
{
    uint32_t call;
    if (there < sizeof call || back & 3)
        return (struct call_code){ 0 };
    memcpy(&call, end - sizeof call, sizeof call);
    if (call >> 26 == 0x25) {                           /* bl */
        int64_t words = (int32_t)(call << 6) >> 6;
        return (struct call_code){ .bytes = 4, .to = back - 4 + (uintptr_t)(words * 4) };
    }
    /* blr, and those that check a signature: blraa, blrab, blraaz, blrabz */
    if ((call & 0xfffffc1f) == 0xd63f0000 || (call & 0xfefff800) == 0xd63f0800)
        return (struct call_code){ .bytes = 4 };
    return (struct call_code){ 0 };
}

/* [bti c] adrp x16, PAGE; ldr x17, [x16, OFFSET]; add ...; br x17 */
uintptr_t call_code_linkage(const uint8_t *code)
{
    const uint32_t bti_c = 0xd503245f;
    uint32_t c[3];
    memcpy(c, code, sizeof c);
    if (c[0] == bti_c)
        memcpy(c, code += 4, sizeof c);
    if ((c[0] & 0x9f00001f) != 0x90000010 || (c[1] & 0xffc003ff) != 0xf9400211)
        return 0;
    int64_t pages = (int64_t)((uint64_t)(c[0] >> 5 & 0x7ffff) << 45) >> 43 | (c[0] >> 29 & 3);
    return ((uintptr_t)code & -4096ul) + (uintptr_t)(pages * 4096) + (c[1] >> 10 & 0xfff) * 8;
}
