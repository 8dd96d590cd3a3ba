#!/usr/bin/env python3
"""run.py BUILD check|all [SUITE[/CASE]...]   the gate's cases, or all, of these suites or of all
run.py BUILD loop SUITE/CASE N             one case N times beside busy loops: how often it failed
run.py BUILD flaky N [SUITE...]            the gate N times beside busy loops: what differed

A suite is tests/SUITE/check.sh BUILD [CASE...]. It prints one line a case: PASS, FAIL or SKIP and
SUITE/CASE. Of its cases, `check` leaves out those that tests/beyond lists. Several suites run at
the same time, but for those whose answers are shares of the time (ALONE): these run one by one.

A case that failed runs again by itself at the end, three times. If it fails again, it has failed.
If not, it is FLAKY: its first output is printed, and it counts as skipped. A case in which a
program crashed or hung has failed at once. A case that hangs is ended, with all that it started, and
has failed. So is a suite that takes longer than it may.

The last lines: how long each suite took, with its CPU time, the slowest cases, what failed with
the command that repeats it, and the sums. They are also in BUILD/check.txt or BUILD/check-all.txt,
or in BUILD/check-some.txt if not all suites ran.
"""
import collections
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The longest first, so that no suite is left for the end. What the gate has of them is in `beyond`.
GATE = ['fault', 'report', 'view', 'programs', 'integration', 'openmp', 'policy', 'signals', 'mpi',
        'unit', 'package', 'runner', 'abi', 'layers']
BESIDE = ['matrix', 'hosts', 'debug', 'scaling', 'fuzz']
ALONE = ['sampling', 'verdicts', 'soak']
MODES = {'check': 'check', 'all': 'check-all'}      # the file with what a whole run has found
AGAIN = 3           # times that a failed case runs by itself
AGAIN_MOST = 20     # failed cases: with more of them, what is wrong is not luck
# Seconds until a case, or a suite, has hung: as if as many threads wanted to run as there are
# processors. (The gate by itself takes 9 minutes; the slowest case next to busy loops, 46 s.)
LIMITS = {'check': (120, 600), 'all': (1500, 5400)}
MORE = 20000        # characters that may follow the line of a case, and are its output, too
# In a failure's output: a program's status if timeout(1) or one of these signals ended it (ILL,
# TRAP, ABRT, BUS, FPE, KILL, SEGV), what tests/fault prints, and Criterion.
CRASH = re.compile(r'\bstatus:? (124|13[2-79])\b|it hangs|unexpected signal|timed out', re.I)
LINE = re.compile(r'(PASS|FAIL|SKIP) (\S+?):?(?: .*)?$')

TICKS = os.sysconf('SC_CLK_TCK')

# more: lines between it and the next case's; those before it, too, if it is a failure
Line = collections.namedtuple('Line', 'kind name text seconds more')


def boot_time():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def stat(pid):
    """The fields of /proc/PID/stat from the third one on."""
    with open(f'/proc/{pid}/stat', errors='replace') as f:
        return f.read().rsplit(')', 1)[1].split()


def cpu_time(pid):
    """CPU time of a process and of its children that have ended, in s."""
    return sum(map(int, stat(pid)[11:15])) / TICKS


def share():
    """Which part of a processor a thread has now: more threads may want to run than can."""
    try:
        with open('/proc/loadavg') as f:
            running = int(f.read().split()[3].split('/')[0])
    except (OSError, ValueError):
        return 1.0
    return min(1.0, (os.cpu_count() or 1) / max(running, 1))


def say(text):
    sys.stdout.write(text + '\n')       # at once: several threads say something
    sys.stdout.flush()


