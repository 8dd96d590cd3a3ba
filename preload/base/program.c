/* program.c - see program.h. System calls go through syscall(2): libc's functions are cancellation
 * points, and the program may interpose them.
 */
#define _GNU_SOURCE
#include "base/program.h"
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/lookup.h"
#include "base/message.h"
#include "base/forbid.h"

struct program program;
pid_t process_pid;
static char **arguments;        /* of main; NULL: not known */
static int argument_count;

static void read_link(const char *link, char *to, size_t size)
{
    ssize_t n = readlink(link, to, size - 1);
    to[n > 0 ? n : 0] = 0;
}

/* Works without /proc, too. */
void program_directory_now(char *to, size_t size)
{
    if (syscall(SYS_getcwd, to, size) <= 0 || *to != '/')
        *to = 0;
}

void program_arguments(int argc, char **argv)
{
    arguments = argv;
    argument_count = argc;
}

/* As /proc/self/cmdline has it, which costs three system calls. */
static void copy_arguments(void)
{
    char *to = program.cmdline;
    size_t n = 0, most = sizeof program.cmdline - 1;
    for (int i = 0; arguments && i < argument_count && arguments[i] && n < most; i++) {
        size_t length = strlen(arguments[i]) + 1, room = most - n;
        memcpy(to + n, arguments[i], length < room ? length : room);
        n += length < room ? length : room;
    }
    if (n && !to[n - 1])
        n--;
    for (size_t i = 0; i < n; i++)
        if (!to[i])
            to[i] = ' ';
    to[n] = 0;
}

/* Sets program.exe to PATH if that is an ELF file. */
static bool is_exe(const char *path)
{
    char magic[4] = "";
    if (!path || !strchr(path, '/'))
        return false;
    int fd = syscall(SYS_openat, AT_FDCWD, path, (long)(O_RDONLY | O_CLOEXEC), 0L);
    if (fd < 0)
        return false;
    bool elf = syscall(SYS_read, (long)fd, magic, sizeof magic) == sizeof magic &&
               !memcmp(magic, "\177ELF", sizeof magic);
    syscall(SYS_close, (long)fd);
    if (!elf || (*path != '/' && !*program.directory))
        return false;
    while (!strncmp(path, "./", 2))
        path += 2;
    message_format(program.exe, sizeof program.exe, "%s%s%s",
                   *path == '/' ? "" : program.directory, *path == '/' ? "" : "/", path);
    return true;
}

/* Without /proc: the path that was executed. If that is a script, the kernel has put its
 * interpreter's path first among the arguments. */
static void guess_exe(void)
{
    if (!is_exe((const char *)getauxval(AT_EXECFN)) && arguments && argument_count > 0)
        is_exe(arguments[0]);
}

/* gcc links a static sanitizer's runtime without its own names. But the program then refers to
 * functions that it may define for the runtime. */
static bool has_static_sanitizer(void)
{
    return lookup_asked("__sanitizer_symbolize_code");
}

bool program_has_tsan(void)
{
    return lookup_defined("__tsan_init") ||
           (has_static_sanitizer() && !lookup_asked("__sanitizer_malloc_hook"));
}

/* If the program's file was removed, the kernel adds " (deleted)" to its name. Without /proc, the
 * name comes from the auxiliary vector. */
void program_name(char *to, size_t size)
{
    static const char gone[] = " (deleted)";
    const char *path = *program.exe ? program.exe : (const char *)getauxval(AT_EXECFN);
    const char *base = path ? strrchr(path, '/') : 0;
    base = base ? base + 1 : path;
    if (!base || !*base)
        base = "unknown";
    size_t n = strlen(base), end = sizeof gone - 1;
    if (path == program.exe && n > end && !strcmp(base + n - end, gone) &&
        syscall(SYS_faccessat, (long)AT_FDCWD, path, (long)F_OK))
        n -= end;
    n = n < size - 1 ? n : size - 1;
    memcpy(to, base, n);
    to[n] = 0;
}

static void set_temporary(char *const *environment)
{
    const char *directory = "/tmp";
    for (char *const *e = environment; e && *e; e++)
        if (!strncmp(*e, "TMPDIR=/", 8) && strlen(*e + 7) < sizeof program.temporary)
            directory = *e + 7;
    strcpy(program.temporary, directory);
}

static unsigned count_processors(void)
{
    unsigned long set[128] = { 0 };
    long bytes = syscall(SYS_sched_getaffinity, 0L, sizeof set, set);
    unsigned n = 0;
    for (long i = 0; i < 8 * bytes; i++)
        n += set[i / 64] >> i % 64 & 1;
    if (bytes > 0)
        memcpy(program.allowed, set, sizeof program.allowed);
    return n;
}

const char *program_host(void)
{
    static char host[sizeof ((struct utsname *)0)->nodename];
    struct utsname u;
    if (!*host && !uname(&u))
        memcpy(host, u.nodename, sizeof host);
    return host;
}

void program_setup(char *const *environment)
{
    set_temporary(environment);
    program.processors = count_processors();
    read_link("/proc/self/exe", program.exe, sizeof program.exe);
    program_directory_now(program.directory, sizeof program.directory);
    program.no_proc = !*program.exe;
    if (program.no_proc)
        guess_exe();
    copy_arguments();
}
