# what: a program that prints its environment
# expect: FAIL stdout: *libprof*
echo "LD_PRELOAD=$LD_PRELOAD"
