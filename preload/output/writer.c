/* writer.c - see writer.h. The whole file is built in one mapped buffer, then written to
 * NAME.PID.tmp in the same directory and renamed. So a reader sees the old file or the new one.
 *
 * Rules: one writer at a time (lifecycle/write.c), with signals blocked. System calls that touch
 * the file go through syscall(2): libc's functions are cancellation points, and the program may
 * interpose them. Only a regular file is ever replaced: PROF_OUTPUT=/dev/null, written as root,
 * would replace the device.
 */
#define _GNU_SOURCE
#include "output/writer.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/message.h"
#include "libprof_format.h"
#include "output/process_time.h"
#include "output/profile_name.h"
#include "output/sections.h"
#include "base/forbid.h"

static bool write_failed;       /* a write failed; one line was printed, once a process */

void writer_forked(void)
{
    process_time_start();
    profile_name_forked();
    write_failed = false;
}

/* ---- system calls ---- */

static int sys_open(const char *name, int flags)
{
    return syscall(SYS_openat, AT_FDCWD, name, (long)flags, 0600L);
}

/* The program has used all its descriptors. At its end the hard limit has one more. Not earlier:
 * until the limit is set back, other threads of the program could open files beyond it. */
static int sys_open_beyond(const char *name, int flags)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return -1;
    const struct rlimit higher = { limit.rlim_max, limit.rlim_max };
    if (limit.rlim_cur >= limit.rlim_max || setrlimit(RLIMIT_NOFILE, &higher)) {
        errno = EMFILE;
        return -1;
    }
    int fd = sys_open(name, flags), error = errno;
    setrlimit(RLIMIT_NOFILE, &limit);
    errno = error;
    return fd;
}

static void sys_unlink(const char *name)
{
    syscall(SYS_unlinkat, (long)AT_FDCWD, name, 0L);
}

static int sys_close(int fd)
{
    return syscall(SYS_close, (long)fd);
}

/* ---- the file ---- */

