/* program.c - see program.h. */
#define _GNU_SOURCE
#include "arch/names.h"
#include "doctor/program.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/format.h"
#include "doctor/finding.h"
#include "launch/program.h"
#include "launch/reach.h"

#define TBB_LIBRARY "libtbb.so.12"

/* ---- oneTBB ---- */

/* The bytes of the loader's word for the program's folder, at the start of the entry P; 0: P does
 * not begin with it. */
static size_t origin_at(const char *p, size_t n)
{
    static const char *const words[] = { "$ORIGIN", "${ORIGIN}" };
    for (unsigned i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if (n >= length && !strncmp(p, words[i], length))
            return length;
    }
    return 0;
}

/* The path at which a program with RUN_PATH finds libtbb; the caller frees it. NULL: there is
 * none. */
static char *find_tbb(const char *run_path, const char *program)
{
    char *real = program ? realpath(program, 0) : 0, *slash = real ? strrchr(real, '/') : 0;
    for (const char *p = run_path; slash && *p;) {
        size_t n = strcspn(p, ":"), origin = origin_at(p, n);
        char *full = format_text("%.*s%.*s/" TBB_LIBRARY, origin ? (int)(slash - real) : 0, real,
                                 (int)(n - origin), p + origin);
        if (!access(full, R_OK)) {
            free(real);
            return full;
        }
        free(full);
        p += n + (p[n] == ':');
    }
    free(real);
    struct link_map *map = 0;
    void *h = dlopen(TBB_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    char *path = h && !dlinfo(h, RTLD_DI_LINKMAP, &map) ? format_text("%s", map->l_name) : 0;
    if (h)
        dlclose(h);
    return path;
}

/* What a run does with copies of a runtime that doctor does not see. */
#define OTHER_COPIES                                                                               \
    "copies under other names (a hash in it, as in Python wheels), loaded late or with "           \
    "RTLD_LOCAL, are found by what they define; copies that are linked in statically are not"

/* PROGRAM NULL: no program is looked at. NEEDED: it links libtbb. */
static void look_at_tbb(const char *run_path, const char *program, bool needed)
{
    struct program p;
    char *path = find_tbb(run_path, program);
    const char *unlinked = program && !needed ? "; the program does not link it" : "";
    if (!path || program_inspect(path, &p)) {
        finding(needed ? PROBLEM : LESS, "oneTBB",
            TBB_LIBRARY " is not installed; Debian: libtbb12%s", unlinked);
        free(path);
        return;
    }
    unsigned missing = 0;
    for (unsigned i = 0; i < PROGRAM_TBB_SYMBOLS; i++)
        if (!p.tbb_symbol[i] && !missing++)
            finding(needed ? PROBLEM : LESS, "oneTBB",
                "%s lacks %s; this version has other entry points than libprof knows: its tasks "
                "are not seen",
                path, program_tbb_symbols[i]);
    if (!missing) {
        finding(OK, "oneTBB", "%s%s, version %s, has the entry points that libprof needs%s",
            program && !needed ? "on this machine, " : "", path,
            p.tbb_version[0] ? p.tbb_version : "unknown", unlinked);
        finding(OK, "oneTBB in a run",
            "each task is checked when it is spawned: if the words of it that libprof uses are in "
            "use, libprof leaves it alone and counts it; a flow graph whose layout is unknown is a "
            "lower bound; " OTHER_COPIES);
    }
    free(path);
}

/* ---- a program ---- */

/* Reports whether LD_PRELOAD reaches the program that NAME executes; P is NAME's file. False: there
 * is nothing more to report. */
static bool look_at_reach(const char *name, const struct program *p)
{
    struct reach r;
    reach_look(&r, name);
    if (r.missing)
        finding(PROBLEM, name, "%s, which it needs to run, is not there", r.missing);
    else if (r.why)
        finding(PROBLEM, name, "%s%s%s%s; %s", r.script ? "its interpreter " : "",
            r.script ? r.file : "", r.script ? " " : "", r.why, r.advice);
    else if (!p->elf)
        finding(LESS, name,
            "not an ELF file; the programs that a script starts are profiled one by one");
    else
        finding(OK, name, "dynamically linked%s",
            p->pie ? ", position-independent" : ", at a fixed address");
    bool more = p->elf && p->machine == ARCH_MACHINE && !r.harmful;
    if (!p->elf && !r.why && !r.missing)
        look_at_tbb("", 0, false);
    reach_free(&r);
    return more;
}

static void look_at_openmp(const struct program *p)
{
    const char *tools = getenv("OMP_TOOL_LIBRARIES"), *tool = getenv("OMP_TOOL");
    /* libomp also has libgomp's entry points, so it comes first */
    if (p->contains_omp && p->contains_tools)
        finding(PROBLEM, "OpenMP",
            "libomp is linked into the program itself: regions and tasks are seen, but not their "
            "places, nor which tasks are undeferred and what loops hand out; link libomp.so "
            "instead");
    else if (p->contains_omp || p->contains_gomp)
        finding(PROBLEM, "OpenMP",
            "%s is linked into the program itself: its calls are invisible; link %s.so instead",
            p->contains_omp ? "libomp" : "libgomp", p->contains_omp ? "libomp" : "libgomp");
    if (p->needs_gomp)
        finding(OK, "OpenMP",
            "libgomp is seen by its entry points, which libprof calls through: it uses no layout "
            "of libgomp's tasks; " OTHER_COPIES);
    if (p->needs_omp && ((tools && *tools) || (tool && !strcmp(tool, "disabled"))))
        finding(PROBLEM, "OpenMP",
            "libomp is used, and OMP_TOOL_LIBRARIES or OMP_TOOL=disabled keeps libprof out of it: "
            "unset them");
    else if (p->needs_omp && p->exports_tool)
        finding(PROBLEM, "OpenMP",
            "libomp is used, and the program's own ompt_start_tool keeps libprof out of it");
    else if (p->needs_omp)
        finding(OK, "OpenMP",
            "libomp is seen through its tools interface, which it offers itself: libprof uses no "
            "layout of its tasks; " OTHER_COPIES);
}

static void look_at_debug_info(const struct program *p)
{
    if (p->debug_info && p->line_info)
        finding(OK, "debug information", "DWARF with line tables");
    else if (p->debug_info)
        finding(LESS, "debug information",
            "DWARF without line tables; compile with -g for source lines");
    else if (p->separate_debug_info)
        finding(LESS, "debug information",
            "in a separate file, if it is beside the program or in /usr/lib/debug");
    else
        finding(LESS, "debug information",
            "%s; compile with -g for source lines: it costs no speed",
            p->symbols ? "none, but symbols" : "stripped");
}

void program_look(const char *name)
{
    struct program p;
    char *path = program_find(name);
    int error = path ? program_inspect(path, &p) : -ENOENT;
    if (error) {
        finding(PROBLEM, name, "%s", error == -EINVAL ? "no regular file" : strerror(-error));
        free(path);
        return;
    }
    if (access(path, X_OK))
        finding(PROBLEM, name, "not executable; chmod +x");
    if (!look_at_reach(name, &p)) {
        free(path);
        return;
    }
    if (!p.needs_tbb && !p.contains_tbb && !p.needs_gomp && !p.needs_omp && !p.contains_gomp &&
        !p.contains_omp)
        finding(LESS, "runtimes",
            "the program links neither oneTBB nor OpenMP itself%s; its libraries or plug-ins may, "
            "and threads are seen anyway",
            p.symbols ? "" : ", or statically, which does not show in a stripped program");
    if (p.contains_tbb)
        finding(PROBLEM, "oneTBB",
            "linked into the program itself: its calls are invisible; link libtbb.so instead");
    else
        look_at_tbb(p.run_path, path, p.needs_tbb);     /* plug-ins may need it, too */
    if (p.go)
        finding(LESS, "Go",
            "its programs end by a system call that libprof does not see: the profile is the last "
            "checkpoint, and the first comes half a second after the first thread");
    look_at_openmp(&p);
    look_at_debug_info(&p);
    free(path);
}

void program_look_at_runtimes(void)
{
    look_at_tbb("", 0, false);
}
