#!/usr/bin/env python3
"""generate.py SEED [DIRECTORY]   a random task-parallel program with known performance faults

Writes DIRECTORY/app.cpp and DIRECTORY/app.json (default: the current directory). The same seed
makes the same program. It has a healthy background, and 0, 1 or 2 faults of kinds.py, each in
functions of its own, whose names are drawn at random. `app --without=1`, `--without=2` and
`--without=1,2` run it with a fault removed the way a developer would: it computes the same and
prints the same checksum.

app.json: seed, runtime, compile (the command without the file names), and for each fault its kind,
the functions and the lines that count as its place, its intended size (a share of the elapsed
time) and, of a fault that concerns the whole run, `quota`: in CPUs. What a fault really costs, only
run.py knows: it measures.

One step of a program's work takes the same time on each run of one machine: -DSTEPS=N states how
many steps one us has; run.py measures that once.
"""
import json
import os
import random
import re
import sys

import kinds

RUNTIMES = ['tbb', 'libgomp', 'libomp', 'threads']
COMPILE = {
    'tbb': ['g++', '-std=c++17', '-O2', '-g', '-pthread', '-Wl,--as-needed', '-ltbb'],
    'libgomp': ['g++', '-std=c++17', '-O2', '-g', '-pthread', '-fopenmp'],
    'libomp': ['clang++', '-std=c++17', '-O2', '-g', '-pthread', '-fopenmp'],
    'threads': ['g++', '-std=c++17', '-O2', '-g', '-pthread'],
}
# No word of these tells a kind of fault.
VERBS = '''settle project refine blend tally trace shade weigh rank fold relax prune smooth cluster
    decode encode render scan match stitch align sample solve scatter bin label filter_out encode
    price score hash advance deposit'''.split()
NOUNS = '''invoices rays meshes tiles ledgers spectra pixels glyphs genomes routes voxels quotes
    tracks particles frames tokens trades contours shards surfaces halos peptides orbits wavelets
    parcels edges currents catalogs polygons ridges'''.split()

HEAD = '''#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
$INCLUDES
#ifndef STEPS
#define STEPS 400
#endif
#define US(us) (long)((us) * STEPS)

static unsigned long cells[1 << 20];
static bool without[3];
static const long hands = std::thread::hardware_concurrency();

'''
INCLUDES = {'tbb': '''#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>
''', 'libgomp': '#include <omp.h>\n', 'libomp': '#include <omp.h>\n', 'threads': ''}

MAIN = '''int main(int argc, char **argv) {
    for (int a = 1; a < argc; a++)
        if (!strncmp(argv[a], "--without=", 10)) {
            without[1] = strchr(argv[a], '1');
            without[2] = strchr(argv[a], '2');
        }
    memset(cells, 1, sizeof cells);
    for (int round = 0; round < $ROUNDS; round++) {
$CALLS
    }
    unsigned long sum = 0;
    for (unsigned long cell : cells)
        sum = sum * 31 + cell;
    printf("%016lx\\n", sum);
}
'''


def background(rng, runtime, names, us):
    """A balanced phase of so many us on two CPUs."""
    m = kinds.Making(rng, runtime, 0, us, names)
    n = rng.randrange(80, 400)
    item = 'cells[i] += $B(i, US($C));'
    form = rng.choice(['dynamic', 'dynamic', 'static', 'tasks'])
    if form == 'tasks' and m.omp:
        body = kinds.indented(['#pragma omp parallel', '#pragma omp single',
                               'for (long i = 0; i < $N; i++) {',
                               '#pragma omp task firstprivate(i)',
                               '    ' + item, '}'], '    ')
    elif form == 'tasks' and runtime == 'tbb':
        body = kinds.indented(['tbb::task_group group;', 'for (long i = 0; i < $N; i++)',
                               '    group.run([=] { ' + item + ' });', 'group.wait();'], '    ')
    else:
        body = m.loop('$N', item, how='static' if form == 'static' else 'dynamic', inner='    ')
    return m.fill(kinds.KERNEL + 'void $P() {\n' + body + '\n}\n', N=n, C=us * 2 / n)


def program(seed, quotas=True):
    """The source and the description. Without quotas: the kind quota is drawn again."""
    rng = random.Random(seed)
    runtime = rng.choice(RUNTIMES)
    names = [f'{v}_{n}' for v in sorted(set(VERBS)) for n in NOUNS]
    rng.shuffle(names)
    take = lambda: [names.pop() for _ in range(3)]
    number = rng.choices([0, 1, 2], [20, 40, 40])[0]
    able = [kind for kind, (_, runtimes) in kinds.KINDS.items()
            if runtime in runtimes and (quotas or kind != 'quota')]
    chosen = rng.sample(able, number)
    # Of the elapsed time; the removal of most kinds gains about half of it.
    sizes = [rng.uniform(0.15, 0.6) for _ in chosen]
    scale = min(1, 0.7 / sum(sizes)) if sizes else 1
    sizes = [size * scale for size in sizes]
    base = rng.uniform(0.35, 0.5)                   # s, of the background
    if not chosen:
        base = rng.uniform(0.6, 1.0)
    inside = sum(s for s, kind in zip(sizes, chosen) if kind != 'quota')
    total = min(2.0, base / (1 - inside))
    rounds = rng.randrange(1, 6)
    parts, calls, faults = [], [], []
    for k in range(rng.randrange(1, 3)):
        ours = take()
        parts.append((None, background(rng, runtime, ours, base * 1e6 / rounds)))
        calls.append(ours[0])
    if len(calls) == 2:
        parts, calls = [], []
        for share in (0.6, 0.4):
            ours = take()
            parts.append((None, background(rng, runtime, ours, share * base * 1e6 / rounds)))
            calls.append(ours[0])
    for k, (kind, size) in enumerate(zip(chosen, sizes), 1):
        ours = take()
        m = kinds.Making(rng, runtime, k, size * total * 1e6 / rounds, ours)
        text = kinds.KINDS[kind][0](m)
        fault = {'kind': kind, 'functions': ours, 'lines': [], 'size': round(size, 3)}
        faults.append(fault)
        if m.shared:
            fault.update(quota=m.shared, functions=[])
            continue
        parts.insert(rng.randrange(len(parts) + 1), (fault, text))
        calls.insert(rng.randrange(len(calls) + 1), ours[0])
    source = HEAD.replace('$INCLUDES', INCLUDES[runtime])
    for fault, text in parts:
        first = source.count('\n') + 1
        source += text + '\n'
        if fault:
            fault['lines'] = list(range(first, source.count('\n')))
    source += MAIN.replace('$ROUNDS', str(rounds)).replace(
        '$CALLS', '\n'.join(f'        {call}();' for call in calls))
    for number, line in enumerate(source.split('\n'), 1):
        call = re.fullmatch(r'        (\w+)\(\);', line)
        for fault in faults:
            if call and call[1] in fault['functions']:
                fault['lines'].append(number)
    return source, {'seed': seed, 'runtime': runtime, 'compile': COMPILE[runtime],
                    'faults': faults}


def write(seed, directory, quotas=True):
    source, description = program(seed, quotas)
    os.makedirs(directory, exist_ok=True)
    with open(f'{directory}/app.cpp', 'w') as f:
        f.write(source)
    with open(f'{directory}/app.json', 'w') as f:
        json.dump(description, f, indent=1)
    return description


if __name__ == '__main__':
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__.split('\n', 1)[0])
    write(int(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else '.')