static void assemble(struct buffer *file, struct sections *s, uint32_t flags)
{
    const struct { uint32_t type, entry; struct buffer *b; } list[] = {
        { LPF_STRINGS, 1, &s->strings },
        { LPF_SETTINGS, sizeof(struct lpf_setting), &s->settings },
        { LPF_TOTALS, sizeof(struct lpf_totals), &s->totals },
        { LPF_MODULES, sizeof(struct lpf_module), &s->modules },
        { LPF_SITES, sizeof(struct lpf_site), &s->sites },
        { LPF_CONTEXTS, sizeof(struct lpf_context), &s->contexts },
        { LPF_REGIONS, sizeof(struct lpf_region), &s->regions },
        { LPF_NOTES, sizeof(struct lpf_note), &s->notes },
        { LPF_THREADS, sizeof(struct lpf_thread), &s->threads },
        { LPF_NODES, sizeof(struct lpf_node), &s->nodes },
        { LPF_SAMPLES, sizeof(struct lpf_sample), &s->samples },
        { LPF_CANDIDATES, sizeof(struct lpf_candidate), &s->candidates },
        { LPF_SCENARIOS, sizeof(struct lpf_scenario), &s->scenarios },
        { LPF_TERMS, sizeof(struct lpf_term), &s->terms },
        { LPF_LOOPS, sizeof(struct lpf_loops), &s->loops },
        { LPF_DAG, sizeof(struct lpf_dag), &s->dag },
        { LPF_DAG_OPS, sizeof(struct lpf_dag_op), &s->dag_ops },
        { LPF_DAG_ARCS, sizeof(struct lpf_dag_arc), &s->dag_arcs },
        { LPF_SPREAD, sizeof(struct lpf_spread), &s->spread },
        { LPF_TYPICAL, sizeof(struct lpf_typical), &s->typical },
        { LPF_OUTLIERS, sizeof(struct lpf_outliers), &s->outliers },
        { LPF_CHUNKS, sizeof(struct lpf_chunks), &s->chunks },
        { LPF_TEAMS_OF_ONE, sizeof(struct lpf_team_of_one), &s->teams_of_one },
        { LPF_HANDED, sizeof(struct lpf_handed), &s->handed },
        { LPF_IDLE, sizeof(struct lpf_idle), &s->idle },
        { LPF_PHASES, sizeof(struct lpf_phases), &s->phases },
        { LPF_IDLE_SUM, sizeof(struct lpf_idle_sum), &s->idle_sum },
        { LPF_SQUARES, sizeof(struct lpf_squares), &s->squares },
        { LPF_TIMELINE, sizeof(struct lpf_timeline), &s->timeline },
        { LPF_TIMELINE_ROWS, sizeof(struct lpf_timeline_row), &s->timeline_rows },
        { LPF_TIMELINE_BINS, sizeof(struct lpf_timeline_bin), &s->timeline_bins },
        { LPF_TIMED, sizeof(struct lpf_timed), &s->timed },
        { LPF_TIMED_SAMPLES, sizeof(struct lpf_timed_sample), &s->timed_samples },
        { LPF_READY, sizeof(struct lpf_ready), &s->ready },
        { LPF_READY_BINS, sizeof(struct lpf_ready_bin), &s->ready_bins },
        { LPF_RANKS, sizeof(struct lpf_rank), &s->ranks },
        { LPF_AWAITED, sizeof(struct lpf_awaited), &s->awaited },
        { LPF_REGION_RANKS, sizeof(struct lpf_region_rank), &s->region_ranks },
        { LPF_CPUS, sizeof(struct lpf_cpu), &s->cpus },
        { LPF_MACHINE, sizeof(struct lpf_machine), &s->machine },
        { LPF_WAITS, sizeof(struct lpf_wait), &s->waits },
        { LPF_SWITCHES, sizeof(struct lpf_switches), &s->switches },
    };
    enum { N = sizeof list / sizeof list[0] };
    struct lpf_header h = { .magic = LPF_MAGIC, .version = LPF_VERSION, .header_size = sizeof h,
                            .section_count = N, .section_size = sizeof(struct lpf_section),
                            .flags = flags };
    struct lpf_section table[N];
    memset(table, 0, sizeof table);
    uint64_t at = sizeof h + sizeof table;
    for (unsigned i = 0; i < N; i++) {
        at = (at + 7) & ~(uint64_t)7;
        const struct buffer *b = list[i].b;
        table[i] = (struct lpf_section){ .type = list[i].type, .entry_size = list[i].entry,
                                         .offset = at, .count = b->used / list[i].entry,
                                         .crc = buffer_crc32(0, b->data, b->used) };
        at += b->used;
    }
    h.file_size = at;
    h.header_crc = buffer_crc32(buffer_crc32(0, &h, sizeof h), table, sizeof table);
    buffer_add(file, &h, sizeof h);
    buffer_add(file, table, sizeof table);
    for (unsigned i = 0; i < N; i++) {
        buffer_grow(file, (8 - file->used % 8) % 8);
        buffer_add(file, list[i].b->data, list[i].b->used);
        file->failed |= list[i].b->failed;
    }
}

/* May the file at profile_name be replaced? 0 or -errno. A system call, because other preloads
 * interpose lstat. libfaketime's lstat waits for a lock that libfaketime removed when it ended. */
