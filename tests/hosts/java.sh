# what: threads, a ForkJoinPool, virtual machines with each collector, subprocesses, SIGQUIT's dump, jcmd, SIGTERM with a shutdown hook, exit from a thread
# packages: default-jdk-headless
# needs: java javac jcmd
# profile: java
# quick: yes
cat >H.java <<'END'
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
public class H {
    static final class Fib extends RecursiveTask<Integer> {
        final int n;
        Fib(int n) { this.n = n; }
        protected Integer compute() {
            if (n < 12) return n < 2 ? n : new Fib(n - 1).compute() + new Fib(n - 2).compute();
            Fib a = new Fib(n - 1);
            a.fork();
            return new Fib(n - 2).compute() + a.join();
        }
    }
    public static void main(String[] a) throws Exception {
        if (a.length > 0 && a[0].equals("wait")) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
            System.out.println("up");
            Thread.sleep(100000);
        }
        System.out.println("fib " + new ForkJoinPool(4).invoke(new Fib(27)));
        System.out.println("stream " + LongStream.range(0, 3000000).parallel().filter(x -> x % 3 == 0).sum());
        Map<Integer, byte[]> kept = new ConcurrentHashMap<>();
        Thread[] ts = new Thread[6];
        for (int t = 0; t < ts.length; t++) {
            final int k = t;
            (ts[t] = new Thread(() -> { for (int i = 0; i < 20000; i++) kept.put((k * 20000 + i) % 5000, new byte[200]); })).start();
        }
        for (Thread t : ts) t.join();
        System.out.println("garbage " + kept.size());
        for (int i = 0; i < 5; i++) {
            Process p = new ProcessBuilder("sh", "-c", "echo child " + i + "; exit " + i).redirectErrorStream(true).start();
            String s = new String(p.getInputStream().readAllBytes()).trim();
            System.out.println(s + " " + p.waitFor());
        }
        int[] depth = { 0 };
        try { deep(depth); } catch (StackOverflowError e) { System.out.println("stack overflow caught " + (depth[0] > 500)); }
        try { Object o = null; o.hashCode(); } catch (NullPointerException e) { System.out.println("null caught"); }
        new Thread(() -> System.exit(9)).start();
        Thread.sleep(100000);
    }
    static void deep(int[] d) { d[0]++; deep(d); }
}
END
javac H.java || exit 1
for gc in Serial Parallel G1 Shenandoah Z; do
    java -XX:+Use${gc}GC -Xmx128m H >out 2>&1
    echo "$gc $? $(cksum <out)"
done
cat out
java -Xint -Xmx64m H | head -2
java -Xmx64m H wait >log 2>&1 &
pid=$!
until grep -q up log; do sleep 0.05; done
kill -QUIT $pid
jcmd $pid Thread.print >dump
grep -c '"main"' dump
until grep -q '^Full thread dump' log && grep -q 'Metaspace' log; do sleep 0.05; done
jcmd $pid GC.run | tail -1
kill -TERM $pid
wait $pid
echo "SIGTERM $?"
grep -c -e hook log
