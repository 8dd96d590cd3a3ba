/* fault.c - runs a program once for every call of libprof's that can be refused, and compares each
 * run with a run without libprof.
 *
 *     fault [OPTION]... NAME LIBPROF INJECT PROF PROGRAM [ARGUMENT]...
 *       -d DIR        where the runs are made; a failing one keeps its directory there
 *       -e VAR=VALUE  a setting of the program's environment
 *       -s MOST       of more calls of a kind than this, the first half and some of the others
 *       -r KIND:ERROR:FIRST:LAST   this run alone, as a failure prints it
 *       -l LINES      libprof may say so many lines more than when nothing is refused (default 1)
 *       -P            refuse the program's calls: the driver has to notice
 *
 * The same: the standard output, the status, and on the standard error the program's lines and
 * one of libprof's. What stands under the profile's name is whole, and nothing else is left.
 * Every process of the program ends.
 */
#define _GNU_SOURCE
#include "child.h"
#include "inject.h"
#include <dirent.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define OUTPUT_MOST 65536

static const struct {
    const char *name, *errors;
} kinds[] = {
#define FAULT(name, number, errors) { #name, errors },
#include "faults.def"
#undef FAULT
};

struct output {
    char out[OUTPUT_MOST], err[OUTPUT_MOST];
    int status;
};

static struct output native, now;
static struct inject_page *page;
static char base[PATH_MAX - 512], page_name[PATH_MAX];
static const char *name, *libprof, *inject, *prof;
static char **program, *settings[16];
static int setting_count;
static unsigned most = UINT_MAX, failures;
static int lines_usual, lines_more = 1;
static bool programs;

static void die(const char *what)
{
    perror(what);
    exit(2);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    return remove(path);
}

static void redirect(const char *path, int to)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || dup2(fd, to) < 0)
        _exit(126);
    close(fd);
}

/* The program in DIR, with libprof or without. False: it hung, or left processes behind. */
static bool run(const char *dir, bool preload, struct output *o)
{
    char out[PATH_MAX], err[PATH_MAX], both[2 * PATH_MAX];
    snprintf(out, sizeof out, "%s.out", dir);
    snprintf(err, sizeof err, "%s.err", dir);
    pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (!pid) {
        child_alone();
        redirect(out, 1);
        redirect(err, 2);
        if (chdir(dir))
            _exit(126);
        for (int i = 0; i < setting_count; i++)
            putenv(settings[i]);
        if (preload) {
            snprintf(both, sizeof both, "%s %s", libprof, inject);
            setenv("LD_PRELOAD", both, 1);
            setenv("FAULT_PAGE", page_name, 1);
            setenv("PROF_OUTPUT", "out.prof", 1);
        }
        execv(program[0], program);
        _exit(127);
    }
    setpgid(pid, pid);
    bool good = child_stopped(pid, &o->status);
    if (!good) {
        kill(-pid, SIGABRT);
        sleep(1);
        kill(-pid, SIGKILL);
        waitpid(pid, &o->status, 0);
    }
    for (int i = 0; good && !kill(-pid, 0);
         i++) { /* the program's orphans end as quickly as the program */
        if (i == HANG_S * 10) {
            kill(-pid, SIGKILL);
            good = false;
        }
        usleep(i ? 100000 : 1000);
    }
    read_text(out, o->out, sizeof o->out);
    read_text(err, o->err, sizeof o->err);
    return good;
}

/* What judge and the functions that it calls return. */
static char why[PATH_MAX + 512];

/* libprof's lines are few, and all others are the program's own. A profile that is lost has a line
 * of its own, whatever was said before; it has the profile's name, so nobody says it twice. */
static const char *judge_stderr(enum fault kind)
{
    static const char lost[] = "libprof: cannot write the profile ";
    const char *last = "";
    int lines = 0;
    char *rest = now.err, *line;
    size_t known = strlen(native.err);
    while ((line = strsep(&rest, "\n"))) {
        if (!*line)
            continue;
        if (!strncmp(line, lost, sizeof lost - 1) && strcmp(line, last))
            last = line;
        else if (!strncmp(line, "libprof: ", 9))
            lines++;
        else if (!known || !strstr(native.err, line)) {
            snprintf(why, sizeof why, "on stderr: %.200s", line);
            return why;
        }
    }
    if (kind == FAULTS)
        lines_usual = lines;
    else if (lines > lines_usual + lines_more)
        return "too many lines on stderr";
    return 0;
}

