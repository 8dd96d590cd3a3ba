/* keys.c - see keys.h. */
#include "watch/keys.h"
#include <string.h>
#include "analysis/paths.h"

/* The metric of KEY: 1 to 6; M: the one after METRIC. NULL: KEY chooses none. */
static const char *metric_of(const char *metric, char key)
{
    unsigned count = 0, at = 0;
    for (; path_metrics[count]; count++)
        if (!strcmp(path_metrics[count], metric))
            at = count;
    if (key == 'm')
        return path_metrics[(at + 1) % count];
    return key >= '1' && key < '1' + (int)count ? path_metrics[key - '1'] : 0;
}

void keys_press(struct keys *k, char key)
{
    const char *metric = metric_of(k->metric, key);
    if (metric)
        k->metric = metric;
    k->left |= key == 'q' || key == 'Q';
    k->help = key == 'h' || key == '?' ? !k->help : false;
    if (key == 'p' || key == ' ')
        k->paused = !k->paused;
}

size_t keys_read(const char *bytes, ssize_t n, char *keys)
{
    size_t used = 0;
    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] != '\033') {
            keys[used++] = bytes[i];
            continue;
        }
        bool longer = i + 1 < n && (bytes[i + 1] == '[' || bytes[i + 1] == 'O');
        i += longer;
        while (longer && ++i < n && !(bytes[i] >= '@' && bytes[i] <= '~'))
            ;
    }
    return used;
}
