/* die_names.c - see die_names.h. */
#include "symbols/die_names.h"
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "symbols/names.h"
#include "symbols/unit.h"

#define MAX_NAME 4096

Dwarf_Word die_number(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute at;
    Dwarf_Word value = 0;
    return dwarf_attr(die, name, &at) && !dwarf_formudata(&at, &value) ? value : 0;
}

static const char *linkage_name(Dwarf_Die *die)
{
    Dwarf_Attribute at;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &at) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &at))
        return dwarf_formstring(&at);
    return 0;
}

/* Is LINKAGE a Rust name? Rust's mangling is not C++'s, or ends in a hash. The scopes around the
 * declaration give the name as the program writes it. */
static bool is_rust(const char *linkage)
{
    size_t n = strlen(linkage);
    return !strncmp(linkage, "_R", 2) ||
           (n > 23 && !strncmp(linkage, "_ZN", 3) && !strncmp(linkage + n - 20, "17h", 3) &&
            linkage[n - 1] == 'E' && strspn(linkage + n - 17, "0123456789abcdef") == 16);
}

Dwarf_Die die_declaration(Dwarf_Die *die)
{
    Dwarf_Die at = *die, next;
    Dwarf_Attribute attribute;
    for (int depth = 0; depth < 16; depth++) {
        if ((!dwarf_attr(&at, DW_AT_abstract_origin, &attribute) &&
             !dwarf_attr(&at, DW_AT_specification, &attribute)) ||
            !dwarf_formref_die(&attribute, &next))
            break;
        at = next;
    }
    return at;
}

bool die_qualifies(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
           tag == DW_TAG_union_type || tag == DW_TAG_subprogram;
}

/* The name of a DIE without a linkage name (C, and lambdas that exist only inlined): the names of
 * the scopes around its declaration, joined as the demangler would write them. */
static char *qualified_name(Dwarf_Die *die, struct units **units, int depth)
{
    Dwarf_Die at = die_declaration(die), cu, scopes[UNIT_DEPTH];
    const char *name = dwarf_diename(&at);
    const char *linkage = linkage_name(&at);
    if (linkage && !is_rust(linkage))
        return name_demangle(linkage);
    char *text = format_text("%s", name ? name : "?");
    size_t n = depth < 16 && dwarf_diecu(&at, &cu, 0, 0)
                   ? unit_parents(units_get(units, &cu), &at, scopes)
                   : 0;
    for (size_t i = 0; i < n; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (!die_qualifies(tag) || strlen(text) > MAX_NAME)
            continue;
        const char *scope = dwarf_diename(&scopes[i]);
        char *outer = tag == DW_TAG_subprogram
                          ? qualified_name(&scopes[i], units, depth + 1)
                          : format_text("%s", scope                     ? scope
                                              : tag == DW_TAG_namespace ? "(anonymous namespace)"
                                                                        : "{lambda()}");
        char *joined = format_text("%s::%s", outer, text);
        free(outer);
        free(text);
        text = joined;
        if (tag == DW_TAG_subprogram)
            break;              /* a function's name is qualified already */
    }
    return text;
}

char *die_name(Dwarf_Die *die, struct units **units)
{
    const char *linkage = linkage_name(die);
    return linkage && !is_rust(linkage) ? name_demangle(linkage) : qualified_name(die, units, 0);
}

const char *die_file(Dwarf_Die *die)
{
    Dwarf_Attribute at;
    Dwarf_Word number;
    Dwarf_Die cu;
    Dwarf_Files *files;
    Dwarf_Half version;
    size_t n;
    if (!dwarf_attr_integrate(die, DW_AT_decl_file, &at) || dwarf_formudata(&at, &number) ||
        !dwarf_cu_die(at.cu, &cu, &version, 0, 0, 0, 0, 0) || (!number && version < 5) ||
        dwarf_getsrcfiles(&cu, &files, &n) || number >= n)
        return 0;
    return dwarf_filesrc(files, number, 0, 0);
}

void die_place(Dwarf_Die *die, struct units **units, const char **file, int *line)
{
    Dwarf_Die at = *die, cu, around[UNIT_DEPTH];
    *file = die_file(die);
    *line = 0;
    if (!*file) {               /* by gcc, a lambda's operator() has the place of its class */
        Dwarf_Die declaration = die_declaration(die);
        if (!dwarf_diecu(&declaration, &cu, 0, 0) ||
            !unit_parents(units_get(units, &cu), &declaration, around))
            return;
        at = around[0];
        *file = die_file(&at);
    }
    dwarf_decl_line(&at, line);
}

bool die_is_header(Dwarf_Die *die, const char *name)
{
    const char *file = die_file(die);
    return file ? name_is_header(file) : name && name_is_library(name, 0);
}

/* Sets *CALL to the operator() that the class TYPE declares. False: it declares none. */
static bool call_operator(Dwarf_Die *type, Dwarf_Die *call)
{
    if (dwarf_child(type, call))
        return false;
    do {
        const char *name = dwarf_diename(call);
        if (dwarf_tag(call) == DW_TAG_subprogram && name && !strcmp(name, "operator()"))
            return true;
    } while (!dwarf_siblingof(call, call));
    return false;
}

static bool functor_below(Dwarf_Die *around, Dwarf_Die *type, Dwarf_Die *call, int depth)
{
    Dwarf_Die parameter;
    if (depth > 4 || dwarf_child(around, &parameter))
        return false;
    do {
        Dwarf_Attribute at;
        if (dwarf_tag(&parameter) != DW_TAG_template_type_parameter ||
            !dwarf_attr(&parameter, DW_AT_type, &at) || !dwarf_formref_die(&at, type) ||
            dwarf_peel_type(type, type))
            continue;
        Dwarf_Die argument = *type;
        int tag = dwarf_tag(&argument);
        if (tag != DW_TAG_class_type && tag != DW_TAG_structure_type)
            continue;
        if (die_is_header(&argument, 0) ? functor_below(&argument, type, call, depth + 1)
                                        : call_operator(&argument, call))
            return true;
    } while (!dwarf_siblingof(&parameter, &parameter));
    return false;
}

bool die_functor(Dwarf_Die *around, Dwarf_Die *type, Dwarf_Die *call)
{
    return functor_below(around, type, call, 0);
}
