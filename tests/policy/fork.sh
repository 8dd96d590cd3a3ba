# fork.sh - sourced by check.sh: forks while other threads wait for the forking one, and fork
# handlers of libraries that the program links. Natively all of these end.
fork_case() { # CASE PROFILES MACRO ARGUMENT
    wants "$1" || return 0
    gcc -O1 -g -Wall "-D$3" -shared -fPIC "$here/fork_library.c" -o "$tmp/libfork$3.so" -pthread &&
        gcc -O1 -g -Wall "$here/fork_program.c" -o "$tmp/fork$3" -L"$tmp" "-lfork$3" \
            -Wl,-rpath,"$tmp" -pthread || echo "FAIL policy: fork_program.c does not compile"
    result "$1" "$(same "$tmp/fork$3" "$4"; quiet; files "$2"
        for f in "$tmp"/run/*.prof; do
            [ "$("$prof" report --json "$f" | jq .program.complete)" = true ] || echo "$f"
        done)"
}
fork_case fork-handler-joins 31 JOIN handlers
fork_case fork-handler-waits-for-signal 31 SIGNAL handlers
fork_case fork-handler-takes-mutex 31 MUTEX handlers
# The child of a thread whose locks another one has taken is not recorded.
fork_case fork-stream 1 MUTEX stream

# A thread holds the lock of the loader's list when a child is made, which is not recorded then.
gcc -O1 -g -Wall -Wno-unused-parameter "$here/loader_lock.c" -o "$tmp/loader-lock" -pthread ||
    echo "FAIL policy: loader_lock.c does not compile"
fork_loader() { # HOLDER CHILD PROFILES
    wants "fork-loader-$1-$2" && result "fork-loader-$1-$2" "$(same "$tmp/loader-lock" "$1" "$2"
        quiet
        [ -z "$3" ] || files "$3"
        for f in "$tmp"/run/*.prof; do
            [ "$("$prof" report --json "$f" | jq .program.complete)" = true ] || echo "$f"
        done)"
}
fork_loader none thread 2
for holder in self handler other; do
    for child in exit exec thread site; do fork_loader $holder $child 1; done
done
# (which children are recorded is a matter of the moment)
for child in exec thread; do fork_loader brief $child ''; done
