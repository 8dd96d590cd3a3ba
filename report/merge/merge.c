/* merge.c - see merge.h. */
#define _GNU_SOURCE
#include "merge/merge.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/format.h"
#include "merge/sum.h"
#include "merge/tree.h"
#include "merge/write.h"
#include "profile/profile.h"

/* One thread's share of the files. */
struct share {
    const struct merge *all;
    int first, end;
    struct sum *sum;
    int taken, failed;
    pthread_t thread;
    bool started;
};

static bool fits(const struct merge *all, const struct profile *p)
{
    if (!strcmp(all->clock, profile_string(p, p->totals.clock)) &&
        all->time == (p->totals.ns_num != 0))
        return true;
    char *file = format_clean(p->path), *clock = format_clean(profile_string(p, p->totals.clock)),
         *first = format_clean(all->clock);
    fprintf(stderr, "prof: %s: left out: its clock is %s, that of the first file %s\n", file, clock,
            first);
    free(file);
    free(clock);
    free(first);
    return false;
}

static void *sum_share(void *argument)
{
    struct share *s = argument;
    for (int i = s->first; i < s->end; i++) {
        struct profile p;
        if (profile_open(&p, s->all->files[i])) {
            s->failed++;
            continue;
        }
        if (fits(s->all, &p)) {
            sum_add(s->sum, &p);
            s->taken++;
        } else {
            s->failed++;
        }
        profile_close(&p);
    }
    return 0;
}

/* Adds a sum to its left neighbour. */
static void *join_pair(void *argument)
{
    struct share **pair = argument;
    sum_join(pair[0]->sum, pair[1]->sum);
    sum_free(pair[1]->sum);
    pair[1]->sum = 0;
    return 0;
}

static void join_all(struct share *shares, int n)
{
    for (int step = 1; step < n; step *= 2) {
        struct share *pairs[MERGE_THREADS][2];
        pthread_t threads[MERGE_THREADS];
        bool started[MERGE_THREADS];
        int count = 0;
        for (int i = 0; i + step < n; i += 2 * step, count++) {
            pairs[count][0] = &shares[i];
            pairs[count][1] = &shares[i + step];
            started[count] = !pthread_create(&threads[count], 0, join_pair, pairs[count]);
            if (!started[count])
                join_pair(pairs[count]);
        }
        for (int i = 0; i < count; i++)
            if (started[i])
                pthread_join(threads[i], 0);
    }
}

/* Divides the files into shares of about equal size in bytes. Returns the number of shares. */
static int divide(const struct merge *all, int count, int threads, struct share *shares)
{
    double *before = format_memory(calloc(count + 1, sizeof *before));
    struct stat st;
    for (int i = 0; i < count; i++)
        before[i + 1] = before[i] + (stat(all->files[i], &st) ? 1 : (double)st.st_size + 1);
    int n = 0;
    for (int i = 0; i < count;) {
        int end = i + 1;
        while (end < count && (before[end] < before[count] * (n + 1) / threads || n == threads - 1))
            end++;
        shares[n] = (struct share){ .all = all, .first = i, .end = end, .sum = sum_new(all->mode) };
        n++;
        i = end;
    }
    free(before);
    return n;
}

/* Sums the files into *SUM. Returns how many it summed; *FAILED could not be. */
static int sum_files(const struct merge *all, int count, int threads, struct sum **sum, int *failed)
{
    struct share shares[MERGE_THREADS];
    int most = threads < MERGE_THREADS ? threads : MERGE_THREADS;
    int n = divide(all, count, most, shares), taken = 0;
    for (int i = 1; i < n; i++)
        shares[i].started = !pthread_create(&shares[i].thread, 0, sum_share, &shares[i]);
    sum_share(&shares[0]);
    for (int i = 0; i < n; i++) {
        if (shares[i].started)
            pthread_join(shares[i].thread, 0);
        else if (i)
            sum_share(&shares[i]);
        taken += shares[i].taken;
        *failed += shares[i].failed;
    }
    join_all(shares, n);
    *sum = shares[0].sum;
    return taken;
}

/* Sets the clock that all files must have: that of the first readable one. False: none is
 * readable. */
static bool first_clock(struct merge *all, int *first, int count, int *failed)
{
    struct profile p;
    for (; *first < count; ++*first) {
        if (!profile_open(&p, all->files[*first])) {
            all->clock = format_text("%s", profile_string(&p, p.totals.clock));
            all->time = p.totals.ns_num != 0;
            if (!all->mode)
                all->mode = profile_job_finished(&p) ? LPF_MERGE_JOB : LPF_MERGE_PROCESSES;
            profile_close(&p);
            return true;
        }
        ++*failed;
    }
    return false;
}

static bool exists(const char *file)
{
    return !access(file, R_OK);
}

/* Those of the files FIRST to END - 1 that are there, *COUNT of them. The caller frees the array
 * alone. */
static char **files_there(const struct merge *all, int first, int end,
                          bool (*there)(const char *file), int *count)
{
    char **list = format_memory(calloc(end > first ? end - first : 1, sizeof *list));
    *count = 0;
    for (int i = first; i < end; i++)
        if (!there || there(all->files[i]))
            list[(*count)++] = all->files[i];
    return list;
}

/* The same of a job's ranks, whose files need not all be there: all processes take the first one
 * that is. */
static bool group_clock(struct merge *all, int count)
{
    int there, first = 0, failed = 0;
    char **every = all->files, **files = 0;
    for (int end = 1; !files; end = end < count / 8 ? end * 8 : count) {
        files = files_there(all, 0, end, exists, &there);
        if (there || end == count)
            break;
        free(files);
        files = 0;
    }
    all->files = files;
    bool found = first_clock(all, &first, there, &failed);
    all->files = every;
    free(files);
    return found;
}

