# what: matrix products on the BLAS library's threads, alone and under multiprocessing
# packages: python3-numpy
# needs: /usr/lib/python3/dist-packages/numpy
# profile: python3
# quick: yes
cat >n.py <<'END'
import multiprocessing as mp, threading
import numpy as np

def work(seed):
    a = (np.arange(250000, dtype=np.int64).reshape(500, 500) * seed) % 97
    f = a.astype(np.float64)
    return int((f @ f.T).sum()), int(np.sort(a.ravel()).cumsum()[-1] % 1000003)

if __name__ == "__main__":
    print(work(3))
    out = [None] * 4
    def one(i): out[i] = work(i + 1)
    ts = [threading.Thread(target=one, args=(i,)) for i in range(4)]
    for t in ts: t.start()
    for t in ts: t.join()
    print(out)
    for how in "fork", "spawn":
        with mp.get_context(how).Pool(2) as p:
            print(how, p.map(work, [1, 2, 3]))
            p.close()
            p.join()  # Pool.terminate kills a worker, with a lock or without
    m = np.eye(200) * 2
    print(round(float(np.linalg.slogdet(m)[1]), 6))
END
/usr/bin/python3 n.py
