# job.sh - sourced by check.sh: what the ranks' files are together. $mpi, $bin, launch, result.

# The job's file of MODE on N ranks, under the virtual clock: job.prof.
job_of() { # RANKS MODE...
    job_ranks=$1
    shift
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    launch "$mpi" "$job_ranks" env LD_PRELOAD="$build/libprof.so" PROF_CLOCK=virtual \
        PROF_OUTPUT="$tmp/job/%r.prof" "$bin/job" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null ||
        { echo "status $?: $(head -c 200 "$tmp/err")"; return; }
    "$build/prof" merge -o "$tmp/job.prof" "$tmp"/job/* >"$tmp/out" 2>&1 ||
        echo "merge: $(cat "$tmp/out")"
    "$build/prof" report --json "$tmp/job.prof" >"$tmp/job.json" 2>"$tmp/err" ||
        echo "report: $(cat "$tmp/err")"
}
says() { # FILTER EXPECTED: of job.json
    got=$(jq -c "$1" "$tmp/job.json" 2>&1)
    [ "$got" = "$2" ] || echo "$1 is $got, not $2; "
}

# The critical path by rank. CERTAINTY: of the span.
job_path() { # RANKS WORK SPAN PARTS CERTAINTY MODE...
    ranks=$1 work=$2 span=$3 parts=$4 sure=$5
    shift 5
    job_of "$ranks" "$@"
    says '[.program.work_ns, .program.span_ns, .program.certainty.span_ns]' \
        "[$work,$span,\"$sure\"]"
    says '[.job.ranks[].on_path_ns]' "[$parts]"
    says '.merged.as' '"job"'
    says '[.job.ranks[].finished] | all' true
}

# What a rank does after MPI_Finalize is its own part of the path, whatever is merged first.
job_after() {
    job_path 3 1966 1100 '100,1000,0' exact after
    for first in '0 1' '0 2' '1 2'; do
        # shellcheck disable=SC2086  # two numbers
        set -- $first $((3 - ${first% *} - ${first#* }))
        "$build/prof" merge -o "$tmp/two.prof" "$tmp/job/$1.prof" "$tmp/job/$2.prof" 2>"$tmp/err" &&
            "$build/prof" merge -o "$tmp/job.prof" "$tmp/two.prof" "$tmp/job/$3.prof" \
                2>"$tmp/err" || cat "$tmp/err"
        "$build/prof" report --json "$tmp/job.prof" >"$tmp/job.json" 2>"$tmp/err"
        says '[.program.span_ns, (.job.ranks | sort_by(.rank)[].on_path_ns)]' '[1100,100,1000,0]'
    done
}

# More turns than a rank notes: the span is exact, and the path is known from some turn on.
job_full() {
    PROF_MPI_TURNS=400 job_of 2 zigzag 1000
    says '[.program.work_ns, .program.span_ns]' '[11000,10000]'
    # of the 500 turns of a rank, of 10 ns each; rank 1 has the last one
    says '[.job.ranks[].on_path_ns]' '[3990,4000]'
    says '.sites[] | select(.construct == "other ranks") | .function' '"(in ranks not known)"'
    says '([.job.ranks[].on_path_ns] | add) + ([.sites[] |
        select(.construct == "other ranks") | .on_span.local_span_ns] | add)' 10000
}

# Where the path leaves a rank while tasks are a part of it, its split is an estimate, and says so.
job_among() {
    job_path 2 310 300 100,200 exact among
    says '[.notes[] | select(.name == "MPI and tasks") | [.kind, .count]]' '[["hint",1]]'
    job_of 2 chain
    says '[.notes[] | select(.name == "MPI and tasks")]' '[]'
}

# No folder can be made for the job: a file for each rank.
job_no_folder() {
    rm -rf "$tmp/run" && mkdir "$tmp/run"
    touch "$tmp/run/job.prof.ranks"
    (cd "$tmp/run" && launch "$mpi" 2 "$build/prof" run -c virtual --no-report -o job.prof -- \
        "$bin/job" alone >out 2>err </dev/null || echo "status $?")
    [ "$(cat "$tmp/run/out")" = done ] || echo "out: $(cat "$tmp/run/out")"
    [ "$(ls "$tmp/run" | tr '\n' ' ')" = \
        'err job.prof.0.prof job.prof.1.prof job.prof.ranks out ' ] ||
        ls "$tmp/run"
    for r in 0 1; do
        grep -q "^prof: wrote job.prof.$r.prof" "$tmp/run/err" || cat "$tmp/run/err"
    done
}

# A rank's file is missing: its part of the path is in other ranks.
job_missing() {
    job_of 3 chain
    rm "$tmp/job/1.prof"
    "$build/prof" merge -o "$tmp/job.prof" "$tmp"/job/*.prof 2>"$tmp/err" || cat "$tmp/err"
    "$build/prof" report --json "$tmp/job.prof" >"$tmp/job.json" 2>"$tmp/err"
    says '[.program.work_ns, .program.span_ns]' '[800,1000]'
    says '[.sites[] | select(.construct == "other ranks") | .on_span.local_span_ns]' '[300]'
    "$build/prof" report "$tmp/job.prof" 2>&1 | grep -q 'JOB of 3 ranks, of which 2 are here' ||
        echo 'the missing rank is not named'
}

# One rank's file alone: it says so, and its path adds up.
job_one_rank() {
    job_of 3 chain
    "$build/prof" report "$tmp/job/1.prof" >"$tmp/words" 2>&1
    tr -s '\n ' ' ' <"$tmp/words" |
        grep -q 'RANK 1 of 3 alone: the span is the job.s, 30 % of it' || cat "$tmp/words"
}

# prof run makes one file and one report of a job, and leaves nothing else.
job_run() { # OPTIONS...
    rm -rf "$tmp/run" && mkdir "$tmp/run"
    (cd "$tmp/run" && launch "$mpi" 3 "$build/prof" run -c virtual "$@" -- "$bin/job" chain \
        >out 2>err </dev/null || echo "status $?")
    [ "$(cat "$tmp/run/out")" = done ] || echo "out: $(cat "$tmp/run/out")"
    grep -q '^prof: wrote .*prof, of 3 ranks$' "$tmp/run/err" || head -c 300 "$tmp/run/err"
    [ "$(grep -c '^libprof: ' "$tmp/run/err")" = 1 ] || echo 'not one report'
    [ "$(ls "$tmp/run" | tr '\n' ' ')" = "err $(basename "${2:-job.job.prof}") out " ] ||
        ls "$tmp/run"
    "$build/prof" report --json "$tmp"/run/*.prof >"$tmp/job.json" 2>"$tmp/err"
    says '[.program.span_ns, (.job.ranks | length)]' '[1000,3]'
}

# A program that does not start leaves nothing.
job_not_started() {
    rm -rf "$tmp/run" && mkdir "$tmp/run"
    (cd "$tmp/run" && launch "$mpi" 2 "$build/prof" run -o job.prof -- /nonexistent >out 2>err \
        </dev/null; [ $? = 127 ] || echo 'not status 127')
    rm "$tmp/run/out" "$tmp/run/err"
    ls "$tmp/run"
}

# A job that ends badly ends as natively, and the ranks' files are there.
# What MPICH's launcher says of a rank that leaves is a race: natively 0 (82 of 100 times), 9 and
# the words of a killed rank (13), or 1 and the words (5).
job_ends() { # MODE
    launch "$mpi" 2 "$bin/job" "$1" >"$tmp/native" 2>/dev/null </dev/null
    native=$?
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    launch "$mpi" 2 env LD_PRELOAD="$build/libprof.so" PROF_CLOCK=virtual PROF_CHECKPOINT=0 \
        PROF_OUTPUT="$tmp/job/%r.prof" "$bin/job" "$1" >"$tmp/out" 2>"$tmp/err" </dev/null
    code=$?
    if [ "$mpi $1" = 'mpich leave' ]; then
        case $code in
        0) [ ! -s "$tmp/out" ] || echo "status 0, it printed $(head -c 200 "$tmp/out")" ;;
        1 | 9) grep -q 'BAD TERMINATION' "$tmp/out" || echo "status $code without a word" ;;
        *) echo "status $code, natively $native" ;;
        esac
    else
        [ $code = $native ] || echo "status $code, natively $native"
        [ "$1" = kill ] || cmp -s "$tmp/native" "$tmp/out" ||
            echo "it printed $(head -c 200 "$tmp/out")"     # where a rank is killed: its pid
    fi
    ls "$tmp/job"/*.prof >"$tmp/files" 2>/dev/null || [ "$1" = kill ] || echo 'no file'
    # shellcheck disable=SC2046  # a list
    [ ! -s "$tmp/files" ] || "$build/prof" merge -o "$tmp/job.prof" $(cat "$tmp/files") \
        >"$tmp/out" 2>&1 || cat "$tmp/out"
    [ ! -s "$tmp/files" ] || "$build/prof" report --json "$tmp/job.prof" >"$tmp/job.json" 2>&1
    [ ! -s "$tmp/files" ] || says '.program.certainty.span_ns' '"lower bound"'
}

# Some ranks have no libprof: the others leave the job alone, and say so.
job_partly() { # PROF_MPI
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    case $mpi in
    openmpi) set -- mpirun.openmpi --oversubscribe "$@" ;;
    mpich) set -- mpiexec.mpich "$@" ;;
    esac
    with=$2
    [ $# -gt 2 ] && with=$3
    timeout -k 5 60 "$1" ${over:-} -n 1 env LD_PRELOAD="$build/libprof.so" PROF_CLOCK=virtual \
        PROF_OUTPUT="$tmp/job/%r.prof" PROF_MPI="$with" "$bin/job" chain : -n 1 "$bin/job" chain \
        >"$tmp/out" 2>"$tmp/err" </dev/null || echo "status $?: $(head -c 300 "$tmp/err")"
    [ "$(cat "$tmp/out")" = done ] || echo "it printed $(cat "$tmp/out")"
    if [ "$with" = auto ]; then
        grep -q 'libprof: MPI: 1 of 2 ranks on this host have libprof' "$tmp/err" ||
            echo "no line: $(cat "$tmp/err")"
    else
        ! grep libprof "$tmp/err"
    fi
}

# Children of ranks have profiles of their own, which a job's file adds.
job_fork() {
    job_of 2 fork
    [ "$(ls "$tmp/job" | wc -l)" = 4 ] || ls "$tmp/job"
    says '[.program.work_ns, .program.span_ns, (.job.ranks | length)]' '[140,20,2]'
    says '.program.exact' false         # in what order the children ran is not known
}

# A rank that waits in MPI-IO, or in the barrier after it, does not work. What the wait is for is
# not seen.
job_file() {
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    (cd "$tmp/job" && launch "$mpi" 2 env LD_PRELOAD="$build/libprof.so" \
        PROF_OUTPUT="$tmp/job/%r.prof" "$bin/job" file >"$tmp/out" 2>"$tmp/err" </dev/null) ||
        echo "status $?: $(head -c 200 "$tmp/err")"
    "$build/prof" merge -o "$tmp/job.prof" "$tmp"/job/*.prof >"$tmp/out" 2>&1 || cat "$tmp/out"
    "$build/prof" report --json "$tmp/job.prof" >"$tmp/job.json" 2>"$tmp/err"
    says '.job.ranks[1] | .transfer_ns + .collective_ns > 2.7e8 and .work_ns < 1.5e8' true
    says '[.notes[] | select(.kind == "lower_bound") | .name]' '["MPI_File_open"]'
    "$build/prof" report --full "$tmp/job.prof" 2>/dev/null | tr -s '\n ' ' ' >"$tmp/words"
    grep -q 'MPI_File_[a-z_]* waits or transfer' "$tmp/words" ||
        echo "no waits in files: $(head -c 600 "$tmp/words")"
    grep -q 'in MPI: transfers, own work, polls, waits of files' "$tmp/words" || echo ledger
    says '[.job.calls[] | select(.construct | startswith("MPI_File_")) | .for] | unique' \
        '["waits or transfer"]'
    # a job has no dag, and no candidates
    ! "$build/prof" predict "$tmp/job.prof" >"$tmp/out" 2>&1 &&
        grep -q 'prof predict does not know jobs' "$tmp/out" || cat "$tmp/out"
    "$build/prof" report "$tmp/job.prof" | grep 'prof whatif'
}

# More sends than have been received: natively, they do not wait.
job_many() {
    job_path 2 200 100 100,0 exact many
}

# The spawned job has ranks that are none of this job's: no collective of libprof's runs there.
job_spawn() {
    launch_seconds=20
    launch "$mpi" 1 "$bin/job" spawn >"$tmp/out" 2>"$tmp/err" </dev/null ||
        { echo "skip: natively: $(head -c 100 "$tmp/err")"; return; }
    mv "$tmp/out" "$tmp/native"
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    launch "$mpi" 1 env LD_PRELOAD="$build/libprof.so" PROF_CLOCK=virtual \
        PROF_OUTPUT="$tmp/job/%p.prof" "$bin/job" spawn >"$tmp/out" 2>"$tmp/err" </dev/null ||
        echo "status $?: $(head -c 200 "$tmp/err")"
    cmp "$tmp/native" "$tmp/out"
    [ "$(ls "$tmp/job" | wc -l)" -ge 1 ] || echo 'no profile'
}

# A rank that ends 13 s after rank 0: its file stays, and a line says where.
job_late_end() {
    rm -rf "$tmp/run" && mkdir "$tmp/run"
    (cd "$tmp/run" && launch "$mpi" 2 "$build/prof" run -c virtual --no-report -o job.prof -- \
        "$bin/job" late-end >out 2>err </dev/null || echo "status $?")
    grep -q '^prof: wrote job.prof, of 1 rank; missing here: rank 1' "$tmp/run/err" &&
        grep -q 'rank 1 ended later than .*job.prof.ranks/1.prof is not in ' "$tmp/run/err" ||
        cat "$tmp/run/err"
    "$build/prof" merge -o "$tmp/job.prof" "$tmp/run/job.prof" "$tmp/run/job.prof.ranks" \
        >"$tmp/out" 2>&1 || cat "$tmp/out"
    "$build/prof" report --json "$tmp/job.prof" >"$tmp/job.json" 2>"$tmp/err"
    says '[.program.work_ns, .program.span_ns, (.job.ranks | length)]' '[200,100,2]'
}

# A rank behind a script, and a rank that becomes another program: the job's file has the rank.
job_wrapped() {
    rm -rf "$tmp/run" && mkdir "$tmp/run"
    printf '#!/bin/sh\n"$@"\n/bin/true\n' >"$tmp/wrap" && chmod +x "$tmp/wrap"
    (cd "$tmp/run" && launch "$mpi" 3 "$build/prof" run -c virtual --no-report -o job.prof -- \
        "$tmp/wrap" "$bin/job" chain >out 2>err </dev/null || echo "status $?")
    [ "$(ls "$tmp/run" | tr '\n' ' ')" = 'err job.prof out ' ] || ls -R "$tmp/run"
    "$build/prof" report --json "$tmp/run/job.prof" >"$tmp/job.json" 2>"$tmp/err"
    says '[.program.span_ns, (.job.ranks | length)]' '[1000,3]'
}

# Not a device.
job_device() {
    [ "$(id -u)" = 0 ] && mknod "$tmp/device" c 1 3 2>/dev/null ||
        { echo 'skip: no mknod'; return; }
    launch "$mpi" 2 "$build/prof" run -c virtual --no-report -o "$tmp/device" -- "$bin/job" alone \
        >"$tmp/out" 2>"$tmp/err" </dev/null || echo "status $?"
    grep -q 'it exists and is not a regular file' "$tmp/err" || cat "$tmp/err"
    [ -c "$tmp/device" ] || ls -l "$tmp/device"
    rm -rf "$tmp/device" "$tmp/device.ranks"
}

# What the agent does not see is named.
job_hidden() { # NOTE MODE
    job_of 2 "$2"
    says "[.notes[] | select(.kind == \"lower_bound\") | .name] | unique" "[\"$1\"]"
    says '.program.exact' false
}

# Time in MPI by cause, against the time that the other rank came late.
job_causes() {
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    launch "$mpi" 2 env LD_PRELOAD="$build/libprof.so" PROF_OUTPUT="$tmp/job/%r.prof" \
        "$bin/job" late >"$tmp/out" 2>"$tmp/err" </dev/null || echo "status $?"
    "$build/prof" merge -o "$tmp/job.prof" "$tmp"/job/*.prof >"$tmp/out" 2>&1 || cat "$tmp/out"
    "$build/prof" report --json "$tmp/job.prof" >"$tmp/job.json" 2>"$tmp/err"
    # where ranks share a processor, a late rank is later than its work
    says '.job.ranks[1].late_sender_ns > 2.7e8 and .job.ranks[0].late_sender_ns < 3e7' true
    says '.job.ranks[0].collective_ns > 2.7e8' true
    says '[.job.calls[] | select(.for == "late sender" and .time_ns > 2.7e8) | .function]' \
        '["late"]'
    says '.program.span_ns > 5.4e8 and .program.parallelism < 1.1' true
    says '[.job.ranks[] | .on_path_ns > 2.7e8] | all' true
    says '.job.efficiencies | .parallel - .load_balance * .communication | fabs < 1e-9' true
    says '.job.efficiencies | .communication - .serialisation * .transfer | fabs < 1e-9' true
    says '.job.efficiencies.load_balance > 0.9 and .job.efficiencies.serialisation < 0.6' true
    says '[.findings[] | select(.id == "mpi") | .place.function][0]' '"late"'
    "$build/prof" report --full "$tmp/job.prof" 2>&1 | grep -q '^Ranks$' || echo 'no table of ranks'
}

# The rank that all waited for, by call path: the last one at the barrier, the root of a broadcast,
# and the sender of a message. On three ranks both others wait.
job_awaited() {
    for awaited_ranks in 2 3; do
        again=$(job_again job_awaited_once $awaited_ranks)
        [ -z "$again" ] || { echo "$awaited_ranks ranks: $again"; return; }
    done
}
job_awaited_once() { # RANKS
    n=$1 last=$(($1 - 1))
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    launch "$mpi" "$n" env LD_PRELOAD="$build/libprof.so" PROF_OUTPUT="$tmp/job/%r.prof" \
        "$bin/job" awaited >"$tmp/out" 2>"$tmp/err" </dev/null || echo "status $?"
    "$build/prof" merge -o "$tmp/job.prof" "$tmp"/job/*.prof >"$tmp/out" 2>&1 || cat "$tmp/out"
    "$build/prof" report --json "$tmp/job.prof" >"$tmp/job.json" 2>"$tmp/err"
    for case in "all_wait collective $last $last" "from_root collective 0 $last" \
        'from_sender late.sender 1 1'; do
        # shellcheck disable=SC2086  # words: function, what for, rank, ranks that wait for it
        set -- $case
        says "[.job.calls[] | select(.function == \"$1\" and (.for | test(\"^$2\")))] |
            max_by(.time_ns) | [.awaited[0].rank, .awaited[0].count == 2 * $4,
            .awaited[0].time_ns > 0.9 * .time_ns, .time_ns > 8e7 * $4]" "[$3,true,true,true]"
    done
    # no call has more than its time, and together they are the job's
    says '[.job.calls[] | (.time_ns >= ([.awaited[].time_ns] | add // 0)) and
        (.for == "collective" or .for == "late sender" or .awaited == [])] | all' true
    says '([.job.calls[].awaited[].time_ns] | add) == ([.job.awaited[].time_ns] | add)' true
    says '[.job.awaited[].rank] | sort | length' "$n"
    says '.findings[] | select(.id == "mpi" and .place.function == "all_wait") |
        [.awaited.rank, .awaited.ns > 0.5 * .awaited.waits_ns]' "[$last,true]"
    "$build/prof" report --full "$tmp/job.prof" >"$tmp/words" 2>&1
    grep -q '^ *[0-9.]* .*all_wait .*ranks late at it  *'"$last"' ([0-9]* %)$' "$tmp/words" &&
        sed -n '/^Ranks that others waited for/,/^$/p' "$tmp/words" |
        grep -q "^ *$last  *[0-9.]* .* all_wait " || grep -A8 '^In MPI' "$tmp/words"
}

# Sends that wait for receives of 200 ms later; and a large one that does not, though it takes its
# time. Where ranks share a processor, a late rank is later than its work.
job_receivers() { job_again job_receivers_once "$1"; }
job_receivers_once() {
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    launch "$mpi" 2 env LD_PRELOAD="$build/libprof.so" PROF_MPI="$1" \
        PROF_OUTPUT="$tmp/job/%r.prof" "$bin/job" receivers >"$tmp/out" 2>"$tmp/err" </dev/null ||
        echo "status $?: $(head -c 200 "$tmp/err")"
    "$build/prof" merge -o "$tmp/job.prof" "$tmp"/job/*.prof >"$tmp/out" 2>&1 || cat "$tmp/out"
    "$build/prof" report --json "$tmp/job.prof" >"$tmp/job.json" 2>"$tmp/err"
    says '[.job.calls[] | select(.for == "late receiver" and .time_ns > 1.7e8).function] | sort' \
        '["sent_at_once","sent_before","sent_beside"]'
    says '.job.ranks[0] | .late_receiver_ns > 5.4e8 and .sent_ns < 1e7' true
    says '.job.ranks[1] | .late_receiver_ns < 1e7 and .late_sender_ns > 7e7' true
    says '[.job.calls[] | select(.function == "sent_in_time" and .for != "transfer") | .for]' '[]'
    # the ledger is closed, before and after the sends' waits were counted anew
    says '.ledger | [.search_ns + .sleep_ns - .mpi_late_sender_ns - .mpi_late_receiver_ns -
        .mpi_collective_ns - .mpi_sent_ns > -1e6, .overhead_between_strands_ns >= 0]' '[true,true]'
    says '[.findings[] | select(.id == "mpi") | .place.function][0] | test("^sent_")' true
    "$build/prof" report --full "$tmp/job.prof" 2>&1 | tr -s '\n ' ' ' |
        grep -q 'Late receiver or transfer: which' && echo 'all of it is known'
    find /dev/shm -name 'libprof-mpi.*' 2>/dev/null
}

# /dev/shm has no room for the receivers' table: what the sends waited for stays unknown.
job_small_shm() {
    [ "$mpi" = openmpi ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null ||
        { echo 'skip: Open MPI, which can do without /dev/shm, and root are needed'; return; }
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    # shellcheck disable=SC2016  # the inner shell's
    unshare -m sh -c 'mount -t tmpfs -o size=8k tmpfs /dev/shm && exec "$@"' sh \
        timeout -k 5 120 mpirun.openmpi --mca btl_vader_backing_directory "$tmp" --mca osc ^sm \
        --oversubscribe -n 2 env LD_PRELOAD="$build/libprof.so" \
        PROF_OUTPUT="$tmp/job/%r.prof" "$bin/job" receivers >"$tmp/out" 2>"$tmp/err" </dev/null ||
        echo "status $?: $(head -c 200 "$tmp/err")"
    "$build/prof" merge -o "$tmp/job.prof" "$tmp"/job/*.prof >"$tmp/out" 2>&1 || cat "$tmp/out"
    "$build/prof" report --json "$tmp/job.prof" >"$tmp/job.json" 2>"$tmp/err"
    says '.job.ranks[0] | .joined and .late_receiver_ns == 0 and .sent_ns > 5e8' true
    "$build/prof" report --full "$tmp/job.prof" 2>&1 | tr -s '\n ' ' ' |
        grep -q 'Late receiver or transfer: which of both is not known' || echo 'it is not said'
}

job_again() { # COMMAND: what all of four tries say
    for _ in 1 2 3 4; do
        again=$("$@")
        [ -n "$again" ] || break
    done
    [ -z "$again" ] || echo "$again"
}

# POP's efficiencies by region: balance 0.75 where one of two ranks has twice the work, 0.5 where
# one has all.
job_regions() { job_again job_regions_once; }
job_regions_once() {
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    launch "$mpi" 2 env LD_PRELOAD="$build/libprof.so" PROF_OUTPUT="$tmp/job/%r.prof" \
        "$bin/job" regions >"$tmp/out" 2>"$tmp/err" </dev/null || echo "status $?"
    "$build/prof" merge -o "$tmp/job.prof" "$tmp"/job/*.prof >"$tmp/out" 2>&1 || cat "$tmp/out"
    "$build/prof" report --json "$tmp/job.prof" >"$tmp/job.json" 2>"$tmp/err"
    says '[.regions[] | [.name, .job.ranks]] | sort' '[["rest",1],["solve",2]]'
    says '[.regions[] | .job.efficiencies |
        .parallel - .load_balance * .communication * .threads | fabs < 1e-9] | all' true
    says '[.regions[] | select(.name == "solve").job.efficiencies |
        .load_balance > 0.7 and .load_balance < 0.8 and .communication <= 1]' '[true]'
    says '[.regions[] | select(.name == "rest").job.efficiencies.load_balance]' '[0.5]'
    # rank 0 waits for 100 ms
    says '[.regions[] | select(.name == "solve").job | .in_mpi_ns > 7e7]' '[true]'
}

# Samples split the path at the points where it goes from rank to rank: what a rank does after its
# part is not on it. (Split in proportion, a quarter of short_turn's samples would be.)
job_moving() {
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    launch "$mpi" 3 env LD_PRELOAD="$build/libprof.so" PROF_OUTPUT="$tmp/job/%r.prof" \
        PROF_SAMPLE=1000 "$bin/job" moving >"$tmp/out" 2>"$tmp/err" </dev/null ||
        { echo "status $?: $(head -c 200 "$tmp/err")"; return; }
    "$build/prof" merge -o "$tmp/job.prof" "$tmp"/job/* >"$tmp/out" 2>&1 || cat "$tmp/out"
    "$build/prof" report --json --paths "$tmp/job.prof" 2>/dev/null | jq -e '
        [.paths[] | select(.function == "long_turn" or .function == "short_turn")] as $p |
        ([$p[] | select(.function == "long_turn") | .all.span_ns] | add) /
        ([$p[].all.span_ns] | add) > 0.93' >"$tmp/out" 2>&1 ||
        "$build/prof" report "$tmp/job.prof" 2>&1 | grep -A8 '% span'
}

# examples/mpi/heat.c, as docs/JOBS.md has it: the report names the function, and the mended program
# computes the same. Where other programs use the memory, a rank may be much slower than another.
heat_of() { # KIND FILTER: a job of which FILTER is true, of six
    # shellcheck disable=SC2086  # or none
    compile "$mpi/job/heat" "mpicc.$mpi" -O2 -g $1 "$here/../../examples/mpi/heat.c" \
        -o "$bin/heat$1" || return
    for _ in 1 2 3 4 5 6; do
        rm -rf "$tmp/run" && mkdir "$tmp/run"
        (cd "$tmp/run" && launch "$mpi" 2 "$build/prof" run -o heat.prof -- "$bin/heat$1" \
            >out 2>err </dev/null || echo "status $?")
        "$build/prof" report --json "$tmp/run/heat.prof" >"$tmp/heat$1.json" 2>"$tmp/err"
        jq -e "$2" "$tmp/heat$1.json" >"$tmp/out" && break
    done
    [ "$(cat "$tmp/out")" = true ] || jq -c '.program.parallelism, [.functions[] |
        {function, span_ns: .self.span_ns}]' "$tmp/heat$1.json" | head -c 500
    cp "$tmp/run/out" "$tmp/heat$1.out"
}
job_heat() {
    heat_of -DMENDED '.program.parallelism > 1.65'
    heat_of '' '.program.parallelism < 1.55 and
        (.functions | max_by(.self.span_ns).function == "energy_of")'
    cmp "$tmp/heat.out" "$tmp/heat-DMENDED.out"
    jq -c '.merged.as' "$tmp/heat.json" | grep -v '"job"'
    jq -c '[.findings[] | select(.id == "mpi") | .place.function][0]' "$tmp/heat.json" |
        grep -Ev '"(exchange|total_energy)"'
    # the time in MPI is a part of the rows that have it
    jq -r '.ledger | (.mpi_late_sender_ns + .mpi_late_receiver_ns + .mpi_collective_ns +
        .mpi_sent_ns) as $waits | .search_ns + .sleep_ns as $idle |
        select($waits <= 0 or $waits > $idle or
            $waits + .mpi_transfer_ns > $idle + .overhead_between_strands_ns) |
        "in MPI \($waits) and \(.mpi_transfer_ns), idle \($idle)"' "$tmp/heat.json"
    # no scheduler moves work between ranks, so no bound rests on one
    jq -e '.program.speedup | length > 0 and all(.lower == null and .upper >= 1)' \
        "$tmp/heat.json" >"$tmp/out" ||
        jq -c .program.speedup "$tmp/heat.json"
    "$build/prof" export -f gnuplot -o - "$tmp/run/heat.prof" >"$tmp/plot" 2>&1
    grep -q "title 'span law'" "$tmp/plot" && ! grep 'burdened lower' "$tmp/plot" ||
        tail -3 "$tmp/plot"
}

# prof bench --mpi: the efficiencies are products, more ranks of a serial program lose balance.
job_bench() { job_again job_bench_once; }
job_bench_once() {
    rm -rf "$tmp/run" && mkdir "$tmp/run"
    case $mpi in
    openmpi) launcher='mpirun.openmpi --oversubscribe -n {P}' ;;
    mpich) launcher='mpiexec.mpich -n {P}' ;;
    esac
    timeout 300 "$build/prof" bench --mpi -n 1,2 -t 1 --work-by-p -o "$tmp/run/heat" --json \
        --launcher "$launcher" -- "$bin/heat" >"$tmp/bench.json" 2>"$tmp/err" || cat "$tmp/err"
    jq -e '(.points | map(.ranks) == [1,2] and map(.profiles) == [1,1]) and
        (.points | map(.parallel - .load_balance * .communication | fabs < 1e-9) | all) and
        .points[1].load_balance < 0.8 and .points[0].load_balance == 1 and
        .points[1].computation > 0.7 and .points[1].span_ns > .points[0].span_ns' \
        "$tmp/bench.json" >"$tmp/out" 2>&1 || jq -c .points "$tmp/bench.json"
    [ "$(ls "$tmp/run" | tr '\n' ' ')" = 'heat.p1.prof heat.p2.prof ' ] || ls "$tmp/run"
    "$build/prof" bench --mpi -n 2 -t 1 --launcher "$launcher" -- /bin/false 2>"$tmp/err"
    [ $? = 2 ] && grep -q 'a run (native, 2 ranks) ended with exit status 1' "$tmp/err" ||
        cat "$tmp/err"
}

# The page has the ranks, and where they were in MPI.
job_page() {
    command -v chromium >/dev/null || { echo 'skip: no chromium'; return; }
    job_of 3 chain
    "$build/prof" view -o "$tmp/job.html" "$tmp/job.prof" 2>"$tmp/err" || cat "$tmp/err"
    timeout 120 chromium --headless --no-sandbox --disable-gpu --dump-dom \
        "file://$tmp/job.html" >"$tmp/dom" 2>"$tmp/err"
    grep -o '<section id="ranks"[^>]*>' "$tmp/dom" | grep -v hidden >"$tmp/out" || echo 'no ranks'
    rows=$(tr -d '\n' <"$tmp/dom" | sed 's/.*id="ranks-table"//; s/<\/table>.*//' |
        grep -o '<tr' | wc -l)
    [ "$rows" = 4 ] || echo "$rows rows of the table of 3 ranks"
    ! grep -q '>No tasks were seen<' "$tmp/dom" || echo 'the headline is that of no tasks'
}

