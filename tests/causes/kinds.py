"""kinds.py - the performance faults that generate.py puts into programs, one function a kind.

A fault is the C++ text of up to three functions: $A (what it does besides computing: locks, reads,
binds), $B (the work of one item) and $P (the phase, which main calls once a round). In $P,
`without[$K]` chooses the form that a developer would have written instead: it computes the same.

Each function gets `Making` and returns that text. `m.w` is how long one round of the fault shall
take, in us, on two CPUs. That is a guess: run.py measures what its removal gains.
"""
CELLS = 1 << 20     # results that a phase may have

KERNEL = '''$ATTR static unsigned long $B(long item, long steps) {
    unsigned long x = item * 0x9e3779b97f4a7c15ul + $SALT;
    for (long k = 0; k < steps; k++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}
'''


class Making:
    """One fault of a program that is being made."""

    def __init__(self, rng, runtime, k, w, names):
        self.rng, self.runtime, self.k, self.w = rng, runtime, k, w
        self.phase, self.body, self.aux = names
        self.omp = runtime in ('libgomp', 'libomp')
        self.shared = None      # fault of the whole run: what run.py has to do for it

    def between(self, low, high):
        """A number between these, the logarithm of which is uniform."""
        return low * (high / low) ** self.rng.random()

    def count(self, us, least=2):
        """How many times `us` fit into a round."""
        return max(least, min(CELLS, int(self.w / us)))

    def fill(self, text, **values):
        values.update(K=self.k, P=self.phase, B=self.body, A=self.aux,
                      ATTR=self.rng.choice(['__attribute__((noinline))', 'inline']),
                      SALT=self.rng.randrange(1, 1000))
        for name in sorted(values, key=len, reverse=True):
            value = values[name]
            text = text.replace('$' + name, f'{value:.3f}' if isinstance(value, float)
                                else str(value))
        return text

    def loop(self, n, statement, how='dynamic', chunk=1, inner='        '):
        return loop(self.runtime, n, statement, how, chunk, inner)


def indented(lines, by):
    return '\n'.join(by + line if line and not line.startswith('#') else line for line in lines)


def loop(runtime, n, statement, how, chunk, inner):
    """A parallel loop over i in [0, n). how: static (one part a worker), or dynamic."""
    if runtime in ('libgomp', 'libomp'):
        kind = 'static' if how == 'static' else f'dynamic, {chunk}'
        lines = [f'#pragma omp parallel for schedule({kind})',
                 f'for (long i = 0; i < {n}; i++)', f'    {statement}']
    elif runtime == 'tbb':
        part = 'tbb::static_partitioner()' if how == 'static' else 'tbb::simple_partitioner()'
        lines = [f'tbb::parallel_for(tbb::blocked_range<long>(0, {n}, {chunk}),',
                 '                  [&](const tbb::blocked_range<long> &r) {',
                 '    for (long i = r.begin(); i != r.end(); i++)', f'        {statement}',
                 f'}}, {part});']
    elif how == 'static':
        lines = ['std::vector<std::thread> crew;',
                 'for (long w = 0; w < hands; w++)', '    crew.emplace_back([&, w] {',
                 f'        for (long i = {n} * w / hands; i < {n} * (w + 1) / hands; i++)',
                 f'            {statement}', '    });',
                 'for (std::thread &t : crew)', '    t.join();']
    else:
        lines = ['std::atomic<long> next{0};', 'std::vector<std::thread> crew;',
                 'for (long w = 0; w < hands; w++)', '    crew.emplace_back([&] {',
                 f'        for (long o; (o = next.fetch_add({chunk})) < {n};)',
                 f'            for (long i = o; i < {n} && i < o + {chunk}; i++)',
                 f'                {statement}', '    });',
                 'for (std::thread &t : crew)', '    t.join();']
    return indented(lines, inner)


def either(removed, faulty):
    return ('void $P() {\n    if (without[$K]) {\n' + removed + '\n    } else {\n' + faulty +
            '\n    }\n}\n')


