#!/bin/sh
# check.sh BUILD [REPEATS] [CASE...] - every OpenMP construct on 1, 2, 4, 8 threads, on libgomp (gcc) and
# libomp (clang), under the virtual clock, against what the program itself says must be measured: work, span,
# spawns; also: no losses, and the on-span locals sum to the span. PASS or FAIL, one line a case.
#   CHECK_COMPILERS="gcc clang"    which
#   CHECK_WORKERS="2 4"        on so many threads (4: in real time, too); CHECK_CONSTRUCTS_ALONE=1: the constructs, nothing else
#   CHECK_SPAWNS=0                 do not compare spawns: tasks that are not serial + implicit tasks
build=$(cd "$1" && pwd) repeats=${2:-${CHECK_REPEATS:-3}}
shift; [ $# -gt 0 ] && shift
only=$*
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit 1
. "$here/../cpu.sh"
trap 'rm -rf "$tmp" "$cpu_tmp"' EXIT
export PROF_CLOCK=virtual PROF_CHECKPOINT=0
export OMP_WAIT_POLICY=passive OMP_DYNAMIC=false    # two cores, eight threads: no spinning
unset OMP_SCHEDULE OMP_THREAD_LIMIT OMP_MAX_ACTIVE_LEVELS OMP_NESTED OMP_PROC_BIND OMP_PLACES

check_one() { # PROGRAM CASE
    rm -f "$tmp/p.prof"
    PROF_WHATIF=$whatif PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so${LATE:+:$LATE} timeout 60 "$1" "$2" >"$tmp/out" 2>&1 ||
        { echo "exit status $? $(head -c 200 "$tmp/out")"; return; }
    [ -s "$tmp/out" ] && { echo "wrote: $(head -c 200 "$tmp/out")"; return; }
    "$build/prof" report --json "$tmp/p.prof" >"$tmp/p.json" 2>"$tmp/err" || { echo "no report: $(cat "$tmp/err")"; return; }
    "$build/prof" report --csv --totals "$tmp/p.prof" >"$tmp/p.csv" 2>"$tmp/err" || { echo "no totals: $(cat "$tmp/err")"; return; }
    # in real time only what does not depend on it, and sums, whose terms are rounded to ns
    if [ "$PROF_CLOCK" = virtual ]; then cp "$tmp/expect" "$tmp/expected"; else grep '^tasks\|^implicit' "$tmp/expect" >"$tmp/expected"; fi
    jq -r --arg clock "$PROF_CLOCK" --rawfile expect "$tmp/expected" --rawfile csv "$tmp/p.csv" --arg spawns "$spawns" '
        (if $clock == "virtual" then 0 else (.sites | length) end) as $rounding | def differ($a; $b): $a - $b | fabs > $rounding;
        .program as $p |
        ([.sites[].on_span.local_span_ns] | add // 0) as $sum |
        ([.sites[].local_work_ns] | add // 0) as $worksum |
        ($csv | split("\n") | map(split(",")) | [.[0], .[1]] | transpose | map({ key: .[0], value: .[1] }) | from_entries) as $totals |
        ([$expect | split("\n")[] | select(. != "") | split(" ") | { key: .[0], value: (.[1] | tonumber) }] | from_entries) as $e |
        [ (if $e.work != null and $p.work_ns != $e.work then "work \($p.work_ns) for \($e.work)" else empty end),
          (if $e.span != null and $p.span_ns != $e.span then "span \($p.span_ns) for \($e.span)" else empty end),
          (if $e.span_min != null and $p.span_ns < $e.span_min then "span \($p.span_ns) below \($e.span_min)" else empty end),
          (if $e.span_max != null and $p.span_ns > $e.span_max then "span \($p.span_ns) above \($e.span_max)" else empty end),
          (if $spawns == "1" and $e.tasks != null and $p.spawns != $e.tasks + $e.implicit
           then "spawns \($p.spawns) for \($e.tasks) + \($e.implicit)" else empty end),
          (if $totals.work_ns != "\($p.work_ns)" or $totals.span_ns != "\($p.span_ns)" or $totals.spawns != "\($p.spawns)"
           then "csv has \($totals.work_ns) \($totals.span_ns) \($totals.spawns)" else empty end),
          (if differ($sum; $p.span_ns) then "on-span locals sum to \($sum), span \($p.span_ns)" else empty end),
          (if differ($worksum; $p.work_ns) then "local works sum to \($worksum), work \($p.work_ns)" else empty end),
          (.whatif // empty | .scenarios[] | select([.work_ns, .span_ns] != [$p.work_ns, $p.span_ns]) | "\(.name) has work \(.work_ns), span \(.span_ns)"),
          (.notes[] | select(.kind == "loss") | "loss \(.name) \(.count)") ] | join("; ")' "$tmp/p.json" 2>&1
}

status=0
for compiler in ${CHECK_COMPILERS:-gcc clang}; do
    program=$build/openmp/constructs-$compiler
    [ -x "$program" ] || { echo "SKIP openmp/$compiler: not built"; continue; }
    for case in ${*:-$("$program" --list)}; do
        case $case in mixed | late | on-libomp | twins | waits | plugins | objects | idle | kept-out | tool | memory) continue ;; esac
        wrong= skipped= ran= spawns=${CHECK_SPAWNS:-1}
        # libomp splits a taskloop by tasks of its own, which no tool can tell from the program's
        case $compiler/$case in clang/taskloop_*) spawns=0 ;; esac
        case $case in cancel_*) export OMP_CANCELLATION=true ;; *) unset OMP_CANCELLATION ;; esac
        for p in ${CHECK_WORKERS:-1 2 4 8}; do
            export OMP_NUM_THREADS=$p
            "$program" --expect "$case" >"$tmp/expect" || wrong="no expectation"
            if grep -q ^skip "$tmp/expect"; then
                skipped=$(sed 's/^skip //' "$tmp/expect")
                continue
            fi
            ran=1 i=0
            while [ $i -lt "$repeats" ] && [ -z "$wrong" ]; do
                i=$((i + 1))
                whatif= # the last time with a scenario in which everything costs what it costs
                [ $i -eq "$repeats" ] && whatif=nothing=1
                wrong=$(check_one "$program" "$case")
            done
            # the clock that people use, which takes the short ways through the engine
            [ $p -eq 4 ] && [ -z "$wrong" ] && whatif= && wrong=$(PROF_CLOCK=tsc check_one "$program" "$case") &&
                wrong=${wrong:+"real time: $wrong"}
            [ -n "$wrong" ] && break
        done
        if [ -n "$wrong" ]; then
            echo "FAIL openmp/$compiler/$case: P=$p: $wrong"
            echo "     again: ${OMP_CANCELLATION:+OMP_CANCELLATION=true }OMP_NUM_THREADS=$p PROF_CLOCK=virtual LD_PRELOAD=$build/libprof.so $program $case"
            status=1
        elif [ -z "$ran" ]; then
            echo "SKIP openmp/$compiler/$case: $skipped"
        else
            echo "PASS openmp/$compiler/$case"
        fi
    done
