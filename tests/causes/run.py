#!/usr/bin/env python3
"""run.py [-b BUILD] FROM-TO [--load N] [-o TABLE]    does prof name what costs time?
run.py [-b BUILD] FROM-TO --again [-o TABLE]       the same, of the runs that it kept
run.py [-b BUILD] --programs [--load N] [-o TABLE]  the programs of programs/

For each seed: the program of generate.py runs natively as it is and with each of its faults
removed, three times in turns. The medians' differences are the true gains. It runs once under
`prof run`. The report's findings are compared with the truth:

(a) The first finding is the fault with the largest true gain: its id is one that ACCEPTED has for
    the kind, and its place is a function or a line of the fault. Where two gains are nearer than a
    third, either is right.
(b) That finding's gain is within a quarter of the true one, or the true one within its interval.
(c) Where no fault gains 4 % of the elapsed time, nothing is found.

(d) Other programs are named with --load, next to the fault, and not without it.

A fault of less than 5 % counts as not there; where the largest gains 4 to 5 %, nothing is judged.
Of up to seven runs, the three count in which other programs had the least of the processors.
`busy` is what they had all the same. With more than 15 %, the gains are no truth, and nothing is
judged. --load N runs N busy loops next to the native and the profiled runs.

BUILD/causes/SEED has the source, its description, what was measured (truth.json), the profile,
and report.json where a verdict was wrong.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time

import generate

HERE = os.path.dirname(os.path.abspath(__file__))
ACCEPTED = {
    'serial': {'serial'},
    'imbalance': {'imbalance', 'few_tasks'},
    'small_tasks': {'small_tasks'},
    'short_regions': {'short_regions', 'small_tasks'},
    'contention': {'contention'},
    'ordered': {'ordered', 'serial'},
    'one_producer': {'spawning', 'serial', 'few_tasks'},
    'io': {'io'},
    'sleep': {'sleep'},
    'oversubscription': {'oversubscription'},
    'affinity': {'affinity'},
    'quota': {'quota'},
    'coarse': {'few_tasks', 'imbalance'},
    'long_iteration': {'imbalance', 'few_tasks'},
    'untasked': {'serial', 'imbalance'},
    'barriers': {'short_regions', 'wait'},      # threads wait in a barrier of libc
    'allocation': {'memory', 'contention'},
}
ANYWHERE = {'quota', 'affinity'}    # findings that concern the process: their place is not judged
REPEATS = 3
AGAIN = 4                           # more turns, where other programs were in the way
TOO_BUSY = 0.15
PATIENCE = 12                       # s of a seed's runs, after which there are no more turns
QUIET = 0.05                        # of the processors that others may have
SEEN, NOTHING = 0.05, 0.04          # of the elapsed time: a fault that is there, one that is not
LIMIT = 60                          # s until a program has hung
PERIOD = 100000                     # us, of a quota

RATE = '''#include <cstdio>
#include <ctime>
int main() {
    unsigned long x = 88172645463325252ul;
    double best = 1e18;
    for (int run = 0; run < 9; run++) {
        timespec a, b;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
        for (long k = 0; k < 10000000; k++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
        double us = (b.tv_sec - a.tv_sec) * 1e6 + (b.tv_nsec - a.tv_nsec) / 1e3;
        best = us < best ? us : best;
    }
    printf("%.0f %c\\n", 1e7 / best, x ? ' ' : '.');
}
'''


def rate(directory):
    """Steps of the programs' work in one us: measured once, for all programs."""
    path = f'{directory}/rate'
    if not os.path.exists(path):
        with open(path + '.cpp', 'w') as f:
            f.write(RATE)
        subprocess.run(['g++', '-O2', path + '.cpp', '-o', path + '.out'], check=True)
        answer = subprocess.run([path + '.out'], check=True, capture_output=True, text=True).stdout
        with open(path, 'w') as f:
            f.write(answer.split()[0])
    with open(path) as f:
        return f.read().strip()


