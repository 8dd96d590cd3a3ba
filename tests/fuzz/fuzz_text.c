/* fuzz_text.c - libFuzzer's target: what people and programs write for libprof. The first byte
 * states what the rest is: a bench's JSON (--from), what --whatif takes, the table of candidates'
 * code, a list of processors.
 *
 * A command must end by itself with 0 or 2, and with the same status for text, JSON, CSV and
 * gnuplot.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"
#include "launch/whatif_spec.h"
#include "whatif_reader.h"

static void bench(const uint8_t *data, size_t size)
{
    static const char *const forms[] = { "bench --from", "bench --json --from",
                                         "bench --csv --from", "bench --gnuplot --from" };
    char file[64];
    int fd = fuzz_file(data, size, file), first = 0;
    for (unsigned i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        int status = fuzz_command(bench_main, forms[i], file);
        if (!i)
            first = status;
        if (status != first || (status && status != 2))
            fuzz_die("its exit status is another one than the first form's, or none of prof's",
                     forms[i]);
    }
    close(fd);
}

static void processors(const char *text)
{
    char *bench[] = { "bench", "-n", (char *)text, "--from", "/nonexistent", 0 };
    char *predict[] = { "predict", "-P", (char *)text, "/nonexistent", 0 };
    optind = 0;
    if (bench_main(5, bench) != 2)
        fuzz_die("status", "bench -n");
    optind = 0;
    if (predict_main(4, predict) != 2)
        fuzz_die("status", "predict -P");
}

/* Zeroed memory for libprof.so's reader, until fuzz_memory_free. */
static void **kept;
static size_t kept_count;

void *fuzz_memory(size_t bytes)
{
    kept = realloc(kept, (kept_count + 1) * sizeof *kept);
    return kept[kept_count++] = calloc(1, bytes);
}

void fuzz_memory_free(void)
{
    while (kept_count)
        free(kept[--kept_count]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    char *text = calloc(size, 1);
    memcpy(text, data + 1, size - 1);
    switch (*data) {
    case 'b': bench(data + 1, size - 1); break;
    case 'w':
        whatif_read_setting(text);
        free(whatif_spec_code(text, "/nonexistent"));
        break;
    case 'c': whatif_read_code(data + 1, size - 1); break;
    case 'p': processors(text); break;
    }
    free(text);
    return 0;
}
