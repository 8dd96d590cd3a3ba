/* buffer.c - see buffer.h. */
#include "output/buffer.h"
#include <string.h>
#include "base/memory.h"
#include "base/forbid.h"

void *buffer_grow(struct buffer *b, size_t bytes)
{
    if (b->failed)
        return 0;
    if (b->used + bytes > b->size) {
        size_t size = b->size ? b->size * 2 : 1u << 12;
        while (size < b->used + bytes)
            size *= 2;
        char *data = memory_map(size);
        if (!data) {
            b->failed = true;
            return 0;
        }
        if (b->data)
            memcpy(data, b->data, b->used);
        memory_unmap(b->data, b->size);
        b->data = data;
        b->size = size;
    }
    void *p = b->data + b->used;
    b->used += bytes;
    return p;
}

void buffer_add(struct buffer *b, const void *p, size_t bytes)
{
    void *to = buffer_grow(b, bytes);
    if (to)
        memcpy(to, p, bytes);
}

void buffer_release(struct buffer *b)
{
    memory_unmap(b->data, b->size);
    memset(b, 0, sizeof *b);
}

uint32_t buffer_string(struct buffer *strings, const char *s)
{
    if (!strings->used)
        buffer_add(strings, "", 1);
    if (!s || !*s)
        return 0;
    uint32_t at = strings->used;
    buffer_add(strings, s, strlen(s) + 1);
    return strings->failed ? 0 : at;
}

uint32_t buffer_crc32(uint32_t crc, const void *data, size_t n)
{
    static SELDOM uint32_t table[256];
    if (!table[1])
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t c = i;
            for (int k = 0; k < 8; k++)
                c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
            table[i] = c;
        }
    const unsigned char *p = data;
    crc = ~crc;
    while (n--)
        crc = table[(crc ^ *p++) & 255] ^ crc >> 8;
    return ~crc;
}
