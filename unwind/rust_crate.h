/* rust_crate.h - finds the crate in a name that Rust's compiler mangled (version 0, "_R...").
 * libstdc++ has no demangler for such names. libprof.so and prof use it.
 */
#ifndef UNWIND_RUST_CRATE_H
#define UNWIND_RUST_CRATE_H

#include <string.h>

/* The kinds of the path's parts come first: N namespace, I generic, M and X implementation (with a
 * number). Then comes the root: C, a number, and the length and the name of the crate. Returns that
 * length and name, "4core...". NULL: NAME has another mangling. */
static inline const char *rust_crate(const char *name)
{
    if (strncmp(name, "_R", 2))
        return 0;
    const char *s = name + 2;
    while (*s && *s != 'C') {
        size_t n = *s == 'N' && s[1] ? 2
                 : (*s == 'M' || *s == 'X') && s[1] == 's' ? strcspn(s, "_")
                 : *s == 'I' || *s == 'M' || *s == 'X';
        if (!n)
            return 0;
        s += n + (s[n] == '_');
    }
    s += strcspn(s, "_");
    return *s ? s + 1 : 0;
}

#endif
