# what: a program that hangs natively now and then
# expect: PASS *
# limit: 2
echo run >>../../runs
[ -n "$LD_PRELOAD" ] || [ "$(wc -l <../../runs)" -gt 1 ] || sleep 1000
