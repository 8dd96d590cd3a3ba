/* names.c - see names.h. A demangled C++ name is read once, character by character. This needs only
 * a part of the grammar: brackets, `operator`, lambdas, and what precedes and follows them.
 */
#include "symbols/names.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "../../unwind/rust_crate.h"
#include "base/format.h"

/* From libstdc++. It is declared here because its header is C++. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* The demangler recurses, and a longer name could overflow the stack. No real function has one. */
#define MAX_MANGLED 32768

char *name_demangle(const char *name)
{
    int status = 0;
    if (format_starts(name, "__GI_")) /* glibc's alias of a function for calls of its own */
        name += strlen("__GI_");
    char *d = !strncmp(name, "_Z", 2) && strlen(name) < MAX_MANGLED
                  ? __cxa_demangle(name, 0, 0, &status)
                  : 0;
    return d ? d : format_memory(strdup(name));
}

/* The end of the bracket at S: after it and all that is inside it. */
static const char *skip_brackets(const char *s)
{
    int depth = 0;
    for (; *s; s++) {
        depth += (*s == '(' || *s == '<' || *s == '{') -
                 (*s == ')' || *s == '}' || (*s == '>' && s[-1] != '-'));
        if (depth <= 0)
            return s + 1;
    }
    return s;
}

static const char *skip_qualifiers(const char *s)
{
    static const char *const words[] = { " const", " volatile", " &&", " &", " noexcept" };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (format_starts(s, words[i]))
            return skip_qualifiers(s + strlen(words[i]));
    return s;
}

struct writer {
    char *text;
    size_t used;
};

static const char *copy(struct writer *w, const char *from, const char *to)
{
    memcpy(w->text + w->used, from, to - from);
    w->used += to - from;
    return to;
}

/* The length of the operator's signs at S; a template argument's bracket is none of them. */
static size_t signs(const char *s)
{
    static const char *const longer[] = { "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>",
                                          "->",  "++",  "--",  "&&",  "||" };
    for (unsigned i = 0; i < sizeof longer / sizeof longer[0]; i++)
        if (format_starts(s, longer[i]))
            return strlen(longer[i]);
    if (!*s || !strchr("<>=!+-*/%^&|~,", *s))
        return 0;
    return s[1] == '=' && !strchr("~,", *s) ? 2 : 1;
}

/* Copies operator(), operator<<, operator new or operator bool, up to its parameters or template
 * arguments. */
static const char *copy_operator(struct writer *w, const char *s)
{
    const char *end = s + strlen("operator");
    if (*end == ' ')
        return copy(w, s, end + strcspn(end, "("));
    end = copy(w, s, end + signs(end));
    /* the demangler's blank, as in operator< <int> */
    return format_starts(end, " <") ? end + 1 : end;
}

/* Copies {lambda(int)#1} as {lambda#1}. */
static const char *copy_lambda(struct writer *w, const char *s)
{
    s = skip_brackets(copy(w, s, s + strlen("{lambda")));
    return copy(w, s, s + strcspn(s, "}"));
}

/* NAME without return type and parameters; without TEMPLATES, <..> stands for template arguments.
 * The result is never longer than NAME, because every replacement is shorter. */
static char *plain(const char *name, bool templates)
{
    struct writer w = { format_memory(malloc(strlen(name) + 8)), 0 };
    const char *s = name;
    bool parameters = false;    /* once these are seen, a space does not end a return type */
    while (*s) {
        bool word = s == name || strchr(":( <&*", s[-1]);
        if (word && format_starts(s, "operator") && !isalnum((unsigned char)s[8]) && s[8] != '_') {
            s = copy_operator(&w, s);
        } else if (format_starts(s, "(anonymous namespace)")) {
            s = copy(&w, s, s + strlen("(anonymous namespace)"));
        } else if (format_starts(s, "{lambda(")) {
            s = copy_lambda(&w, s);
        } else if (*s == '(' && !w.used) {
            s = copy(&w, s, skip_brackets(s));  /* no name precedes them: not parameters */
        } else if (*s == '(') {
            s = skip_qualifiers(skip_brackets(s));
            parameters = true;
            if (!format_starts(s, "::"))
                break;
        } else if (*s == '<' && (s == name || !format_starts(s, "<lambda"))) {
            const char *end = skip_brackets(s);
            static const char less[] = "<..>";
            if (templates || (size_t)(end - s) < sizeof less)
                copy(&w, s, end);
            else
                copy(&w, less, less + strlen(less));
            s = end;
        } else if (*s == ' ' && !parameters) {
            w.used = 0;         /* what precedes is the return type */
            s++;
        } else {
            w.text[w.used++] = *s++;
        }
    }
    w.text[w.used] = 0;
    static const char call[] = "}::operator()";
    if (w.used > strlen(call) && !strcmp(w.text + w.used - strlen(call), call))
        w.text[w.used - strlen(call) + 1] = 0;
    if (!w.used)
        strcpy(w.text, strlen(name) < 8 ? name : "?");
    return w.text;
}

