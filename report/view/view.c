/* view.c - see view.h.
 *
 * The page is built with prof (report/view/, docs/VIEW.md) and stored in prof in two halves.
 * Between them goes the profile, as JSON in a data block. RULES: text of a profile reaches the page
 * through write_escaped alone, so no string in it can end the block. The page's own policy runs no
 * script but the one that it was built with.
 */
#define _GNU_SOURCE
#include "view/view.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "base/progress.h"
#include "bench/bench.h"
#include "launch/program.h"
#include "layout/options.h"
#include "layout/output_file.h"
#include "profile/profile.h"
#include "view/data.h"
#include "view/serve.h"

/* report/view/page.S; of size 0: prof was built without it. */
extern const char view_head[], view_tail[];
extern const uint64_t view_head_size, view_tail_size;

/* ---- the page ---- */

/* Writes TEXT to OUT, and escapes every character that means something to HTML or a script. jansson
 * has escaped what is not ASCII. Outside of strings JSON has none of these characters. */
static int write_escaped(const char *text, size_t size, void *out)
{
    for (const char *end = text + size; text < end; text++) {
        if (strchr("<>&'", *text) && *text)
            fprintf(out, "\\u%04x", (unsigned char)*text);
        else
            putc_unlocked(*text, out);
    }
    return ferror(out) ? -1 : 0;
}

static void write_all(const json_t *data, FILE *f)
{
    fwrite(view_head, 1, view_head_size, f);
    json_dump_callback(data, write_escaped, f,
                       JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
    fwrite(view_tail, 1, view_tail_size, f);
}

/* The whole page, *SIZE bytes, which the caller frees. NULL: FILE cannot be read. */
static char *make_page(const char *file, const char *before, const struct options *o, bool source,
                       const struct factored *bench, size_t *size)
{
    struct profile p;
    struct summary m;
    struct paths t, *paths = 0;
    char *page = 0;
    if (profile_open(&p, file))
        return 0;
    summary_new(&m, &p, false);
    summary_sort(&m, o->sort);
    struct options shown = *o;
    shown.in_program = !o->physical && !o->unfolded && !o->all_frames;
    if (p.node_count && shown.in_program)
        paths_new_program(paths = &t, &m, o->overhead);
    else if (p.node_count)
        paths_new(paths = &t, &m, o->physical, !o->unfolded, o->overhead);
    progress_done();
    json_t *data = view_data(&m, paths, o, source, bench), *change = 0;
    if (before && paths && (change = view_before(file, before, paths, &shown)))
        json_object_set_new(data, "before", change);
    if (before && !change) {
        if (!paths)
            fputs("prof: --diff: the profile has no call paths to compare\n", stderr);
        json_decref(data);
        data = 0;
    }
    if (data) {
        FILE *f = format_memory(open_memstream(&page, size));
        write_all(data, f);
        format_memory(fclose(f) ? NULL : page);
    }
    json_decref(data);
    if (paths)
        paths_free(paths);
    summary_free(&m);
    profile_close(&p);
    return page;
}

/* ---- where it goes ---- */

/* The last component of FILE, with .html for .prof or .prof.tar.gz. The caller frees it. */
static char *page_name(const char *file)
{
    const char *base = strrchr(file, '/');
    base = base ? base + 1 : file;
    size_t n = strlen(base);
    if (n > 7 && !strcmp(base + n - 7, ".tar.gz"))
        n -= 7;
    if (n > 5 && !strncmp(base + n - 5, ".prof", 5))
        n -= 5;
    return format_text("%.*s.html", (int)n, base);
}

/* Writes the page to NAME. Only the owner may read a new file, because the page shows as much as
 * the profile. An old file keeps its mode. Returns 0, or 2 after a line on stderr. */
static int write_page(const char *page, size_t size, const char *name)
{
    bool standard = !strcmp(name, "-");
    int fd = standard ? -1 : open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *f = standard ? stdout : fd < 0 ? NULL : fdopen(fd, "w");
    char *clean = format_clean(standard ? "standard output" : name);
    int status = 2;
    if (f && fwrite(page, 1, size, f) == size && !fflush(f) && (standard || !fclose(f))) {
        status = 0;
        if (!standard)
            fprintf(stderr, "prof: %s is written: open it in a browser\n", clean);
    } else {
        fprintf(stderr, "prof: %s: %s\n", clean, strerror(errno));
    }
    free(clean);
    return status;
}

/* Opens the page in a browser: the first of BROWSER (command lines in which %s is the page), or the
 * desktop's. Does not wait for the browser. False: there is none. */
static bool open_page(const char *name)
{
    char *browser = getenv("BROWSER"), *xdg = 0, *words = 0, *rest, *argv[16],
         *path = realpath(name, 0);
    int argc = 0;
    if (browser && *browser) {
        rest = words = format_text("%.*s", (int)strcspn(browser, ":"), browser);
        bool placed = false;
        for (char *word; argc < 14 && (word = strsep(&rest, " "));)
            if (*word) {
                placed |= !strcmp(word, "%s");
                argv[argc++] = strcmp(word, "%s") ? word : path;
            }
        if (!placed)
            argv[argc++] = path;
    } else if ((getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")) &&
               (xdg = program_find("xdg-open"))) {
        argv[argc++] = xdg;
        argv[argc++] = path;
    }
    argv[argc] = 0;
    pid_t pid = path && argc > 1 ? fork() : -1;
    if (!pid) {
        /* a session of its own, so that neither prof's end nor a Ctrl-C here ends the browser */
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        setsid();
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        if (!fork())
            execvp(argv[0], argv);
        _exit(0);
    }
    if (pid > 0)
        waitpid(pid, 0, 0);
    free(words);
    free(xdg);
    free(path);
    return pid > 0;
}

bool view_has_page(void)
{
    return view_head_size;
}

bool view_is_built(void)
{
    if (!view_has_page())
        fputs("prof: this prof was built without its page: install nodejs and npm, then `make "
              "view`\n",
              stderr);
    return view_has_page();
}

int view_page(const char *file, const struct options *o, const struct view_way *w)
{
    size_t size;
    struct bench b;
    struct factored f;
    if ((w->output && !w->serve && !output_allowed(w->output)) ||
        (w->bench && bench_load(&b, w->bench)))
        return 2;
    if (w->bench)
        factored_new(&f, &b);
    char *page = make_page(file, w->before, o, w->source, w->bench ? &f : 0, &size);
    if (w->bench) {
        factored_free(&f);
        bench_free(&b);
    }
    if (!page)
        return 2;
    char *name = w->output ? format_text("%s", w->output) : page_name(file);
    int status = w->serve ? serve_page(page, size) : write_page(page, size, name);
    if (!status && w->open && !open_page(name))
        fputs("prof: there is no browser to open it in (BROWSER names one)\n", stderr);
    free(name);
    free(page);
    return status;
}

int view_open(const char *profile)
{
    struct options o;
    options_defaults(&o, stdout);
    o.columns = true;
    return view_is_built()
               ? view_page(profile, &o, &(struct view_way){ .source = true, .open = true })
               : 2;
}
