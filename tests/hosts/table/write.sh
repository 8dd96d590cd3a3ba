#!/bin/sh
# write.sh ROWS - docs/HOSTS.md on stdout: ROWS are the table's lines, by check.sh --table.
cat <<'END'
# Hosts

The tests run third-party programs of Debian packages under libprof. Such a program is called a
host. The programs must not notice libprof. The tests run each host's script once natively, and once
with `LD_PRELOAD=libprof.so` over the whole script. `make hosts-table` writes this page; do not edit
it.

- `make check-all` runs the hosts with a star, `make check-hosts` all. The tests skip a host that is
  not installed.
- Both runs must have the same exit status, the same stdout and the same lines on stderr (numbers
  apart), and must leave the same processes behind. `prof report` must be able to read every
  profile. If a host hangs, the test fails and prints the stacks of all threads. Some programs end
  in more than one way natively: after a difference, up to four more native runs show whether one
  of them is as the preloaded run is.
- Each host is one file in tests/hosts. tests/hosts/check.sh states how to write one.
  tests/hosts/self are hosts that differ on purpose: they show that the tests find a difference.
- If a preload by hand cannot work (another libc, another word size), the host runs under
  `prof run`.
- A Go program that is linked with libc ends by a system call of its own, which no preload sees. Its
  profile is the last checkpoint. If it ends within half a second of its first thread, it has no
  profile (`prof run` and `prof doctor` report this).
- helgrind and drd do not know libprof's own locks and lock-free lists, and report races there. So
  they are not in the table.

END
echo "On $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release), $(uname -m), glibc $(ldd \
    --version | sed -n '1s/.* //p'); * in \`make check-all\`."
echo
echo "| host | packages | what it does | natively | with libprof |"
echo "|---|---|---|---|---|"
cat "$1"
