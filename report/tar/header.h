/* header.h - a member's header in a tar file (POSIX, "ustar Interchange Format"). Numbers are octal
 * digits. A member's content follows its header, filled with zeros to whole blocks. Two blocks of
 * zeros end the file. */
#ifndef REPORT_TAR_HEADER_H
#define REPORT_TAR_HEADER_H

#include <stddef.h>

enum { TAR_BLOCK = 512, TAR_NAME = 100, TAR_PREFIX = 155 };

struct tar_header {
    char name[TAR_NAME];        /* without a zero if it fills the field, as PREFIX */
    char mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
    char type;                  /* '0' or 0: a file; '5': a directory; 'x', 'L': see reader.c */
    char linkname[100], magic[6], version[2], uname[32], gname[32], major[8], minor[8];
    char prefix[TAR_PREFIX];    /* of NAME, which follows after a slash; empty: of none */
    char unused[12];
};
_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "a header is a block");
_Static_assert(offsetof(struct tar_header, magic) == 257, "where every tar has its magic");

/* The sum of H's bytes, in which those of the checksum count as blanks. */
static inline unsigned tar_checksum(const struct tar_header *h)
{
    const unsigned char *p = (const unsigned char *)h;
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof *h; i++)
        sum += i - offsetof(struct tar_header, checksum) < sizeof h->checksum ? ' ' : p[i];
    return sum;
}

#endif
