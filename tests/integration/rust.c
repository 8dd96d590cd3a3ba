/* rust.c - functions named as Rust's compiler names them, in both of its manglings: its standard
 * library stands in the program, creates the threads, and is not the place that a person means.
 *
 *   first    std::sys::thread::Thread::new, std::thread::spawn<first::{closure}>
 *   second   the same in the older mangling
 *   third    a function of the program's own crate that is called with one of std's: it is the
 *            program's
 */
#include <pthread.h>
#include "libprof.h"

#define NOINLINE __attribute__((noinline, noclone))
#define NAMED(function, name) int function(void) __asm__(name); NOINLINE int function(void)

static volatile int sink;

static void *body(void *unused)
{
    libprof_cost(10);
    return unused;
}

#define THREAD(t) (pthread_create(&t, 0, body, 0) || pthread_join(t, 0))

#line 90 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/thread.rs"
NAMED(new_v0, "_RNvMs0_NtNtNtCsjrHSEGnQ3l9_3std3sys6thread4unixNtB5_6Thread3new") { pthread_t t;
return THREAD(t) + sink; }
NAMED(spawn_v0, "_RINvNtCsjrHSEGnQ3l9_3std6thread5spawnNCNvCs1uLKWmRAxuH_4rust5first0uEBx_") {
return new_v0() + sink; }
NAMED(new_legacy, "_ZN3std3sys4unix6thread6Thread3new17h0123456789abcdefE") { pthread_t t;
return THREAD(t) + sink; }
NAMED(spawn_legacy, "_ZN3std6thread5spawn17hfedcba9876543210E") { return new_legacy() + sink; }
#line 30 "rust.c"
NAMED(third, "_RINvCs1uLKWmRAxuH_4rust5thirdNvNtCsjrHSEGnQ3l9_3std6thread7currentE") { pthread_t t;
return THREAD(t) + sink; }

NOINLINE int first(void) { return spawn_v0() + sink; }
NOINLINE int second(void) { return spawn_legacy() + sink; }

int main(void)
{
    return first() + second() + third();
}