char *name_plain(const char *function)
{
    return plain(function, true);
}

char *name_bare(const char *function)
{
    return plain(function, false);
}

bool name_is_shared(const char *name)
{
    const char *last = 0;
    if (format_starts(name, ".omp_outlined."))
        return true;
    for (const char *at = name; (at = strstr(at, "{lambda")); at++)
        last = at;
    return last && !*skip_brackets(last);
}

char *name_fit(const char *function, int width)
{
    char *text = plain(function, true);
    if (format_width(text) > width) {
        char *shorter = plain(function, false);
        free(text);
        text = shorter;
    }
    char *clean = format_clean(text);
    free(text);
    /* The last parts of a qualified name matter most, so namespaces go first. [construct] is no
     * qualified name. */
    for (char *part;
         *clean != '[' && format_width(clean) > width && (part = strstr(clean, "::")) && part[2];) {
        char *rest = format_text("%s", part + 2);
        free(clean);
        clean = rest;
    }
    format_fit(clean, width);
    return clean;
}

/* Is NAME, in Rust's mangling, of a crate of Rust's own library? */
static bool is_of_rusts_crate(const char *name)
{
    static const char *const crates[] = { "3std", "4core", "5alloc" };
    const char *crate = rust_crate(name);
    for (unsigned i = 0; crate && i < sizeof crates / sizeof crates[0]; i++)
        if (format_starts(crate, crates[i]))
            return true;
    return false;
}

bool name_is_start(const char *function)
{
    static const char *const names[] = { "_start", "start_thread", "clone",
                                         "clone3", "__clone",      "__clone3" };
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(function, names[i]))
            return true;
    return name_starts_program(function);
}

bool name_starts_program(const char *function)
{
    return format_starts(function, "__libc_start_");
}

bool name_is_languages(const char *file)
{
    /* the crates of a compiled toolchain have paths from where it was compiled */
    static const char *const crates[] = { "library/std/src/", "library/core/src/",
                                          "library/alloc/src/" };
    const char *include = strstr(file, "/include/");
    for (unsigned i = 0; i < sizeof crates / sizeof crates[0]; i++)
        if (format_starts(file, crates[i]))
            return true;
    return (include && strstr(include, "/c++/")) || strstr(file, "/rustc/") ||
           strstr(file, "/src/rustc-");
}

bool name_is_header(const char *file)
{
    static const char *const roots[] = { "/usr/include/", "/usr/local/include/" };
    static const char *const places[] = { "/oneapi/tbb/", "/include/tbb/", "/include/c++/",
                                          "/pstl/",       "/lib/gcc/",     "/lib/clang/",
                                          "/rustc/",      "/src/rustc-" };
    for (unsigned i = 0; i < sizeof roots / sizeof roots[0]; i++)
        if (format_starts(file, roots[i]))
            return true;
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++)
        if (strstr(file, places[i]))
            return true;
    return false;
}

bool name_is_library(const char *function, const char *file)
{
    /* a sanitizer's interceptors are C, what they call is C++ */
    static const char *const spaces[] = { "tbb::",          "std::",           "__gnu_cxx::",
                                          "__pstl::",       "pstl::",          "__cxxabiv1::",
                                          "__interceptor_", "___interceptor_", "__sanitizer::",
                                          "__asan::",       "__tsan::",        "__lsan::",
                                          "__hwasan::" };
    char *name = name_plain(function);
    bool library = (file && name_is_header(file)) || is_of_rusts_crate(name);
    for (unsigned i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        library |= format_starts(name, spaces[i]);
    free(name);
    return library;
}
