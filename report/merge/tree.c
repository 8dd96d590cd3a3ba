/* tree.c - see tree.h. A process leaves its token while it runs, N.begun; then its sum, N.prof, and
 * a line of text, N.done: the token of the process that waits for it, and what the sum has. */
#define _GNU_SOURCE
#include "merge/tree.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/format.h"
#include "merge/sum.h"
#include "merge/write.h"
#include "profile/profile.h"

/* A process whose launcher has ended it prints nothing. */
#define WAIT_S 600
#define SAY_S 10

static bool fail(const char *file, const char *why)
{
    char *clean = format_clean(file);
    fprintf(stderr, "prof: %s: %s\n", clean, why);
    free(clean);
    return false;
}

static char *path_of(const struct tree *t, int rank, const char *kind)
{
    return format_text("%s/%d.%s", t->folder, rank, kind);
}

/* The text of a small file, at most SIZE - 1 bytes; "" if there is none. */
static void read_text(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, size - 1, f) : 0;
    text[n] = 0;
    if (f)
        fclose(f);
}

static bool write_text(const char *path, const char *text)
{
    char *temporary = format_text("%s.tmp", path);
    FILE *f = fopen(temporary, "we");
    bool good = f && fputs(text, f) >= 0;
    if (f)
        good = !fclose(f) && good;
    good = (good && !rename(temporary, path)) || fail(path, strerror(errno));
    if (!good)
        unlink(temporary);
    free(temporary);
    return good;
}

static void remove_of(const struct tree *t, int rank)
{
    static const char *const kinds[] = { "done", "prof" };
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char *path = path_of(t, rank, kinds[i]);
        unlink(path);
        free(path);
    }
}

bool tree_new(struct tree *t, int rank, int size, const char *output)
{
    struct timespec now;
    *t = (struct tree){ .rank = rank, .size = size, .folder = format_text("%s.parts", output) };
    if (mkdir(t->folder, 0777) && errno != EEXIST)
        return fail(t->folder, strerror(errno));
    clock_gettime(CLOCK_REALTIME, &now);
    t->start = time(0);
    snprintf(t->token, sizeof t->token, "%ld.%lld.%ld", (long)getpid(), (long long)now.tv_sec,
             now.tv_nsec);
    char *path = path_of(t, rank, "begun");
    bool good = write_text(path, t->token);
    free(path);
    return good;
}

static void nap(void)
{
    nanosleep(&(struct timespec){ 0, 10000000 }, 0);
}

/* Prints once, after a while, what this process waits for. False: for too long. */
static bool go_on(time_t since, bool *said, int rank)
{
    if (!*said && time(0) - since >= SAY_S) {
        *said = true;
        fprintf(stderr, "prof: waiting for process %d of the merge, for %d minutes at most\n", rank,
                WAIT_S / 60);
    }
    return time(0) - since < WAIT_S;
}

/* Has RANK begun, or is there still time? */
static bool may_come(const struct tree *t, int rank)
{
    if (!t->patience || time(0) - t->start < t->patience)
        return true;
    char *begun = path_of(t, rank, "begun");
    bool is = !access(begun, F_OK);
    free(begun);
    return is;
}

/* Waits for the line of RANK, with this process's token. False: it did not come, or RANK has
 * failed; then, unless QUIET, after a line on stderr. */
static bool wait_for(const struct tree *t, int rank, int *taken, int *failed, bool quiet)
{
    char *path = path_of(t, rank, "done"), text[128], token[64];
    time_t since = time(0);
    bool said = false, come;
    for (;;) {
        read_text(path, text, sizeof text);
        come = sscanf(text, "%63s", token) == 1 && !strcmp(token, t->token);
        if (come || !may_come(t, rank) || !go_on(since, &said, rank))
            break;
        nap();
    }
    bool good = come && sscanf(text, "%*s %d %d", taken, failed) == 2;
    if (!good && !quiet)
        fail(path, come ? "that process failed" : "that process left nothing");
    free(path);
    return good;
}

/* False: RANK has left no sum. */
static bool add_from(struct tree *t, int rank, struct sum *sum, bool quiet)
{
    int taken, failed;
    struct profile p;
    if (!wait_for(t, rank, &taken, &failed, quiet))
        return false;
    char *path = path_of(t, rank, "prof");
    bool good = !taken || !profile_open(&p, path);
    if (taken && good) {
        sum_add(sum, &p);
        profile_close(&p);
    }
    t->taken += good ? taken : 0;
    t->failed += good ? failed : 0;
    free(path);
    remove_of(t, rank);
    return good;
}

bool tree_join(struct tree *t, struct sum *sum,
               bool (*missing)(void *context, int first, int end, struct sum *sum), void *context)
{
    for (int step = 1; step < t->size && t->rank % (2 * step) == 0; step *= 2) {
        int from = t->rank + step, end = from + step < t->size ? from + step : t->size;
        if (from < t->size && !add_from(t, from, sum, missing != 0) &&
            !(missing && missing(context, from, end, sum)))
            return false;
    }
    return true;
}

/* The process that waits for RANK. */
static int waits_for(int rank)
{
    return rank & (rank - 1);
}

/* Tells the process that waits for this one, and waits until it has taken the sum: what it finds
 * before it has begun may be of an earlier merge, so the line has its token. */
static bool hand_over(const struct tree *t, bool failed)
{
    int to = waits_for(t->rank);
    char *begun = path_of(t, to, "begun"), *done = path_of(t, t->rank, "done"), token[64],
         written[64] = "";
    time_t since = time(0);
    bool said = false, good = true;
    do {
        read_text(begun, token, sizeof token);
        if (*token && strcmp(token, written)) {
            char *text = failed ? format_text("%s\n", token)
                                : format_text("%s %d %d\n", token, t->taken, t->failed);
            good = write_text(done, text);
            strcpy(written, token);
            free(text);
        } else if (*written && access(done, F_OK)) {
            break;              /* taken */
        } else if (*written && !*token) {
            good = fail(done, "the process that was to take it has ended");
        } else if (!go_on(since, &said, to)) {
            good = fail(done, "no process took it");
        }
        nap();
    } while (good);
    free(begun);
    free(done);
    return good;
}

bool tree_leave(struct tree *t, struct sum *sum, bool failed)
{
    struct profile p;
    char *path = path_of(t, t->rank, "prof");
    if (!failed && t->taken) {
        sum_view(sum, &p, true);
        failed = profile_write(&p, path);
    }
    free(path);
    bool taken = hand_over(t, failed);
    if (!taken)
        remove_of(t, t->rank);
    return taken && !failed;
}

void tree_free(struct tree *t)
{
    /* process 0 is the last that anybody waits for */
    for (int i = t->rank; i < (t->rank ? t->rank + 1 : t->size); i++) {
        char *begun = path_of(t, i, "begun");
        unlink(begun);
        free(begun);
    }
    rmdir(t->folder);           /* the last one can */
    free(t->folder);
    *t = (struct tree){ 0 };
}
