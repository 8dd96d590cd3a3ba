#!/bin/sh
# check.sh BUILD [CASE...] - MPI programs on 2, 3, 4, 8 ranks, on Open MPI and MPICH, under the
# virtual clock. Each rank prints what libprof must measure of it (oracle.h): its work, and its
# span, which is the job's. They are compared with the profile of each rank.
# CASE is a case, or a program for all of its cases.
# PASS, FAIL or SKIP, one line a case and MPI.
# The cases of a program run together, one after the other. If what they measured is wrong, each
# runs alone, to find which it is.
#   CHECK_MPIS="openmpi mpich"     which MPIs (in the gate openmpi)
#   CHECK_RANKS="2 3 4 8"          how many ranks (in the gate 2 and 3)
#   CHECK_SEED=1                   the first of the random programs
#   CHECK_KEEP=DIRECTORY           where the programs are compiled, to be run again by hand
build=$(cd "$1" && pwd) || exit 2
shift
suite=mpi only=$* failures=0
hosts_world=                    # hosts.sh: ranks run on the hosts of this world
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../case.sh"
[ "$CHECK" != gate ] || CHECK_MPIS=openmpi CHECK_RANKS='2 3'
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
programs=${CHECK_KEEP:-$tmp}
mkdir -p "$programs"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1       # more ranks than processors
# Else hwloc looks for X displays: where /etc/hosts lacks localhost, each rank asks a name server.
export HWLOC_COMPONENTS=-gl
export OMP_WAIT_POLICY=passive OMP_DYNAMIC=false
unset LD_PRELOAD OMP_SCHEDULE OMP_THREAD_LIMIT OMP_MAX_ACTIVE_LEVELS OMP_NESTED OMP_PROC_BIND \
    OMP_PLACES OMP_NUM_THREADS

# A case is MPI/PROGRAM/CASE: that of each MPI, if none is given. A program's name, or a case's, is
# enough.
asked="$only $(echo " $only" | sed 's, openmpi/, ,g; s, mpich/, ,g')"
wanted() { # NAME...: one of them
    for name; do
        # shellcheck disable=SC2086  # a list
        { [ -z "$only" ] || case_among "$name" $asked; } && only='' wants "$mpi/$name" && return
    done
    return 1
}

launch() { # MPI RANKS COMMAND...: for launch_seconds at most
    launch_mpi=$1 launch_ranks=$2 launch_for=${launch_seconds:-120}
    shift 2
    if [ -n "$hosts_world" ]; then
        hosts_launch "$launch_mpi" "$launch_ranks" "$launch_for" "$@"
        return
    fi
    case $launch_mpi in
    openmpi)
        timeout -k 5 "$launch_for" mpirun.openmpi --oversubscribe -n "$launch_ranks" "$@" ;;
    mpich) timeout -k 5 "$launch_for" mpiexec.mpich -n "$launch_ranks" "$@" ;;
    esac
}

