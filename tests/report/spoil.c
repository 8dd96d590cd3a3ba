/* spoil.c - overwrites a word of a profile and makes its checksums right again: what no checksum
 * shows.
 *
 *     spoil FILE TYPE OFFSET VALUE > SPOILED     the 32-bit word at OFFSET of section TYPE
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "libprof_format.h"

int main(int argc, char **argv)
{
    static unsigned char data[1 << 24];
    FILE *f = argc == 5 ? fopen(argv[1], "rb") : NULL;
    size_t size = f ? fread(data, 1, sizeof data, f) : 0;
    struct lpf_header h;
    uint32_t type = argc == 5 ? atoi(argv[2]) : 0, value = argc == 5 ? strtoul(argv[4], 0, 0) : 0,
             found = 0;
    if (size < sizeof h)
        return 3;
    memcpy(&h, data, sizeof h);
    for (uint32_t i = 0; i < h.section_count; i++) {
        struct lpf_section s;
        unsigned char *at = data + h.header_size + (size_t)i * h.section_size;
        memcpy(&s, at, sizeof s);
        if (s.type != type || atoi(argv[3]) + sizeof value > s.count * s.entry_size)
            continue;
        memcpy(data + s.offset + atoi(argv[3]), &value, sizeof value);
        s.crc = crc32(0, data + s.offset, s.count * s.entry_size);
        memcpy(at, &s, sizeof s);
        found = 1;
    }
    h.header_crc = 0;
    memcpy(data, &h, sizeof h);
    h.header_crc = crc32(0, data, h.header_size + (size_t)h.section_count * h.section_size);
    memcpy(data, &h, sizeof h);
    return !found || fwrite(data, 1, size, stdout) != size ? 3 : 0;
}
