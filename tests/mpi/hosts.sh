# hosts.sh - sourced by check.sh: jobs on two hosts. $mpi, $bin, job_path, one_run, verdict.
#
# A host is a set of namespaces: its own network, name, processes, and /dev/shm, in which libprof
# counts the ranks of a host. Only the disk is shared. Both hosts, and the one that mpirun runs on,
# are within one set of namespaces, the world. Its first process ends all others when it ends; the
# networks then end, too. So there is nothing to clean up, whatever signal ends the test.

# What runs in the world: makes the hosts, prints a line, and waits to be ended.
hosts_make() {
    cat <<'END'
    set -e
    dir=$1
    hostname front
    ip link set lo up
    ip link add bridge type bridge
    ip address add 10.77.0.1/24 dev bridge
    ip link set bridge up
    printf '127.0.0.1 localhost\n10.77.0.1 front\n10.77.0.2 hosta\n10.77.0.3 hostb\n' >"$dir/names"
    mount --bind "$dir/names" /etc/hosts
    number=2
    for host in hosta hostb; do
        # a kernel has an id; two hosts have two kernels
        tr 0-9a-f "$number"0-9a-e </proc/sys/kernel/random/boot_id >"$dir/$host.boot"
        unshare -n -m -u -i -p -f --kill-child --mount-proc sh -c "hostname $host &&
            mount -t tmpfs tmpfs /dev/shm &&
            mount --bind '$dir/$host.boot' /proc/sys/kernel/random/boot_id &&
            touch '$dir/$host.up' && exec sleep 1200" &
        for _ in $(seq 300); do
            [ ! -e "$dir/$host.up" ] || break
            sleep 0.1
        done
        [ -e "$dir/$host.up" ]
        host_pid=$(cat "/proc/$!/task/$!/children")
        echo $host_pid >"$dir/$host.pid"
        ip link add "to_$host" type veth peer name eth0 netns $host_pid
        ip link set "to_$host" master bridge up
        nsenter -t $host_pid -n sh -c "ip link set lo up &&
            ip address add 10.77.0.$number/24 dev eth0 && ip link set eth0 up"
        number=$((number + 1))
    done
    echo up
    exec sleep 1200
END
}

# Instead of ssh: AGENT [-x...] HOST COMMAND...
hosts_agent() {
    cat <<END
#!/bin/sh
while case \$1 in -*) true ;; *) false ;; esac; do shift; done
host=\$1
shift
exec nsenter -t "\$(cat "$tmp/hosts/\$host.pid")" -n -m -u -i -p -w"\$PWD" /bin/sh -c "\$*"
END
}

# False: namespaces cannot be made here.
hosts_begin() {
    [ "$(id -u)" = 0 ] && command -v ip nsenter unshare >/dev/null || return 1
    mkdir "$tmp/hosts" && hosts_agent >"$tmp/hosts/agent" && chmod +x "$tmp/hosts/agent"
    hosts_make >"$tmp/hosts/make"
    mkfifo "$tmp/hosts/said"
    unshare -n -m -u -i -p -f --kill-child --mount-proc sh "$tmp/hosts/make" "$tmp/hosts" \
        >"$tmp/hosts/said" 2>"$tmp/hosts/err" </dev/null &
    hosts_unshare=$!
    trap 'hosts_end; rm -rf "$tmp"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    said=
    read -r said <"$tmp/hosts/said"
    [ "$said" = up ] || { hosts_end; return 1; }
    hosts_world=$(cat "/proc/$hosts_unshare/task/$hosts_unshare/children")
    hosts_world=${hosts_world% }
}

hosts_end() {
    [ -z "$hosts_unshare" ] || kill -9 "$hosts_unshare" 2>/dev/null
    wait "$hosts_unshare" 2>/dev/null
    hosts_unshare='' hosts_world=''
}

