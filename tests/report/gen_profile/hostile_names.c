/* hostile_names.c - names that would like to be markup, commands or terminal escapes. */
#include <stdlib.h>
#include <string.h>
#include "gen.h"

/* What a report must survive, and must not pass on: HTML, CSV, terminal, bidi, broken UTF-8. */
const char evil[] = "<script>alert(1)</script>\"',;\n=cmd|' /C x'!A0"
                           "\033[31m\033]0;title\007\r\b\x7f"
                           "\xff\xfe\xc0\xaf\xe2\x80\xae" "cod.exe \xc2\x9b" "31m";

void hostile(void)
{
    char *path = malloc(20001);
    struct lpf_totals *t = totals(evil, evil);
    t->work_cost = t->span_cost = 1000;
    t->tasks = t->spawns = 1;
    memset(path, 'A', 20000);
    path[20000] = 0;
    struct lpf_site s = { .address = { 0x400010 } };
    s.runtime = s.construct = string(evil);
    add(LPF_SITES, &s, sizeof s);
    s.address[0] = 0x600010;
    add(LPF_SITES, &s, sizeof s);
    context(LPF_NONE, 0, 1, 1000, 1000, 500);
    context(LPF_NONE, 1, 1, 1000, 1000, 500);
    module(0x400000, 0x500000, evil, 0);
    module(0x600000, 0x700000, path, 0);
    module(0, UINT64_MAX, "/dev/zero", 0)->bias = UINT64_MAX;
    region(evil, 1, 1000, 1000);
    candidate(evil, 1, 1);
    term(0, UINT32_MAX, UINT32_MAX - 1);
    scenario(1, UINT32_MAX, UINT64_MAX, UINT64_MAX);
    note(LPF_NOTE_HINT, evil, evil, 1);
    note(77, "of-a-later-kind", "text", 1);
    setting(evil, evil);
    free(path);
}

/* One context's samples hit the hostile modules; the other's are none, so that its construct is a
 * name, too. */
void names(void)
{
    hostile();
    struct lpf_totals *t = FIRST(LPF_TOTALS);
    struct lpf_context *c = FIRST(LPF_CONTEXTS);
    t->work_cost = 2000;
    /* the first for what a frame's name may not hold (the command prof drops what stands before a
     * blank), the second for what a shell or gnuplot would run */
    ((struct lpf_module *)FIRST(LPF_MODULES))->path =
        string("/nowhere/a\"b';c\n1\r\td\\e=\xff\xc3\xa9\033[1m");
    t->exe = string("/nowhere/it's `touch hurt` \"$(touch hurt)\"\nsystem 'touch hurt'\n");
    uint32_t root = node(LPF_NONE, LPF_NODE_ROOT, 0), outer = node(root, LPF_NODE_FRAME, 0x400011);
    c[0].node = node(outer, LPF_NODE_TASK, 0);
    uint32_t inner = node(node(c[0].node, LPF_NODE_FRAME, 0x400021), LPF_NODE_LEAF, 0x600020);
    c[1].node = node(node(inner - 1, LPF_NODE_FRAME, 0x600031), LPF_NODE_TASK, 1);
    sample(inner, 3, 1, 2);
}