/* DIR has the profile, or no file: *PROFILE. */
static const char *judge_files(const char *dir, enum fault kind, bool *profile)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (*e->d_name == '.')
            continue;
        if (!strcmp(e->d_name, "out.prof")) {
            *profile = true;
        } else if (strncmp(e->d_name, "out.prof", 8) ||
                   (strstr(e->d_name, ".tmp") && kind != FAULT_unlink)) {
            snprintf(why, sizeof why, "left behind: %.200s", e->d_name);
            closedir(d);
            return why;
        }
    }
    if (d)
        closedir(d);
    return 0;
}

static const char *judge_profile(const char *dir)
{
    pid_t pid = fork();
    if (!pid) {
        snprintf(why, sizeof why, "%s/out.prof", dir);
        redirect("/dev/null", 1);
        redirect("/dev/null", 2);
        execl(prof, prof, "report", "--json", why, (char *)0);
        _exit(127);
    }
    int status = 0;
    if (pid < 0 || !child_stopped(pid, &status) || status)
        return "prof cannot read the profile";
    return 0;
}

/* What is wrong with this run, in one line; 0: nothing. */
static const char *judge(const char *dir, bool good, enum fault kind)
{
    if (!good)
        return "it hangs, or leaves processes behind";
    if (now.status != native.status) {
        snprintf(why, sizeof why, "status %#x, expected %#x", now.status, native.status);
        return why;
    }
    if (strcmp(now.out, native.out))
        return "another output";
    bool profile = false;
    const char *wrong = judge_stderr(kind);
    if (wrong || (wrong = judge_files(dir, kind, &profile)))
        return wrong;
    bool risky = kind == FAULT_mmap || kind == FAULT_openat || kind == FAULT_read ||
                 kind == FAULT_write || kind == FAULT_close || kind == FAULT_rename ||
                 kind == FAULTS;
    if (!profile || !risky)
        return kind == FAULTS && !profile && !programs ? "no profile" : 0;
    return judge_profile(dir);
}

static void say_again(enum fault kind, const char *error, unsigned first, unsigned last)
{
    printf("  again: %s ", program_invocation_name);
    for (int i = 0; i < setting_count; i++)
        printf("-e '%s' ", settings[i]);
    printf("-l %d %s-r %s:%s:%u:%u %s %s %s %s", lines_more, programs ? "-P " : "",
           kinds[kind].name, error, first, last, name, libprof, inject, prof);
    for (char **p = program; *p; p++)
        printf(" %s", *p);
    printf("\n");
}

/* Calls FIRST to LAST of KIND get ERROR. KIND FAULTS: none does. */
static bool try(enum fault kind, const char *error, unsigned first, unsigned last)
{
    char dir[PATH_MAX], path[PATH_MAX + 8];
    memset(page, 0, sizeof *page);
    page->kind = kind;
    page->programs = programs;
    for (size_t i = 0; error && i < sizeof inject_errors / sizeof *inject_errors; i++)
        if (!strcmp(inject_errors[i].name, error)) {
            page->error = inject_errors[i].error;
            page->first = first;
            page->last = last;
        }
    if (error && !page->error)
        die(error);
    snprintf(dir, sizeof dir, "%s/%s.%s.%s.%u-%u", base, name,
             kind == FAULTS ? "clean" : kinds[kind].name, error ? error : "", first, last);
    if (mkdir(dir, 0700) && errno != EEXIST)
        die(dir);
    bool good = run(dir, true, &now);
    const char *wrong = judge(dir, good, kind);
    if (wrong) {
        failures++;
        printf("  %s: %s; see %s, %s.out, %s.err\n", name, wrong, dir, dir, dir);
        if (kind != FAULTS)
            say_again(kind, error, first, last);
        fflush(stdout);
        return false;
    }
    nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    snprintf(path, sizeof path, "%s.out", dir);
    unlink(path);
    snprintf(path, sizeof path, "%s.err", dir);
    unlink(path);
    return true;
}

struct tried {
    unsigned calls, runs, struck, failed;
};

/* Each of CALLS calls alone, or a selection of them; and some with all that follow. */
static void try_kind(enum fault kind, unsigned calls, struct tried *tried)
{
    char errors[128], *rest = errors, *error;
    unsigned before = failures;         /* five failures of a kind are enough */
    strcpy(errors, kinds[kind].errors);
    tried->calls += calls;
    while ((error = strsep(&rest, " ")) && failures < before + 5) {
        bool lasting = strcmp(error, "EINTR") && strcmp(error, "signal") &&
                       !(kind == FAULT_futex || kind == FAULT_clock_nanosleep);
        unsigned half = most / 2;
        for (unsigned n = 1; n <= calls && failures < before + 5; n++) {
            if (calls > most && n > half &&
                (n - half) * (uint64_t)(most - half) / (calls - half) ==
                    (n - half - 1) * (uint64_t)(most - half) / (calls - half))
                continue;
            try(kind, error, n, n);
            tried->struck += page->injected > 0;
            tried->runs++;
        }
        for (unsigned a = 1, b = 2, n; lasting && a <= calls && failures < before + 5;
             n = a + b, a = b, b = n, tried->runs++)
            try(kind, error, a, UINT_MAX);
    }
    tried->failed += failures - before;
}

