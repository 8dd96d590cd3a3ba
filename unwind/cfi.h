/* cfi.h - one row of the call frame information: how to get from a frame to its caller.
 *
 * Why not libunwind: it takes 400 ns a frame, and it calls dl_iterate_phdr, which takes the
 * loader's lock. Nor does it return the register that a frame is found by. The automaton of spawn
 * paths must know that register (path.h). A row here is one word. libprof computes the row from
 * .eh_frame once for each program counter, and then finds it in a table without a lock. libunwind
 * remains the reference (tests/unit/test_walk.c).
 *
 * A row keeps only what finds the callers: the CFA, and where the frame pointer (fp) was saved. A
 * frame whose CFA depends on other registers (a realigned stack, in its prologue) has no row. A
 * walk ends there. A guess for code without a table would belong here, too, because spawns and
 * samples both follow rows.
 *
 * [any] all functions, unless marked otherwise: no locks, no allocation, errno untouched. They read
 * the unwind tables of the object that holds the program counter. The caller has that code on its
 * stack, so no correct program unloads it meanwhile. Objects are found without the loader's lock
 * (objects.h).
 */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/frame.h"

enum cfi_cfa {
    CFI_NONE,           /* unknown: the walk ends */
    CFI_SP,             /* CFA = sp + cfa_offset */
    CFI_FP,             /* CFA = fp + cfa_offset */
    CFI_FP_DEREF,       /* CFA = *(fp + cfa_offset), the caller's fp = *fp: a realigned stack */
    CFI_SIGNAL,         /* the kernel's signal frame: a struct ucontext at sp */
    CFI_END,            /* outermost frame: its return address is undefined */
};

#if RETURN_IS_PUSHED
struct cfi_row {
    uint64_t cfa : 3;               /* enum cfi_cfa */
    /* the caller's fp is at CFA + fp_offset; else fp is unchanged */
    uint64_t fp_saved : 1;
    uint64_t fp_lost : 1;           /* the caller's fp is not known */
    int64_t fp_offset : 27;
    int64_t cfa_offset : 32;
};                                  /* the return address is at CFA - 8 */
#else
struct cfi_row {
    uint64_t cfa : 3;
    uint64_t fp_saved : 1;
    uint64_t fp_lost : 1;
    uint64_t in_register : 1;       /* the return address is still in its register */
    int64_t from_fp : 6;            /* words from the caller's fp, or CFA - 8 without one, to the
                                     * return address */
    int64_t fp_offset : 24;
    int64_t cfa_offset : 28;
};
#endif

/* Where the return address is, from the CFA. */
static inline int64_t cfi_return_offset(struct cfi_row r)
{
#if RETURN_IS_PUSHED
    (void)r;
    return -8;
#else
    return (r.fp_saved ? r.fp_offset : -8) + 8 * r.from_fp;
#endif
}

static inline bool cfi_return_in_register(struct cfi_row r)
{
#if RETURN_IS_PUSHED
    (void)r;
    return false;
#else
    return r.in_register;
#endif
}

/* [init] False: no stack can be walked (objects.h). */
bool cfi_setup(void);

/* The row of the instruction at PC. For a return address pass address - 1, which is in the call. */
struct cfi_row cfi_row_slow(uintptr_t pc);

/* Rows, by a hash of their PCs. MASK + 1 is their number, a power of two. A larger table replaces
 * the first one, once. */
struct cfi_table {
    uintptr_t mask;
    struct cfi_entry {
        uint64_t check, row;        /* check = pc ^ row, so a torn write does not match */
    } entry[];
};
extern struct cfi_table *cfi_rows __attribute__((visibility("hidden")));

static inline struct cfi_row cfi_row(uintptr_t pc)
{
    struct cfi_table *t = __atomic_load_n(&cfi_rows, __ATOMIC_ACQUIRE);
    struct cfi_entry *e = &t->entry[(pc ^ pc >> 14) & t->mask];
    union { uint64_t word; struct cfi_row row; } u;
    u.word = __atomic_load_n(&e->row, __ATOMIC_RELAXED);
    if (__builtin_expect((__atomic_load_n(&e->check, __ATOMIC_RELAXED) ^ u.word) == pc, 1))
        return u.row;
    return cfi_row_slow(pc);
}

/* Start of the function that holds PC; 0: unknown. Not cached. */
uintptr_t cfi_function(uintptr_t pc);

/* [hook] Forgets the rows if objects came or went that the loader did not report (objects.h). The
 * caller holds no lock. */
void cfi_follow(void);
/* [hook] Maps the larger table if many rows were computed. One thread at a time. */
void cfi_prepare(void);
/* [hook] Code was unmapped: empties the table of rows. */
void cfi_flush(void);

#endif