# launch, where there are hosts: half of the ranks on each.
hosts_launch() { # MPI RANKS SECONDS COMMAND...
    half=$((($2 + 1) / 2))
    hosts_of=hosta:$half,hostb:$half hosts_mpi=$1 hosts_ranks=$2 hosts_for=$3
    shift 3
    case $hosts_mpi in
    openmpi)
        set -- mpirun.openmpi --mca plm_rsh_agent "$tmp/hosts/agent" \
            --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \
            --mca orte_tmpdir_base /dev/shm ${PROF_MPI:+-x PROF_MPI} --oversubscribe \
            -host "$hosts_of" -n "$hosts_ranks" "$@" ;;
    mpich)
        set -- mpiexec.mpich -launcher ssh -launcher-exec "$tmp/hosts/agent" -hosts "$hosts_of" \
            -n "$hosts_ranks" "$@" ;;
    esac
    nsenter -t "$hosts_world" -n -m -u -i -p -w"$PWD" timeout -k 5 "$hosts_for" "$@"
}

# Repeats a case that took too long. MPICH 4.0.2 hangs in MPI_Finalize in one of ten runs or more
# over a network, without libprof, too: a rank waits in UCX, the others for that rank.
hosts_again() { # COMMAND...
    hosts_limits='6 6 6 15 15 60'
    [ "$mpi" = mpich ] || hosts_limits=60
    for launch_seconds in $hosts_limits; do
        again=$("$@")
        case $again in *'status 124'* | *'status 137'*) ;; *) break ;; esac
    done
    [ -z "$again" ] || echo "$again"
}

# One file and one report, and the path goes over both hosts: nobody says that all have libprof.
hosts_run() { # [keep]: what is in the folder
    [ "$1" = keep ] || rm -rf "$tmp/run"
    mkdir -p "$tmp/run"
    (cd "$tmp/run" && launch "$mpi" 4 "$build/prof" run -c virtual -o job.prof -- "$bin/job" chain \
        >out 2>err </dev/null || echo "status $?")
    [ "$(cat "$tmp/run/out")" = done ] || echo "out: $(cat "$tmp/run/out")"
    [ "$(grep -c '^libprof: ' "$tmp/run/err")" = 1 ] || grep '^libprof: ' "$tmp/run/err"
    [ "$(ls -A "$tmp/run" | tr '\n' ' ')" = 'err job.prof out ' ] || ls -A "$tmp/run"
    "$build/prof" report --json "$tmp/run/job.prof" >"$tmp/job.json" 2>"$tmp/err"
    says '[.program.work_ns, .program.span_ns, .program.certainty.span_ns]' '[1600,1300,"exact"]'
    says '[.job.ranks[] | [.host, .on_path_ns]]' \
        '[["hosta",400],["hosta",300],["hostb",300],["hostb",300]]'
    hosts_left
}

# Nothing of libprof's stays on a host.
hosts_left() {
    for host in hosta hostb; do
        nsenter -t "$hosts_world" -m -p "$tmp/hosts/agent" $host ls /dev/shm | grep libprof
    done
}

# A command that is under libprof on one host alone, by HOW.
hosts_partly() { # preload|missing|run|last
    cat >"$tmp/hosts/partly" <<END
#!/bin/sh
how=\$1 && shift
here=\$(hostname)
case \$how.\$here in
preload.hosta) LD_PRELOAD=$build/libprof.so exec "\$@" ;;
preload.hostb) exec "\$@" ;;
missing.hosta) LD_PRELOAD=$build/libprof.so exec "\$@" ;;
missing.hostb) LD_PRELOAD=/nonexistent/libprof.so exec "\$@" ;;
run.hosta) exec $build/prof run -c virtual -o $tmp/run/job.prof -- "\$@" ;;
run.hostb | last.hosta) exec "\$@" ;;
last.hostb) exec $build/prof run -c virtual -o $tmp/run/job.prof -- "\$@" ;;
esac
END
    chmod +x "$tmp/hosts/partly"
    rm -rf "$tmp/run" && mkdir "$tmp/run"
    launch "$mpi" 4 env PROF_CLOCK=virtual PROF_OUTPUT="$tmp/run/%r.prof" "$tmp/hosts/partly" "$1" \
        "$bin/job" chain >"$tmp/out" 2>"$tmp/err" </dev/null || echo "status $?"
    [ "$(cat "$tmp/out")" = done ] || echo "out: $(cat "$tmp/out")"
    [ "$(grep -c '^libprof: MPI: .*profiled alone' "$tmp/err")" = 1 ] || head -c 300 "$tmp/err"
    case $1 in
    run) [ "$(ls -A "$tmp/run")" = job.prof ] || ls -A "$tmp/run" ;;
    last)                       # no prof of rank 0 merges them
        [ "$(cd "$tmp/run/job.prof.ranks" && ls -- *.prof | tr '\n' ' ')" = '2.prof 3.prof ' ] ||
            ls "$tmp/run" "$tmp/run/job.prof.ranks" ;;
    *) [ "$(ls -A "$tmp/run" | tr '\n' ' ')" = '0.prof 1.prof ' ] || ls -A "$tmp/run" ;;
    esac
    hosts_left
}