def compiled(directory, command, source):
    """Compiles what has changed; returns what was wrong."""
    app, stamp = f'{directory}/app', f'{directory}/app.stamp'
    with open(source, 'rb') as f:
        now = hashlib.sha256(f.read() + ' '.join(command).encode()).hexdigest()
    if os.path.exists(app) and os.path.exists(stamp):
        with open(stamp) as f:
            if f.read() == now:
                return ''
    made = subprocess.run([command[0], source, '-o', app, *command[1:]],
                          capture_output=True, text=True)
    if made.returncode == 0:
        with open(stamp, 'w') as f:
            f.write(now)
    return made.stderr if made.returncode else ''


class Quota:
    """A control group whose processes have so many CPUs; made and removed around a run."""

    def __init__(self, cpus):
        self.path = None
        with open('/proc/self/cgroup') as f:
            ours = dict((line.strip().split(':', 2)[1:]) for line in f)
        name = f'libprof-causes-{os.getpid()}'
        try:
            if 'cpu' in ours or 'cpu,cpuacct' in ours:
                own = ours.get('cpu', ours.get('cpu,cpuacct')).rstrip('/')
                path = f'/sys/fs/cgroup/cpu{own}/{name}'
                os.mkdir(path)
                self.path = path
                for file, us in (('cfs_period_us', PERIOD), ('cfs_quota_us', int(cpus * PERIOD))):
                    with open(f'{path}/cpu.{file}', 'w') as f:
                        f.write(str(us))
            else:
                path = f'/sys/fs/cgroup{ours[""].rstrip("/")}/{name}'
                os.mkdir(path)
                self.path = path
                with open(f'{path}/cpu.max', 'w') as f:
                    f.write(f'{int(cpus * PERIOD)} {PERIOD}')
        except (OSError, KeyError):
            self.remove()

    def enter(self):
        with open(f'{self.path}/cgroup.procs', 'w') as f:
            f.write(str(os.getpid()))

    def remove(self):
        if self.path:
            os.rmdir(self.path)
        self.path = None


def quotas():
    quota = Quota(1)
    able = quota.path is not None
    quota.remove()
    return able


def run(command, quota=None, out=None):
    """Seconds that the command took, and its output."""
    group = Quota(quota) if quota else None
    try:
        start = time.monotonic()
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=out or subprocess.DEVNULL,
                                 start_new_session=True,
                                 preexec_fn=group.enter if group else None)
        try:
            text, _ = child.communicate(timeout=LIMIT)
        finally:
            if child.poll() is None:    # it hangs, or we are interrupted: with all it has started
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        return time.monotonic() - start, text.decode(errors='replace'), child.returncode
    finally:
        if group:
            for _ in range(50):     # what the program has started may still be ending
                try:
                    group.remove()
                    break
                except OSError:
                    time.sleep(0.02)


class Busy:
    """Which share of the processors other programs use, from here until `share` is called."""

    def __init__(self, load):
        self.load = load
        self.start = self.now()

    def now(self):
        with open('/proc/stat') as f:
            fields = [int(word) for word in f.readline().split()[1:9]]
        ours = sum(os.times()[:4]) * os.sysconf('SC_CLK_TCK')
        for loop in self.load.loops:
            if loop.returncode is not None:     # it has ended: os.times has it
                continue
            with open(f'/proc/{loop.pid}/stat') as f:
                ours += sum(map(int, f.read().rsplit(')', 1)[1].split()[11:13]))
        return sum(fields) - fields[3] - fields[4], ours, sum(fields)

    def share(self):
        busy, ours, total = (b - a for a, b in zip(self.start, self.now()))
        return max(0.0, busy - ours) / max(1, total)


def findings_of(report):
    """The list, or why there is none."""
    if isinstance(report, list):
        report = report[0] if report else {}
    if 'findings' not in report:
        return 'no findings'
    return report['findings']


def profiled(build, directory, app, quota=None):
    """The report of one run under prof, and what was wrong."""
    for old in os.listdir(directory):
        if old.endswith('.prof'):
            os.unlink(f'{directory}/{old}')
    profile, log = f'{directory}/x.prof', f'{directory}/prof.log'
    with open(log, 'wb') as f:
        _, _, status = run([f'{build}/prof', 'run', '--no-report', '-o', profile, '--', app],
                           quota, f)
    return (None, f'prof run: status {status}') if status else reported(build, profile)


