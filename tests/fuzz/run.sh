#!/bin/sh
# run.sh BUILD MINUTES - builds fuzz_prof.c with libFuzzer and sanitizers in BUILD/fuzz, and lets it look for MINUTES. It starts from what
# gen_profile makes, from tests/fuzz/corpus, and from what earlier runs kept in BUILD/fuzz/work. Status 1: it found something, which
# is kept, and the command that repeats it is printed. FUZZ_FLAGS: more flags for libFuzzer.
#
# run.sh BUILD keep - makes tests/fuzz/corpus anew: the small files that reach what the seeds do not.
here=$(cd "$(dirname "$0")" && pwd) top=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1/fuzz/seeds" "$1/fuzz/work" && out=$(cd "$1/fuzz" && pwd) || exit 2
what=$2
cd "$top" || exit 2
command -v clang >/dev/null || { echo "fuzz: no clang (make deps-test installs it)" >&2; exit 2; }

gcc -O1 -Iinclude tests/report/gen_profile.c -o "$out/gen" || exit 2
for kind in basic empty hostile bound counter wide longer paths scaled recursion names steep; do "$out/gen" $kind >"$out/seeds/$kind"; done
for sources in report/*.c; do
    case $sources in
    report/main.c) ;;
    *) set -- "$@" "$sources" ;;
    esac
done
shift 2
protoc-c --proto_path=report --c_out="$out" report/pprof.proto || exit 2
clang -std=gnu11 -g -O1 -Wall -Wno-format-zero-length -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -Iinclude -Ireport -I"$out" \
    tests/fuzz/fuzz_prof.c "$@" "$out/pprof.pb-c.c" -o "$out/fuzz_prof" -ldw -lelf -ljansson -lprotobuf-c -lz -lpfm -lstdc++ -lm || exit 2
# profiles of the program that reads them: where its text is
text=$(readelf -SW "$out/fuzz_prof" | sed -n 's/.* \.text  *PROGBITS  *\([0-9a-f]*\) .*/0x\1/p')
"$out/gen" self >"$out/seeds/self"
"$out/gen" self "$text" >"$out/seeds/self-text"

cd "$out" || exit 2
if [ "$what" = keep ]; then
    rm -rf kept && mkdir kept && cp seeds/* kept/
    ./fuzz_prof -merge=1 -use_counters=0 -max_len=2000 -close_fd_mask=3 kept work "$here/corpus" 2>&1 | tail -1
    for seed in seeds/*; do rm -f "kept/${seed#seeds/}"; done
    rm -rf "$here/corpus" && mv kept "$here/corpus"
    exit 0
fi
rm -f crash-* leak-* timeout-* oom-*
echo "fuzz: $what minutes, from $(ls work seeds "$here/corpus" | grep -c .) files"
nice -n 19 ./fuzz_prof -fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -max_total_time=$((what * 60)) -max_len=65536 -timeout=60 \
    -rss_limit_mb=4096 -close_fd_mask=3 $FUZZ_FLAGS work seeds "$here/corpus" 2>&1 | tee run.log | sed -nu '/^#/p' | sed -nu '1~10p'
grep '^#' run.log | tail -1
found=$(ls -d crash-* leak-* timeout-* oom-* 2>/dev/null)
[ -z "$found" ] && { echo "fuzz: $what minutes, no finding"; exit 0; }
for one in $found; do echo "fuzz: $out/fuzz_prof $out/$one"; done
exit 1
