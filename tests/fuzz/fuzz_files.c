/* fuzz_files.c - libFuzzer's target: commands on several profiles, of which one is hostile: merge,
 * diff, the page of a difference.
 *
 * The others are gen_profile's, beside the program: the same input always meets the same ones. A
 * merge must accept what the reader accepts, and return 0 or 2 accordingly. It must write a profile
 * with the work of its parts, the same for every number of threads.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"
#include "profile/profile.h"

static const char *const others[] = { "basic", "paths",   "whatif", "hostile",
                                      "run",   "counter", "dag",    "self-text", "grain" };
static char directory[PATH_MAX], merged[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    ssize_t n = readlink("/proc/self/exe", directory, sizeof directory - 1);
    directory[n > 0 ? n : 0] = 0;
    *(strrchr(directory, '/') ? strrchr(directory, '/') : directory) = 0;
    snprintf(merged, sizeof merged, "/dev/shm/libprof-fuzz.%ld", (long)getpid());
    return 0;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* What `prof merge WORDS -o MERGED FILE OTHER` makes of them; its checksum, 0: nothing. */
static uint32_t check_merge(const char *words, const char *file, const char *other)
{
    char text[PATH_MAX + 128];
    struct profile a, b, m;
    bool good = !profile_open(&a, file), fits = false;
    uint64_t work = 0, tasks = 0;
    uint32_t crc = 0;
    if (profile_open(&b, other))
        fuzz_die("cannot be read", other);
    if (good) {
        fits = !strcmp(profile_string(&a, a.totals.clock), profile_string(&b, b.totals.clock)) &&
               !a.totals.ns_num == !b.totals.ns_num;
        work = sum(a.totals.work_cost, b.totals.work_cost);
        tasks = sum(a.totals.tasks, b.totals.tasks);
    }
    snprintf(text, sizeof text, "merge %s -o %s %s", words, merged, file);
    int status = fuzz_command(merge_main, text, other);
    if (status != (fits ? 0 : 2))
        fuzz_die("another exit status than the reader's answer asks for", text);
    if (fits) {
        if (profile_open(&m, merged))
            fuzz_die("wrote what is no profile", text);
        /* ticks become ns, rounded */
        bool same = a.totals.ns_num == a.totals.ns_den && b.totals.ns_num == b.totals.ns_den;
        if ((same && m.totals.work_cost != work) || m.totals.tasks != tasks)
            fuzz_die("its totals are not the sums", text);
        crc = profile_crc32(0, m.data, m.size);
        profile_close(&m);
        if (fuzz_command(report_main, "report -m all -a -p -c -l", merged) ||
            fuzz_command(view_main, "view -o -", merged) ||
            fuzz_command(export_main, "export -f pprof -o /dev/null", merged))
            fuzz_die("what it wrote cannot be reported", text);
    }
    unlink(merged);
    if (good)
        profile_close(&a);
    profile_close(&b);
    return crc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char file[64], other[PATH_MAX], text[2 * PATH_MAX];
    uint32_t which = profile_crc32(0, data, size);
    int fd = fuzz_file(data, size, file);
    snprintf(other, sizeof other, "%.*s/seeds/%s", PATH_MAX - 64, directory,
             others[which % (sizeof others / sizeof others[0])]);
    uint32_t crc = check_merge("-j 1", file, other);
    if (check_merge("-j 2", file, other) != crc)
        fuzz_die("another result on two threads", "merge");
    check_merge("--as runs -j 1", file, other);
    static const struct { int (*run)(int, char **); const char *words;
    } pairs[] = {
        { diff_main, "diff -p %s" },
        { diff_main, "diff --json %s" },
        { diff_main, "diff --csv %s" },
        { view_main, "view --diff %s -o -" },
    };
    for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        snprintf(text, sizeof text, pairs[i].words, other);
        int status = fuzz_command(pairs[i].run, text, file);
        if (status && status != 2)
            fuzz_die("an exit status that is none of prof's", text);
    }
    close(fd);
    return 0;
}
