# matrix.sh - a part of run.sh: every command on every shape of a profile: all of gen_profile's
# files, the same without an optional section, and the same with a 0 among the totals where no real
# run has one. All are valid: a command ends with status 0, and a sanitizer that prof was built with
# prints nothing. If a file lacks what a command needs (a dag, scenarios, a comparable clock), the
# status may be 2, and a line names what is missing.
matrix_commands() {
    cat <<'COMMANDS'
report
report -m all -a -p -c -l --frames
report -a --raw --unfolded --physical --effort -p -M blocked --overhead f
report -p -c -M idleness
report -p -M own
report --json --paths
report --csv --paths
report --csv --totals
report --cilkscale
export -f folded -M work
export -f folded -M blocked
export -f pprof -o /dev/null
export -f speedscope
export -f callgrind --physical
export -f firefox
export -f gnuplot
annotate -a
annotate -a -M blocked
view -o -
view --physical --unfolded --no-source -o -
COMMANDS
}
# The commands that may report that there is nothing to show.
matrix_needing() {
    cat <<'COMMANDS'
view -o - --diff paths.prof
diff -p paths.prof
diff -p -M blocked --json paths.prof
merge -o /dev/stdout paths.prof
whatif
predict -P 1,3,64 -n 2
predict --json -P 2
COMMANDS
}
sanitized=
nm "$prof" 2>/dev/null | grep -q '__asan_init\|__ubsan_' && sanitized=1
matrix_try() { # FILE OPTIONS: the exit status; a sanitizer's line is said
    "$prof" $2 "$1" >matrix.out 2>matrix.err
    matrix_code=$?
    [ -z "$sanitized" ] ||
        grep -m 1 'runtime error:\|Sanitizer' matrix.err | sed "s|^|prof $2 $1: |"
}
matrix_row() { # FILE: prints what is wrong
    matrix_commands | while read -r options; do
        case $options in view*) [ -n "$pages" ] || continue ;; esac
        matrix_try "$1" "$options"
        [ $matrix_code = 0 ] || echo "prof $options $1: status $matrix_code: $(head -1 matrix.err)"
    done
    matrix_needing | while read -r options; do
        case $options in view*) [ -n "$pages" ] || continue ;; esac
        matrix_try "$1" "$options"
        case $matrix_code in
        0) ;;
        2) grep -q '^prof: ' matrix.err ||
            echo "prof $options $1: status 2, and it does not say why" ;;
        *) echo "prof $options $1: status $matrix_code" ;;
        esac
    done
}
profiles basic paths
has_page && pages=1 || pages=
mkdir matrix
shape() { # NAME ARGUMENTS...: a profile of that name
    matrix_name=$1
    shift
    ./gen "$@" >"matrix/$matrix_name.prof" || fail "matrix-gen-$matrix_name" "status $?"
}
for kind in basic empty hostile bound counter wide longer paths off-cpu timeline timed \
    tasks-ready tasks-ready-unknown cpus scaled \
    recursion names self steep whatif dag-after dag-circle dag-wait dag-wrong dag-buried; do
    shape $kind $kind
done
shape flat large /nowhere/app 0 0x400000 0x500000 30 50
shape dag dag 3 300
shape dag-arcs dag-arcs 3 300
shape run run 60 40 3
shape idle run 0 0 1
shape virtual run 60 40 2 virtual
shape instructions run 60 40 2 instructions
shape waits waits 60 1200 15 7 5 1
shape cpu cpu 110 1000 2000 3000
OMIT=25,26,27 shape timeline-without timeline
OMIT=27 shape timeline-without-bins timeline
OMIT=28,29 shape timed-without timed
OMIT=29 shape timed-without-samples timed
OMIT=35,36 shape ready-without tasks-ready
OMIT=36 shape ready-without-bins tasks-ready
OMIT=37,38 shape cpus-without cpus
OMIT=37 shape cpus-without-cpus cpus
for kind in off-cpu whatif; do
    for type in 2 4 5,6 6,10,11 7 8 9 10,11 11 12,13,14 13,14; do
        # nodes of tasks are contexts'
        case $type in 5,6 | 6,*) from=basic ;; *) from=$kind ;; esac
        OMIT=$type shape "$kind-without-$type" $from
    done
done
refused= words=$(grep 'LPF_ASSERT_SIZE(lpf_totals' "$include/libprof_format.h" | tr -dc '0-9')
for at in $(seq 0 8 $((words - 8))); do
    ZERO=$at shape "zero-$at" off-cpu
    "$prof" report "matrix/zero-$at.prof" >/dev/null 2>matrix.err && continue
    refused="$refused $at"
    rm "matrix/zero-$at.prof"
done
equal matrix-refused ' 136' "$refused"  # ns_den: nothing is divided by it
ZERO=$(seq 0 8 $((words - 8)) | grep -vx 136 | paste -sd ,) shape zero-all off-cpu
"$prof" merge --as runs -o matrix/runs.prof matrix/off-cpu.prof matrix/paths.prof 2>/dev/null ||
    fail matrix-runs "status $?"
"$prof" merge -o matrix/processes.prof matrix/off-cpu.prof matrix/paths.prof 2>/dev/null ||
    fail matrix-processes "status $?"
matrix_wrong=$(for file in matrix/*.prof; do matrix_row "$file"; done)
result "matrix ($(ls matrix | wc -l) profiles)" "$(echo "$matrix_wrong" | head -5)"
[ "$(ls matrix | wc -l)" -ge 80 ] && pass matrix-is-there ||
    fail matrix-is-there "$(ls matrix | wc -l) files"
