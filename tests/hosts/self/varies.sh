# what: a program that ends natively in more than one way; the second is the preloaded one's
# expect: PASS *
echo run >>../../runs
[ -z "$LD_PRELOAD" ] || exit 4
[ "$(wc -l <../../runs)" -lt 4 ] || exit 4
