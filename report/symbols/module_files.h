/* module_files.h - where the file of a module may be, and the file of its debug information: in the
 * archive that the profile came from, at the recorded path, in the folders of --symbols and
 * PROF_SYMBOLS, and at the servers of DEBUGINFOD_URLS. A file counts if its build id is the
 * recorded one.
 */
#ifndef REPORT_SYMBOLS_MODULE_FILES_H
#define REPORT_SYMBOLS_MODULE_FILES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/profile.h"

/* The build id of MAP in lower-case hexadecimal digits; "": it has none. Fills and returns TEXT. */
enum { FILES_ID = 65 };
const char *files_build_id(const struct lpf_module *map, char text[FILES_ID]);

enum files_kind { FILES_ELF, FILES_DEBUG };

/* Calls TRY with the files that may be KIND of P's module MAP, the best first, until it returns
 * true: then it has taken FD. PATH is the file's name, for people. False: no TRY has. The
 * files of the other kind come last: separate debug information has all names, and a module that
 * was not stripped has debug information. */
typedef bool files_try(void *context, int fd, const char *path);
bool files_each(const struct profile *p, const struct lpf_module *map, enum files_kind kind,
                files_try *try, void *context);
/* How FD's build id compares with MAP's. */
enum files_match { FILES_SAME, FILES_OTHER, FILES_NO_ELF };
enum files_match files_match(int fd, const struct lpf_module *map);

/* The file that DWARF shares with others (dwz). Sets *MAP to its build id; its path is that of
 * MODULE, whose DWARF it is. The name by which DWARF knows it; NULL: there is none. */
const char *files_shared(Dwarf *dwarf, const struct lpf_module *module, struct lpf_module *map);

/* The regular file PATH, open for reading. -1: there is none; errno is 0 if it is another kind. */
int files_open(const char *path);

/* PATH in a folder that holds a copy of a tree: without a slash at its start, "." and "..". The
 * caller frees it. */
char *files_inside(const char *path);
/* The source file NAME: if *ARCHIVED, in P's archive, with its time of change in ns; else in a
 * folder. -1: none has it. */
int files_source(const struct profile *p, const char *name, uint64_t *changed_ns, bool *archived);

/* Adds FOLDER, of --symbols, to the folders, behind those that were added before. It must live as
 * long as prof. False after one line on stderr: it is none. */
bool files_add_folder(const char *folder);

/* Is there a server to ask? */
bool files_have_server(void);

#endif
