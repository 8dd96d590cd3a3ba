/* cfi.c - see cfi.h. DWARF call frame information as GNU writes it into .eh_frame (LSB, "Exception
 * Frames"; DWARF 5, section 6.4). A row is computed in two steps: find the entry through the binary
 * search table of .eh_frame_hdr, then run the entry's program up to the program counter.
 *
 * The tables are the loaded object's own. libprof trusts them as the C++ runtime does, but checks
 * lengths: a damaged table ends a walk, not the program.
 */
#define _GNU_SOURCE
#include "unwind/cfi.h"
#include "arch/frame.h"
#include <string.h>
#include "base/aside.h"
#include "base/memory.h"
#include "unwind/objects.h"
#include "base/forbid.h"

/* The first table is small: small programs need a few hundred rows, and a program that locks its
 * memory may have little of it. */
#define FIRST 1024u
#define MOST 16384u
static SELDOM struct {
    struct cfi_table t;
    struct cfi_entry entry[FIRST];
} first;
struct cfi_table *cfi_rows = &first.t;
static uint32_t computed;       /* rows. It may wrap: that only delays the second table */

bool cfi_setup(void)
{
    first.t.mask = FIRST - 1;
    return objects_setup(false);
}

/* ---- reading ---- */

struct cursor {
    const uint8_t *at, *end;
    bool bad;
};

static uint64_t fixed(struct cursor *c, unsigned bytes)
{
    uint64_t v = 0;
    if ((size_t)(c->end - c->at) < bytes) {
        c->bad = true;
        c->at = c->end;
        return 0;
    }
    memcpy(&v, c->at, bytes);
    c->at += bytes;
    return v;
}