def serial(m):
    n = m.rng.randrange(64, 512)
    item = 'cells[i] += $B(i, US($C));'
    plain = indented(['for (long i = 0; i < $N; i++)', '    ' + item], '        ')
    if m.omp and m.rng.random() < 0.4:
        plain = indented(['#pragma omp parallel', '{', '#pragma omp single',
                          'for (long i = 0; i < $N; i++)', '    ' + item, '}'], '        ')
    return m.fill(KERNEL + either(m.loop('$N', item, chunk=4), plain), N=n, C=m.w / n)


def imbalance(m):
    n = m.rng.randrange(100, 600) * 2
    if m.rng.random() < 0.5:    # a triangle: the second half has three quarters
        item = 'cells[i] += $B(i, US($C * i));'
        cost = m.w / 0.75 / (n * n / 2)
    else:
        share = m.rng.uniform(0.65, 0.95)
        item = 'cells[i] += $B(i, US(i < $N / 2 ? $C : $D));'
        cost = m.w / (n / 2)
        item = item.replace('$D', f'{cost * (1 - share) / share:.3f}')
    text = either(m.loop('$N', item, chunk=2), m.loop('$N', item, how='static'))
    return m.fill(KERNEL + text, N=n, C=f'{cost:.6f}')


def small_tasks(m):
    item = 'cells[i] += $B(i, US($C));'
    if m.runtime == 'threads':
        c = m.between(2, 10)
        n = m.count(c / 2 + 12)
        faulty = indented(['std::vector<std::thread> crew;', 'for (long i = 0; i < $N; i++) {',
                           '    crew.emplace_back([i] { cells[i] += $B(i, US($C)); });',
                           '    if (crew.size() == 8 || i + 1 == $N) {',
                           '        for (std::thread &t : crew)', '            t.join();',
                           '        crew.clear();', '    }', '}'], '        ')
        return m.fill(KERNEL + either(m.loop('$N', item, chunk=64), faulty), N=n, C=c)
    c = m.between(0.015, 0.08)
    if m.rng.random() < 0.6:
        n = m.count(c / 2 + 0.04)
        text = either(m.loop('$N', item, chunk=2000), m.loop('$N', item))
        return m.fill(KERNEL + text, N=n, C=c)
    # Recursion without an end that is early enough.
    n = m.count(c / 2 + (0.25 if m.omp else 0.06))
    head = '''void $A(long from, long to) {
    if (to - from <= (without[$K] ? 4000 : 1)) {
        for (long i = from; i < to; i++)
            cells[i] += $B(i, US($C));
        return;
    }
    long middle = (from + to) / 2;
'''
    if m.omp:
        text = head + '''#pragma omp task
    $A(from, middle);
    $A(middle, to);
#pragma omp taskwait
}
void $P() {
#pragma omp parallel
#pragma omp single
    $A(0, $N);
}
'''
    else:
        text = head + '''    tbb::parallel_invoke([=] { $A(from, middle); },
                         [=] { $A(middle, to); });
}
void $P() { $A(0, $N); }
'''
    return m.fill(KERNEL + text, N=n, C=c)