# What is wrong with a run of PROGRAM; nothing if all is as expected. `skip: ` begins what the
# program says of itself where this MPI has not what the case needs.
one_run() { # MPI RANKS PROGRAM [ARGUMENT...]
    dir=$tmp/profiles
    rm -rf "$dir" && mkdir "$dir"
    run_mpi=$1 run_ranks=$2
    shift 2
    launch "$run_mpi" "$run_ranks" env LD_PRELOAD="$build/libprof.so" PROF_CLOCK=virtual \
        PROF_CHECKPOINT=0 PROF_OUTPUT="$dir/%p.prof" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    code=$?
    if [ $code -ne 0 ]; then
        echo "exit status $code $(grep -v '^[[:space:]-]*$' "$tmp/err" | head -c 200)"
        return
    fi
    grep -m 1 '^skip: ' "$tmp/out" && return
    sort -k 2n "$tmp/out" | sed -n \
        's/^rank \([0-9]*\) pid \([0-9]*\) work \([0-9]*\) span \([0-9]*\)$/\1 \2 \3 \4/p' \
        >"$tmp/expected"
    if [ "$(wc -l <"$tmp/expected")" -ne "$run_ranks" ] ||
        [ "$(wc -l <"$tmp/out")" -ne "$run_ranks" ]; then
        echo "wrote: $(grep -v '^rank [0-9]* pid' "$tmp/out" "$tmp/err" | head -c 200)"
        return
    fi
    profiles=
    while read -r r pid _; do
        [ -f "$dir/$pid.prof" ] || { echo "rank $r: no profile"; return; }
        profiles="$profiles $dir/$pid.prof"
    done <"$tmp/expected"
    [ "$(find "$dir" -name '*.prof' | wc -l)" -eq "$run_ranks" ] ||
        { echo "$(find "$dir" -name '*.prof' | wc -l) profiles of $run_ranks ranks"; return; }
    # shellcheck disable=SC2086  # a list
    "$build/prof" report --json $profiles >"$tmp/json" 2>"$tmp/err" ||
        { echo "no report: $(head -c 200 "$tmp/err")"; return; }
    jq -r 'if type == "array" then .[] else . end |
        "\(.program.work_ns) \(.program.span_ns) " +
        ([.notes[] | select(.kind == "loss") | "loss_\(.name)_\(.count)"] | join(","))' \
        "$tmp/json" >"$tmp/measured" 2>"$tmp/err" ||
        { echo "no figures: $(head -c 200 "$tmp/err")"; return; }
    paste -d ' ' "$tmp/expected" "$tmp/measured" | awk '
        $5 != $3 { printf "rank %d: work %s, expected %s; ", $1, $5, $3 }
        $6 != $4 { printf "rank %d: span %s, expected %s; ", $1, $6, $4 }
        $7 != "" { printf "rank %d: %s; ", $1, $7 }'
}

# What is wrong on all numbers of ranks, or `skip: ...`.
all_ranks() { # MPI PROGRAM [ARGUMENT...]
    all_mpi=$1
    shift
    for n in ${CHECK_RANKS:-${case_ranks:-2 3 4 8}}; do
        wrong=$(one_run "$all_mpi" "$n" "$@")
        case $wrong in
        '') continue ;;
        'skip: '*) echo "$wrong" ;;
        'exit status '*)
            # is it the MPI's fault? Then it fails each time.
            for _ in 1 2 3; do
                ! launch "$all_mpi" "$n" "$@" >/dev/null 2>&1 </dev/null ||
                    { echo "$n ranks: $wrong"; return; }
            done
            echo "skip: $n ranks: without libprof, it fails three times of three" ;;
        *) echo "$n ranks: $wrong" ;;
        esac
        return
    done
}

verdict() { # CASE WRONG SOURCE
    case $2 in
    '') result "$1" '' ;;
    'skip: '*) result "$1" "SKIP ${2#skip: }" ;;
    *) result "$1" "($3) $2" ;;
    esac
}

# Runs the compiler. False, and a line, if it is not installed or the program does not compile.
compile() { # CASE COMPILER ARGUMENT...
    compile_case=$1
    shift
    command -v "$1" >/dev/null || { echo "SKIP mpi/$compile_case: no $1"; return 1; }
    "$@" >"$tmp/err" 2>&1 && return
    echo "FAIL mpi/$compile_case: does not compile: $(grep -m 1 -i error "$tmp/err" | head -c 200)"
    failures=1
    return 1
}

