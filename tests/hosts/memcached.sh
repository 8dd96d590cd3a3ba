# what: a daemon with 4 threads, commanded by socat over a socket; SIGTERM; again with the descriptors that -d closes
# packages: memcached socat
# needs: memcached socat
# profile: memcached
# quick: yes
sock=/tmp/libprof-hosts-$$.sock     # a socket's path has 107 bytes
trap 'rm -f "$sock"' EXIT
who=; [ "$(id -u)" != 0 ] || who="-u root"
c() { printf "$1" | socat -t 5 - "UNIX-CONNECT:$sock" | tr -d '\r'; }
for daemon in "" -d; do
    memcached $who $daemon -t 4 -s "$sock" -P "$PWD/pid" &
    until [ -S "$sock" ] && [ -s pid ]; do sleep 0.05; done
    for i in 1 2 3 4 5 6 7 8; do c "set k$i 0 0 5\r\nhel-$i\r\nget k$i\r\nquit\r\n"; done
    c "incr none 1\r\nstats\r\nquit\r\n" | grep -e NOT -e 'STAT cmd_set' -e 'STAT threads'
    pid=$(cat pid)
    kill -TERM "$pid"
    while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
    wait
    rm -f pid "$sock"
done
