# what: rayon's work stealing, built by cargo from Debian's crates
# packages: cargo librust-rayon-dev
# needs: /usr/bin/cargo /usr/share/cargo/registry
# profile: prog
# limit: 900
mkdir -p src cargo
cat >Cargo.toml <<'END'
[package]
name = "prog"
version = "0.1.0"
edition = "2021"
[dependencies]
rayon = "1"
END
cat >src/main.rs <<'END'
use rayon::prelude::*;
fn fib(n: u64) -> u64 { if n < 2 { n } else { let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2)); a + b } }
fn main() {
    println!("{}", fib(24));
    println!("{}", (0..1_000_000u64).into_par_iter().map(|x| x * x % 7).sum::<u64>());
    let mut v: Vec<u64> = (0..500_000).map(|x| x * 7919 % 500_009).collect();
    v.par_sort_unstable();
    println!("{}", v.windows(2).all(|w| w[0] <= w[1]));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap();
    println!("{}", pool.install(|| fib(18)));
    let r = std::panic::catch_unwind(|| rayon::join(|| panic!("expected"), || fib(10)));
    println!("{}", r.is_err());
}
END
cat >cargo/config.toml <<END
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "/usr/share/cargo/registry"
END
CARGO_HOME=$PWD/cargo RUSTC=/usr/bin/rustc /usr/bin/cargo build --release --offline \
    --quiet 2>&1 || exit 1
./target/release/prog 2>/dev/null
echo "status $?"