def short_regions(m):
    threads = m.runtime == 'threads'
    items = m.rng.randrange(4, 17)
    c = (m.between(8, 20) if threads else m.between(0.5, 3)) / items
    each = (30 if threads else 2) + items * c / 2
    n = max(2, min(CELLS // items, int(m.w / each)))
    inner = 'cells[g * $M + i] += $B(i, US($C));'
    outer = ('{ for (long j = 0; j < $M; j++) cells[i * $M + j] += $B(j, US($C)); }')
    faulty = ('        for (long g = 0; g < $N; g++) {\n' +
              m.loop('$M', inner, how='static', inner=' ' * 12) + '\n        }')
    text = either(m.loop('$N', outer, chunk=64), faulty)
    return m.fill(KERNEL + text, N=n, M=items, C=f'{c:.6f}')


def contention(m):
    ways = ['mutex', 'mutex', 'rand'] + (['critical', 'critical', 'omp_lock'] if m.omp else [])
    way = m.rng.choice(ways)
    inside = m.rng.choice([m.between(0.05, 0.3), m.between(1, 30)])
    outside = inside * m.rng.uniform(0.1, 0.9)
    n = m.count(inside + (0.1 if inside < 1 else 1), 20)
    locked = 'unsigned long x = kept$K ^ $A_one(item, US($I));\n    kept$K = x;'
    inner = KERNEL.replace('$B', '$A_one').replace('$ATTR', 'inline')
    free = '''    if (without[$K]) {
        static thread_local unsigned long own;
        own ^= $A_one(item, US($I));
        return;
    }
'''
    if way == 'rand':
        outside = m.between(0.02, 0.1)
        n = m.count(outside / 2 + 0.15, 20)
        inner, locked = '', '(void)(kept$K = rand());'
        free = '''    if (without[$K]) {
        static thread_local unsigned own = 1;
        kept$K = rand_r(&own);
        return;
    }
'''
    if way == 'critical':
        name = m.rng.choice(['', '(books)'])
        take = f'#pragma omp critical{name}\n    {{\n    {locked}\n    }}\n'
    elif way == 'omp_lock':
        take = f'    omp_set_lock(&gate$K);\n    {locked}\n    omp_unset_lock(&gate$K);\n'
    elif way == 'mutex':
        take = f'    std::lock_guard<std::mutex> hold(gate$K);\n    {locked}\n'
    else:
        take = f'    {locked}\n'
    gate = {'mutex': 'static std::mutex gate$K;\n', 'omp_lock':
            'static omp_lock_t gate$K;\n'}.get(way, '')
    kept = 'static thread_local' if way == 'rand' else 'static'
    text = (KERNEL + inner + gate + kept + ' volatile unsigned long kept$K;\n' +
            '$ATTR static void $A(long item) {\n' + free + take + '}\nvoid $P() {\n')
    if way == 'omp_lock':
        text += '    omp_init_lock(&gate$K);\n'
    text += m.loop('$N', '{ cells[i] += $B(i, US($O)); $A(i); }', chunk=max(1, n // 100),
                   inner='    ') + '\n}\n'
    return m.fill(text, N=n, I=f'{inside:.4f}', O=f'{outside:.4f}')


def ordered(m):
    turn = m.between(5, 500)
    apart = turn / m.rng.uniform(1.5, 5)
    n = m.count(turn + 1, 20)
    if m.omp:
        both = 'cells[i] += $B(i, US($O)) ^ $A(i, US($T));'
        text = KERNEL + KERNEL.replace('$B', '$A') + either(
            m.loop('$N', both, chunk=2), indented(
                ['#pragma omp parallel for ordered schedule(static, 1)',
                 'for (long i = 0; i < $N; i++) {', '    unsigned long x = $B(i, US($O));',
                 '#pragma omp ordered', '    cells[i] += x ^ $A(i, US($T));', '}'], '        '))
    else:
        text = KERNEL + KERNEL.replace('$B', '$A') + '''void $P() {
    long made = 0;
    auto last = without[$K] ? tbb::filter_mode::parallel : tbb::filter_mode::serial_in_order;
    tbb::parallel_pipeline(
        8, tbb::make_filter<void, long>(tbb::filter_mode::serial_in_order,
                                        [&](tbb::flow_control &fc) {
                                            if (made == $N)
                                                fc.stop();
                                            return made++;
                                        }) &
               tbb::make_filter<long, long>(tbb::filter_mode::parallel,
                                            [](long i) {
                                                cells[i] += $B(i, US($O));
                                                return i;
                                            }) &
               tbb::make_filter<long, void>(last, [](long i) { cells[i] ^= $A(i, US($T)); }));
}
'''
    return m.fill(text, N=n, T=turn, O=apart)


def one_producer(m):
    make = m.between(5, 200)
    use = make * m.rng.uniform(0.2, 0.8)
    n = m.count(make, 20)
    both = '{ long x = $A(i, US($M)) & 1; cells[i] += $B(i, US($U)) + x; }'
    if m.omp:
        faulty = ['#pragma omp parallel', '#pragma omp single',
                  'for (long i = 0; i < $N; i++) {', '    long x = $A(i, US($M)) & 1;',
                  '#pragma omp task firstprivate(i, x)',
                  '    cells[i] += $B(i, US($U)) + x;', '}']
    else:
        faulty = ['tbb::task_group group;', 'for (long i = 0; i < $N; i++) {',
                  '    long x = $A(i, US($M)) & 1;',
                  '    group.run([=] { cells[i] += $B(i, US($U)) + x; });', '}',
                  'group.wait();']
    text = KERNEL + KERNEL.replace('$B', '$A') + either(m.loop('$N', both, chunk=2),
                                                      indented(faulty, '        '))
    return m.fill(text, N=n, M=make, U=use)


def io(m):
    pause = m.between(150, 4000)
    n = m.count(pause + 80, 3)
    inside = m.rng.random() < 0.5       # the tasks read; else main does, ahead of them
    text = KERNEL + '''static int line$K[2];
static long $A() {
    static char page[4096];
    char one[4096];
    if (without[$K])
        return page[7];
    long got = 0;
    for (ssize_t r; got < 4096 && (r = read(line$K[0], one + got, 4096 - got)) > 0;)
        got += r;
    return one[7];
}
void $P() {
    pid_t child = 0;
    if (!without[$K] && pipe(line$K) == 0 && (child = fork()) == 0) {
        static char page[4096];
        for (long i = 0; i < $N; i++) {
            usleep($S);
            if (write(line$K[1], page, 4096) != 4096)
                break;
        }
        _exit(0);
    }
'''
    if inside:
        text += m.loop('$N', 'cells[i] += $B(i, US($C)) + $A();', inner='    ') + '\n'
    else:
        text += '''    for (long i = 0; i < $N; i++)
        cells[i] += $A();
'''
        text += m.loop('$N', 'cells[i] += $B(i, US($C));', inner='    ') + '\n'
    text += '''    if (child > 0) {
        close(line$K[0]);
        close(line$K[1]);
        waitpid(child, NULL, 0);
    }
}
'''
    return m.fill(text, N=n, S=int(pause), C=pause * m.rng.uniform(0.05, 0.3))


def sleep(m):
    pause = m.between(80, 2000)
    work = pause * m.rng.uniform(0.1, 1)
    n = m.count((pause + 60 + work) / 2, 8)
    text = KERNEL + '''$ATTR static void $A() {
    if (!without[$K])
        usleep($S);
}
void $P() {
''' + m.loop('$N', '{ $A(); cells[i] += $B(i, US($C)); }', inner='    ') + '\n}\n'
    return m.fill(text, N=n, S=int(pause), C=work)


def oversubscription(m):
    team = m.rng.randrange(4, 9)
    c = m.between(3, 60)
    spins = not m.omp and m.rng.random() < 0.5
    n = m.count(team * c / 2 + (3000 if spins else 40), 3)
    if m.omp:
        text = '''void $P() {
    const int team = without[$K] ? hands : $T;
#pragma omp parallel num_threads(team)
    for (long g = 0; g < $N; g++) {
#pragma omp for schedule(static) nowait
        for (long i = 0; i < 24; i++)
            cells[i] += $B(g + i, US($C));
#pragma omp barrier
    }
}
'''
    else:
        meet = '''    static std::atomic<long> come{0};
    long mine = come.fetch_add(1) / team + 1;
    while (come.load() < mine * team)
        ;
''' if spins else '    pthread_barrier_wait(&gate$K);\n'
        text = '''static pthread_barrier_t gate$K;
static void $A(long team) {
    (void)team;
''' + meet + '''}
void $P() {
    const long team = without[$K] ? hands : $T;
    pthread_barrier_init(&gate$K, NULL, team);
    std::vector<std::thread> crew;
    for (long w = 0; w < team; w++)
        crew.emplace_back([=] {
            for (long g = 0; g < $N; g++) {
                for (long i = 24 * w / team; i < 24 * (w + 1) / team; i++)
                    cells[i] += $B(g + i, US($C));
                $A(team);
            }
        });
    for (std::thread &t : crew)
        t.join();
}
'''
    return m.fill(KERNEL + text, N=n, T=team, C=team * c / 24)


def affinity(m):
    n = m.rng.randrange(60, 300)
    c = m.w / n
    bind = '''static cpu_set_t all$K;
$ATTR static void $A(bool one) {
    cpu_set_t set = all$K;
    for (int cpu = 0, seen = 0; one && cpu < CPU_SETSIZE; cpu++) {
        if (seen)
            CPU_CLR(cpu, &set);
        else
            seen = CPU_ISSET(cpu, &set);
    }
    if (!without[$K])
        sched_setaffinity(0, sizeof set, &set);
}
'''
    item = 'cells[i] += $B(i, US($C));'
    if m.omp:
        text = '''#pragma omp parallel
    $A(true);
''' + m.loop('$N', item, inner='    ') + '''
#pragma omp parallel
    $A(false);
'''
    elif m.runtime == 'tbb':
        bind += '''struct Hook$K : tbb::task_scheduler_observer {
    explicit Hook$K(tbb::task_arena &arena) : tbb::task_scheduler_observer(arena) { observe(true); }
    void on_scheduler_entry(bool) override { $A(true); }
    void on_scheduler_exit(bool) override { $A(false); }
};
'''
        text = '''    tbb::task_arena arena(hands);
    Hook$K hook(arena);
    arena.execute([&] {
''' + m.loop('$N', item) + '''
    });
    hook.observe(false);
    $A(false);
'''
    else:
        text = '''    $A(true);
''' + m.loop('$N', item, inner='    ') + '''
    $A(false);
'''
    return m.fill(KERNEL + bind + 'void $P() {\n    sched_getaffinity(0, sizeof all$K, &all$K);\n' +
                  text + '}\n', N=n, C=c)


def quota(m):
    """The whole run's: run.py starts the program in a control group."""
    m.shared = round(m.rng.uniform(1.1, 1.7), 2)
    return ''


def coarse(m):
    pieces = m.rng.choice([1, 3, 3, 5])
    n = 480
    elapsed = (pieces + 1) // 2 / pieces    # of the work
    text = '''void $P() {
    const long pieces = without[$K] ? 48 : $Q;
'''
    part = ('for (long j = $N * i / pieces; j < $N * (i + 1) / pieces; j++)'
            ' cells[j] += $B(j, US($C));')
    form = m.rng.choice(['loop', 'tasks'])
    if form == 'loop' or m.runtime == 'threads':
        text += m.loop('pieces', part, inner='    ')
    elif m.omp:
        text += indented(['#pragma omp parallel', '#pragma omp single',
                          'for (long i = 0; i < pieces; i++) {', '#pragma omp task',
                          '    ' + part, '}'], '    ')
    else:
        text += indented(['tbb::task_group group;', 'for (long i = 0; i < pieces; i++)',
                          '    group.run([=] { ' + part + ' });', 'group.wait();'], '    ')
    return m.fill(KERNEL + text + '\n}\n', N=n, Q=pieces, C=m.w / elapsed / n)


def long_iteration(m):
    share = m.rng.uniform(0.4, 0.85)    # of the elapsed time that the long one takes
    rest, unit = 40 * m.rng.randrange(2, 6), m.rng.randrange(4, 12)
    big = int(rest * unit / 2 * share / (1 - share))
    c = m.w * (1 - share) / (rest * unit / 2)
    where = m.rng.choice(['$R - 1', f'{m.rng.randrange(rest // 2, rest)}'])
    text = '''void $P() {
    auto start = [](long i) { return i * $U + (i > $WHERE ? $G - $U : 0L); };
    if (without[$K]) {
''' + m.loop('start($R)', 'cells[i] += $B(i, US($C));', chunk=8) + '''
        return;
    }
''' + m.loop('$R', 'for (long j = start(i); j < start(i + 1); j++) cells[j] += $B(j, US($C));',
             inner='    ') + '\n}\n'
    return m.fill(KERNEL + text, WHERE=where, R=rest, U=unit, G=big, C=c)


def untasked(m):
    n = 400
    v = int(n * m.rng.uniform(0.05, 0.5))
    item = 'cells[i] += $B(i, US($C));'
    faulty = '''        std::thread apart([] {
            for (long i = $V; i < $V + $N; i++)
                cells[i] += $B(i, US($C));
        });
''' + m.loop('$V', item) + '''
        apart.join();'''
    return m.fill(KERNEL + either(m.loop('$V + $N', item, chunk=8), faulty), N=n, V=v,
                  C=m.w / n)


def barriers(m):
    c = m.between(0.3, 4) if m.omp else m.between(3, 20)
    n = m.count(c + (0.8 if m.omp else 12), 10)
    if m.omp:
        text = '''void $P() {
#pragma omp parallel
    for (long g = 0; g < $N; g++) {
        cells[omp_get_thread_num() * 64] += $B(g, US($C));
        if (!without[$K]) {
#pragma omp barrier
        }
    }
}
'''
    else:
        text = '''static pthread_barrier_t gate$K;
void $P() {
    pthread_barrier_init(&gate$K, NULL, hands);
    std::vector<std::thread> crew;
    for (long w = 0; w < hands; w++)
        crew.emplace_back([w] {
            for (long g = 0; g < $N; g++) {
                cells[w * 64] += $B(g, US($C));
                if (!without[$K])
                    pthread_barrier_wait(&gate$K);
            }
        });
    for (std::thread &t : crew)
        t.join();
}
'''
    return m.fill(KERNEL + text, N=n, C=f'{c:.4f}')


def allocation(m):
    pages = int(m.between(100, 3000))
    work = pages * m.between(0.02, 0.2)
    n = m.count(pages * 0.3 + work / 2, 4)
    text = KERNEL + '''$ATTR static long $A(long item) {
    static thread_local char *own;
    char *room = own;
    if (!room)
        room = (char *)mmap(NULL, $Q * 4096, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long k = 0; k < $Q; k++)
        room[k * 4096] = (char)item;
    long x = room[(item % $Q) * 4096];
    if (without[$K])
        own = room;
    else
        munmap(room, $Q * 4096);
    return x;
}
void $P() {
''' + m.loop('$N', 'cells[i] += $A(i) + $B(i, US($C));', inner='    ') + '\n}\n'
    return m.fill(text, N=n, Q=pages, C=work)


ALL = {'tbb', 'libgomp', 'libomp', 'threads'}
OMP = {'libgomp', 'libomp'}
# kind: its function, the runtimes that can have it
KINDS = {
    'serial': (serial, ALL), 'imbalance': (imbalance, ALL), 'small_tasks': (small_tasks, ALL),
    'short_regions': (short_regions, ALL), 'contention': (contention, ALL),
    'ordered': (ordered, ALL - {'threads'}), 'one_producer': (one_producer, ALL - {'threads'}),
    'io': (io, ALL), 'sleep': (sleep, ALL),
    'oversubscription': (oversubscription, OMP | {'threads'}), 'affinity': (affinity, ALL),
    'quota': (quota, ALL), 'coarse': (coarse, ALL), 'long_iteration': (long_iteration, ALL),
    'untasked': (untasked, ALL), 'barriers': (barriers, OMP | {'threads'}),
    'allocation': (allocation, ALL),
}
