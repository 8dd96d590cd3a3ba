#!/bin/sh
# check.sh BUILD [CASE...] - every OpenMP construct on 1, 2, 4, 8 threads, on libgomp
# (gcc) and libomp (clang), under the virtual clock. The program itself says what libprof must
# measure: work, span, spawns. verify.jq compares.
# The cases are in constructs/. NAME.sh is a case of its own, with the program beside it.
# PASS or FAIL, one line a case; FAIL names the source file of the case.
#   CHECK_COMPILERS="gcc clang"    which compilers
#   CHECK_WORKERS="2 4"            how many threads
#   CHECK_REPEATS=2                how often on each number of threads (in the gate once)
#   CHECK_REAL=4                   on so many in real time, too; none on an emulator
#   CHECK_CONSTRUCTS_ALONE=1       the cases of constructs/, nothing else
#   CHECK_SPAWNS=0                 do not compare the number of spawns: that of explicit tasks that
#                                  may run beside their creator, and of implicit tasks
build=$(cd "$1" && pwd)
shift
suite=openmp only=$* failures=0 compilers=${CHECK_COMPILERS:-gcc clang}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../case.sh"
repeats=${CHECK_REPEATS:-2} real=${CHECK_REAL-4}
[ "$CHECK" != gate ] || repeats=1 real=
tmp=$(mktemp -d) || exit 1
. "$here/../cpu.sh"
trap 'rm -rf "$tmp" "$cpu_tmp"' EXIT
export PROF_CLOCK=virtual PROF_CHECKPOINT=0
export OMP_WAIT_POLICY=passive OMP_DYNAMIC=false    # two cores, eight threads: no spinning
unset OMP_SCHEDULE OMP_THREAD_LIMIT OMP_MAX_ACTIVE_LEVELS OMP_NESTED OMP_PROC_BIND OMP_PLACES

# A case is COMPILER/CASE: that of each compiler, if none is given. Of parts, the name is enough.
parts="$only $(echo " $only" | sed 's, [^ /]*/, ,g')"
only=$(for word in $only; do
    case $word in */*) echo "$word" ;; *) for c in $compilers; do echo "$c/$word"; done ;; esac
done)
wanted() { # PART
    # shellcheck disable=SC2086  # a list
    [ -z "$only" ] || case_among "$1" $parts || return
    only='' wants "$1"
}
uses() { case " $compilers " in *" $1 "*) true ;; *) false ;; esac; } # COMPILER

# The line of CASE: WRONG is empty, or what is wrong, or begins with BUSY (cpu.sh).
verdict() { # CASE WRONG FILE[:LINE]
    case $2 in
    '' | 'BUSY '*) result "$1" "$2" ;;
    *) result "$1" "($3) $2" ;;
    esac
}
where() { "$program" --where "$1"; } # CASE

# libprof.so, with SO behind it where there is one.
preload() { echo "$build/libprof.so${1:+:$1}"; } # [SO]

# A libomp that gcc's code calls when it is preloaded: "COMPILER-on-libomp".
libomp_of() { # COMPILER
    case $1 in *-on-libomp) ls /usr/lib/llvm-*/lib/libomp.so 2>/dev/null | tail -1 ;; esac
}

# Runs CASE into RUN.prof, and adds what is expected of it to the expectations.
record() { # PROGRAM CASE SO RUN
    PROF_WHATIF=$whatif PROF_OUTPUT=$4.prof LD_PRELOAD=$(preload "$3") \
        timeout 60 "$1" "$2" >"$tmp/out" 2>&1 ||
        { echo "exit status $? $(head -c 200 "$tmp/out")"; return; }
    [ -s "$tmp/out" ] && { echo "wrote: $(head -c 200 "$tmp/out")"; return; }
    # in real time only what does not depend on it, and sums, whose terms are rounded to ns
    if [ "$PROF_CLOCK" = virtual ]; then
        cat "$tmp/expect"
    else
        grep '^tasks\|^implicit' "$tmp/expect"
    fi >>"$tmp/expected"
    printf 'compared_spawns %d\n--\n' "$spawns" >>"$tmp/expected"
}

# What is wrong with the first of these profiles that is not as expected; LABELS: a line each.
compare() { # LABELS PROFILE...
    labels=$1
    shift
    "$build/prof" report --json "$@" >"$tmp/p.json" 2>"$tmp/err" ||
        { echo "no report: $(cat "$tmp/err")"; return; }
    "$build/prof" report --csv --totals "$@" >"$tmp/p.csv" 2>"$tmp/err" ||
        { echo "no totals: $(cat "$tmp/err")"; return; }
    jq -r -f "$here/verify.jq" --arg labels "$labels" --rawfile expect "$tmp/expected" \
        --rawfile csv "$tmp/p.csv" "$tmp/p.json" 2>&1
}