static int64_t sign_extend(uint64_t v, unsigned bytes)
{
    return (int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

static uint64_t uleb(struct cursor *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t b = fixed(c, 1);
        v |= (b & 0x7f) << shift;
        if (!(b & 0x80))
            break;
    }
    return v;
}

static int64_t sleb(struct cursor *c)
{
    uint64_t v = 0, b = 0;
    unsigned shift = 0;
    do {
        b = fixed(c, 1);
        v |= (b & 0x7f) << shift;
        shift += 7;
    } while (b & 0x80 && shift < 64);
    return shift < 64 && b & 0x40 ? (int64_t)(v | ~0ull << shift) : (int64_t)v;
}

enum {
    PE_ABSPTR = 0, PE_ULEB = 1, PE_UDATA2 = 2, PE_UDATA4 = 3, PE_UDATA8 = 4,
    PE_SLEB = 9, PE_SDATA2 = 10, PE_SDATA4 = 11, PE_SDATA8 = 12,
    PE_PCREL = 0x10, PE_DATAREL = 0x30, PE_INDIRECT = 0x80, PE_OMIT = 0xff,
};

/* A pointer in encoding E. DATA: the base of data-relative pointers. */
static uint64_t pointer(struct cursor *c, uint8_t e, uint64_t data)
{
    if (e == PE_OMIT)
        return 0;
    uint64_t base = (e & 0x70) == PE_PCREL ? (uintptr_t)c->at : (e & 0x70) == PE_DATAREL ? data : 0;
    uint64_t v = 0;
    switch (e & 15) {
    case PE_ABSPTR: case PE_UDATA8: case PE_SDATA8: v = fixed(c, 8); break;
    case PE_ULEB: v = uleb(c); break;
    case PE_SLEB: v = sleb(c); break;
    case PE_UDATA2: v = fixed(c, 2); break;
    case PE_SDATA2: v = sign_extend(fixed(c, 2), 2); break;
    case PE_UDATA4: v = fixed(c, 4); break;
    case PE_SDATA4: v = sign_extend(fixed(c, 4), 4); break;
    default: c->bad = true;
    }
    return base + v;            /* only personality routines are indirect, and nobody uses them */
}

/* ---- the program ---- */

/* Instructions. The first three have an operand in their low 6 bits. */
enum {
    DW_CFA_advance_loc = 0x40, DW_CFA_offset = 0x80, DW_CFA_restore = 0xc0,
    DW_CFA_nop = 0x00, DW_CFA_set_loc = 0x01, DW_CFA_advance_loc1 = 0x02,
    DW_CFA_advance_loc2 = 0x03, DW_CFA_advance_loc4 = 0x04, DW_CFA_offset_extended = 0x05,
    DW_CFA_restore_extended = 0x06, DW_CFA_undefined = 0x07, DW_CFA_same_value = 0x08,
    DW_CFA_register = 0x09, DW_CFA_remember_state = 0x0a, DW_CFA_restore_state = 0x0b,
    DW_CFA_def_cfa = 0x0c, DW_CFA_def_cfa_register = 0x0d, DW_CFA_def_cfa_offset = 0x0e,
    DW_CFA_def_cfa_expression = 0x0f, DW_CFA_expression = 0x10,
    DW_CFA_offset_extended_sf = 0x11, DW_CFA_def_cfa_sf = 0x12, DW_CFA_def_cfa_offset_sf = 0x13,
    DW_CFA_val_offset = 0x14, DW_CFA_val_offset_sf = 0x15, DW_CFA_val_expression = 0x16,
    DW_CFA_AARCH64_negate_ra_state = 0x2d,      /* the return address is signed */
    DW_CFA_GNU_args_size = 0x2e,
};

/* Operations of expressions. */
enum {
    DW_OP_deref = 0x06, DW_OP_and = 0x1a, DW_OP_minus = 0x1c, DW_OP_plus = 0x22,
    DW_OP_plus_uconst = 0x23, DW_OP_shl = 0x24, DW_OP_ge = 0x2a, DW_OP_lit0 = 0x30,
    DW_OP_lit31 = 0x4f, DW_OP_breg0 = 0x70, DW_OP_breg31 = 0x8f,
};

enum rule { SAME, AT_OFFSET, AT_FP, UNDEFINED, ELSEWHERE };

struct state {
    struct cfi_row row;
    enum rule fp, ra;
    int32_t fp_offset, ra_offset;       /* from the CFA */
};

/* What an entry takes from its CIE. */
struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint64_t ra_register;
    uint8_t encoding;           /* of addresses in the FDE */
    bool augmented, signal;
};

static void set_cfa(struct state *s, uint64_t reg, int64_t offset)
{
    s->row.cfa = reg == DWARF_SP ? CFI_SP : reg == DWARF_FP ? CFI_FP : CFI_NONE;
    s->row.cfa_offset = offset;
}

/* A CFA expression. Sets the row where one row can describe the expression at this PC:
 *   sp or fp plus a constant       the procedure linkage table, whose offset depends on the PC
 *   the word that fp points to      a stack that was realigned for vectors
 * After any other expression the row is unknown. */
