/* pack.h - packs a profile, the files of its modules and the program's source into one file, which
 * every command of prof reads as it reads a profile. docs/ARCHIVE.md describes the file. */
#ifndef REPORT_ARCHIVE_PACK_H
#define REPORT_ARCHIVE_PACK_H

#include <stdbool.h>

/* Packs FILE into OUTPUT; "-" is standard output, NULL is FILE's name with .tar.gz, in the working
 * directory. SOURCE: with the program's source. Returns prof's exit status; lines on stderr
 * name what was packed, and what was not. */
int archive_pack(const char *file, const char *output, bool source);

#endif
