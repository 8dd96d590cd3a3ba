/* job.c - see job.h. */
#define _GNU_SOURCE
#include "launch/job.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/format.h"
#include "launch/written.h"
#include "libprof_format.h"
#include "profile/profile.h"

#define WAIT_NS 10000000000ll

static int number(const char *name)
{
    const char *v = getenv(name);
    char *end;
    long n = v && *v >= '0' && *v <= '9' ? strtol(v, &end, 10) : -1;
    return n >= 0 && !*end && n < 100000000 ? (int)n : -1;
}

bool job_is_launcher(const char *program)
{
    static const char *const launchers[] = { "mpirun", "mpiexec", "orterun", "prterun", "srun",
                                             "aprun", "jsrun", "flux" };
    const char *base = format_base(program);
    for (unsigned i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        size_t n = strlen(launchers[i]);
        if (!strncmp(base, launchers[i], n) && (!base[n] || base[n] == '.'))
            return true;
    }
    return false;
}

bool job_rank(int *rank, int *size)
{
    static const char *const names[][2] = {
        { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
        { "PMI_RANK", "PMI_SIZE" },
        { "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE" },
        { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
    };
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        *rank = number(names[i][0]);
        *size = number(names[i][1]);
        if (*rank >= 0 && *size > 1)
            return *rank < *size;
    }
    return false;
}

/* OUTPUT as the name of PROGRAM's job. %e and %% are as in PROF_OUTPUT. The others may differ
 * between ranks, which must find the same folder: they stay as written, and rank 0 prints that. */
static char *name_of(const char *output, const char *program, int rank)
{
    size_t size;
    char *name = NULL;
    bool kept = false;
    FILE *f = format_memory(open_memstream(&name, &size));
    for (const char *c = output; *c; c++) {
        bool sequence = *c == '%' && c[1];
        if (sequence && c[1] == 'e')
            fputs(program, f);
        else
            fputc(*c, f);
        if (sequence && (c[1] == 'e' || c[1] == '%'))
            c++;
        else
            kept |= sequence;
    }
    fclose(f);
    format_memory(name);
    if (kept && !rank) {
        char *clean = format_clean(name);
        fprintf(stderr, "prof: %s is the file of all ranks: in its name, %%e and %%%% alone stand "
                "for something\n", clean);
        free(clean);
    }
    return name;
}

static char *file_of(const struct job *j, int rank)
{
    return format_text("%s/%d.prof", j->folder, rank);
}

/* ---- who comes first: the rank's prof, or the one that waits for it ---- */

/* What a prof that waits no longer writes into R.end. */
#define GIVEN_UP "late"

/* R.KIND of FILE, R.prof: "end", or "begun" as long as the rank's prof runs. */
static char *beside(const char *file, const char *kind)
{
    return format_text("%.*s.%s", (int)(strlen(file) - strlen(".prof")), file, kind);
}

static void remove_beside(const char *file, const char *kind)
{
    char *name = beside(file, kind);
    unlink(name);
    free(name);
}

/* Makes R.KIND. False: it is there. */
static bool make_beside(const char *file, const char *kind, const char *text)
{
    char *name = beside(file, kind);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    free(name);
    if (fd < 0)
        return errno != EEXIST;
    bool good = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return good;
}

/* Has the rank of FILE ended? *LATE: a prof that waited for it had given up. */
static bool has_ended(const char *file, bool *late)
{
    char *name = beside(file, "end");
    struct stat st = { 0 };
    bool ended = !stat(name, &st);
    *late = ended && st.st_size > 0;
    free(name);
    return ended;
}

bool job_claim(const char *file)
{
    bool late;
    return !make_beside(file, "end", GIVEN_UP) && has_ended(file, &late) && !late &&
           !access(file, R_OK);
}

static bool has_begun(const char *file)
{
    char *name = beside(file, "begun");
    bool begun = !access(name, F_OK);
    free(name);
    return begun;
}

/* Removes what an earlier job has left of this rank; that of rank 0, too, of ranks that this job
 * does not have. */
static void remove_old(const struct job *j)
{
    DIR *folder = opendir(j->folder);
    if (!folder)
        return;
    for (struct dirent *e; (e = readdir(folder));) {
        char *end;
        long rank = strtol(e->d_name, &end, 10);
        const char *last = strrchr(end, '.');
        if (end != e->d_name && *end == '.' &&
            (!strcmp(last, ".prof") || !strcmp(last, ".end") || !strcmp(last, ".begun")) &&
            (rank == j->rank || (!j->rank && rank >= j->size)))
            unlinkat(dirfd(folder), e->d_name, 0);
    }
    closedir(folder);
}

/* False, with errno: there is no such folder in which files can be made. */
static bool make_folder(const char *path)
{
    struct stat st;
    if (mkdir(path, 0777) && errno != EEXIST)
        return false;
    if (stat(path, &st))
        return false;
    if (S_ISDIR(st.st_mode))
        return !access(path, W_OK | X_OK);
    errno = ENOTDIR;
    return false;
}

bool job_new(struct job *j, int rank, int size, const char *output, const char *command)
{
    *j = (struct job){ .rank = rank, .size = size };
    const char *slash = strrchr(command, '/'), *program = slash ? slash + 1 : command;
    char *name = name_of(output && *output ? output : "%e.job.prof", program, rank);
    char *cwd = *name == '/' ? 0 : getcwd(0, 0);
    j->output = cwd ? format_text("%s/%s", cwd, name) : format_text("%s", name);
    j->folder = format_text("%s.ranks", j->output);
    j->files = format_memory(calloc(size, sizeof *j->files));
    j->here = format_memory(calloc(size, sizeof *j->here));
    for (int i = 0; i < size; i++)
        j->files[i] = file_of(j, i);
    free(cwd);
    free(name);
    if (!make_folder(j->folder)) {
        char *clean = format_clean(j->folder);
        fprintf(stderr, "prof: %s: %s. Each rank has a file of its own\n", clean, strerror(errno));
        free(clean);
        job_free(j);
        return false;
    }
    remove_old(j);
    make_beside(j->files[rank], "begun", "");
    return true;
}

char *job_pattern(const struct job *j)
{
    char *folder = written_literal(j->folder),
         *pattern = format_text("%s/%d.%%e.%%p.prof", folder, j->rank);
    free(folder);
    return pattern;
}

/* A process's profile, as the rank's own: the more, the rather. */
enum part { EMPTY, UNREADABLE, HAS_WORK, HAS_RANK, HAS_FINISHED };

static enum part part_of(const char *file, double *work)
{
    struct profile p;
    if (profile_open(&p, file))
        return UNREADABLE;
    enum part part = profile_job_finished(&p)                ? HAS_FINISHED
                     : p.rank_count                          ? HAS_RANK
                     : p.totals.tasks || p.totals.work_cost ? HAS_WORK
                                                             : EMPTY;
    *work = profile_ns(&p, p.totals.work_cost);
    profile_close(&p);
    return part;
}

bool job_commit(const struct job *j, unsigned *others)
{
    char *pattern = job_pattern(j), *search = written_glob(pattern, 0);
    glob_t g = { 0 };
    size_t best = 0, n = glob(search, 0, 0, &g) ? 0 : g.gl_pathc;
    enum part *part = format_memory(calloc(n + 1, sizeof *part));
    double most = 0, work;
    *others = 0;
    for (size_t i = 0; i < n; i++) {
        work = 0;
        part[i] = part_of(g.gl_pathv[i], &work);
        if (!i || part[i] > part[best] || (part[i] == part[best] && work > most)) {
            best = i;
            most = work;
        }
    }
    for (size_t i = 0; i < n; i++)
        if (i == best)
            rename(g.gl_pathv[i], j->files[j->rank]);
        else if (part[i] != EMPTY)
            ++*others;
        else
            unlink(g.gl_pathv[i]);      /* such as that of a shell */
    free(part);
    globfree(&g);
    free(search);
    free(pattern);
    bool first = make_beside(j->files[j->rank], "end", "");
    remove_beside(j->files[j->rank], "begun");
    rmdir(j->folder);           /* rank 0 may have come to its end between these two */
    return first || !n;
}

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

void job_wait(const struct job *j)
{
    const struct timespec nap = { 0, 10000000 };
    long long start = now_ns();
    int next = j->rank - j->rank % JOB_GROUP,       /* those of the group below have ended */
        end = next + JOB_GROUP < j->size ? next + JOB_GROUP : j->size;
    bool late;
    while (next < end) {
        if (has_ended(j->files[next], &late))
            next++;
        else if (now_ns() - start > WAIT_NS)
            break;
        else
            nanosleep(&nap, 0);
    }
}

void job_look(struct job *j)
{
    bool late;
    j->count = 0;
    for (int i = 0; i < j->size; i++)
        j->count += j->here[i] = has_ended(j->files[i], &late) && !late &&
                                 !access(j->files[i], R_OK);
}

/* What the ranks of several hosts have left there (agents/mpi/hosts.h). A rank that has not read it
 * yet finds less than all of them, and is profiled alone. */
static void remove_hosts(const struct job *j)
{
    DIR *folder = opendir(j->folder);
    if (!folder)
        return;
    for (struct dirent *e; (e = readdir(folder));) {
        const char *end = strrchr(e->d_name, '.');
        if (end && (!strcmp(end, ".here") || !strcmp(end, ".decision")))
            unlinkat(dirfd(folder), e->d_name, 0);
    }
    closedir(folder);
}

void job_not_started(const struct job *j)
{
    remove_beside(j->files[j->rank], "begun");
    rmdir(j->folder);
}

void job_remove(const struct job *j)
{
    bool late;
    for (int i = 0; i < j->size; i++) {
        if (j->here[i])
            unlink(j->files[i]);
        /* the prof of a late rank has yet to find out */
        if (has_ended(j->files[i], &late) && !(late && has_begun(j->files[i])))
            remove_beside(j->files[i], "end");
    }
    remove_hosts(j);
    rmdir(j->folder);
}

void job_free(struct job *j)
{
    for (int i = 0; j->files && i < j->size; i++)
        free(j->files[i]);
    free(j->files);
    free(j->here);
    free(j->output);
    free(j->folder);
    *j = (struct job){ 0 };
}