static void set_cfa_expression(struct state *s, struct cursor c, uint64_t pc)
{
    struct { uint64_t reg; int64_t value; bool deref; } stack[8];
    unsigned n = 0;
    s->row.cfa = CFI_NONE;
    while (c.at < c.end) {
        uint8_t op = fixed(&c, 1);
        if (n == 8)
            return;
        if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
            stack[n].reg = 0;
            stack[n].deref = false;
            stack[n++].value = op - DW_OP_lit0;
        } else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
            uint64_t reg = op - DW_OP_breg0;
            int64_t offset = sleb(&c);
            if (reg != DWARF_SP && reg != DWARF_FP && reg != DWARF_PC)
                return;
            stack[n].reg = reg == DWARF_PC ? 0 : reg;
            stack[n].deref = false;
            stack[n++].value = reg == DWARF_PC ? (int64_t)pc + offset : offset;
        } else if (op == DW_OP_deref) {
            if (!n || !stack[n - 1].reg || stack[n - 1].deref)
                return;
            stack[n - 1].deref = true;
        } else if (op == DW_OP_plus_uconst) {
            if (!n || stack[n - 1].deref)
                return;
            stack[n - 1].value += uleb(&c);
        } else {
            if (n < 2 || stack[n - 1].reg || stack[n - 1].deref || stack[n - 2].deref)
                return;
            int64_t b = stack[--n].value, a = stack[n - 1].value;
            if (stack[n - 1].reg && op != DW_OP_plus && op != DW_OP_minus)
                return;
            switch (op) {
            case DW_OP_and: a &= b; break;
            case DW_OP_minus: a -= b; break;
            case DW_OP_plus: a += b; break;
            case DW_OP_shl: a = b < 64 ? (int64_t)((uint64_t)a << b) : 0; break;
            case DW_OP_ge: a = a >= b; break;
            default: return;
            }
            stack[n - 1].value = a;
        }
    }
    if (n != 1 || !stack[0].reg || c.bad)
        return;
    if (!stack[0].deref)
        set_cfa(s, stack[0].reg, stack[0].value);
    else if (stack[0].reg == DWARF_FP) {
        s->row.cfa = CFI_FP_DEREF;
        s->row.cfa_offset = stack[0].value;
    }
}

static void set_register(struct state *s, const struct cie *cie, uint64_t reg, enum rule rule,
                         int64_t offset)
{
    if (offset != (int32_t)offset)
        rule = ELSEWHERE;       /* no frame is so large */
    if (reg == DWARF_FP) {
        s->fp = rule;
        s->fp_offset = offset;
    } else if (reg == cie->ra_register) {
        s->ra = RETURN_IS_PUSHED && rule == AT_OFFSET && offset != -8 ? ELSEWHERE : rule;
        s->ra_offset = offset;
    }
}

static struct cursor block(struct cursor *c)
{
    uint64_t n = uleb(c);
    if (n > (uint64_t)(c->end - c->at)) {
        c->bad = true;
        n = 0;
    }
    struct cursor b = { c->at, c->at + n, false };
    c->at += n;
    return b;
}

/* An expression for a saved register: realigned frames keep the caller's fp where fp points. */
static void set_register_expression(struct state *s, const struct cie *cie, uint64_t reg,
                                    struct cursor c)
{
    bool at_fp = c.end - c.at == 2 && c.at[0] == DW_OP_breg0 + DWARF_FP && c.at[1] == 0;
    set_register(s, cie, reg, reg == DWARF_FP && at_fp ? AT_FP : ELSEWHERE, 0);
}

/* The state of run(): the rows of one function from its start to PC. */
struct execution {
    struct state *s;
    const struct state *initial;        /* the CIE's; `restore` restores it */
    const struct cie *cie;
    struct cursor c;
    uint64_t location, pc;
    struct state saved[8];              /* by remember_state */
    unsigned depth;
};

/* The register REG is saved where a row cannot describe it. */
static bool set_elsewhere(struct execution *e, uint64_t reg)
{
    set_register(e->s, e->cie, reg, ELSEWHERE, 0);
    return true;
}

static void restore(struct execution *e, uint64_t reg)
{
    if (reg == DWARF_FP) {
        e->s->fp = e->initial->fp;
        e->s->fp_offset = e->initial->fp_offset;
    } else if (reg == e->cie->ra_register) {
        e->s->ra = e->initial->ra;
        e->s->ra_offset = e->initial->ra_offset;
    }
}

static bool remember_state(struct execution *e)
{
    if (e->depth == 8)
        return false;
    e->saved[e->depth++] = *e->s;
    return true;
}

static bool restore_state(struct execution *e)
{
    if (!e->depth)
        return false;
    *e->s = e->saved[--e->depth];
    return true;
}

/* Runs an instruction whose operands all follow OP. Sets *NEXT if the instruction advances the
 * location. False: OP is not known, or a stack of states is full or empty. */
