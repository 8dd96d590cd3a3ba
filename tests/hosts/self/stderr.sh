# what: one line more on stderr
# expect: FAIL stderr: > a line that a user would hate*
[ -z "$LD_PRELOAD" ] || echo "a line that a user would hate" >&2