def reported(build, profile):
    """The report of a profile, and what was wrong."""
    _, text, status = run([f'{build}/prof', 'report', '--json', profile])
    if status:
        return None, f'prof report: status {status}'
    try:
        return json.loads(text), ''
    except ValueError as e:
        return None, f'prof report: {e}'


def truth(app, faults, load):
    """Medians of the elapsed time: as it is, and without each fault; whether the checksums are the
    same; and the most that other programs had of the processors in the runs that count."""
    variants = [[]] + [[k] for k in range(1, len(faults) + 1)]
    runs, sums, start = [[] for _ in variants], set(), time.monotonic()
    for turn in range(REPEATS + AGAIN):
        for variant, so_far in zip(variants, runs):
            quiet = sum(busy <= QUIET for busy, _ in so_far)
            if turn >= REPEATS and (quiet >= REPEATS or time.monotonic() - start > PATIENCE):
                continue
            quota = next((f['quota'] for k, f in enumerate(faults, 1)
                          if 'quota' in f and k not in variant), None)
            option = ['--without=' + ','.join(map(str, variant))] if variant else []
            others = Busy(load)
            seconds, out, status = run([app] + option, quota)
            if status:
                raise RuntimeError(f'{app} {" ".join(option)}: status {status}')
            so_far.append((others.share(), seconds))
            sums.add(out)
    best = [sorted(so_far)[:REPEATS] for so_far in runs]    # the runs with the fewest others
    medians = [statistics.median(seconds for _, seconds in so_far) for so_far in best]
    most = max(busy for so_far in best for busy, _ in so_far)
    return medians[0], [medians[0] - m for m in medians[1:]], len(sums) == 1, most


def placed(finding, functions, lines, file):
    """Is its place one of these?"""
    place = finding.get('place') or {}
    name = place.get('function') or ''
    if any(re.search(rf'\b{re.escape(f)}(?:_one)?\b', name) for f in functions):
        return True
    return os.path.basename(place.get('file') or '') == file and place.get('line') in lines


def is_fault(finding, fault):
    return finding.get('id') in ACCEPTED[fault['kind']] and (
        finding['id'] in ANYWHERE or placed(finding, fault['functions'], fault['lines'], 'app.cpp'))


def near(finding, gain):
    said = finding.get('gain_ns', 0) / 1e9
    low, high = (finding.get(key, 0) / 1e9 for key in ('gain_low_ns', 'gain_high_ns'))
    return abs(said - gain) <= gain / 4 or low <= gain <= high


def judge(faults, gains, elapsed, findings):
    """The verdicts (a), (b) and (c): True, False, or None where it is not asked."""
    order = sorted(range(len(faults)), key=lambda k: -gains[k])
    most = gains[order[0]] / elapsed if order else 0
    if most < NOTHING:
        return None, None, not findings
    if most < SEEN:
        return None, None, None
    # Of two that are nearer than a third, either.
    right = [k for k in order if gains[k] >= gains[order[0]] * 3 / 4 and gains[k] >= SEEN * elapsed]
    first = findings[0] if findings else {}
    hit = next((k for k in right if is_fault(first, faults[k])), None)
    if hit is None:
        return False, None, None
    return True, near(first, gains[hit]), None


def said(finding, elapsed):
    place = finding.get('place') or {}
    function = re.sub(r'\(.*', '', place.get('function') or '?')
    return '%s %s:%s %.0f%%' % (finding.get('id'), function, place.get('line', '?'),
                                100 * finding.get('gain_ns', 0) / 1e9 / elapsed)


WORDS = {True: 'right', False: 'WRONG', None: '-'}


class Table:
    """The lines, on stdout and in a file; and the sums."""

    def __init__(self, path):
        self.file = open(path, 'w') if path else None
        self.right, self.asked = {}, {}
        self.wrong = []

    def line(self, text):
        print(text, flush=True)
        if self.file:
            print(text, file=self.file, flush=True)

    def count(self, what, verdict):
        if verdict is not None:
            self.asked[what] = self.asked.get(what, 0) + 1
            self.right[what] = self.right.get(what, 0) + verdict

    def sums(self):
        for what in sorted(self.asked):
            n, of = self.right[what], self.asked[what]
            self.line(f'{what}: {n} of {of} right ({100 * n / of:.0f} %)')
        if self.wrong:
            self.line('wrong: ' + ' '.join(self.wrong))


