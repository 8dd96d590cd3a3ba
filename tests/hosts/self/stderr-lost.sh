# what: one line less on stderr
# expect: FAIL stderr: < a line that a user misses*
[ -n "$LD_PRELOAD" ] || echo "a line that a user misses" >&2
