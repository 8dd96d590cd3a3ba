#!/usr/bin/env python3
"""test_judge.py - the verdicts of run.py on made-up findings: each of them can be wrong."""
import sys

import run

LOCK = {'kind': 'contention', 'functions': ['fold_rays', 'score_tiles'], 'lines': [40, 41]}
PHASE = {'kind': 'serial', 'functions': ['rank_edges'], 'lines': [60]}


def found(name, function, line, gain, low=0, high=0):
    return {'id': name, 'gain_ns': gain * 1e9, 'gain_low_ns': low * 1e9,
            'gain_high_ns': high * 1e9,
            'place': {'function': function, 'file': 'x/app.cpp', 'line': line}}


# The faults, what their removal gains (of 1 s), what is found, the verdicts (a), (b), (c).
CASES = [
    ([], [], [], (None, None, True)),
    ([], [], [found('serial', 'main', 3, .2)], (None, None, False)),
    ([LOCK], [.3], [], (False, None, None)),
    ([LOCK], [.3], [found('contention', 'fold_rays(long)', 1, .3)], (True, True, None)),
    ([LOCK], [.3], [found('contention', 'fold_rays()::{lambda()#1}', 1, .24)], (True, True, None)),
    ([LOCK], [.3], [found('contention', 'fold_rays_two(long)', 1, .3)], (False, None, None)),
    ([LOCK], [.3], [found('contention', 'main', 41, .1)], (True, False, None)),
    ([LOCK], [.3], [found('contention', 'main', 42, .3)], (False, None, None)),
    ([LOCK], [.3], [found('contention', 'main', 41, .1, .05, .35)], (True, True, None)),
    ([LOCK], [.3], [found('serial', 'fold_rays', 41, .3)], (False, None, None)),
    ([LOCK], [.045], [], (None, None, None)),
    ([LOCK], [.03], [found('contention', 'fold_rays', 41, .3)], (None, None, False)),
    ([LOCK, PHASE], [.3, .1], [found('serial', 'rank_edges', 60, .1)], (False, None, None)),
    ([LOCK, PHASE], [.3, .26], [found('serial', 'rank_edges', 60, .26)], (True, True, None)),
    ([LOCK, PHASE], [.3, .04], [found('contention', 'fold_rays', 40, .5)], (True, False, None)),
]


def main():
    wrong = 0
    for faults, gains, findings, expected in CASES:
        verdicts = run.judge(faults, gains, 1.0, findings)
        if verdicts != expected:
            wrong += 1
            print(f'{findings}, gains {gains}: {verdicts} instead of {expected}')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