# The cases of PROGRAM: all of them in one run, and one by one if that is wrong.
cases() { # MPI PROGRAM CASE...
    cases_mpi=$1 cases_program=$2 cases_name=$(basename "$2") failed=
    shift 2
    together=
    if wanted "$cases_name"; then
        together=$(all_ranks "$cases_mpi" "$cases_program")
        if [ -z "$together" ]; then
            for case; do verdict "$cases_mpi/$cases_name/$case" ''; done
            return
        fi
    fi
    for case; do
        wanted "$cases_name/$case" "$case" || continue
        wrong=$(all_ranks "$cases_mpi" "$cases_program" "$case")
        case $wrong in '' | 'skip: '*) ;; *) failed=1 ;; esac
        verdict "$cases_mpi/$cases_name/$case" "$wrong" "tests/mpi/$cases_name.c"
    done
    [ -z "$together" ] || [ -n "$failed" ] ||
        verdict "$cases_mpi/$cases_name" "all cases together: $together" \
            "tests/mpi/$cases_name.c"
}

for mpi in ${CHECK_MPIS:-openmpi mpich}; do
    command -v "mpicc.$mpi" >/dev/null || { echo "SKIP mpi/$mpi: no mpicc.$mpi"; continue; }
    bin=$programs/$mpi
    mkdir -p "$bin"
    for program in point requests collective comm; do
        compile "$mpi/$program" "mpicc.$mpi" -O1 -g "$here/$program.c" -o "$bin/$program" ||
            continue
        # shellcheck disable=SC2046  # a list
        cases "$mpi" "$bin/$program" $("$bin/$program" --list)
    done
    if wanted outside point && [ -x "$bin/point" ]; then
        verdict "$mpi/point/outside" "$(case_ranks=4 all_ranks "$mpi" "$bin/point" outside)" \
            tests/mpi/point.c
    fi
    if wanted random &&
        compile "$mpi/random" "mpicc.$mpi" -O1 -g "$here/random.c" -o "$bin/random"; then
        # of MPICH, freed requests and matched probes are not in one program (random.c)
        for seed in ${CHECK_SEED:-1 3}; do
            wrong=$(case_ranks='2 3 4' all_ranks "$mpi" "$bin/random" "$seed" 10 20)
            [ -n "$wrong" ] || wrong=$(case_ranks=8 all_ranks "$mpi" "$bin/random" "$seed" 10 2)
            verdict "$mpi/random/$seed" "$wrong" tests/mpi/random.c
        done
    fi
    if compile "$mpi/hybrid" "mpicc.$mpi" -O1 -g -fopenmp "$here/hybrid.c" -o "$bin/hybrid"; then
        for case in $("$bin/hybrid" --list); do
            wanted hybrid "$case" || continue
            verdict "$mpi/hybrid/$case" \
                "$(case_ranks='1 2 3 4' all_ranks "$mpi" "$bin/hybrid" "$case")" \
                tests/mpi/hybrid.c
        done
    fi
    if wanted hybrid_tbb && compile "$mpi/hybrid_tbb" "mpicxx.$mpi" -O1 -g "$here/hybrid_tbb.cpp" \
        -ltbb -o "$bin/hybrid_tbb"; then
        verdict "$mpi/hybrid_tbb" \
            "$(case_ranks='1 2 3 4' all_ranks "$mpi" "$bin/hybrid_tbb")" \
            tests/mpi/hybrid_tbb.cpp
    fi
    # shellcheck source=tests/mpi/job.sh
    . "$here/job.sh"
    # shellcheck source=tests/mpi/hosts.sh
    . "$here/hosts.sh"
    for binding in mpif_h use_mpi use_mpi_f08; do
        wanted fortran $binding || continue
        compile "$mpi/fortran/$binding" "mpicc.$mpi" -O1 -g -c "$here/fortran_help.c" \
            -o "$bin/fortran_help.o" || continue
        compile "$mpi/fortran/$binding" "mpif90.$mpi" -O1 -g -cpp -std=legacy "-D$binding" \
            -J "$bin" "$here/fortran.f90" "$bin/fortran_help.o" -o "$bin/$binding" || continue
        verdict "$mpi/fortran/$binding" \
            "$(case_ranks='2 4' all_ranks "$mpi" "$bin/$binding")" \
            tests/mpi/fortran.f90
    done
done
exit $failures