done
[ -z "$CHECK_CONSTRUCTS_ALONE" ] || exit $status
# One random program on both runtimes, alone and with three threads: the same work, span, and share of each way to create tasks in the span.
twins() {
    case " $only " in "  " | *" twins "*) ;; *) return ;; esac
    for case in dep_ties $(seq -f twin_%g 1 20); do
        : >"$tmp/out"
        for compiler in gcc clang; do
            for p in 1 3; do
                rm -f "$tmp/p.prof"
                OMP_NUM_THREADS=$p PROF_CLOCK=virtual PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 "$build/openmp/constructs-$compiler" $case >>"$tmp/out" 2>&1 || echo "status $?" >>"$tmp/out"
                "$build/prof" report --json "$tmp/p.prof" 2>&1 | jq -c '[.program.work_ns, .program.span_ns,
                    (.sites | map(select(.construct == "task" or .construct == "taskloop")) | group_by(.function) |
                     map([.[0].function, (map(.on_span.local_span_ns) | add)] | select(.[1] > 0)))]' >>"$tmp/out" 2>&1
            done
        done
        if [ "$(wc -l <"$tmp/out")" = 4 ] && [ "$(sort -u "$tmp/out" | wc -l)" = 1 ] && grep -q '^\[[1-9][0-9]*,[1-9][0-9]*,\[\["' "$tmp/out"; then
            echo "PASS openmp/twins/$case"
        else
            echo "FAIL openmp/twins/$case: $(sort -u "$tmp/out" | head -c 600)"; status=1
        fi
    done
}
case " ${CHECK_COMPILERS:-gcc clang} " in *" gcc clang "*) twins ;; esac
# What is not seen in full is named.
named() { # COMPILER CASE CONSTRUCT
    case " $only " in "  " | *" $2 "*) ;; *) return ;; esac
    rm -f "$tmp/p.prof"
    OMP_NUM_THREADS=2 PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 "$build/openmp/constructs-$1" $2 >"$tmp/out" 2>&1 || echo "status $?" >>"$tmp/out"
    [ -s "$tmp/out" ] || "$build/prof" report --json "$tmp/p.prof" 2>&1 | jq -c '.program | [.work_ns, .exact, .lower_bound_constructs]' >"$tmp/out" 2>&1
    if grep -q "^\[${4:-74},false,\[\"$3\"]]\$" "$tmp/out"; then echo "PASS openmp/$1/$2-is-named"; else
        echo "FAIL openmp/$1/$2-is-named: $(head -c 200 "$tmp/out")"; status=1
    fi
}
for compiler in ${CHECK_COMPILERS:-gcc clang}; do
    [ -x "$build/openmp/constructs-$compiler" ] || continue
    for case in target_outside_group target_outside_depend; do
        named $compiler $case "depend or taskgroup (outside of OpenMP regions)"
    done