# Without prof run, nothing tells that all ranks have libprof: each is alone, and each host says so.
hosts_alone() { # PROF_MPI LINES
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    launch "$mpi" 4 env LD_PRELOAD="$build/libprof.so" PROF_CLOCK=virtual PROF_MPI="$1" \
        PROF_OUTPUT="$tmp/job/%r.prof" "$bin/job" chain >"$tmp/out" 2>"$tmp/err" </dev/null ||
        echo "status $?"
    [ "$(cat "$tmp/out")" = done ] || echo "out: $(cat "$tmp/out")"
    [ "$(grep -c '^libprof: MPI: the job has ranks on several hosts' "$tmp/err")" = "$2" ] ||
        cat "$tmp/err"
    [ "$(grep -c '^libprof: ' "$tmp/err")" = "$2" ] || cat "$tmp/err"
    [ "$(ls "$tmp/job" | wc -l)" = 4 ] || ls "$tmp/job"
    hosts_left
}

# Processes of two hosts may have the same number, and the hosts one folder.
hosts_names() {
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    hosts_same_pids
    (cd "$tmp/job" && launch "$mpi" 4 env LD_PRELOAD="$build/libprof.so" PROF_CLOCK=virtual \
        "$bin/job" chain >"$tmp/out" 2>"$tmp/err" </dev/null || echo "status $?")
    [ "$(ls "$tmp/job" | wc -l)" = 4 ] || ls "$tmp/job"
}
hosts_same_pids() {
    for host in hosta hostb; do
        nsenter -t "$hosts_world" -m -p "$tmp/hosts/agent" $host \
            'echo 20000 >/proc/sys/kernel/ns_last_pid'
    done
}
# one_run finds the ranks' files by process id
hosts_other_pids() {
    nsenter -t "$hosts_world" -m -p "$tmp/hosts/agent" hostb \
        'echo 25000 >/proc/sys/kernel/ns_last_pid'
}

