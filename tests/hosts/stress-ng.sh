# what: 33 of its tests, one process each: signals (14 at once, nested handlers), alternate stacks, contexts, timers, futexes, polls, exec, seccomp
# packages: stress-ng
# needs: stress-ng
# profile: stress-ng
# quick: yes
for test in signest signal sigabrt sigchld sigfd sigfpe sigio sigpending sigpipe sigq sigrt sigsegv \
    sigsuspend sigtrap bad-altstack context exec futex timer timerfd sleep mlock eventfd poll epoll \
    wait rlimit seccomp switch dynlib mutex dup null; do
    stress-ng --$test 1 --$test-ops 20 --timeout 60 >/dev/null 2>err
    echo "$test $?"
    grep libprof err
done
true