done
# An untied task whose earlier parts return late: the thread of its last part is then told of no end.
late() {
    case " $only " in "  " | *" late "*) ;; *) return ;; esac
    program=$build/openmp/constructs-clang
    cc -O2 -shared -fPIC "$here/late.c" -o "$tmp/late.so" -ldl || return
    wrong=
    for p in 2 4 8; do
        OMP_NUM_THREADS=$p "$program" --expect fib_untied >"$tmp/expect"
        for i in $(seq "$repeats"); do
            [ -z "$wrong" ] && wrong=$(OMP_NUM_THREADS=$p LATE=$tmp/late.so check_one "$program" fib_untied)
        done
    done
    if [ -n "$wrong" ]; then echo "FAIL openmp/clang/late: $wrong"; status=1; else echo "PASS openmp/clang/late"; fi
}
# Its user keeps libprof out of libomp: one line says so, and the profile.
kept_out() { # SETTING CONSTRUCT
    case " $only " in "  " | *" kept-out "*) ;; *) return ;; esac
    rm -f "$tmp/p.prof"
    env "$1" OMP_NUM_THREADS=2 PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 "$build/openmp/constructs-clang" region >"$tmp/out" 2>"$tmp/err" || echo "status $?" >>"$tmp/out"
    [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ] && grep -q "^libprof: ${1%%=*}.* OpenMP is not profiled" "$tmp/err" ||
        echo "said: $(head -c 200 "$tmp/err")" >>"$tmp/out"
    "$build/prof" report --json "$tmp/p.prof" 2>&1 | jq -e --arg name "$2" '.program | .exact == false and .lower_bound_constructs == [$name]' >/dev/null 2>&1 ||
        echo "not named" >>"$tmp/out"
    if [ -s "$tmp/out" ]; then echo "FAIL openmp/clang/kept-out-${1%%=*}: $(head -c 200 "$tmp/out")"; status=1; else echo "PASS openmp/clang/kept-out-${1%%=*}"; fi
}
case " ${CHECK_COMPILERS:-gcc clang} " in *" clang "*) [ -x "$build/openmp/constructs-clang" ] && {
    late
    named clang paused "OpenMP (after omp_pause_resource)" 87   # libomp tells nothing more
    kept_out OMP_TOOL=disabled "OpenMP (OMP_TOOL=disabled)"
    kept_out OMP_TOOL_LIBRARIES=none.so "OpenMP (another tool has it)"
} ;; esac
# A tool of the program's own, and a libomp that is the program's own.
tool() { # COMPILER FLAGS CONSTRUCT LINES
    case " $only " in "  " | *" tool "*) ;; *) return ;; esac
    $1 -O2 $2 -I"$here/../../include" "$here/tool.c" -o "$tmp/tool" -ldl 2>"$tmp/err" || { echo "SKIP openmp/$1/tool-${2##*-}: $(head -1 "$tmp/err")"; return; }
    rm -f "$tmp/p.prof"
    PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 "$tmp/tool" >"$tmp/out" 2>&1 || echo "status $?" >>"$tmp/out"
    got="$(grep -c "^libprof: the program's own ompt_start_tool" "$tmp/out") $(wc -l <"$tmp/out") $("$build/prof" report --json "$tmp/p.prof" 2>&1 | jq -c '.program | [.work_ns, .exact, .lower_bound_constructs]')"
    if [ "$got" = "$4 $4 [74,false,[\"$3\"]]" ]; then echo "PASS openmp/$1/tool-${2##*-}"; else
        echo "FAIL openmp/$1/tool-${2##*-}: $got $(head -c 200 "$tmp/out")"; status=1
    fi
}
case " ${CHECK_COMPILERS:-gcc clang} " in *" clang "*) tool clang "-fopenmp -DOWN" "OpenMP (another tool has it)" 1 ;; esac
case " ${CHECK_COMPILERS:-gcc clang} " in *" gcc "*) tool gcc -DSTATIC "OpenMP (libomp linked statically)" 0; tool gcc -rdynamic "OpenMP (libomp linked statically)" 0 ;; esac
# gcc's code on libomp: its schedules are told by the names of its calls, everything else by libomp.
on_libomp() {
    program=$build/openmp/constructs-gcc omp=$(ls /usr/lib/llvm-*/lib/libomp.so 2>/dev/null | tail -1)
    [ -x "$program" ] && [ -n "$omp" ] || return
    spawns=1 whatif=
    unset OMP_CANCELLATION
    for case in fib group nested loop_static loop_dynamic loop_runtime ordered_dynamic doacross_dynamic_2 doacross_wave_dynamic old_region old_nested old_loop_static old_loop_dynamic; do
        case " $only " in "  " | *" on-libomp "*) ;; *) return ;; esac
        wrong=
        for p in 1 2 4; do
            OMP_NUM_THREADS=$p "$program" --expect $case >"$tmp/expect"
            for i in $(seq "$repeats"); do
                [ -z "$wrong" ] && wrong=$(OMP_NUM_THREADS=$p LATE=$omp check_one "$program" $case)
            done
        done
        if [ -n "$wrong" ]; then echo "FAIL openmp/gcc-on-libomp/$case: $wrong"; status=1; else echo "PASS openmp/gcc-on-libomp/$case"; fi
    done
}
case " ${CHECK_COMPILERS:-gcc clang} " in *" gcc "*) on_libomp ;; esac
# gcc-on-libomp: gcc's code, by which libomp's functions are found first.
late_of() { # COMPILER
    case $1 in *-on-libomp) ls /usr/lib/llvm-*/lib/libomp.so 2>/dev/null | tail -1 ;; esac
}
# A thread may be kept from the processor between its clock and ours.
one_wait() {
    PROF_CLOCK=tsc PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so${late:+:$late} timeout 60 "$tmp/waits" $what >"$tmp/out" 2>&1 || echo "status $?" >>"$tmp/out"
    "$build/prof" report --json "$tmp/p.prof" 2>&1 | jq -r --arg what $what --rawfile own "$tmp/out" '
        ({ named: "critical", nest: "lock", old: "lock", fortran: "lock", skipped: "ordered", turn: "ordered" }[$what] // $what) as $construct | ($own | tonumber) as $own |
        [.waits[] | select(.construct == $construct and (.function | test("main|outlined")))] as $w | ([$w[].waited_ns] | add // 0) as $waited |
        (if $waited > $own then "\($waited) ns waited, \($own) by its own clock" else empty end),
        (if $waited < 0.9 * $own then "\($waited) ns waited of \($own)" else empty end),
        (if ([$w[].count] | add // 0) < 5 then "\([$w[].count] | add // 0) waits of 5" else empty end),
        (if .ledger.waits_ns > .ledger.search_ns + .ledger.sleep_ns then "\(.ledger.waits_ns) ns waited, \(.ledger.search_ns + .ledger.sleep_ns) idle" else empty end),
        (if ([.sites[] | select(.construct == $construct)] | length) != 0 then "a wait is a spawn" else empty end)' 2>&1 | tr '\n' ' '
}
# Who waits to get in where one may be, on the program's own clock: the time is what it measured around the construct, less what
# stands between; so often, at least; and none of it is work, which is what the other does inside.
waits() { # COMPILER CONSTRUCT...
    compiler=$1 late=$(late_of $1); shift
    case " $only " in "  " | *" waits "*) ;; *) return ;; esac
    ${compiler%-on-libomp} -O2 -g -fopenmp "$here/waits.c" -o "$tmp/waits" 2>"$tmp/err" || { echo "SKIP openmp/$compiler/waits: $(head -1 "$tmp/err")"; return; }
    for what; do
        case_of openmp/$compiler/waits-$what "$(patiently one_wait)" || status=1
    done
}
for compiler in ${CHECK_COMPILERS:-gcc clang}; do
    case $compiler in
    gcc) waits gcc critical named lock nest old fortran ordered skipped turn doacross
        [ -n "$(late_of gcc-on-libomp)" ] && waits gcc-on-libomp critical ordered skipped turn doacross ;;
    clang) waits clang critical named lock nest ordered skipped turn doacross ;;
    esac
