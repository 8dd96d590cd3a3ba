# what: threads, subprocess, os.fork beside threads, multiprocessing by fork, spawn and forkserver, concurrent.futures, asyncio
# packages: python3
# needs: /usr/bin/python3
# profile: python3
# quick: yes
cat >p.py <<'END'
import asyncio, multiprocessing as mp, os, signal, subprocess, sys, threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

def square(x):
    return x * x

def child(q, x):
    t = threading.Thread(target=q.put, args=(square(x),))
    t.start(); t.join()

async def many():
    async def one(x):
        p = await asyncio.create_subprocess_exec("echo", str(x), stdout=subprocess.PIPE)
        return int((await p.communicate())[0])
    return sum(await asyncio.gather(*[one(x) for x in range(10)]))

def main():
    with ThreadPoolExecutor(4) as e:
        print("threads", sum(e.map(square, range(2000))))
    stop = threading.Event()
    busy = [threading.Thread(target=stop.wait) for _ in range(4)]
    for t in busy: t.start()
    for i in range(10):
        pid = os.fork()
        if pid == 0:
            t = threading.Thread(target=lambda: None); t.start(); t.join()
            os._exit(i)
        print("fork", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), end=" ")
    print()
    stop.set()
    for t in busy: t.join()
    for how in "fork", "spawn", "forkserver":
        c = mp.get_context(how)
        q = c.Queue()
        ps = [c.Process(target=child, args=(q, x)) for x in range(4)]
        for p in ps: p.start()
        print(how, sum(q.get() for _ in ps), [p.join() or p.exitcode for p in ps])
        with c.Pool(3) as pool:
            print(how, "pool", sum(pool.map(square, range(500))))
        p = c.Process(target=signal.pause); p.start(); p.kill(); p.join()
        print(how, "killed", p.exitcode)
    with ProcessPoolExecutor(2) as e:
        print("processes", sum(e.map(square, range(100))))
    print("asyncio", asyncio.run(many()))
    r = subprocess.run(["sh", "-c", "cat; exit 4"], input=b"through a pipe\n", stdout=subprocess.PIPE)
    print(r)
    signal.signal(signal.SIGALRM, lambda *a: print("alarm"))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    signal.pause()
    sys.exit(6)

if __name__ == "__main__":
    main()
END
/usr/bin/python3 p.py
echo "status $?"
/usr/bin/python3 -c 'import threading; threading.Thread(target=lambda: 1 / 0).start()' 2>&1 | tail \
    -1
/usr/bin/python3 -c 'import threading, time, _thread; threading.Timer(0.1, _thread.interrupt_main).start(); time.sleep(50)' 2>&1 | tail -1
/usr/bin/python3 -c 'import threading, os; t = threading.Thread(target=os.abort); t.start(); t.join()' 2>/dev/null
echo "abort $?"
