/* spin_code.c - see spin_code.h. A loop is what lies between the target of a jump backward and the
 * jump. It waits if an instruction for waiting is among it. It waits, too, if it does nothing but
 * load from addresses that stay the same, compare, and jump: only another thread can end it.
 */
#include "symbols/spin_code.h"
#include <elf.h>
#include <string.h>

/* How far behind the waiting instruction the jump may be. */
#define JUMP_MOST 32

/* The target of a short jump at CODE[I], and *END, behind the jump. -1: there is no short jump
 * backward. A byte inside another instruction may look like a jump, but hardly ever leads into a
 * loop around a pause. */
static ptrdiff_t jump_x86(const uint8_t *code, size_t size, size_t i, size_t *end)
{
    if (i + 2 > size || (code[i] != 0xeb && (code[i] & 0xf0) != 0x70) || code[i + 1] < 0x80)
        return -1;
    *end = i + 2;
    return (ptrdiff_t)*end + (int8_t)code[i + 1];
}

static bool pauses_x86(const uint8_t *code, size_t size, size_t i)
{
    return i + 2 <= size && code[i] == 0xf3 && code[i + 1] == 0x90;
}

static uint32_t word_at(const uint8_t *code, size_t i)
{
    uint32_t word;
    memcpy(&word, code + i, sizeof word);
    return word;
}

/* b, b.cond, cbz, cbnz, tbz, tbnz */
static ptrdiff_t jump_arm(const uint8_t *code, size_t size, size_t i, size_t *end)
{
    if (i % 4 || i + 4 > size)
        return -1;
    uint32_t word = word_at(code, i);
    int64_t words;
    if (word >> 26 == 0x05)
        words = (int32_t)(word << 6) >> 6;
    else if (word >> 24 == 0x54 || (word >> 25 & 0x3f) == 0x1a)
        words = (int32_t)(word << 8) >> 13;
    else if ((word >> 25 & 0x3f) == 0x1b)
        words = (int32_t)(word << 13) >> 18;
    else
        return -1;
    *end = i + 4;
    return words < 0 ? (ptrdiff_t)i + 4 * words : -1;
}

static bool pauses_arm(const uint8_t *code, size_t size, size_t i)
{
    return i % 4 == 0 && i + 4 <= size && word_at(code, i) == 0xd503203f;
}

/* ---- loops that only load ---- */

/* What an instruction of such a loop does: registers as bits. */
struct effect {
    uint32_t address, result;   /* that it loads from; that it writes */
    bool loads;
};

/* The memory operand or register whose ModRM byte is CODE[I]: its length with SIB and displacement.
 * REX: the prefix, or 0. */
static size_t operand_x86(const uint8_t *code, size_t size, size_t i, uint8_t rex,
                          struct effect *e)
{
    if (i + 2 > size)
        return 0;
    uint8_t mod = code[i] >> 6, rm = code[i] & 7;
    if (mod == 3)
        return 1;
    e->loads = true;
    size_t length = 1 + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
    if (rm == 4) {
        uint8_t base = code[i + 1] & 7, index = code[i + 1] >> 3 & 7;
        if (mod == 0 && base == 5)
            length += 4;
        else
            e->address |= 1u << (base | (rex & 1) << 3);
        if (index != 4 || rex & 2)
            e->address |= 1u << (index | (rex & 2) << 2);
        return length + 1;
    }
    if (mod == 0 && rm == 5)    /* relative to the instruction pointer */
        return length + 4;
    e->address |= 1u << (rm | (rex & 1) << 3);
    return length;
}

