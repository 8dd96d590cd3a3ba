# what: initdb, pgbench with 4 clients on 2 threads, parallel queries, a backend killed by SIGKILL and the recovery, fast and immediate shutdown
# packages: postgresql-15
# needs: /usr/lib/postgresql/15/bin/postgres /usr/lib/postgresql/15/bin/pgbench setpriv
# profile: pgbench
# quick: yes
if [ "$(id -u)" = 0 ]; then chown postgres . &&
    exec setpriv --reuid=postgres --regid=postgres --clear-groups sh "$0"; fi
PATH=/usr/lib/postgresql/15/bin:$PATH
initdb -D data -A trust -U me --no-sync >initdb.log 2>&1 || { cat initdb.log; exit 1; }
mkdir s                     # a socket's path has 107 bytes
ln -s "$PWD/s" "/tmp/libprof-hosts-$$" && trap 'rm -f "/tmp/libprof-hosts-$$"' EXIT
sock=/tmp/libprof-hosts-$$
start() { pg_ctl -D data -w -t 200 -l log \
    -o "-k $sock -c listen_addresses= -c fsync=off -c max_worker_processes=4 $*" start >/dev/null; }
sql() { psql -h "$sock" -U me -d postgres -X -q -t -A -c "$1" 2>/dev/null; }
start
pgbench -h "$sock" -U me -i -q -s 1 postgres 2>&1 | grep -c '^done in'
pgbench -h "$sock" -U me -c 4 -j 2 -t 50 postgres 2>&1 | grep -e 'actually processed' -e 'failed'
sql "select count(*) = 200 from pgbench_history; select sum(tbalance) = (select sum(bbalance) from pgbench_branches) from pgbench_tellers"
sql "set min_parallel_table_scan_size = 0; set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set max_parallel_workers_per_gather = 3;
     create table big as select i from generate_series(1, 200000) i; select sum(i) from big; vacuum (parallel 2) big"
sql "select pg_sleep(200)" &
until [ "$(sql "select count(*) from pg_stat_activity where query like 'select pg_sleep%'")" = \
    1 ]; do sleep 0.1; done
kill -KILL "$(sql "select pid from pg_stat_activity where query like 'select pg_sleep%'")"
wait $!
echo "psql of the killed backend: $?"
until [ "$(sql 'select 1')" = 1 ]; do sleep 0.1; done
sql "select sum(i) from big"
grep -c 'terminated by signal 9' log
grep -c 'automatic recovery in progress' log
pg_ctl -D data -w -t 200 -m fast stop | sed "s,\.\.*, ...,"   # a dot for each second
echo "fast $?"
start
sql "select count(*) from big"
pg_ctl -D data -w -t 200 -m immediate stop | sed "s,\.\.*, ...,"   # a dot for each second
echo "immediate $?"
start -c wal_level=minimal -c max_wal_senders=0
sql "select count(*) from big"
pg_ctl -D data -w -t 200 -m smart stop | sed "s,\.\.*, ...,"   # a dot for each second
ls data | grep -c '^core'
! grep -c -e PANIC -e FATAL.*memory log
