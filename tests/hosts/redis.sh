# what: a server with I/O threads: benchmark with threads, BGSAVE and BGREWRITEAOF (forks), SIGKILL of the saving child, restart, SHUTDOWN
# packages: redis-tools
# needs: redis-check-rdb redis-cli redis-benchmark
# profile: redis-check-rdb redis-benchmark
# quick: yes
# Debian's redis-server is this program by another name; its package would start a service.
ln -s "$(command -v redis-check-rdb)" redis-server
sock=/tmp/libprof-hosts-$$.sock     # a socket's path has 107 bytes
trap 'rm -f "$sock"' EXIT
c() { redis-cli -s "$sock" "$@"; }
start() {
    ./redis-server --port 0 --unixsocket "$sock" --io-threads 2 --io-threads-do-reads yes \
        --appendonly yes --save "" >>log 2>&1 &
    pid=$!
    until [ "$(c ping 2>/dev/null)" = PONG ]; do sleep 0.05; done
}
saved() { until c info persistence | grep -q 'bgsave_in_progress:0' && c info persistence |
    grep -q 'rewrite_in_progress:0'; do sleep 0.05; done; }
start
redis-benchmark -s "$sock" -n 2000 -c 20 --threads 2 -t set,lpush,incr -q 2>&1 | tr '\r' '\n' |
    grep -c 'requests per second, p50'
c eval "for i = 1, 20000 do redis.call('set', 'k' .. i, string.rep('v', 100) .. i) end return redis.call('dbsize') > 20000" 0
c bgsave
saved
c info persistence | grep -e last_bgsave_status -e aof_last_bgrewrite_status | tr -d '\r'
c bgrewriteaof
saved
c info persistence | grep -e aof_last_bgrewrite_status | tr -d '\r'
c config set rdb-key-save-delay 10000
c bgsave
child() { pgrep -P "$pid" | head -1; }
until [ -n "$(child)" ]; do sleep 0.05; done
kill -KILL "$(child)"
saved
c info persistence | grep last_bgsave_status | tr -d '\r'
c config set rdb-key-save-delay 0
c flushall async
c set a 1
c shutdown nosave
wait $pid
echo "status $?"
start
c get a
c debug sleep 0 >/dev/null 2>&1
kill -TERM $pid
wait $pid
echo "SIGTERM $?"
! grep -c -i -e crash -e 'bug report' log