done
# Tasks with objects of their own.
objects() {
    case " $only " in "  " | *" objects "*) ;; *) return ;; esac
    case $compiler in gcc) cxx=g++ ;; clang) cxx=clang++ ;; esac
    $cxx -O2 -g -fopenmp -I"$here/../../include" "$here/objects.cpp" -o "$tmp/objects" 2>"$tmp/err" ||
        { echo "SKIP openmp/$compiler/objects: $(head -1 "$tmp/err")"; return; }
    for what in $("$tmp/objects"); do
        wrong= want=$("$tmp/objects" --expect $what)
        for p in 1 2 4; do
            for i in $(seq "$repeats"); do
                OMP_NUM_THREADS=$p PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 "$tmp/objects" $what || wrong="status $?"
                got=$("$build/prof" report --json "$tmp/p.prof" 2>/dev/null | jq -c '[.program.work_ns, .program.span_ns, .program.exact, ([.sites[].on_span.local_span_ns] | add)]')
                [ "$got" = "$want" ] || wrong="P=$p: $got for $want"
            done
        done
        if [ -n "$wrong" ]; then echo "FAIL openmp/$compiler/objects-$what: $wrong"; status=1; else echo "PASS openmp/$compiler/objects-$what"; fi
    done
}
for compiler in ${CHECK_COMPILERS:-gcc clang}; do objects; done
# A thread that spins, and is kept from the processor meanwhile, is no idle one.
one_idle() {
    OMP_WAIT_POLICY=$policy PROF_CLOCK=tsc PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so${late:+:$late} timeout 60 "$tmp/idle" $what >"$tmp/out" 2>&1 || echo "status $?"
    "$build/prof" report --json "$tmp/p.prof" 2>&1 | jq -r --rawfile own "$tmp/out" '
        ($own | tonumber) as $own | .ledger | (.search_ns + .sleep_ns) as $idle |
        if $idle < 0.9 * $own or .overhead_between_strands_ns > 0.1 * $own
        then "\($idle) ns idle, \(.overhead_between_strands_ns) of overhead, for \($own) of waiting" else empty end' 2>&1
}
# A thread that waits in the runtime until it ends, or the process does, is idle for as long as its team's other one works.
idle() {
    case " $only " in "  " | *" idle "*) ;; *) return ;; esac
    late=$(late_of $compiler)
    ${compiler%-on-libomp} -O2 -g -fopenmp "$here/idle.c" -o "$tmp/idle" 2>"$tmp/err" || { echo "SKIP openmp/$compiler/idle: $(head -1 "$tmp/err")"; return; }
    for what in one fewer again copy depend if0 copied loops doacross; do
        [ -z "$late" ] || [ $what != copied ] || continue       # libomp 14 hands gcc's code something else
        for policy in active passive; do
            case_of openmp/$compiler/idle-$what-$policy "$(patiently one_idle)" || status=1
        done
    done
}
for compiler in ${CHECK_COMPILERS:-gcc clang}; do idle; done
case " ${CHECK_COMPILERS:-gcc clang} " in *" gcc "*) compiler=gcc-on-libomp; [ -z "$(late_of $compiler)" ] || idle ;; esac
memory_time() {
    native=$(OMP_NUM_THREADS=1 timeout 60 "$tmp/memory" addresses 200000)
    OMP_NUM_THREADS=1 PROF_CLOCK=tsc PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 "$tmp/memory" addresses 200000 >/dev/null
    work=$("$build/prof" report --json "$tmp/p.prof" 2>&1 | jq .program.work_ns)
    [ "$work" -lt $((${native#* } * 10000)) ] || echo "$work ns of work, ${native#* } us natively"
}
# What is kept of tasks that others may depend on does not grow with their number, but with that of the addresses: some 300 bytes each. The time
# that it takes to find them is not the creator's.
memory() {
    case " $only " in "  " | *" memory "*) ;; *) return ;; esac
    gcc -O2 -fopenmp "$here/memory.c" -o "$tmp/memory" || { status=1; return; }
    for what in readers rounds addresses; do
        few=$(OMP_NUM_THREADS=2 PROF_CLOCK=tsc PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 "$tmp/memory" $what 20000)
        many=$(OMP_NUM_THREADS=2 PROF_CLOCK=tsc PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 "$tmp/memory" $what 200000)
        few=${few% *} many=${many% *} most=20000
        [ $what != addresses ] || most=72000
        if [ $((many - few)) -lt $most ]; then echo "PASS openmp/gcc/memory-$what"; else
            echo "FAIL openmp/gcc/memory-$what: $few kB for 20000 tasks, $many for 200000"; status=1
        fi
    done
    case_of openmp/gcc/memory-time "$(patiently memory_time)" || status=1
}
case " ${CHECK_COMPILERS:-gcc clang} " in *" gcc "*) memory ;; esac
# Runtimes that nobody but one object sees, several in one process: each of three calls of each costs 3 and a region of work 186, span 13 + 8 +
# 24 + 1.
plugins() {
    case " $only " in "  " | *" plugins "*) ;; *) return ;; esac
    include=-I$here/../../include gomp=$(gcc -print-file-name=libgomp.so.1)
    gcc -O2 $include "$here/plugin.c" -o "$tmp/plugin" -ldl && gcc -O2 -g -fPIC -shared -fopenmp -DPLUGIN $include "$here/plugin.c" -o "$tmp/gcc.so" || { status=1; return; }
    # another libgomp, by a name as long
    sed 's/libgomp\.so\.1/liby0mp.so.1/g' "$gomp" >"$tmp/liby0mp.so.1" && sed 's/libgomp\.so\.1/liby0mp.so.1/g' "$tmp/gcc.so" >"$tmp/other.so"
    clang -O2 -g -fPIC -shared -fopenmp -DPLUGIN $include "$here/plugin.c" -o "$tmp/clang.so" 2>/dev/null
    for objects in gcc other clang "gcc other" "other gcc" "gcc clang" "clang other gcc"; do
        wrong= paths= n=0
        for o in $objects; do paths="$paths $tmp/$o.so"; n=$((n + 3)); done
        case $objects in *clang*) [ -f "$tmp/clang.so" ] || continue ;; esac
        for i in $(seq "$repeats"); do
            rm -f "$tmp/p.prof"
            LD_LIBRARY_PATH=$tmp PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 "$tmp/plugin" $paths >"$tmp/out" 2>&1 || wrong="status $? $(cat "$tmp/out")"
            got=$("$build/prof" report --csv --totals "$tmp/p.prof" 2>&1 | tail -1 | cut -d, -f5,6)
            [ "$got" = "$((n * 189)),$((n * 49))" ] || wrong="$wrong $got for $((n * 189)),$((n * 49))"
        done
        if [ -n "$wrong" ]; then echo "FAIL openmp/plugins-$(echo $objects | tr ' ' -): $wrong"; status=1; else echo "PASS openmp/plugins-$(echo $objects | tr ' ' -)"; fi
    done
}
case " ${CHECK_COMPILERS:-gcc clang} " in *" gcc "*) plugins ;; esac
# OpenMP in oneTBB tasks in threads; on libomp too, and gcc's code on libomp (counted once: by its own interface).
mixed() { # NAME COMPILER RUNTIME...: what links the OpenMP runtime
    name=$1 cxx=$2; shift 2
    case " $only " in "  " | *" mixed "*) ;; *) return ;; esac
    { $cxx -fopenmp -std=c++17 -O2 -g -I"$here/../../include" -c "$here/mixed.cpp" -o "$tmp/mixed.o" &&
        $cxx "$tmp/mixed.o" -o "$tmp/mixed" "$@" -ltbb -pthread; } 2>"$tmp/err" ||
        { echo "SKIP openmp/mixed-$name: $(head -1 "$tmp/err")"; return; }
    wrong=
    for p in 1 2 4; do
        for i in $(seq "$repeats"); do
            OMP_NUM_THREADS=$p PROF_OUTPUT=$tmp/p.prof LD_PRELOAD=$build/libprof.so timeout 60 "$tmp/mixed" || wrong="status $?"
            got=$("$build/prof" report --json "$tmp/p.prof" 2>/dev/null | jq -c '[.program.work_ns, .program.span_ns, .program.spawns, ([.sites[].on_span.local_span_ns] | add)]')
            [ "$got" = '[366,39,44,39]' ] || wrong="P=$p: $got for [366,39,44,39]"
        done
    done
    # every path leads from main through the thread and the TBB task to the OpenMP task
    "$build/prof" export -M work "$tmp/p.prof" 2>/dev/null | grep -v '^main;tasks;.*region' | grep '_task\]\|task ' | grep region >"$tmp/stray"
    [ -s "$tmp/stray" ] && wrong="$wrong paths: $(cat "$tmp/stray")"
    if [ -n "$wrong" ]; then echo "FAIL openmp/mixed-$name: $wrong"; status=1; else echo "PASS openmp/mixed-$name"; fi
}
for compiler in ${CHECK_COMPILERS:-gcc clang}; do
    case $compiler in
    gcc)
        mixed gcc g++ -fopenmp
        omp=$(ls /usr/lib/llvm-*/lib/libomp.so 2>/dev/null | tail -1)
        [ -n "$omp" ] && mixed gcc-on-libomp g++ "$omp" ;;
    clang) mixed clang clang++ -fopenmp ;;
    esac
done
exit $status