class Suite:
    """One run of a suite, or of some of its cases."""
    running = set()

    def __init__(self, build, mode, name, cases=(), echo=True):
        self.name, self.lines, self.hung, self.echo, self.cpu = name, [], {}, echo, 0.0
        self.late = False
        self.case_limit, self.limit = LIMITS[mode]
        if 'CHECK_LIMITS' in os.environ:
            self.case_limit, self.limit = map(int, os.environ['CHECK_LIMITS'].split(','))
        self.now = tempfile.NamedTemporaryFile(prefix='libprof-case.')
        # (HOME: some tools of the suites do not start without one)
        environment = dict(os.environ, CHECK='gate' if mode == 'check' else 'all',
                           CHECK_CASE=self.now.name, LC_ALL='C', MAKEFLAGS='',
                           HOME=os.environ.get('HOME') or tempfile.gettempdir())
        self.mark = ('CHECK_CASE=' + self.now.name).encode()
        # A shell makes what it runs in the background ignore SIGINT and SIGQUIT, and programs
        # inherit that. Those of the suites get these signals as they would in a terminal.
        self.process = subprocess.Popen(
            ['sh', f'{TOP}/tests/{name}/check.sh', build, *cases], cwd=TOP, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True, errors='replace', preexec_fn=lambda: [
                signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGQUIT)])
        Suite.running.add(self)

    def kill(self, since=0.0, itself=False):
        """Ends what the suite has started since (in seconds after boot), and the suite as well."""
        for pid in filter(str.isdigit, os.listdir('/proc')):
            if int(pid) == self.process.pid:
                continue
            try:
                with open(f'/proc/{pid}/environ', 'rb') as f:
                    ours = self.mark in f.read().split(b'\0')
                began = int(stat(pid)[19]) / TICKS
                if ours and began >= since:
                    os.kill(int(pid), signal.SIGKILL)
            except OSError:
                pass
        if itself:
            os.kill(self.process.pid, signal.SIGKILL)   # (Popen.kill may take its status)

    def watch(self):
        """Ends a case that does not end."""
        since = 0.0
        taken = case_taken = 0.0
        case = None
        while os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.5)
            step = 0.5 * share()
            taken, case_taken = taken + step, case_taken + step
            self.now.seek(0)
            at = self.now.read().decode(errors='replace').strip(), len(self.lines)
            if at != case:
                # What it starts begins after its name was written; the kernel counts in ticks.
                named = os.stat(self.now.name).st_mtime - time.time() + boot_time()
                case, since, case_taken = at, named - 2 / TICKS, 0.0
            late = self.late = self.late or taken > self.limit
            if late or case_taken > self.case_limit:
                name = at[0] if at[0].startswith(self.name + '/') else self.name
                self.hung[name] = (f'{self.name} took more than {self.limit} s' if late
                                   else f'hung: more than {self.case_limit} s')
                self.kill(since=0 if late else since, itself=late)
                since, case_taken = 0.0, 0.0    # if it hangs again, what it waits for is older
        self.cpu = cpu_time(self.process.pid)
        self.kill()     # what it has left, which has its output, too

    def add(self, text, last, before=()):
        kind, name = LINE.match(text).group(1, 2)
        if name in self.hung:
            kind, text = 'FAIL', f'FAIL {name}: {self.hung.pop(name)}'
        self.lines.append(Line(kind, name, text, time.monotonic() - last,
                               list(before) if kind == 'FAIL' else []))
        if self.echo:
            say(text)

    def run(self):
        started = last = time.monotonic()
        loose = []      # lines since the last case's
        watch = threading.Thread(target=self.watch)
        watch.start()
        for text in self.process.stdout:
            text = text.rstrip('\n')
            if LINE.match(text):
                self.add(text, last, loose)
                last, loose = time.monotonic(), []
            else:
                loose = loose[-50:] + [text]
                if self.lines and sum(map(len, self.lines[-1].more)) < MORE:
                    self.lines[-1].more.append(text)
                if self.echo:
                    say(text)
        watch.join()
        code = self.process.wait()
        Suite.running.discard(self)
        for name, why in list(self.hung.items()):
            self.add(f'FAIL {name}: {why}', last)
        if not self.lines:
            self.add(f'FAIL {self.name}: no result (status {code})', last)
        elif code not in (0, 1) and not self.late or \
                code and not any(line.kind == 'FAIL' for line in self.lines):
            self.add(f'FAIL {self.name}: ended with status {code}', last)
        self.seconds = time.monotonic() - started
        return self


