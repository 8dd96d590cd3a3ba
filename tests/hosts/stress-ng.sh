# what: 33 of its tests, one process each: signals (14 at once, nested handlers), alternate stacks, contexts, timers, futexes, polls, exec, seccomp
# packages: stress-ng
# needs: stress-ng
# profile: stress-ng
# quick: yes
for test in signest signal sigabrt sigchld sigfd sigfpe sigio sigpending sigpipe sigq sigrt sigsegv \
    sigsuspend sigtrap bad-altstack context exec futex timer timerfd sleep mlock eventfd poll epoll \
    wait rlimit seccomp switch dynlib mutex dup null; do
    # stress-ng's mutex fails if a thread has done all operations before pthread_create returns:
    # its threads have real-time priority. So it has a second instead
    [ $test = mutex ] && limit='--timeout 1' || limit="--$test-ops 20 --timeout 60"
    # shellcheck disable=SC2086  # words
    stress-ng --$test 1 $limit >/dev/null 2>err
    echo "$test $?"
    grep libprof err
done
true