class Failed(Exception):
    """A program that could not be measured; `ours`: not because of other load."""

    def __init__(self, why, ours=True):
        super().__init__(why)
        self.ours = ours


def measured(args, build, directory, faults):
    """Runs the program, natively and under prof: the truth, which truth.json then has, and the
    report."""
    app, kept = f'{directory}/app', f'{directory}/truth.json'
    if os.path.exists(kept):
        os.unlink(kept)
    try:
        with Load(args.load) as load:
            whole = Busy(load)
            elapsed, gains, same, busy = truth(app, faults, load)
            quota = next((f['quota'] for f in faults if 'quota' in f), None)
            report, why = profiled(build, directory, app, quota)
    except subprocess.TimeoutExpired:
        share = whole.share()
        raise Failed(f'took more than {LIMIT} s, busy {100 * share:.0f}%', share <= TOO_BUSY)
    except RuntimeError as e:
        raise Failed(f'failed: {e}')
    true = {'elapsed': elapsed, 'gains': gains, 'same': same, 'busy': busy, 'load': args.load}
    with open(kept, 'w') as f:
        json.dump(true, f)
    return true, report, why


def recorded(build, directory):
    """What `measured` kept of an earlier run, and a new report of its profile."""
    try:
        with open(f'{directory}/truth.json') as f:
            true = json.load(f)
    except OSError:
        raise Failed('has no recorded run')
    return true, *reported(build, f'{directory}/x.prof')


def judge_seed(made, seed, true, report, why, table):
    """The line of one seed. Returns whether all verdicts are right."""
    faults, elapsed, busy = made['faults'], true['elapsed'], true['busy']
    what = ', '.join('%s@%s %.0f%%' % (f['kind'], (f['functions'] or ['-'])[0],
                                       100 * g / elapsed) for f, g in zip(faults, true['gains']))
    head = (f'{seed:4} {made["runtime"]:8} {elapsed:5.2f}s busy {100 * busy:2.0f}% | '
            f'{what or "healthy"} |')
    if not true['same']:
        head += ' (checksums differ)'
    findings = why if report is None else findings_of(report)
    table.count('runs', report is not None)
    if isinstance(findings, str):
        table.line(f'{head} {findings}{" (busy)" if busy > TOO_BUSY else ""}')
        return True
    others = [f for f in findings if f.get('id') == 'other_programs']
    table.count(f'(d) other programs {"" if true["load"] else "not "}named',
                (bool(others) == bool(true['load'])) if busy <= TOO_BUSY else None)
    program = [f for f in findings if f not in others] if true['load'] else findings
    verdicts = judge(faults, true['gains'], elapsed, program) if busy <= TOO_BUSY else (None,) * 3
    for letter, verdict in zip('abc', verdicts):
        table.count(f'({letter})', verdict)
        for fault in faults if letter == 'a' and len(faults) == 1 else []:
            table.count(f'kind {fault["kind"]} (a)', verdict)
    text = '; '.join(said(f, elapsed) for f in findings[:3]) or 'nothing'
    marks = ' '.join(f'({letter}) {WORDS[v]}' for letter, v in zip('abc', verdicts)
                     if v is not None)
    table.line(f'{head} {text} | {marks or "not judged"}')
    return False not in verdicts


def seeds(args, build, table):
    root = f'{build}/causes'
    steps = rate(root)
    able = quotas()
    if not able:
        table.line('control groups cannot be made here: no seed has the kind quota')
    first, _, last = args.what.partition('-')
    numbers = range(int(first), int(last or first) + 1)
    made = {}
    for seed in numbers:
        made[seed] = generate.write(seed, f'{root}/{seed}', able)

    def compile_one(seed):
        directory = f'{root}/{seed}'
        return compiled(directory, made[seed]['compile'] + [f'-DSTEPS={steps}'],
                        f'{directory}/app.cpp')
    errors = dict.fromkeys(numbers, '')
    if not args.again:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            errors = dict(zip(numbers, pool.map(compile_one, numbers)))
    for seed in numbers:
        directory, kept = f'{root}/{seed}', f'{root}/{seed}/report.json'
        if os.path.exists(kept):
            os.unlink(kept)
        try:
            if errors[seed]:
                raise Failed(f'does not compile: {errors[seed].splitlines()[0]}')
            true, report, why = (recorded(build, directory) if args.again else
                                 measured(args, build, directory, made[seed]['faults']))
        except Failed as e:
            table.line(f'{seed:4} {made[seed]["runtime"]:8} {e}')
            table.count('runs', False if e.ours else None)
            continue
        if not judge_seed(made[seed], seed, true, report, why, table):
            table.wrong.append(str(seed))
            with open(kept, 'w') as f:
                json.dump(report, f, indent=1)