/* The length of the instruction at CODE[I]; 0: it is none that such a loop may have. */
static size_t poll_x86(const uint8_t *code, size_t size, size_t i, struct effect *e)
{
    size_t from = i, wide = 0;
    uint8_t rex = 0;
    while (i < size && (code[i] == 0x66 || code[i] == 0x2e)) {
        wide |= code[i] == 0x66;
        i++;
    }
    if (i < size && (code[i] & 0xf0) == 0x40)
        rex = code[i++];
    if (i + 2 > size)
        return 0;
    uint8_t op = code[i++];
    bool extended = op == 0x0f;
    if (extended)
        op = code[i++];
    if (i >= size)
        return !extended && op == 0x90 ? i - from : 0;
    uint8_t reg = (code[i] >> 3 & 7) | (rex & 4) << 1;
    size_t immediate = 0;
    if (!extended && op == 0x90)                        /* nop */
        return i - from;
    if (!extended && (op & 0xf0) == 0x70)               /* a jump out of the loop */
        return i + 1 - from;
    if (!extended && (op == 0x3c || op == 0x3d))        /* cmp $, %eax */
        return i + (op == 0x3c ? 1 : wide ? 2 : 4) - from;
    if (extended && op == 0x1f) {                       /* nop with an operand that is not read */
        struct effect none = { 0 };
        size_t n = operand_x86(code, size, i, rex, &none);
        return n ? i + n - from : 0;
    }
    if ((!extended && (op == 0x8a || op == 0x8b)) ||    /* mov, movzx */
        (extended && (op == 0xb6 || op == 0xb7)))
        e->result |= 1u << reg;
    else if (!extended && (op == 0x80 || op == 0x83) && (reg & 7) == 7)  /* cmp $, */
        immediate = 1;
    else if (!extended && op == 0x81 && (reg & 7) == 7)
        immediate = wide ? 2 : 4;
    else if (!extended && op == 0xf6 && (reg & 7) == 0) /* test $, */
        immediate = 1;
    else if (!extended && op == 0xf7 && (reg & 7) == 0)
        immediate = wide ? 2 : 4;
    else if (extended || (op != 0x84 && op != 0x85 && (op & 0xfc) != 0x38)) /* test, cmp */
        return 0;
    size_t n = operand_x86(code, size, i, rex, e);
    return n && i + n + immediate <= size ? i + n + immediate - from : 0;
}

static size_t poll_arm(const uint8_t *code, size_t size, size_t i, struct effect *e)
{
    if (i + 4 > size)
        return 0;
    uint32_t word = word_at(code, i), base = 1u << (word >> 5 & 31), to = 1u << (word & 31);
    bool loads = (word & 0x3ffffc00) == 0x08dffc00 ||   /* ldar */
                 (word & 0x3ffffc00) == 0x38bfc000 ||   /* ldapr */
                 (word & 0x3fc00000) == 0x39400000;     /* ldr, at a constant distance */
    bool compares = (word & 0x7f80001f) == 0x7100001f || (word & 0x7f20001f) == 0x6b00001f ||
                    (word & 0x7f80001f) == 0x7200001f;
    bool leaves = word >> 24 == 0x54 || (word >> 25 & 0x3f) == 0x1a || (word >> 25 & 0x3f) == 0x1b;
    if (loads) {
        e->address |= base;
        e->result |= to;
        e->loads = true;
    }
    return loads || compares || leaves || word == 0xd503201f ? 4 : 0;
}

/* Is the code from FROM up to the jump at TO such a loop? */
static bool only_loads(bool x86, const uint8_t *code, size_t size, size_t from, size_t to)
{
    struct effect e = { 0 };
    size_t n = 1;
    while (from < to && (n = (x86 ? poll_x86 : poll_arm)(code, size, from, &e)))
        from += n;
    return from == to && n && e.loads && !(e.address & e.result);
}

/* ---- both ---- */

bool spin_code_is(unsigned machine, const uint8_t *code, size_t size, size_t at)
{
    bool x86 = machine == EM_X86_64;
    if (!x86 && machine != EM_AARCH64)
        return false;
    size_t from = at > SPIN_LOOP_MOST ? at - SPIN_LOOP_MOST : 0, end;
    for (size_t i = x86 ? from : from & ~(size_t)3; i < size && i < at + SPIN_LOOP_MOST; i++) {
        if (!(x86 ? pauses_x86 : pauses_arm)(code, size, i))
            continue;
        for (size_t k = i + 1; k <= i + JUMP_MOST; k++) {
            ptrdiff_t target = (x86 ? jump_x86 : jump_arm)(code, size, k, &end);
            if (target >= 0 && (size_t)target <= i && (size_t)target <= at && at < end &&
                end - target <= SPIN_LOOP_MOST)
                return true;
        }
    }
    for (size_t k = at > 3 ? at - 3 : 0; k < at + JUMP_MOST; k++) {    /* AT may be in the jump */
        ptrdiff_t target = (x86 ? jump_x86 : jump_arm)(code, size, k, &end);
        if (target >= 0 && (size_t)target <= at && at < end &&
            only_loads(x86, code, size, target, k))
            return true;
    }
    return false;
}
