# what: the shell on a database of 50,000 rows, a sort with helper threads, two writers at once, python's sqlite3 on threads
# packages: sqlite3 python3
# needs: sqlite3 /usr/bin/python3
# quick: yes
sqlite3 a.db "create table t (a integer primary key, b text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000) insert into t select i, (i * 7919) % 100003 from n;
    pragma threads = 4; create index x on t (b); select count(distinct b), max(b) from t; pragma integrity_check"
for k in 1 2; do
    (i=0; while [ $i -lt 20 ]; do
        echo "pragma busy_timeout=100000; insert into t(b) values ('w$k-$i');"
        i=$((i + 1)); done | sqlite3 a.db >/dev/null; echo "writer $?") &
done
wait
sqlite3 a.db "select count(*) from t where b like 'w%'"
/usr/bin/python3 -c '
import sqlite3, threading
out = [0] * 4
def f(k):
    c = sqlite3.connect("a.db"); out[k] = c.execute("select sum(a * ?) from t", (k,)).fetchone()[0]
t = [threading.Thread(target=f, args=(k,)) for k in range(4)]
[x.start() for x in t]; [x.join() for x in t]
print(out)'