static void say_tried(const char *kind, const struct tried *tried)
{
    if (tried->failed)
        printf("FAIL fault/%s/%s: %u of %u runs, see above\n", name, kind, tried->failed,
               tried->runs);
    else
        printf("PASS fault/%s/%s (%u calls, %u runs, %u struck)\n", name, kind, tried->calls,
               tried->runs, tried->struck);
    fflush(stdout);
}

/* Does the length of the run decide whether there is such a call at all? These kinds have one
 * result together, so that each run of the suite has the same results. */
static bool is_by_time(enum fault kind)
{
    return kind == FAULT_pread || kind == FAULT_close_range || kind == FAULT_clock_nanosleep ||
           kind == FAULT_timer_delete;
}

/* *ONLY: KIND:ERROR:FIRST:LAST, the one run to repeat; *WHERE: the directory. */
static bool arguments(int argc, char **argv, const char **only, const char **where)
{
    for (int option; (option = getopt(argc, argv, "+d:e:s:r:l:P")) >= 0;)
        switch (option) {
        case 'd':
            *where = optarg;
            break;
        case 'e':
            if (setting_count == sizeof settings / sizeof *settings)
                return false;
            settings[setting_count++] = optarg;
            break;
        case 's':
            most = atoi(optarg);
            break;
        case 'r':
            *only = optarg;
            break;
        case 'l':
            lines_more = atoi(optarg);
            break;
        case 'P':
            programs = true;
            break;
        default:
            return false;
        }
    if (argc - optind < 5)
        return false;
    name = argv[optind];
    libprof = argv[optind + 1];
    inject = argv[optind + 2];
    prof = argv[optind + 3];
    program = argv + optind + 4;
    return true;
}

/* The directory, and the page that the injector shares with us. */
static void make_base(const char *where)
{
    if (where)
        snprintf(base, sizeof base, "%s", where);
    else if (!mkdtemp(strcpy(base, "/tmp/fault.XXXXXX")))
        die("mkdtemp");
    snprintf(page_name, sizeof page_name, "%s/%s.page", base, name);
    int fd = open(page_name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *page) ||
        (page = mmap(0, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED)
        die(page_name);
}

/* The run that ONLY describes. */
static int try_only(const char *only)
{
    char kind[64], error[64];
    unsigned first, last;
    if (sscanf(only, "%63[^:]:%63[^:]:%u:%u", kind, error, &first, &last) != 4)
        return 2;
    for (int k = 0; k < FAULTS; k++)
        if (!strcmp(kinds[k].name, kind)) {
            bool good = try(k, error, first, last);
            printf("%s; %u of %u calls got %s\n", good ? "as it should be" : "not so",
                   page->injected, page->calls[k], error);
            return !good;
        }
    return 2;
}

static int try_all(void)
{
    if (!try(FAULTS, 0, 0, 0)) {
        printf("FAIL fault/%s: with nothing refused\n", name);
        return 1;
    }
    uint32_t calls[FAULTS], all = 0;
    memcpy(calls, page->calls, sizeof calls);
    for (int k = 0; k < FAULTS; k++)
        all += calls[k];
    if (!all) {
        printf("FAIL fault/%s: the injector saw no call\n", name);
        return 1;
    }
    struct tried by_time = { 0 };
    for (int k = 0; k < FAULTS; k++) {
        struct tried one = { 0 };
        if (calls[k])
            try_kind(k, calls[k], is_by_time(k) ? &by_time : &one);
        if (one.calls)
            say_tried(kinds[k].name, &one);
    }
    say_tried("by-time", &by_time);
    return failures != 0;
}

int main(int argc, char **argv)
{
    const char *only = 0, *where = 0;
    if (!arguments(argc, argv, &only, &where))
        return 2;
    make_base(where);
    children_watched();
    char dir[PATH_MAX];
    snprintf(dir, sizeof dir, "%s/%s.native", base, name);
    mkdir(dir, 0700);
    if (!run(dir, false, &native) ||
        (WIFEXITED(native.status) && WEXITSTATUS(native.status) > 125)) {
        printf("FAIL fault/%s: the program alone hangs or does not start\n", name);
        return 1;
    }
    return only ? try_only(only) : try_all();
}
