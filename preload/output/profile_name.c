/* profile_name.c - see profile_name.h; writer.h declares the functions that other rooms call.
 *
 * PROF_OUTPUT is made absolute at the start, because a daemon changes its directory. If the working
 * directory is gone by then, a relative name means no file, and profile_name is empty. If the name
 * is the default, and the working directory takes no files, the profile goes to TMPDIR, else to
 * /tmp. A name without %p is for one process. Every other process appends its pid and does not
 * overwrite the file: a forked child, and under `prof run` every process but the one that prof
 * started.
 */
#define _GNU_SOURCE
#include "output/profile_name.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/mpi_launcher.h"
#include "base/message.h"
#include "base/program.h"
#include "output/process_time.h"
#include "output/writer.h"
#include "base/forbid.h"

char profile_name[CONFIG_STRING + 1400];
static const char *elsewhere;   /* profile_name_elsewhere; NULL: the working directory */

bool writer_wanted(void)
{
    return config.run == 1 || (config.run > 1 && config.run == getppid());
}

/* Ranks on several hosts may have one process id, and the hosts one folder. */
static const char *pattern(void)
{
    bool is_rank = launcher.rank >= 0 && launcher.size != 1;
    return is_rank && !strcmp(config.output, config_default("PROF_OUTPUT")) ? "%e.%r.%p.prof"
                                                                            : config.output;
}

/* ALONE: the name is this process's, even without the pid. */
static void make_path(bool alone)
{
    char name[256];
    program_name(name, sizeof name);
    char *at = profile_name, *end = profile_name + sizeof profile_name - 32;
    bool has_pid = false;
    const char *directory = elsewhere ? elsewhere : program.directory;
    if (*config.output != '/' && !*directory) {
        *profile_name = 0;
        return;
    }
    if (*config.output != '/') {
        directory = strcmp(directory, "/") ? directory : "";
        at += message_format(at, end - at, "%s/", directory);
    }
    for (const char *f = pattern(); *f && at < end; f++) {
        if (*f != '%' || !f[1]) {
            *at++ = *f;
            continue;
        }
        unsigned long start = process_time.start_unix_ns / 1000000000u;
        switch (*++f) {
        case 'e': at += message_format(at, end - at, "%s", name); break;
        case 'p':
            at += message_format(at, end - at, "%d", (int)process_pid);
            has_pid = true;
            break;
        case 'h': at += message_format(at, end - at, "%s", program_host()); break;
        case 't': at += message_format(at, end - at, "%lu", start); break;
        case 'r':
            at += message_format(at, end - at, "%d", launcher.rank < 0 ? 0 : launcher.rank);
            break;
        case '%': *at++ = '%'; break;
        default:
            *at++ = '%';
            *at++ = *f;
        }
    }
    *at = 0;
    if (!has_pid && !alone)
        message_format(at, 32, ".%d", (int)process_pid);
}

/* The sequences in PROF_OUTPUT that make_path does not know: "%q %", each once. */
static void name_unknown(char *text, char *end)
{
    char *start = text, *at = text;
    for (const char *f = config.output; *f; f++) {
        if (*f != '%' || (f[1] && strchr("ephtr%", f[1]))) {
            f += *f == '%';
            continue;
        }
        char one[6] = "%";
        unsigned n = 1;
        if (f[1]) {
            one[n++] = *++f;
            while (n < 5 && ((unsigned char)f[1] & 0xc0) == 0x80)       /* one letter in UTF-8 */
                one[n++] = *++f;
        }
        one[n] = 0;
        bool known = false;
        for (const char *t = start; !known && (t = strstr(t, one)); t += n)
            known = t[n] == ' ' || !t[n];
        if (!known && end - at > (int)sizeof one + 1)
            at += message_format(at, end - at, at > start ? " %s" : "%s", one);
    }
}

static void check_pattern(void)
{
    char unknown[64] = "";
    name_unknown(unknown, unknown + sizeof unknown);
    if (*unknown)
        message(MESSAGE_WARNING,
                "PROF_OUTPUT has %s, and libprof knows %%e %%p %%h %%r %%t %%%% alone: it is kept "
                "as it is written", unknown);
}

void writer_setup(char *const *environment)
{
    int saved = errno;
    process_time_start();       /* first: the rest is part of libprof's start-up */
    program_setup(environment);
    launcher_setup(environment);
    if (!*config.output) {
        message(MESSAGE_WARNING, "PROF_OUTPUT is empty: using \"%%e.%%p.prof\"");
        config.output = config_default("PROF_OUTPUT");
    }
    check_pattern();
    make_path(config.run <= 1 || writer_wanted());
    errno = saved;
}

void profile_name_forked(void)
{
    make_path(false);
}

bool profile_name_elsewhere(void)
{
    static const char last[] = "/tmp";
    if ((elsewhere && !strcmp(elsewhere, last)) ||
        strcmp(config.output, config_default("PROF_OUTPUT")))
        return false;
    elsewhere = elsewhere ? last : program.temporary;
    make_path(true);            /* the default has the pid */
    return true;
}