class Lost:
    """A suite that could not be run."""
    def __init__(self, name, why):
        self.name, self.seconds, self.cpu = name, 0.0, 0.0
        self.lines = [Line('FAIL', name, f'FAIL {name}: not run: {why}', 0.0, [])]
        say(self.lines[0].text)


class Load:
    """Busy loops, four or two a processor, until the end."""
    loops = []

    def __enter__(self):
        Load.loops = [subprocess.Popen(['sh', '-c', 'while :; do :; done'])
                      for _ in range(max(4, 2 * (os.cpu_count() or 1)))]

    def __exit__(self, *_):
        self.end()

    @classmethod
    def end(cls):
        for loop in cls.loops:
            loop.kill()
            loop.wait()


def forget_killed():
    """libomp leaves a file behind when it is killed; a later process of the same number reads it,
    and dies if it is empty."""
    try:
        names = os.listdir('/dev/shm')
    except OSError:
        return
    for name in names:
        number = re.match(r'__KMP_REGISTERED_LIB_(\d+)_', name)
        if number and not os.path.exists('/proc/' + number.group(1)):
            try:
                os.unlink('/dev/shm/' + name)
            except OSError:
                pass


def run_suites(build, mode, wanted, echo=True):
    """SUITE -> its cases, or () -> the suites that ran."""
    together = [s for s in wanted if s not in ALONE]
    waiting, done, lock = iter(together), [], threading.Lock()

    def one(name):
        try:
            forget_killed()
            return Suite(build, mode, name, wanted[name], echo=echo).run()
        except Exception as error:      # no process, no file: whatever it is, the run is red
            return Lost(name, repr(error))

    def lane():
        while True:
            with lock:
                name = next(waiting, None)
            if name is None:
                return
            suite = one(name)
            with lock:
                done.append(suite)

    # Much of the time, a case waits: two suites a processor.
    lanes = [threading.Thread(target=lane)
             for _ in range(min(len(together), 2 * (os.cpu_count() or 1)))]
    for thread in lanes:
        thread.start()
    for thread in lanes:
        thread.join()
    done += [one(s) for s in wanted if s in ALONE]
    return done


def case_of(name):
    """What check.sh takes for the case of that name."""
    return name.split('/', 1)[1:]


def again(build, mode, suite, failed):
    """Does the case fail if it runs by itself?"""
    for _ in range(AGAIN):
        say(f'alone: {failed.name}')
        alone = Suite(build, mode, suite, case_of(failed.name), echo=False).run()
        # a program that crashed may have taken the name of its case with it
        if any(line.kind == 'FAIL' for line in alone.lines) or \
                not any(line.name == failed.name and line.kind == 'PASS' for line in alone.lines):
            return True
    return False


def table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        yield '  '.join(cell.ljust(widths[i]) if i in (0, len(row) - 1) else cell.rjust(widths[i])
                        for i, cell in enumerate(row)).rstrip()


def command(build, suite, name):
    return ' '.join(['sh', f'tests/{suite}/check.sh', shlex.quote(build)] +
                    [shlex.quote(c) for c in case_of(name)])


def check(build, mode, wanted, whole):
    suites = run_suites(build, mode, wanted)
    flaky, red = [], []
    failed = [(s, line) for s in suites for line in s.lines if line.kind == 'FAIL']
    for suite, line in failed:
        hung = ': hung: ' in line.text or ' took more than ' in line.text or \
            CRASH.search('\n'.join([line.text, *line.more]))
        if mode == 'check' and len(failed) <= AGAIN_MOST and not hung and case_of(line.name) and \
                not again(build, mode, suite.name, line):
            flaky.append((suite, line))
        else:
            red.append((suite, line))
    rows = [('suite', 'cases', 's', 'CPU s', 'failed')]
    for s in sorted(suites, key=lambda s: -s.seconds):
        rows.append((s.name, str(len(s.lines)), f'{s.seconds:.0f}', f'{s.cpu:.0f}',
                     ' '.join(line.name for suite, line in red if suite is s)))
    out = ['', *table(rows), '', 'the slowest cases:']
    slow = sorted((line for s in suites for line in s.lines), key=lambda line: -line.seconds)[:10]
    out += table([(line.name, f'{line.seconds:.1f} s') for line in slow])
    out += ['', 'skipped:'] + sorted(line.text for s in suites for line in s.lines
                                     if line.kind == 'SKIP')
    out.append('')
    for suite, line in flaky:
        out += [f'FLAKY {line.name} (alone it passed {AGAIN} times; first: {line.text})',
                *line.more, f'     again: make check-loop CASE={line.name} N=200']
    for suite, line in red:
        out += [f'again: {line.text}', f'to repeat it: {command(build, suite.name, line.name)}']
    count = collections.Counter(line.kind for s in suites for line in s.lines)
    out.append(f"{count['PASS']} passed, {len(red)} failed, {count['SKIP'] + len(flaky)} skipped")
    print('\n'.join(out), flush=True)
    with open(os.path.join(build, f"{MODES[mode] if whole else 'check-some'}.txt"), 'w') as f:
        f.write('\n'.join(out[1:]) + '\n')
    return 1 if red or not count['PASS'] else 0