class Load:
    """Busy loops next to what runs inside."""

    def __init__(self, number):
        self.number = number

    def __enter__(self):
        self.loops = [subprocess.Popen([sys.executable, '-c', 'while True: pass'])
                      for _ in range(self.number)]
        return self

    def __exit__(self, *_):
        for loop in self.loops:
            loop.kill()
            loop.wait()


def program_command(path, text):
    """The compiler that a program of programs/ needs."""
    command = ['g++', '-std=c++17'] if path.endswith('.cpp') else ['gcc', '-std=gnu11']
    command += ['-O2', '-g', '-pthread']
    if '#pragma omp' in text or 'omp.h' in text:
        command.append('-fopenmp')
    return command + ['-Wl,--as-needed', '-ltbb', '-lm']


def programs(args, build, table):
    """Their first line: // cause: ID[|ID...] [place=FUNCTION[,FUNCTION...]], or: nothing."""
    for name in sorted(os.listdir(f'{HERE}/programs')):
        path = f'{HERE}/programs/{name}'
        with open(path) as f:
            text = f.read()
        cause = re.match(r'// cause: (\S+)(?: place=(\S+))?', text)
        if not cause:
            table.line(f'{name}: no line "// cause:"')
            table.count('runs', False)
            continue
        directory = f'{build}/causes/{name}'
        os.makedirs(directory, exist_ok=True)
        wrong = compiled(directory, program_command(path, text), path)
        if wrong:
            table.line(f'{name}: does not compile: {wrong.splitlines()[0]}')
            table.count('runs', False)
            continue
        try:
            with Load(args.load) as load:
                busy = Busy(load)
                elapsed, _, _ = run([f'{directory}/app'])
                report, why = profiled(build, directory, f'{directory}/app')
                busy = busy.share()
        except subprocess.TimeoutExpired as e:
            report, why, elapsed, busy = None, str(e), 0, 0
        head = f'{name:24} {elapsed:5.2f}s busy {100 * busy:2.0f}% | {cause[0][10:]} |'
        findings = why if report is None else findings_of(report)
        table.count('runs', report is not None)
        if isinstance(findings, str):
            table.line(f'{head} {findings}')
            continue
        if cause[1] == 'nothing':
            right = not findings
        else:
            first = findings[0] if findings else {}
            right = first.get('id') in cause[1].split('|') and (
                not cause[2] or placed(first, cause[2].split(','), [], name))
        text = '; '.join(said(f, elapsed) for f in findings[:3]) or 'nothing'
        table.line(f'{head} {text} | {WORDS[right]}')
        table.count('programs', right)
        kept = f'{directory}/report.json'
        if os.path.exists(kept):
            os.unlink(kept)
        if not right:
            table.wrong.append(name)
            with open(kept, 'w') as f:
                json.dump(report, f, indent=1)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n', 1)[0])
    parser.add_argument('what', nargs='?')
    parser.add_argument('-b', dest='build', default=f'{HERE}/../../build')
    parser.add_argument('--programs', action='store_true')
    parser.add_argument('--again', action='store_true')
    parser.add_argument('--load', type=int, default=0)
    parser.add_argument('-o', dest='table')
    args = parser.parse_args()
    if args.programs == bool(args.what) or args.what and not re.fullmatch(r'\d+(-\d+)?', args.what):
        parser.error('FROM-TO, or --programs')
    build = os.path.abspath(args.build)
    os.makedirs(f'{build}/causes', exist_ok=True)
    table = Table(args.table)
    (programs if args.programs else seeds)(args, build, table)
    table.sums()
    return 1 if table.right.get('runs', 0) < table.asked.get('runs', 0) else 0


if __name__ == '__main__':
    sys.exit(main())
