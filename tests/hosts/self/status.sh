# what: a program that ends otherwise
# expect: FAIL status 137 for 0*
[ -z "$LD_PRELOAD" ] || kill -9 $$
