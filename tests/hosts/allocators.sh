# what: jemalloc, tcmalloc and mimalloc preloaded before and after libprof: python's threads, xz, git
# packages: libjemalloc2 libtcmalloc-minimal4 libmimalloc2.0 python3 xz-utils
# needs: /usr/lib/x86_64-linux-gnu/libjemalloc.so.2 /usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4 /usr/lib/x86_64-linux-gnu/libmimalloc.so.2.0
# profile: python3 xz
# quick: yes
ours=$LD_PRELOAD
cat >p.py <<'END'
import threading, os, multiprocessing as mp
def f(k): return sum(len(bytes(k % 5000)) for k in range(3000))
def g(_=0): return [str(i) * 10 for i in range(20000)][-1]
ts = [threading.Thread(target=f, args=(i,)) for i in range(6)] + [threading.Thread(target=g) for _ in range(4)]
for t in ts: t.start()
for t in ts: t.join()
with mp.get_context("fork").Pool(3) as p: print(sum(p.map(f, range(6))))
END
awk 'BEGIN { for (i = 0; i < 200000; i++) print i, (i * 7919) % 1000003 }' >f
lib=/usr/lib/x86_64-linux-gnu
for so in $lib/libjemalloc.so.2 $lib/libtcmalloc_minimal.so.4 $lib/libmimalloc.so.2.0; do
    for order in "$so${ours:+:$ours}" "${ours:+$ours:}$so"; do
        export LD_PRELOAD="$order"
        PYTHONMALLOC=malloc /usr/bin/python3 p.py
        echo "${so##*/} $?"
        xz -T4 --block-size=256KiB -1 -c f | cksum
        sh -c 'echo a | cat | tr a b'
    done
done
