/* outlined.c - see outlined.h. */
#include "symbols/outlined.h"
#include <dwarf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "symbols/unit.h"

/* Sets *PC to the address behind the call DIE. False: it is no call, or has none. */
static bool return_address(Dwarf_Die *die, Dwarf_Addr *pc)
{
    Dwarf_Attribute at;
    int tag = dwarf_tag(die);
    return (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) &&
           dwarf_attr(die, tag == DW_TAG_call_site ? DW_AT_call_return_pc : DW_AT_low_pc, &at) &&
           !dwarf_formaddr(&at, pc);
}

static bool has_calls(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

/* Sets *CALL to the call below AROUND whose return address is PC. */
static bool find_call(Dwarf_Die *around, Dwarf_Addr pc, unsigned depth, Dwarf_Die *call)
{
    Dwarf_Addr back;
    if (depth == UNIT_DEPTH || dwarf_child(around, call))
        return false;
    do {
        Dwarf_Die inner;
        if (return_address(call, &back) && back == pc)
            return true;
        if (has_calls(call) && find_call(call, pc, depth + 1, &inner)) {
            *call = inner;
            return true;
        }
    } while (unit_sibling(call));
    return false;
}

/* Counts the jumps below AROUND that are calls. *PC: the address behind the last. */
static unsigned count_jumps(Dwarf_Die *around, unsigned depth, Dwarf_Addr *pc)
{
    Dwarf_Die call;
    Dwarf_Attribute at;
    bool jumps;
    unsigned n = 0;
    if (depth == UNIT_DEPTH || dwarf_child(around, &call))
        return 0;
    do {
        if ((dwarf_attr(&call, DW_AT_call_tail_call, &at) ||
             dwarf_attr(&call, DW_AT_GNU_tail_call, &at)) &&
            !dwarf_formflag(&at, &jumps) && jumps)
            n += return_address(&call, pc);
        if (has_calls(&call))
            n += count_jumps(&call, depth + 1, pc);
    } while (unit_sibling(&call));
    return n;
}

/* Sets *CALLED to the function that the call in FUNCTION with the return address PC names. False:
 * it is not known, as of a call through a pointer. */
static bool called_at(Dwarf_Die *function, Dwarf_Addr pc, Dwarf_Die *called)
{
    Dwarf_Die call;
    Dwarf_Attribute at;
    return find_call(function, pc, 0, &call) &&
           (dwarf_attr(&call, DW_AT_call_origin, &at) ||
            dwarf_attr(&call, DW_AT_abstract_origin, &at)) &&
           dwarf_formref_die(&at, called) && dwarf_tag(called) == DW_TAG_subprogram;
}

bool outlined_jump(Dwarf_Die *function, Dwarf_Addr *pc)
{
    Dwarf_Die called;
    Dwarf_Addr behind;
    if (!called_at(function, *pc, &called) || count_jumps(&called, 0, &behind) != 1)
        return false;
    *function = called;
    *pc = behind;
    return true;
}

/* What debug information states of a value that a call passes: a constant address, or what a
 * register has. */
struct value {
    bool constant;
    unsigned reg;               /* its number in DWARF */
    Dwarf_Addr address;
};

/* False: it is neither, or not known. */
static bool value_of(Dwarf_Die *parameter, struct value *v)
{
    Dwarf_Attribute at, operand;
    Dwarf_Op *ops;
    size_t count;
    if ((!dwarf_attr(parameter, DW_AT_call_value, &at) &&
         !dwarf_attr(parameter, DW_AT_GNU_call_site_value, &at)) ||
        dwarf_getlocation(&at, &ops, &count) || count != 1)
        return false;
    *v = (struct value){ .constant = true, .address = ops->number };
    if (ops->atom == DW_OP_addr)
        return true;
    if (ops->atom == DW_OP_addrx || ops->atom == DW_OP_GNU_addr_index)
        return !dwarf_getlocation_attr(&at, ops, &operand) &&
               !dwarf_formaddr(&operand, &v->address);
    v->constant = false;
    v->reg = ops->atom - DW_OP_breg0;
    return ops->atom >= DW_OP_breg0 && ops->atom <= DW_OP_breg15 && !ops->number;
}

/* x86-64: the addresses that instructions between START and PC put into REGISTERS, a bit each by
 * DWARF's number; those nearest to PC first. Where a call is in a loop, gcc takes such an
 * instruction out of it. What only looks like one is no address of a function. */
static size_t loaded(Dwfl_Module *elf, Dwarf_Addr bias, Dwarf_Addr start, Dwarf_Addr pc,
                     unsigned registers, Dwarf_Addr *values, size_t n)
{
    static const unsigned char dwarf_number[8] = { 0, 2, 1, 3, 7, 6, 4, 5 };
    Dwarf_Addr at = start + bias, section_bias;
    Elf_Scn *section = dwfl_module_address_section(elf, &at, &section_bias);
    Elf_Data *data = section ? elf_rawdata(section, 0) : 0;
    if (!data || !data->d_buf || pc <= start || at > data->d_size || pc - start > data->d_size - at)
        return n;
    const unsigned char *code = (const unsigned char *)data->d_buf + at;
    for (size_t i = pc - start; i-- > 0 && n < OUTLINED_MOST;) {
        const unsigned char *c = code + i;
        bool lea = i + 7 <= pc - start && (c[0] & 0xfb) == 0x48 && c[1] == 0x8d &&
                   (c[2] & 0xc7) == 5;                  /* lea X(%rip), register */
        bool mov = i + 5 <= pc - start && (c[0] & 0xf8) == 0xb8;    /* mov $X, register */
        if (!lea && !mov)
            continue;
        bool high = lea ? c[0] & 4 : i && c[-1] == 0x41;
        unsigned number = lea ? c[2] >> 3 & 7 : c[0] & 7;
        int32_t operand;
        memcpy(&operand, c + (lea ? 3 : 1), sizeof operand);
        if (registers >> (high ? 8 + number : dwarf_number[number]) & 1)
            values[n++] = lea ? start + i + 7 + (int64_t)operand : (uint32_t)operand;
    }
    return n;
}

size_t outlined_arguments(Dwfl_Module *elf, Dwarf_Addr bias, Dwarf_Die *function, Dwarf_Addr pc,
                          Dwarf_Addr values[OUTLINED_MOST])
{
    Dwarf_Die call, parameter;
    Dwarf_Addr base, start, end;
    struct value v;
    unsigned registers = 0;
    size_t n = 0;
    if (!find_call(function, pc, 0, &call))
        registers = 0xffff;     /* code that was not optimised: all is near the call */
    else if (!dwarf_child(&call, &parameter))
        do
            if (n < OUTLINED_MOST && value_of(&parameter, &v)) {
                if (v.constant)
                    values[n++] = v.address;
                else
                    registers |= 1u << v.reg;
            }
        while (unit_sibling(&parameter));
    for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, &start, &end)) > 0;)
        if (pc > start && pc <= end)
            return loaded(elf, bias, start, pc, registers, values, n);
    return n;
}