static bool execute_extended(struct execution *e, uint8_t op, uint64_t *next)
{
    struct cursor *c = &e->c;
    struct state *s = e->s;
    const struct cie *cie = e->cie;
    uint64_t reg;
    switch (op) {
    case DW_CFA_nop: return true;
    case DW_CFA_set_loc: *next = pointer(c, cie->encoding, 0); return true;
    case DW_CFA_advance_loc1: *next = e->location + fixed(c, 1) * cie->code_align; return true;
    case DW_CFA_advance_loc2: *next = e->location + fixed(c, 2) * cie->code_align; return true;
    case DW_CFA_advance_loc4: *next = e->location + fixed(c, 4) * cie->code_align; return true;
    case DW_CFA_offset_extended:
        reg = uleb(c);
        set_register(s, cie, reg, AT_OFFSET, (int64_t)uleb(c) * cie->data_align);
        return true;
    case DW_CFA_restore_extended: restore(e, uleb(c)); return true;
    case DW_CFA_undefined: set_register(s, cie, uleb(c), UNDEFINED, 0); return true;
    case DW_CFA_same_value: set_register(s, cie, uleb(c), SAME, 0); return true;
    case DW_CFA_register:
    case DW_CFA_val_offset: reg = uleb(c); uleb(c); return set_elsewhere(e, reg);
    case DW_CFA_remember_state: return remember_state(e);
    case DW_CFA_restore_state: return restore_state(e);
    case DW_CFA_def_cfa: reg = uleb(c); set_cfa(s, reg, (int64_t)uleb(c)); return true;
    case DW_CFA_def_cfa_register: set_cfa(s, uleb(c), s->row.cfa_offset); return true;
    case DW_CFA_def_cfa_offset: s->row.cfa_offset = (int64_t)uleb(c); return true;
    case DW_CFA_def_cfa_expression: set_cfa_expression(s, block(c), e->pc); return true;
    case DW_CFA_expression:
        reg = uleb(c);
        set_register_expression(s, cie, reg, block(c));
        return true;
    case DW_CFA_offset_extended_sf:
        reg = uleb(c);
        set_register(s, cie, reg, AT_OFFSET, sleb(c) * cie->data_align);
        return true;
    case DW_CFA_def_cfa_sf:
        reg = uleb(c);
        set_cfa(s, reg, sleb(c) * cie->data_align);
        return true;
    case DW_CFA_def_cfa_offset_sf: s->row.cfa_offset = sleb(c) * cie->data_align; return true;
    case DW_CFA_val_offset_sf: reg = uleb(c); sleb(c); return set_elsewhere(e, reg);
    case DW_CFA_val_expression: reg = uleb(c); block(c); return set_elsewhere(e, reg);
    case DW_CFA_GNU_args_size: uleb(c); return true;
    case DW_CFA_AARCH64_negate_ra_state: return !RETURN_IS_PUSHED;
    default: return false;
    }
}

/* Runs C's instructions while their location is not above PC. The row is unknown after an
 * instruction that is unknown or damaged. */
static void run(struct state *s, const struct state *initial, const struct cie *cie,
                struct cursor c, uint64_t location, uint64_t pc)
{
    struct execution e = { .s = s, .initial = initial, .cie = cie, .c = c, .location = location,
                           .pc = pc };
    bool known = true;
    while (known && e.c.at < e.c.end && !e.c.bad) {
        uint8_t op = fixed(&e.c, 1);
        uint64_t low = op & 0x3f, next = e.location;
        switch (op >> 6) {
        case DW_CFA_advance_loc >> 6: next += low * cie->code_align; break;
        case DW_CFA_offset >> 6:
            set_register(s, cie, low, AT_OFFSET, (int64_t)uleb(&e.c) * cie->data_align);
            break;
        case DW_CFA_restore >> 6: restore(&e, low); break;
        default: known = execute_extended(&e, op, &next);
        }
        if (known && next > pc)
            return;
        e.location = next;
    }
    if (known && !e.c.bad)
        return;
    s->row.cfa = CFI_NONE;
    s->ra = ELSEWHERE;
}

/* ---- entries ---- */

