/* write.c - see write.h. The file gets its name once it is complete, as libprof's own files do. */
#define _GNU_SOURCE
#include "merge/write.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/format.h"
#include "profile/profile.h"

enum { PARTS = 34 };

struct part {
    struct lpf_section section;
    const void *data;
};

static void put(struct part *p, unsigned *n, uint32_t type, const void *data, size_t entry,
                uint64_t count)
{
    p[(*n)++] = (struct part){ { .type = type,
                                 .entry_size = entry,
                                 .count = count,
                                 .crc = profile_crc32(0, data, entry * count) },
                               data };
}

static unsigned list_parts(const struct profile *p, struct part *list)
{
    unsigned n = 0;
    put(list, &n, LPF_STRINGS, p->strings, 1, p->strings_size);
    put(list, &n, LPF_SETTINGS, p->settings, sizeof *p->settings, p->setting_count);
    put(list, &n, LPF_TOTALS, &p->totals, sizeof p->totals, 1);
    put(list, &n, LPF_MODULES, p->modules, sizeof *p->modules, p->module_count);
    put(list, &n, LPF_SITES, p->sites, sizeof *p->sites, p->site_count);
    put(list, &n, LPF_CONTEXTS, p->contexts, sizeof *p->contexts, p->context_count);
    put(list, &n, LPF_REGIONS, p->regions, sizeof *p->regions, p->region_count);
    put(list, &n, LPF_NOTES, p->notes, sizeof *p->notes, p->note_count);
    put(list, &n, LPF_THREADS, p->threads, sizeof *p->threads, p->thread_count);
    put(list, &n, LPF_NODES, p->nodes, sizeof *p->nodes, p->node_count);
    put(list, &n, LPF_SAMPLES, p->samples, sizeof *p->samples, p->sample_count);
    put(list, &n, LPF_CANDIDATES, p->candidates, sizeof *p->candidates, p->candidate_count);
    put(list, &n, LPF_SCENARIOS, p->scenarios, sizeof *p->scenarios, p->scenario_count);
    put(list, &n, LPF_TERMS, p->terms, sizeof *p->terms, p->term_count);
    put(list, &n, LPF_LOOPS, p->loops, sizeof *p->loops, p->loop_count);
    put(list, &n, LPF_CHUNKS, p->chunks, sizeof *p->chunks, p->chunk_count);
    put(list, &n, LPF_TEAMS_OF_ONE, p->teams_of_one, sizeof *p->teams_of_one,
        p->team_of_one_count);
    put(list, &n, LPF_HANDED, p->handed, sizeof *p->handed, p->handed_count);
    put(list, &n, LPF_IDLE, p->idle, sizeof *p->idle, p->idle_count);
    put(list, &n, LPF_PHASES, p->phases, sizeof *p->phases, p->phase_count);
    put(list, &n, LPF_IDLE_SUM, p->idle_sum, sizeof *p->idle_sum, p->idle_sum_count);
    put(list, &n, LPF_TYPICAL, p->typical, sizeof *p->typical, p->typical_count);
    put(list, &n, LPF_OUTLIERS, p->outliers, sizeof *p->outliers, p->outlier_count);
    put(list, &n, LPF_SPREAD, p->spreads, sizeof *p->spreads, p->spread_count);
    put(list, &n, LPF_SQUARES, p->squares, sizeof *p->squares, p->square_count);
    put(list, &n, LPF_WAITS, p->waits, sizeof *p->waits, p->wait_count);
    put(list, &n, LPF_SWITCHES, p->switches, sizeof *p->switches, p->switch_count);
    put(list, &n, LPF_RANKS, p->ranks, sizeof *p->ranks, p->rank_count);
    put(list, &n, LPF_RANK_SAMPLES, p->rank_samples, sizeof *p->rank_samples,
        p->rank_sample_count);
    put(list, &n, LPF_AWAITED, p->awaited, sizeof *p->awaited, p->awaited_count);
    put(list, &n, LPF_REGION_RANKS, p->region_ranks, sizeof *p->region_ranks,
        p->region_rank_count);
    put(list, &n, LPF_INPUTS, p->inputs, sizeof *p->inputs, p->input_count);
    return n;
}

