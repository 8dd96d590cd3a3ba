# spins.sh - a part of run.sh: loops of the program's that wait on the CPU, by their instructions.
source=$here/../../report
gcc -std=gnu11 -Wall -I"$source" "$here/spins.c" "$source/symbols/spin_code.c" -o spins \
    2>gcc.log || fail build-spins "$(head -3 gcc.log)"
wrong=$(./spins)
if [ -z "$wrong" ]; then pass spins-code; else fail spins-code "$wrong"; fi

gcc -O1 -g -shared -fPIC "$here/spinner.c" -o spinner.so 2>gcc.log ||
    fail build-spinner "$(head -3 gcc.log)"
at() { echo "0x$(nm spinner.so | sed -n "s/ [tT] $1\$//p")"; } # LABEL
module="libc=$PWD/spinner.so lock=$(at working)"
# Of 400 ms, samples found 100 in the loop that waits.
grain pausing $module yield="$(at pausing)" yielded=100 tasks=8 on=1 work=400 span=210 longest=200
json spins-finding '.findings[0] | [.id, .gain_ns, .place.function]' \
    '["contention",50000000,"wait_here"]' pausing.prof
json spins-verdict '.functions[] | select(.function == "wait_here") | .verdict' '"contention"' \
    pausing.prof
# A loop without such an instruction, which reads the same word again.
grain polling $module yield="$(at polling)" yielded=100 tasks=8 on=1 work=400 span=210 longest=200
json spins-polls '.findings[0] | [.id, .gain_ns, .place.function]' \
    '["contention",50000000,"poll_here"]' polling.prof
# The same samples in the loop that counts are work.
grain counting $module yield="$(at working)" yielded=100 tasks=8 on=1 work=400 span=210 longest=200
json spins-not '[.findings[] | select(.id == "contention")]' '[]' counting.prof
