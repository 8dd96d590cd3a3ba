/* leash.c - `leash SECONDS DIR COMMAND...` runs COMMAND so that none of its processes escapes.
 *
 * Hosts start daemons, which leave their session, their process group and their environment. The
 * one thing that they cannot leave is their ancestry: we are the reaper of our descendants
 * (PR_SET_CHILD_SUBREAPER), so whoever loses its parent becomes our child.
 *
 * Status: COMMAND's, 128 + n if signal n ended it, 124 when it was not over after SECONDS. Then
 * DIR/hung has the stacks of all threads of all that was there, by gdb. DIR/left names what was
 * there GRACE_MS after COMMAND's end. All is killed in the end.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_MS 5000           /* a process that ends by itself, once it has the CPU, is not left
                                 * behind */
#define MOST 1024               /* processes */

static pid_t command;
static int status = -1;         /* of `command`; -1: it runs */

static long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void reap(void)
{
    int how;
    for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;)
        if (pid == command)
            status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

/* Of process PID, from /proc: its parent (-1: it is gone or a zombie) and its name. */
static pid_t parent_of(pid_t pid, char name[64])
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    char *open_ = strchr(text, '('), *close_ = strrchr(text, ')'), state;
    int parent;
    if (!open_ || !close_ || sscanf(close_ + 1, " %c %d", &state, &parent) != 2 || state == 'Z')
        return -1;
    *close_ = 0;
    snprintf(name, 64, "%s", open_ + 1);
    return parent;
}

struct process {
    pid_t pid, parent;
    char name[64];
    bool ours;
};

/* Our descendants, packed to the front of ALL; their number. */
static int descendants(struct process all[MOST])
{
    static struct process every[1 << 15];
    int n = 0, found = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *e; proc && (e = readdir(proc)) && n < 1 << 15;)
        if (isdigit((unsigned char)e->d_name[0])) {
            struct process *p = &every[n];
            p->pid = atoi(e->d_name);
            p->parent = parent_of(p->pid, p->name);
            p->ours = false;
            n += p->parent >= 0;
        }
    if (proc)
        closedir(proc);
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < n; i++) {
            bool ours = every[i].parent == getpid();
            for (int k = 0; k < found && !ours; k++)
                ours = all[k].pid == every[i].parent;
            if (ours && !every[i].ours && found < MOST) {
                every[i].ours = more = true;
                all[found++] = every[i];
            }
        }
    }
    return found;
}

/* Until MS from now, COMMAND's end (if ASKED) or a request to stop; true: stopped. */
static bool await(long ms, bool asked)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    for (long end = now_ms() + ms, left; (left = end - now_ms()) > 0 && !(asked && status >= 0);) {
        struct timespec t = { left / 1000, left % 1000 * 1000000 };
        int sig = sigtimedwait(&set, 0, &t);
        reap();
        if (sig == SIGTERM || sig == SIGINT)
            return true;
    }
    return false;
}

static void show_stacks(FILE *out)
{
    static struct process all[MOST];
    int n = descendants(all);
    for (int i = 0; i < n; i++) {
        char line[200];
        fprintf(out, "---- %d %s, child of %d\n", all[i].pid, all[i].name, all[i].parent);
        fflush(out);
        snprintf(line, sizeof line,
                 "timeout 60 gdb -nx -batch -p %d -ex 'thread apply all bt' 2>&1 | "
                 "grep -v '^warning'",
                 all[i].pid);
        pid_t gdb = fork();
        if (!gdb) {
            sigset_t none;
            sigemptyset(&none);
            sigprocmask(SIG_SETMASK, &none, 0);
            dup2(fileno(out), 1);
            execl("/bin/sh", "sh", "-c", line, (char *)0);
            _exit(127);
        }
        while (waitpid(gdb, 0, 0) < 0 && errno == EINTR)
            ;
    }
}

static void kill_all(void)
{
    static struct process all[MOST];
    for (int n; (n = descendants(all)) > 0;) {
        for (int i = 0; i < n; i++)
            kill(all[i].pid, SIGKILL);
        usleep(10000);
        reap();
    }
}

static FILE *file_in(const char *dir, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "we");
    if (!f) {
        perror(path);
        exit(125);
    }
    return f;
}

int main(int argc, char **argv)
{
    if (argc < 4 || prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L)) {
        fprintf(stderr, "usage: leash SECONDS DIR COMMAND...\n");
        return 125;
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);   /* of the script that drives us */
    sigset_t set, none;
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, 0);
    command = fork();
    if (!command) {
        for (int sig = 1; sig < NSIG; sig++)    /* the same wherever we are started, nohup and
                                                   background included */
            signal(sig, SIG_DFL);
        sigprocmask(SIG_SETMASK, &none, 0);
        setsid();
        int null = open("/dev/null", O_RDONLY);
        dup2(null, 0);
        close(null);
        execvp(argv[3], argv + 3);
        perror(argv[3]);
        _exit(127);
    }
    bool stopped = await(atol(argv[1]) * 1000, true);
    if (!stopped && status < 0) {
        FILE *out = file_in(argv[2], "hung");
        show_stacks(out);
        fclose(out);
        status = 124;
        command = -1;           /* as it is killed now, its status is none */
    } else if (!stopped) {
        static struct process all[MOST];
        int n;
        for (long end = now_ms() + GRACE_MS; (n = descendants(all)) > 0 && now_ms() < end;)
            stopped |= await(20, false);
        FILE *out = file_in(argv[2], "left");
        for (int i = 0; i < n; i++)
            fprintf(out, "%s\n", all[i].name);
        fclose(out);
    }
    kill_all();
    return stopped ? 143 : status;
}
