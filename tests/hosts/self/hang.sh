# what: a hang of a process that has left its session
# expect: FAIL hangs: *
# limit: 2
[ -z "$LD_PRELOAD" ] || setsid sleep 1000
