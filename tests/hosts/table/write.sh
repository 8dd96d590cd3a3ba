#!/bin/sh
# write.sh ROWS - docs/HOSTS.md on stdout: ROWS are the table's lines, by check.sh --table.
cat <<'END'
# Hosts

libprof is preloaded into programs that nobody here has written, and it must not be noticed. These are the programs of
Debian packages that the tests run, each once natively and once with `LD_PRELOAD=libprof.so` over the whole script. Written by
`make hosts-table`; do not edit.

- `make check` runs those with a star, `make check-hosts` all. A host that is not installed is skipped.
- The same must be: the status; stdout; the lines on stderr, numbers apart; what outlives the script. Every profile must be one
  that `prof report` reads. A hang fails, with the stacks of all threads.
- A host is one file in tests/hosts; tests/hosts/check.sh says how it is written. tests/hosts/self are hosts that differ, to see that
  it is told.
- Where a preload by hand cannot work (another libc, another word size), the host is under `prof run`.
- A Go program that is linked with libc ends by a system call of its own, which no preload sees: its profile is the last
  checkpoint, and one that ends within half a second of its first thread has none (`prof run` and `prof doctor` say so).
- helgrind and drd do not know libprof's own locks and lock-free lists, and name races there: they are not in the table.

END
echo "On $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release), $(uname -m), glibc $(ldd \
    --version | sed -n '1s/.* //p'); * in \`make check\`."
echo
echo "| host | packages | what it does | natively | with libprof |"
echo "|---|---|---|---|---|"
cat "$1"
