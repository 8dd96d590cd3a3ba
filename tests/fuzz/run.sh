#!/bin/sh
# run.sh BUILD MINUTES [TARGET...] - builds the targets (prof, files, text: fuzz_*.c) with libFuzzer
# and sanitizers in BUILD/fuzz, and runs each for MINUTES, one after the other. They start from the
# profiles of gen_profile, from tests/fuzz/corpus, and from what earlier runs kept in
# BUILD/fuzz/work*. Status 1: a target found something. The file is kept, and the command that
# repeats the finding is printed. FUZZ_FLAGS: more flags for libFuzzer.
#
# run.sh BUILD check [TARGET...] - the same for 5 seconds a target, without what earlier runs kept,
# and with one seed of the random numbers.
#
# run.sh BUILD build - builds the targets, no more.
#
# run.sh BUILD keep - makes tests/fuzz/corpus anew: the small files that reach what the seeds do
# not.
here=$(cd "$(dirname "$0")" && pwd) top=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1/fuzz/seeds" "$1/fuzz/seeds-text" "$1/fuzz/work" "$1/fuzz/work-files" \
    "$1/fuzz/work-text" && out=$(cd "$1/fuzz" && pwd) || exit 2
what=$2
shift 2
targets=${*:-prof files text}
cd "$top" || exit 2
unset DEBUGINFOD_URLS PROF_SYMBOLS
command -v clang >/dev/null || { echo "fuzz: no clang (make deps-test installs it)" >&2; exit 2; }

flags='-std=gnu11 -g -O1 -Wall -Wno-format-zero-length -fno-sanitize-recover=undefined
    -fsanitize=fuzzer,address,undefined'