if ! wanted job || ! compile "$mpi/job" "mpicc.$mpi" -O1 -g "$here/job.c" -o "$bin/job"; then
    :
elif ! launch "$mpi" 2 "$bin/job" chain >"$tmp/out" 2>"$tmp/err" </dev/null; then
    echo "SKIP mpi/$mpi/job: it does not run without libprof: $(head -c 200 "$tmp/err")"
else
    over=
    [ "$mpi" = openmpi ] && over=--oversubscribe
    job() { # CASE COMMAND...
        job_case=$1
        shift
        wanted "job/$job_case" || return 0
        verdict "$mpi/job/$job_case" "$("$@")" tests/mpi/job.sh
    }
    job chain job_path 4 1600 1300 '400,300,300,300' exact chain
    job after job_after
    job zigzag job_path 2 1100 1000 '500,500' exact zigzag 100
    job zigzag-long job_path 2 22000 20000 '10000,10000' exact zigzag 2000
    job zigzag-full job_full
    job fan job_path 3 307 207 '7,0,200' 'as executed' fan
    job alone job_path 3 600 300 '0,0,300' exact alone
    job among job_among
    job file job_file
    job many job_many
    job spawn job_spawn
    job late-end job_late_end
    job wrapped job_wrapped
    job device job_device
    job no-folder job_no_folder
    job missing job_missing
    job one-rank job_one_rank
    job run job_run -o job.prof
    job run-name job_run
    job not-started job_not_started
    for end in abort kill leave; do
        job $end job_ends $end
    done
    job partly job_partly auto
    job off job_partly off
    job fork job_fork
    job fence job_hidden MPI_Win_create fence
    job causes job_causes
    job awaited job_awaited
    job receivers job_receivers auto
    job receivers-all job_receivers all
    job small-shm job_small_shm
    job regions job_regions
    job moving job_moving
    job heat job_heat
    job bench job_bench
    [ "$mpi" = mpich ] || job page job_page
fi