/* Returns 0; or -1 with errno. */
static int write_parts(const struct profile *p, FILE *f)
{
    struct part parts[PARTS];
    struct lpf_section table[PARTS];
    unsigned n = list_parts(p, parts);
    struct lpf_header h = { .magic = LPF_MAGIC,
                            .version = LPF_VERSION,
                            .header_size = sizeof h,
                            .section_count = n,
                            .section_size = sizeof table[0],
                            .flags = p->flags };
    uint64_t at = sizeof h + n * sizeof table[0];
    for (unsigned i = 0; i < n; i++) {
        parts[i].section.offset = at = (at + 7) & ~(uint64_t)7;
        at += parts[i].section.count * parts[i].section.entry_size;
        table[i] = parts[i].section;
    }
    if (at > (uint64_t)4 << 30) {
        errno = EFBIG;
        return -1;
    }
    h.file_size = at;
    h.header_crc = profile_crc32(profile_crc32(0, &h, sizeof h), table, n * sizeof table[0]);
    fwrite(&h, sizeof h, 1, f);
    fwrite(table, sizeof table[0], n, f);
    at = sizeof h + n * sizeof table[0];
    for (unsigned i = 0; i < n; i++) {
        const struct lpf_section *s = &parts[i].section;
        for (; at < s->offset; at++)
            fputc(0, f);
        if (s->count)
            fwrite(parts[i].data, s->entry_size, s->count, f);
        at += s->count * s->entry_size;
    }
    return fflush(f) || ferror(f) ? -1 : 0;
}

/* Closes FD. Returns 0 or an errno. */
static int write_to(int fd, const struct profile *p)
{
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    int error = f && !write_parts(p, f) ? 0 : errno ? errno : EIO;
    if (f && fclose(f) && !error)
        error = errno;
    return error;
}

/* By a file that has no name until it is whole, so that nothing stays where prof is killed, as a
 * launcher kills the ranks of an aborted job. TEMPORARY is its name for the moment in which it
 * replaces another. False: not every file system can do this. */
static bool write_unnamed(const struct profile *p, const char *path, const char *temporary)
{
    const char *slash = strrchr(path, '/');
    char *folder = format_text("%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600), kept = fd < 0 ? -1 : dup(fd);
    char *self = format_text("/proc/self/fd/%d", kept);
    bool good = !write_to(fd, p) &&
                (!linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) ||
                 (errno == EEXIST &&
                  !linkat(AT_FDCWD, self, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) &&
                  !rename(temporary, path)));
    if (kept >= 0)
        close(kept);
    free(self);
    free(folder);
    return good;
}

int profile_write(const struct profile *p, const char *path)
{
    struct stat st;
    if (!stat(path, &st) && !S_ISREG(st.st_mode)) {     /* rename would replace a device */
        char *clean = format_clean(path);
        fprintf(stderr, "prof: %s: it exists and is not a regular file\n", clean);
        free(clean);
        return -1;
    }
    char *temporary = format_text("%s.%ld.tmp", path, (long)getpid());
    unlink(temporary);          /* of an earlier process with this number, which was killed */
    int error = 0;
    if (!write_unnamed(p, path, temporary)) {
        unlink(temporary);
        int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        error = write_to(fd, p);
        if (!error && rename(temporary, path))
            error = errno;
        if (error && fd >= 0)
            unlink(temporary);
    }
    if (error) {
        char *clean = format_clean(path);
        fprintf(stderr, "prof: %s: %s\n", clean,
                error == EFBIG ? "would be larger than any profile" : strerror(error));
        free(clean);
    }
    free(temporary);
    return error ? -1 : 0;
}