libraries='-ldw -lelf -ljansson -lprotobuf-c -lz -lpfm -lstdc++ -lm -pthread'
link() { clang $flags -Iinclude -Ireport -I. -I"$out" "$@" "$out"/obj/*.o $libraries; }
build() {
    protoc-c --proto_path=report/export --c_out="$out" report/export/pprof.proto || return 2
    mkdir -p "$out/obj" && rm -rf "$out"/obj/*
    for source in report/*/*.c "$out/pprof.pb-c.c" tests/fuzz/fuzz.c tests/fuzz/mutate.c; do
        [ "$source" = report/commands/main.c ] ||
            echo "$source -o $out/obj/$(echo "${source#"$out/"}" | tr / -).o"
    done | xargs -P 2 -L 1 clang $flags -Iinclude -Ireport -I. -I"$out" -c || return 2
    mv "$out/obj/tests-fuzz-mutate.c.o" "$out/mutate.o"
    # libprof.so's reader: its headers stay apart from prof's
    clang $flags -Wno-unused-function -Iinclude -Ipreload -I. -c tests/fuzz/whatif_reader.c \
        -o "$out/whatif_reader.o" || return 2
    link tests/fuzz/fuzz_prof.c "$out/mutate.o" -o "$out/fuzz_prof" &&
        link tests/fuzz/fuzz_files.c "$out/mutate.o" -o "$out/fuzz_files" &&
        link tests/fuzz/fuzz_text.c "$out/whatif_reader.o" -o "$out/fuzz_text" || return 2
}
# A minute of compiling, which is not done again for the same sources.
sources=$(find report include arch preload unwind tests/fuzz \
    -name '*.[ch]' -o -name '*.def' -o -name \
    '*.proto' | sort | xargs cksum; cksum tests/fuzz/run.sh)
if [ "$(cat "$out/built" 2>/dev/null)" != "$sources" ]; then
    rm -f "$out/built"
    build || exit 2
    echo "$sources" >"$out/built"
fi
[ "$what" != build ] || exit 0

gcc -O1 -Iinclude tests/report/gen_profile/*.c -o "$out/gen" || exit 2
for kind in basic empty hostile bound counter wide longer paths scaled recursion names steep \
    whatif timeline timed tasks-ready dag-wait 'dag 3 40' 'run 1 1 2'; do
    "$out/gen" $kind >"$out/seeds/${kind%% *}"
done
# fuzz_text: a byte that says what it is, and the text
for text in 'wa=2,4;b\=c=inf' 'wa=2&b=1.5x;c=0.001' 'p1-4,8' 'c0 10 20 ab
101 400000 400010 /bin/app
'; do printf '%s' "$text" >"$out/seeds-text/$(printf '%s' "$text" | cksum | cut -d' ' -f1)"; done
{ printf b; cat tests/fuzz/bench.json; } >"$out/seeds-text/bench"
# profiles of the program that reads them: where its text is
text=$(readelf -SW "$out/fuzz_prof" | sed -n 's/.* \.text  *PROGBITS  *\([0-9a-f]*\) .*/0x\1/p')
# the typical span, outliers, and chunks by who chose their size
"$out/gen" grain tasks=29 on=1 construct=parallel_for work=1000 span=128 longest=128 divided=1 \
    grain=28 typical=10 outliers=3 >"$out/seeds/grain"
"$out/gen" self >"$out/seeds/self"
"$out/gen" self "$text" >"$out/seeds/self-text"

# archives (report/tar): a profile alone, and one with a file beside it, compressed
tar cf "$out/seeds/archive" --format=ustar -C "$out/seeds" paths
tar czf "$out/seeds/archive-gz" --format=pax -C "$out/seeds" self hostile

cd "$out" || exit 2
if [ "$what" = keep ]; then
    rm -rf kept && mkdir kept && cp seeds/* kept/
    ./fuzz_prof -merge=1 -use_counters=0 -max_len=2000 -close_fd_mask=3 kept work work-files \
        "$here/corpus" 2>&1 | tail -1
    for seed in seeds/*; do rm -f "kept/${seed#seeds/}"; done
    rm -rf "$here/corpus" && mv kept "$here/corpus"
    exit 0
fi
limits='-max_len=65536 -timeout=60 -rss_limit_mb=4096 -close_fd_mask=3'
fuzz() { # TARGET WORK SEEDS...
    target=$1
    shift
    rm -f "$target"-crash-* "$target"-leak-* "$target"-timeout-* "$target"-oom-*
    if [ "$what" = check ]; then
        shift
        rm -rf work-check && mkdir work-check
        nice -n 5 timeout 300 "./fuzz_$target" -seed=1 -max_total_time=5 $limits \
            -artifact_prefix="$target-" $FUZZ_FLAGS work-check "$@" \
            >"run-$target.log" 2>&1 || : >"$target-crash-status-$?"
        sed -n 's/^Done \([0-9]* runs\) .*/'"$target"': \1/p' "run-$target.log"
        return
    fi
    echo "fuzz: $target, $what minutes, from $(ls "$@" | grep -c .) files"
    nice -n 19 "./fuzz_$target" -fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 \
        -max_total_time=$((what * 60)) \
        $limits -artifact_prefix="$target-" $FUZZ_FLAGS "$@" 2>&1 | tee "run-$target.log" |
        sed -nu '/^#/p' | sed -nu '1~10p'
    grep '^#' "run-$target.log" | tail -1
}
found=0
for target in $targets; do
    case $target in
    prof) fuzz prof work seeds "$here/corpus" ;;
    files) fuzz files work-files seeds "$here/corpus" ;;
    text) FUZZ_FLAGS="-dict=$here/text.dict $FUZZ_FLAGS" fuzz text work-text seeds-text ;;
    *) echo "fuzz: $target: the targets are prof, files, text" >&2; exit 2 ;;
    esac
    for one in "$target"-crash-* "$target"-leak-* "$target"-timeout-* "$target"-oom-*; do
        [ -e "$one" ] && { found=1; echo "fuzz: $out/fuzz_$target $out/$one"; }
    done
done
[ $found = 0 ] && [ "$what" != check ] && echo "fuzz: $what minutes each ($targets), no finding"
exit $found