/* Finds the FDE that may cover PC in the binary search table. NULL: there is none. */
static const uint8_t *find_fde(const uint8_t *header, uint64_t pc)
{
    struct cursor c = { header, header + 32, false };
    uint8_t version = fixed(&c, 1), frame = fixed(&c, 1), count_in = fixed(&c, 1),
            table_in = fixed(&c, 1);
    if (version != 1 || table_in != (PE_DATAREL | PE_SDATA4))
        return 0;
    pointer(&c, frame, (uintptr_t)header);
    uint64_t count = pointer(&c, count_in, (uintptr_t)header);
    const struct { int32_t start, fde; } *e = (const void *)c.at;
    int64_t want = (int64_t)(pc - (uintptr_t)header);
    uint64_t lo = 0, hi = count;
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (e[mid].start <= want)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? header + e[lo - 1].fde : 0;
}

/* The bytes of the entry at P, after its length word. */
static struct cursor entry_at(const uint8_t *p)
{
    struct cursor c = { p, p + 4, false };
    uint32_t n = fixed(&c, 4);
    c.end = c.at + (n == 0xffffffff ? 0 : n);   /* nobody writes 64-bit .eh_frame */
    return c;
}

static bool read_cie(const uint8_t *at, struct cie *cie, struct cursor *instructions)
{
    struct cursor c = entry_at(at);
    if (fixed(&c, 4) != 0)
        return false;
    uint8_t version = fixed(&c, 1);
    const char *augmentation = (const char *)c.at;
    while (fixed(&c, 1))
        ;
    if (version == 4)
        fixed(&c, 2);           /* address and segment size */
    cie->code_align = uleb(&c);
    cie->data_align = sleb(&c);
    cie->ra_register = version == 1 ? fixed(&c, 1) : uleb(&c);
    cie->encoding = PE_ABSPTR;
    cie->augmented = *augmentation == 'z';
    cie->signal = false;
    if (*augmentation && !cie->augmented)
        return false;
    if (cie->augmented) {
        struct cursor a = block(&c);
        for (const char *s = augmentation + 1; *s; s++)
            switch (*s) {
            case 'R': cie->encoding = fixed(&a, 1); break;
            case 'P': { uint8_t e = fixed(&a, 1); pointer(&a, e, 0); break; }
            case 'L': fixed(&a, 1); break;
            case 'S': cie->signal = true; break;
            }
    }
    *instructions = c;
    return !c.bad;
}

/* Finds the entry that covers PC. *REST: the bytes after the entry's range. *CIE: its CIE.
 * *INITIAL: that CIE's instructions. */
static bool find_entry(uint64_t pc, struct cursor *rest, uint64_t *start, struct cie *cie,
                       struct cursor *initial)
{
    struct object object;
    if (!objects_find(pc, &object) || !object.eh_frame)
        return false;
    const uint8_t *fde = find_fde(object.eh_frame, pc);
    if (!fde)
        return false;
    struct cursor c = entry_at(fde);
    const uint8_t *here = c.at;
    uint32_t to_cie = fixed(&c, 4);
    if (!to_cie || !read_cie(here - to_cie, cie, initial))
        return false;
    *start = pointer(&c, cie->encoding, 0);
    uint64_t length = pointer(&c, cie->encoding & 15, 0);
    *rest = c;
    return !c.bad && pc - *start < length;
}

uintptr_t cfi_function(uintptr_t pc)
{
    struct cursor rest, initial;
    struct cie cie;
    uint64_t start;
    return find_entry(pc, &rest, &start, &cie, &initial) ? start : 0;
}

/* False: the row cannot describe where the return address of S is. */
static bool set_return(struct state *s)
{
#if RETURN_IS_PUSHED
    return s->ra == AT_OFFSET;
#else
    s->row.in_register = s->ra == SAME;
    if (s->ra == SAME)
        return true;
    int64_t words = (s->ra_offset - (s->row.fp_saved ? s->fp_offset : -8)) / 8;
    s->row.from_fp = words;
    return s->ra == AT_OFFSET && s->row.from_fp == words &&
           cfi_return_offset(s->row) == s->ra_offset;
#endif
}

