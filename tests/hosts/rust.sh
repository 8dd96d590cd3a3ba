# what: std threads, scoped threads, channels, a panic in a thread, abort, process::exit from a thread, Command
# packages: rustc
# needs: /usr/bin/rustc
# profile: prog
# quick: yes
cat >prog.rs <<'END'
use std::process::Command;
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
fn main() {
    let (tx, rx) = mpsc::channel();
    for i in 0..20u64 {
        let tx = tx.clone();
        thread::Builder::new().stack_size(64 << 10).spawn(move || tx.send((0..100000u64).map(|x| x ^ i).sum::<u64>()).unwrap()).unwrap();
    }
    drop(tx);
    println!("channel {}", rx.iter().sum::<u64>());
    let m = Arc::new(Mutex::new(0));
    thread::scope(|s| for _ in 0..8 { s.spawn(|| for _ in 0..1000 { *m.lock().unwrap() += 1 }); });
    println!("scoped {}", *m.lock().unwrap());
    let r = thread::spawn(|| { let v: Vec<u32> = vec![]; v[std::env::args().count()] }).join();
    println!("panic {}", r.unwrap_err().downcast_ref::<String>().unwrap());
    for i in 0..5 {
        let o = Command::new("sh").args(["-c", &format!("echo {}; exit {}", i, i)]).output().unwrap();
        print!("{} {:?}; ", String::from_utf8_lossy(&o.stdout).trim(), o.status.code());
    }
    println!();
    match std::env::args().nth(1).as_deref() {
        Some("abort") => { thread::spawn(|| std::process::abort()).join().unwrap() }
        Some("overflow") => { fn f(n: u64) -> u64 { let a = [n; 50]; if n == 1 { 0 } else { f(n + 1) + a.iter().sum::<u64>() } } println!("{}", f(2)) }
        _ => { thread::spawn(|| std::process::exit(6)); loop { thread::park() } }
    }
}
END
for flags in -O "-C panic=abort -C debuginfo=2"; do
    /usr/bin/rustc $flags -o prog$((n = n + 1)) prog.rs || exit 1
    ./prog$n 2>&1 | sed 's/thread .* panicked/thread panicked/'
    ./prog$n >/dev/null 2>&1
    echo "status $?"
done
/usr/bin/rustc -O -o prog prog.rs
./prog abort >/dev/null 2>&1
echo "abort $?"
./prog overflow 2>&1 | grep -c 'overflowed its stack'
