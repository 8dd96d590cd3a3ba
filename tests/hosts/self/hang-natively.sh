# what: a program that does not end
# expect: FAIL not over after 2 s natively
# limit: 2
[ -n "$LD_PRELOAD" ] || sleep 1000