def loop(build, name, times):
    suite = name.split('/')[0]
    failures = 0
    with Load():
        for i in range(times):
            run = Suite(build, 'check', suite, case_of(name), echo=False).run()
            # (a suite may print more: what it checks before its cases, a part's other cases)
            its = [line for line in run.lines
                   if f'{line.name}/'.startswith((f'{name}/', f'{name}-'))]
            wrong = [line for line in run.lines if line.kind == 'FAIL' and
                     (line in its or not case_of(line.name))]
            if not its and not run.process.returncode:
                say(f'{name}: there is no such case, or only in check-all')
                return 2
            if its and all(line.kind == 'SKIP' for line in run.lines):
                say(its[0].text)
                return 2
            if wrong:
                failures += 1
                say(f'{i + 1}: ' + '; '.join(line.text for line in wrong))
    say(f'{name} failed in {failures} of {times} runs')
    return 1 if failures else 0


def flaky(build, times, wanted):
    answers = collections.defaultdict(lambda: [[] for _ in range(times)])
    with Load():
        for i in range(times):
            failed = []
            for suite in run_suites(build, 'check', wanted, echo=False):
                for line in suite.lines:
                    answers[line.name][i].append(line)
                    if line.kind == 'FAIL':
                        failed.append(line.name)
            print(f'{i + 1} of {times}: {" ".join(failed) or "none"} failed', file=sys.stderr,
                  flush=True)
    different = 0
    for name, rounds in sorted(answers.items()):
        each = collections.Counter(' '.join(sorted(line.kind for line in lines)) or 'no answer'
                                   for lines in rounds)
        wrong = [line.text for lines in rounds for line in lines if line.kind == 'FAIL']
        if len(each) > 1 or wrong:
            different += 1
            say(f'{name}: ' + ', '.join(f'{kinds} in {n}' for kinds, n in each.items()) +
                f' of {times}' + (f': {wrong[0]}' if wrong else ''))
    return 1 if different or not answers else 0


def plain(build):
    """LD_PRELOAD takes no path with a blank or a colon: such a tree is reached through a link."""
    global TOP
    if not re.search(r'[\s:]', TOP + build):
        return build
    links = tempfile.mkdtemp(prefix='libprof-check.')
    os.symlink(TOP, links + '/tree')
    inside = os.path.relpath(build, TOP)
    TOP = links + '/tree'
    if inside.startswith('..'):
        os.symlink(build, links + '/build')
        return links + '/build'
    return os.path.join(TOP, inside)


def interrupted(number, _):
    for suite in list(Suite.running):
        suite.kill(itself=True)
    Load.end()
    os._exit(128 + number)


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    build, mode, *rest = arguments
    build = plain(os.path.abspath(build))
    if mode == 'loop':
        return loop(build, rest[0], int(rest[1]))
    times = int(rest.pop(0)) if mode == 'flaky' else 0
    wanted = {}
    for name in rest or GATE + (BESIDE + ALONE if mode == 'all' else []):
        wanted.setdefault(name.split('/')[0], []).extend(case_of(name))
    if mode == 'flaky':
        return flaky(build, times, wanted)
    return check(build, mode, wanted, whole=not rest)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
