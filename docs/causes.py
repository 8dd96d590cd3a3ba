#!/usr/bin/env python3
"""causes.py DEF PROGRAMS MEASURED > CAUSES.md - makes the page of causes from the table
report/analysis/causes.def.

PROGRAMS: tests/causes/programs, the first line of each of which names its cause.
MEASURED: what `make causes` printed last, which the page ends with.
"""
import os
import re
import sys
import textwrap

HEAD = '''# Causes

What limits a program, as `prof` states it: each finding is one of the causes below, at a place,
with the elapsed time that goes away without it. Text, JSON, SARIF, page, `whatif`, `bench`, `diff`
and the functions' verdicts read this one list. `docs/causes.py` makes this page from the table
`report/analysis/causes.def`.

The worker time is elapsed time times workers. It is divided into cells: each has one cause and one
place, or is the program's own code. A finding sums the cells of one cause at one place:

    gain = worker time of the cells / workers that can run at one time

That is what the elapsed time would be shorter by, if the other work spread over the workers as it
does now. More workers than processors do not run at one time: of idle time that samples found, the
cells have what (workers that can run - w) / w makes it, where w threads worked. The interval
contains the error of the samples that split the cells (95 %), and at least a tenth of the gain,
because a remedy has costs of its own. Findings below 5 % of the elapsed time, and those whose
interval contains 0, are not printed. The time in which other programs had the processors is no part
of the elapsed time that a gain is compared with.
'''


def strings(text):
    """The arguments of a row: C strings, of which neighbours are one."""
    parts, at, fields = [], 0, []
    for token in re.finditer(r'"((?:[^"\\\\]|\\\\.)*)"|,', text):
        if token.group(0) == ',':
            fields.append(''.join(parts))
            parts = []
        else:
            parts.append(token.group(1))
    return fields + [''.join(parts)]


def examples(folder):
    """Cause: programs that have it."""
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name)) as f:
            named = re.match(r'// cause: (\w+)', f.readline())
        if named:
            found.setdefault(named.group(1), []).append(f'`{folder}/{name}`')
    return found


def main():
    programs = examples(sys.argv[2])
    with open(sys.argv[1]) as f:
        table = re.sub(r'/\*.*?\*/', '', f.read(), flags=re.S)
    print(HEAD)
    for row in re.split(r'^CAUSE\(', table, flags=re.M)[1:]:
        body = row[:row.rindex(')')]
        _, name, sentence, remedy, cells, place = strings(body)
        print(f'## `{name}`\n')
        for title, text in (('Says', sentence + ' ' + remedy), ('Cells', cells), ('Place', place)):
            print(textwrap.fill(f'**{title}**: {text}', 100, break_long_words=False) + '\n')
        if name in programs:
            print(textwrap.fill('**Example**: ' + ', '.join(programs[name]), 100,
                                break_long_words=False, break_on_hyphens=False) + '\n')
    with open(sys.argv[3]) as f:
        print(f.read().rstrip())


if __name__ == '__main__':
    main()