static int check_target(void)
{
    struct stat st;
    if (syscall(SYS_newfstatat, (long)AT_FDCWD, profile_name, &st, (long)AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : -errno;
    return S_ISREG(st.st_mode) ? 0 : S_ISDIR(st.st_mode) ? -EISDIR : -ENOTSUP;
}

static int write_all(int fd, const struct buffer *file)
{
    for (size_t at = 0; at < file->used;) {
        long n = syscall(SYS_write, (long)fd, file->data + at, file->used - at);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n == 0)
            return -ENOSPC;
        if (n > 0)
            at += n;
    }
    return 0;
}

static int write_file(const struct buffer *file, bool last)
{
    char temporary[sizeof profile_name + 32];
    struct rlimit limit;
    if (!*profile_name)
        return -ENOENT;
    int error = check_target();
    if (error)
        return error;
    /* beyond the limit the kernel would raise SIGXFSZ, which ends the program */
    if (!getrlimit(RLIMIT_FSIZE, &limit) && file->used > limit.rlim_cur)
        return -EFBIG;
    message_format(temporary, sizeof temporary, "%s.%d.tmp", profile_name, (int)getpid());
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = sys_open(temporary, flags);
    if (fd < 0 && errno == EEXIST) {
        /* It is left from an earlier process with this pid that was killed, or from this process
         * before exec. */
        sys_unlink(temporary);
        fd = sys_open(temporary, flags);
    }
    if (fd < 0 && errno == EMFILE && last)
        fd = sys_open_beyond(temporary, flags);
    if (fd < 0)
        return -errno;
    error = write_all(fd, file);
    if (sys_close(fd) < 0 && !error && errno != EINTR)
        error = -errno;
    if (!error &&
        syscall(SYS_renameat2, (long)AT_FDCWD, temporary, (long)AT_FDCWD, profile_name, 0L) < 0)
        error = -errno;
    if (error)
        sys_unlink(temporary);
    return error;
}

static const char *error_text(int error)
{
    switch (-error) {
    case EACCES: case EPERM: return "permission denied";
    case ENOENT: return "no such directory";
    case ENOSPC: case EDQUOT: return "no space left";
    case EROFS: return "read-only file system";
    case EFBIG: return "file size limit (ulimit -f)";
    case ENOTSUP: return "it exists and is not a regular file";
    case EISDIR: return "it is a directory";
    case ENOTDIR: return "a part of the path is not a directory";
    case ELOOP: return "too many symbolic links";
    case ENOMEM: return "out of memory";
    case ENAMETOOLONG: return "name too long";
    case EMFILE: case ENFILE: return "too many open files";
    case EBUSY: return "another thread writes it, and takes too long";
    default: return "input/output error";
    }
}

void writer_report(int error)
{
    if (!error || write_failed)
        return;
    write_failed = true;
    if (!*profile_name && error == -ENOENT) {
        message(MESSAGE_WARNING,
                "cannot write the profile: the working directory is gone, or its path is too long "
                "(PROF_OUTPUT may be an absolute path)");
        return;
    }
    /* What is wrong with its name is the same for each process of a family, a shortage is not. */
    bool own = error == -ENOMEM || error == -EMFILE || error == -ENFILE || error == -EBUSY;
    message(own ? MESSAGE_LOSS : MESSAGE_WARNING,
            "cannot write the profile %s: %s (PROF_OUTPUT sets its name)", profile_name,
            error_text(error));
}

static bool takes_no_files(int error)
{
    return error == -EACCES || error == -EPERM || error == -EROFS;
}

/* Into TMPDIR or /tmp if the working directory takes no files, and nobody chose it for profiles. */
static int write_somewhere(const struct buffer *file, bool last)
{
    int error = write_file(file, last);
    if (!takes_no_files(error) || !profile_name_elsewhere())
        return error;
    const char *why = error_text(error);
    error = write_file(file, last);
    if ((takes_no_files(error) || error == -ENOENT || error == -ENOTDIR) &&
        profile_name_elsewhere())
        error = write_file(file, last);
    if (!error)
        message(MESSAGE_WARNING,
                "no profile can be written in the working directory (%s); it goes to %s "
                "(PROF_OUTPUT sets its name)", why, profile_name);
    return error;
}

int writer_write(const struct snapshot *snap, uint32_t end, uint32_t status)
{
    int saved = errno;
    struct sections s;
    struct buffer file;
    memset(&s, 0, sizeof s);
    memset(&file, 0, sizeof file);
    sections_fill(&s, snap, end, status);
    assemble(&file, &s,
             end == LPF_END_RUNNING ? LPF_F_CHECKPOINT : end == LPF_END_SIGNAL ? LPF_F_CRASHED : 0);
    int error = file.failed ? -ENOMEM : write_somewhere(&file, end != LPF_END_RUNNING);
    if (!error && end != LPF_END_RUNNING) {
        message_profile_left();
        message(MESSAGE_INFO, "wrote %s (%lu task%s)", profile_name, (unsigned long)snap->tasks,
                snap->tasks == 1 ? "" : "s");
    }
    sections_release(&s);
    buffer_release(&file);
    process_time_written();
    errno = saved;
    return error;
}
