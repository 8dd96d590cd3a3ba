# what: master and two workers with thread pools: requests, reload, a worker killed by SIGKILL, upgrade of the binary, graceful quit
# packages: nginx-light curl
# needs: nginx curl
# profile: nginx
# quick: yes
mkdir -p www logs
awk 'BEGIN { for (i = 0; i < 20000; i++) print "line", i }' >www/f
chmod -R a+rX . && chmod a+rx ..
sock=/tmp/libprof-hosts-$$.sock     # a socket's path has 107 bytes
trap 'rm -f "$sock"' EXIT
cat >conf <<END
worker_processes 2;
pid $PWD/pid;
error_log $PWD/logs/error info;
thread_pool pool threads=4;
events { worker_connections 64; }
http {
    access_log $PWD/logs/access;
    client_body_temp_path $PWD/b; proxy_temp_path $PWD/p; fastcgi_temp_path $PWD/fa; uwsgi_temp_path $PWD/u; scgi_temp_path $PWD/sc;
    server { listen unix:$sock; root $PWD/www; location / { aio threads=pool; gzip on; gzip_types *; } }
}
END
nginx=$(command -v nginx)      # a path, for the upgrade
get() { for i in 1 2 3 4 5 6 7 8; do curl -s --retry 20 --retry-connrefused --retry-all-errors \
    --compressed --unix-socket "$sock" http://h/f | cksum; done | uniq -c; }
workers() { pgrep -c -P "$(cat pid)"; }
await() { until "$@"; do sleep 0.05; done; }
"$nginx" -c "$PWD/conf" -e "$PWD/logs/error"
echo "start $?"
await test -s pid
get
old=$(pgrep -P "$(cat pid)" | sort | tr '\n' ' ')
"$nginx" -c "$PWD/conf" -e "$PWD/logs/error" -s reload
gone() { for p in $old; do ! kill -0 "$p" 2>/dev/null || return 1; done; }
await gone
get
first=$(pgrep -P "$(cat pid)" | head -1)
kill -KILL "$first"
again() { [ "$(workers)" = 2 ] && ! kill -0 "$first" 2>/dev/null; }
await again
get
kill -USR2 "$(cat pid)"
await test -s pid.oldbin
await test -s pid
kill -QUIT "$(cat pid.oldbin)"
await test ! -e pid.oldbin
get
end=$(cat pid)
"$nginx" -c "$PWD/conf" -e "$PWD/logs/error" -s quit
ended() { ! kill -0 "$end" 2>/dev/null; }
await ended
grep -c ' 200 ' logs/access
grep -c 'exited on signal 9' logs/error
grep 'exited on signal' logs/error | grep -vc 'signal 9'
grep -c -e emerg -e alert logs/error | sed 's/^/alerts /'