# Several runs that are compared together: `no_runs`, `one_run` for each, `compare_runs`. WRONG is
# empty as long as nothing is.
no_runs() {
    rm -f "$tmp"/run.* "$tmp/expected"
    n=0 profiles='' labels='' wrong=''
}
one_run() { # PROGRAM CASE SO LABEL
    n=$((n + 1))
    wrong=$(record "$1" "$2" "$3" "$tmp/run.$n")
    [ -n "$wrong" ] && wrong="$4$wrong"
    profiles="$profiles $tmp/run.$n.prof" labels="$labels$4
"
}
compare_runs() {
    # shellcheck disable=SC2086  # a list
    [ -n "$wrong" ] || wrong=$(compare "$labels" $profiles)
}

# Does CASE end with STATUS without libprof, too? libomp 19 hangs (124) where a detached task is
# cancelled. libgomp 10 crashes in dep_cousins. libomp before 19 may crash in a taskwait that has
# dependences: another thread still uses a node on its stack (LLVM's issue 85963). One of some
# 20,000 runs crashed here, so a run that does is repeated. In some of the random programs libomp 11
# hangs, or fails an assertion, in some of these rarely.
is_native() { # PROGRAM CASE STATUS
    [ -n "$3" ] && for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        timeout 20 "$1" "$2" >/dev/null 2>&1
        native=$?
        [ $native != "$3" ] && { [ $native -lt 128 ] || [ "$3" -lt 128 ]; } || return 0
    done
    return 1
}

# One construct on all numbers of threads.
construct() { # COMPILER CASE
    no_runs
    skipped= ran= spawns=${CHECK_SPAWNS:-1}
    # libomp splits a taskloop by tasks of its own, which no tool can tell from the program's
    case $1/$2 in clang/taskloop_*) spawns=0 ;; esac
    case $2 in cancel_*) export OMP_CANCELLATION=true ;; *) unset OMP_CANCELLATION ;; esac
    for p in ${CHECK_WORKERS:-1 2 4 8}; do
        export OMP_NUM_THREADS=$p
        "$program" --expect "$2" >"$tmp/expect" || wrong="P=$p: no expectation"
        if grep -q ^skip "$tmp/expect"; then
            skipped=$(sed -n 's/^skip //p' "$tmp/expect")
            continue
        fi
        ran=1 i=0
        while [ $i -lt "$repeats" ] && [ -z "$wrong" ]; do
            i=$((i + 1))
            whatif= # the last time with a scenario in which everything costs what it costs
            case $repeats/$p in 1/[14]) ;; *) [ $i -lt "$repeats" ] || whatif=nothing=1 ;; esac
            one_run "$program" "$2" '' "P=$p: "
            case $1/$2/$wrong in clang/dep_wait*'exit status 139'*)
                n=$((n - 1)) wrong= profiles=${profiles% *} labels=${labels%"P=$p: ""
"}
                one_run "$program" "$2" '' "P=$p: " ;;
            esac
        done
        # the clock that people use, which takes the short ways through the engine
        if [ "$p" = "$real" ] && [ -z "$wrong" ]; then
            whatif=
            export PROF_CLOCK=tsc
            one_run "$program" "$2" '' "P=$p: real time: "
            export PROF_CLOCK=virtual
        fi
        [ -n "$wrong" ] && break
    done
    [ -z "$ran" ] || compare_runs
    status_of_it=$(echo "$wrong" | sed -n 's/.*: exit status \([0-9]*\) .*/\1/p')
    if is_native "$program" "$2" "$status_of_it"; then
        echo "SKIP openmp/$1/$2: without libprof, its status is $native, too"
        return
    fi
    if [ -n "$wrong" ]; then
        case $wrong in P=*) p=${wrong#P=} p=${p%%:*} ;; esac
        verdict "$1/$2" "$wrong" "$(where "$2")"
        echo "     again: ${OMP_CANCELLATION:+OMP_CANCELLATION=true }OMP_NUM_THREADS=$p" \
            "PROF_CLOCK=virtual LD_PRELOAD=$build/libprof.so $program $2"
    elif [ -z "$ran" ]; then
        echo "SKIP openmp/$1/$2: $skipped"
    else
        verdict "$1/$2" '' ''
    fi
}

for compiler in $compilers; do
    program=$build/openmp/constructs-$compiler
    [ -x "$program" ] || { echo "SKIP openmp/$compiler: not built"; continue; }
    cases=$("$program" --list) || result "$compiler" "its list ends with status $?"
    for case in $cases; do
        ! wants "$compiler/$case" || construct $compiler "$case"
    done
done
[ -z "$CHECK_CONSTRUCTS_ALONE" ] || exit $failures
unset OMP_CANCELLATION
for part in "$here"/*.sh; do
    case $part in "$here/check.sh") continue ;; esac
    . "$part"
done
exit $failures
