# what: a daemon that does not end
# expect: FAIL left behind: sleep
[ -z "$LD_PRELOAD" ] || (setsid sleep 1000 >/dev/null 2>&1 &)
