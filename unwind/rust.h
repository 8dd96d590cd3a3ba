/* rust.h - of a name as Rust's compiler mangles it (version 0, "_R..."), the crate. There is no demangler for such names in
 * libstdc++. Used by libprof.so and by prof.
 */
#ifndef UNWIND_RUST_H
#define UNWIND_RUST_H

#include <string.h>

/* What the path is made of comes first (N namespace, I generic, M and X implementation, with a number), then the root: C, a number, and the
 * length and the name of the crate, "4core...". NULL: another mangling. */
static inline const char *rust_crate(const char *name)
{
    if (strncmp(name, "_R", 2))
        return 0;
    const char *s = name + 2;
    while (*s && *s != 'C') {
        size_t n = *s == 'N' && s[1] ? 2 : (*s == 'M' || *s == 'X') && s[1] == 's' ? strcspn(s, "_") : *s == 'I' || *s == 'M' || *s == 'X';
        if (!n)
            return 0;
        s += n + (s[n] == '_');
    }
    s += strcspn(s, "_");
    return *s ? s + 1 : 0;
}

#endif