# Clocks of two kernels do not compare, those of one do, whatever the hosts are called: rank 0 is
# 0.3 s late for a message, then rank 1 for a barrier. Where clocks do not compare, all time in a
# barrier is a wait, as far as libprof can know.
hosts_clocks() { # SAME: is the kernel the same?
    for host in hosta hostb; do
        kernel=$tmp/hosts/$host.boot
        [ "$1" = false ] || kernel=$tmp/hosts/hosta.boot
        nsenter -t "$hosts_world" -m -p "$tmp/hosts/agent" $host \
            "mount --bind '$kernel' /proc/sys/kernel/random/boot_id && hostname ${2:-$host}"
    done
    rm -rf "$tmp/job" && mkdir "$tmp/job"
    launch "$mpi" 2 env LD_PRELOAD="$build/libprof.so" PROF_MPI=all \
        PROF_OUTPUT="$tmp/job/%r.prof" "$bin/job" late >"$tmp/out" 2>"$tmp/err" </dev/null ||
        echo "status $?: $(head -c 200 "$tmp/err")"
    "$build/prof" merge -o "$tmp/job.prof" "$tmp"/job/*.prof >"$tmp/out" 2>&1 || cat "$tmp/out"
    "$build/prof" report --json "$tmp/job.prof" >"$tmp/job.json" 2>"$tmp/err"
    says '.job.ranks[1].late_sender_ns > 2.7e8 and .job.ranks[0].collective_ns > 2.7e8' true
    says '[.job.calls[] | select(.construct == "MPI_Barrier" and .for == "transfer")] != []' "$1"
}

# A job that ends badly ends as natively, and the ranks' files can be merged. (Which of several
# statuses MPICH gives a job whose rank was killed differs from run to run.)
hosts_ends() { # MODE
    native=' '
    for _ in 1 2 3 4 5; do
        launch "$mpi" 4 "$bin/job" "$1" >"$tmp/out" 2>"$tmp/err" </dev/null
        native="$native$? "
        [ $mpi = mpich ] && [ "$1" = kill ] || break
    done
    rm -rf "$tmp/run" && mkdir "$tmp/run"
    launch "$mpi" 4 "$build/prof" run -c virtual -o "$tmp/run/job.prof" -- "$bin/job" "$1" \
        >"$tmp/out" 2>"$tmp/err" </dev/null
    code=$?
    case $native in *" $code "*) ;; *) echo "status $code, natively$native" ;; esac
    # the launcher may kill the others before they have written anything
    ls "$tmp"/run/job.prof.ranks/*.prof >"$tmp/files" 2>/dev/null || [ "$1" = kill ] ||
        [ -f "$tmp/run/job.prof" ] || echo 'no file'
    [ ! -s "$tmp/files" ] || [ -f "$tmp/run/job.prof" ] ||
        "$build/prof" merge -o "$tmp/run/job.prof" "$tmp"/run/job.prof.ranks/*.prof \
            >"$tmp/out" 2>&1 || cat "$tmp/out"
    # the next job with that name finds nothing of this one, once it is over: the launcher may be
    # before its ranks
    [ "$1" != abort ] || { hosts_over; hosts_run keep; }
}
hosts_over() {
    for _ in $(seq 100); do
        nsenter -t "$hosts_world" -p -m pgrep -x 'prof|job' >/dev/null || return
        sleep 0.1
    done
}

# The oracle's programs over both hosts.
hosts_oracle() { # RANKS PROGRAM [ARGUMENT...]
    hosts_other_pids
    export PROF_MPI=all
    one_run "$mpi" "$@"
}

# The MPI works between hosts.
hosts_native() {
    launch "$mpi" 4 "$bin/job" chain >"$tmp/out" 2>"$tmp/err" </dev/null ||
        echo "it does not run without libprof: status $?: $(head -c 100 "$tmp/err")"
}

hosts_cases() {
    hosts() { # CASE COMMAND...
        hosts_case=$1
        shift
        wanted "hosts/$hosts_case" || return 0
        verdict "$mpi/hosts/$hosts_case" "$(hosts_again "$@")" tests/mpi/hosts.sh
    }
    hosts run hosts_run
    hosts alone hosts_alone auto 2
    hosts off hosts_alone off 0
    for how in preload missing run last; do
        # the prof of rank 0 waits for 10 s: once is enough
        [ $how$mpi = runmpich ] || hosts partly-$how hosts_partly $how
    done
    hosts names hosts_names
    hosts abort hosts_ends abort
    hosts kill hosts_ends kill
    for program in point collective comm random; do
        [ -x "$bin/$program" ] || compile "$mpi/hosts/$program" "mpicc.$mpi" -O1 -g \
            "$here/$program.c" -o "$bin/$program" || continue
        hosts_ranks=4 hosts_arguments=
        # MPICH polls: over a network, four ranks on two processors take 20 s, natively, too
        [ "$mpi" = openmpi ] || hosts_ranks=2
        [ $program != random ] || hosts_ranks=4 hosts_arguments='1 10 5'
        # shellcheck disable=SC2086  # a list
        hosts $program hosts_oracle $hosts_ranks "$bin/$program" $hosts_arguments
    done
    hosts clocks hosts_clocks false localhost
    hosts containers hosts_clocks true
}

if wanted hosts && compile "$mpi/hosts" "mpicc.$mpi" -O1 -g "$here/job.c" -o "$bin/job"; then
    wrong=
    hosts_begin || wrong="no namespaces here: $(head -c 100 "$tmp/hosts/err" 2>/dev/null)"
    [ -n "$wrong" ] || wrong=$(hosts_again hosts_native)
    if [ -n "$wrong" ]; then
        verdict "$mpi/hosts" "skip: $wrong"
    else
        hosts_cases
    fi
    hosts_end
    rm -rf "$tmp/hosts"
fi