/* Code without a table: may it be the kernel's return from signal handlers? PC is in the
 * instruction before (walk.c). */
static bool is_sigreturn(uint64_t pc)
{
    struct object o;
    uintptr_t code = (pc & -4ul) + 4;
    return !RETURN_IS_PUSHED && objects_find(code, &o) && code + 8 <= o.end &&
           code_is_sigreturn((const uint32_t *)code);
}

static struct cfi_row compute(uint64_t pc)
{
    const struct cfi_row none = { .cfa = CFI_NONE };
    struct cursor c, initial_code;
    struct cie cie;
    uint64_t start;
    if (!find_entry(pc, &c, &start, &cie, &initial_code))
        return is_sigreturn(pc) ? (struct cfi_row){ .cfa = CFI_SIGNAL } : none;
    if (cie.augmented)
        block(&c);
    if (cie.signal)
        return (struct cfi_row){ .cfa = CFI_SIGNAL };
    struct state s = { .row = none, .fp = SAME, .ra = RETURN_IS_PUSHED ? AT_OFFSET : SAME,
                       .ra_offset = -8 };
    run(&s, &s, &cie, initial_code, start, UINT64_MAX);
    struct state initial = s;
    run(&s, &initial, &cie, c, start, pc);
    if (s.ra == UNDEFINED)
        return (struct cfi_row){ .cfa = CFI_END };
    s.row.fp_saved = s.fp == AT_OFFSET;
    s.row.fp_lost = s.fp == ELSEWHERE || s.fp == UNDEFINED ||
                    (s.fp == AT_FP) != (s.row.cfa == CFI_FP_DEREF);
    s.row.fp_offset = s.fp_offset;
    if (s.row.fp_saved && s.row.fp_offset != s.fp_offset)
        return none;            /* the offset does not fit into the row */
    return set_return(&s) ? s.row : none;
}

struct sought {
    uintptr_t pc;
    struct cfi_row row;
};

static void seek(void *argument)
{
    struct sought *s = argument;
    s->row = compute(s->pc);
}

struct cfi_row cfi_row_slow(uintptr_t pc)
{
    union { uint64_t word; struct cfi_row row; } u = { .word = 0 };
    struct sought s = { .pc = pc };
    aside_run(seek, &s);
    u.row = s.row;
    struct cfi_table *t = __atomic_load_n(&cfi_rows, __ATOMIC_ACQUIRE);
    struct cfi_entry *e = &t->entry[(pc ^ pc >> 14) & t->mask];
    __atomic_fetch_add(&computed, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&e->row, u.word, __ATOMIC_RELAXED);
    __atomic_store_n(&e->check, pc ^ u.word, __ATOMIC_RELAXED);
    return u.row;
}

void cfi_follow(void)
{
    if (objects_follow())
        cfi_flush();
}

/* The small table stays mapped: another thread may read it now. */
void cfi_prepare(void)
{
    if (cfi_rows->mask == MOST - 1 || __atomic_load_n(&computed, __ATOMIC_RELAXED) < FIRST / 2)
        return;
    struct cfi_table *t = memory_map(sizeof *t + MOST * sizeof t->entry[0]);
    if (!t)
        return;
    t->mask = MOST - 1;
    __atomic_store_n(&cfi_rows, t, __ATOMIC_RELEASE);
}

void cfi_flush(void)
{
    struct cfi_table *t = __atomic_load_n(&cfi_rows, __ATOMIC_ACQUIRE);
    for (uintptr_t i = 0; i <= t->mask; i++) {
        __atomic_store_n(&t->entry[i].check, 0, __ATOMIC_RELAXED);      /* PC 0 has row 0 */
        __atomic_store_n(&t->entry[i].row, 0, __ATOMIC_RELAXED);
    }
}