struct identity {
    dev_t device;
    ino_t number;
    int index;
};

static int compare_identities(const void *a, const void *b)
{
    const struct identity *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->index - y->index;
}

/* Refuses a file that would count twice, or that the result would replace: a pattern on the command
 * line may match the last result. */
static bool check_files(char **files, int count, const char *output)
{
    struct identity *list = format_memory(calloc(count + 1, sizeof *list));
    struct stat st;
    int n = 0;
    bool good = true, exists = !stat(output, &st);
    struct stat out = st;
    for (int i = 0; i < count; i++)
        if (!stat(files[i], &st))
            list[n++] = (struct identity){ st.st_dev, st.st_ino, i };
    qsort(list, n, sizeof *list, compare_identities);
    for (int i = 0; i < n && good; i++) {
        bool twice = i && list[i].device == list[i - 1].device &&
                     list[i].number == list[i - 1].number;
        bool replaced = exists && list[i].device == out.st_dev && list[i].number == out.st_ino;
        if (!twice && !replaced)
            continue;
        char *clean = format_clean(files[list[i].index]);
        fprintf(stderr, "prof: %s: %s\n", clean,
                replaced ? "would be merged into itself: it is --output, too"
                         : "given twice: it would count twice");
        free(clean);
        good = false;
    }
    free(list);
    return good;
}

/* Prints a hint for files that look like runs but are not merged as runs: their spans are not
 * added. */
static void hint(const struct profile *p)
{
    bool same = p->input_count > 1 && p->inputs[0].mode == LPF_MERGE_PROCESSES;
    for (size_t i = 1; i < p->input_count && same; i++) {
        const struct lpf_input *a = &p->inputs[i - 1], *b = &p->inputs[i];
        bool apart = a->start_unix_ns + a->elapsed_ns <= b->start_unix_ns ||
                     b->start_unix_ns + b->elapsed_ns <= a->start_unix_ns;
        same = a->cmdline == b->cmdline && apart;
    }
    if (same)
        fputs("prof: the files look like runs of one command, one after the other: --as runs would "
              "add their spans, too\n",
              stderr);
}

static void print_merged(const char *output, int taken, int failed)
{
    char *clean = format_clean(output);
    fprintf(stderr, "prof: %s is merged from %d file%s%s", clean, taken, taken == 1 ? "" : "s",
            failed ? "" : "\n");
    if (failed)
        fprintf(stderr, "; %d left out\n", failed);
    free(clean);
}

/* Writes the sum of all files. Returns prof's exit status. */
static int write_sum(const struct merge *all, struct sum *sum, const char *output, int taken,
                     int failed, bool keep_going)
{
    struct profile p;
    sum_view(sum, &p, true);
    hint(&p);
    if (profile_write(&p, output))
        return 2;
    if (!all->quiet)
        print_merged(output, taken, failed);
    return failed && !keep_going ? 2 : 0;
}

/* Sums the files FIRST to END - 1 into *SUM, and counts them in T. */
static void sum_part(const struct merge *all, int first, int end, int threads, struct tree *t,
                     struct sum **sum)
{
    struct merge part = *all;
    int count, failed = 0;
    char **files = part.files = files_there(all, first, end, all->there, &count);
    if (count)
        t->taken += sum_files(&part, count, threads, sum, &failed);
    else
        *sum = sum_new(all->mode);
    t->failed += failed;
    free(files);
}

struct groups {
    const struct merge *all;
    struct tree *tree;
    int count;                  /* of files */
};

/* Adds the files of the processes FIRST to END - 1, which have left no sum. */
static bool sum_missing(void *context, int first, int end, struct sum *sum)
{
    const struct groups *g = context;
    int last = end * g->all->group;
    struct sum *theirs;
    sum_part(g->all, first * g->all->group, last < g->count ? last : g->count, 1, g->tree, &theirs);
    sum_join(sum, theirs);
    sum_free(theirs);
    return true;
}

/* This process's share of the files, summed with the others' shares. */
static int merge_share(const struct merge *all, int count, const char *output, int threads,
                       bool keep_going)
{
    struct tree t;
    struct groups g = { all, &t, count };
    long long parts = all->group ? all->group : count, of = all->group ? 1 : all->size;
    int first = (int)(parts * all->rank / of), end = (int)(parts * (all->rank + 1) / of),
        status = 2;
    struct sum *sum = 0;
    if (!tree_new(&t, all->rank, all->size, output)) {
        tree_free(&t);
        return 2;
    }
    t.patience = all->group ? MERGE_PATIENCE : 0;
    sum_part(all, first, end < count ? end : count, threads, &t, &sum);
    bool whole = tree_join(&t, sum, all->group ? sum_missing : 0, &g);
    if (all->rank)
        status = tree_leave(&t, sum, !whole) ? 0 : 2;
    else if (whole)
        status = write_sum(all, sum, output, t.taken, t.failed, keep_going);
    sum_free(sum);
    tree_free(&t);
    return status;
}

int merge_files(struct merge *all, int count, const char *output, int threads, bool keep_going)
{
    struct sum *sum = 0;
    int failed = 0, first = 0, status;
    if (!all->group && !check_files(all->files, count, output))
        return 2;
    if (all->group && !group_clock(all, count))
        return 2;
    if (!all->group && !first_clock(all, &first, count, &failed))
        return 2;
    if (all->size > 1) {
        status = merge_share(all, count, output, threads, keep_going);
    } else {
        struct tree alone = { .failed = failed };
        sum_part(all, first, count, threads, &alone, &sum);
        status = write_sum(all, sum, output, alone.taken, alone.failed, keep_going);
        sum_free(sum);
    }
    free(all->clock);
    return status;
}
