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
