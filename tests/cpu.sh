# cpu.sh - sourced: cases that need the processors, on machines where others have them.
#
#     result NAME "$(patiently COMMAND...)"
#
# COMMAND prints nothing, or what is wrong. While it prints something, `patiently` tries it again.
# If COMMAND was wrong three times while nobody else used the processors, the case fails. If others
# used them in all tries that were wrong, `patiently` prints BUSY and their share. Then the case's
# result is SKIP (case.sh), because such a try proves nothing. On a quiet machine no case can be
# skipped this way.
#
# The share of others is the time of all processors that was not idle, less what the try and its
# children ran, of the time of all processors. So it has what a host takes and does not tell. What a
# quota of the group of processes (cgroup) forbids is added. The kernel counts in ticks, and quiet
# machines have some per cent of others: a share below CPU_OTHERS counts as nobody.
CPU_OTHERS=6            # per cent
CPU_TRIES=3             # of either kind
cpu_tmp=$(mktemp) || exit 1

# Where the kernel counts what quotas forbid: of both versions of cgroups, and in a container.
cpu_quotas=$(sed 's/^[^:]*:[^:]*://' /proc/self/cgroup 2>/dev/null | sort -u |
    while read -r path; do
        for at in "$path" ''; do
            grep -ls throttled "/sys/fs/cgroup$at/cpu.stat" "/sys/fs/cgroup/cpu$at/cpu.stat" \
                "/sys/fs/cgroup/cpu,cpuacct$at/cpu.stat"
        done
    done | sort -u)

# "OWN ALL ELAPSED" so far, in s. It runs in the shell itself: only that knows its children. Where
# the kernel counts nothing as idle, ALL is what ran.
cpu_now() {
    times >"$cpu_tmp"
    # shellcheck disable=SC2086  # a list
    awk -v ticks="$(getconf CLK_TCK)" 'function s(t) { split(t, p, /[ms]/);
        return 60 * p[1] + p[2] }
        function forbids(time) { if (time > forbidden) forbidden = time }
        $1 == "throttled_usec" { forbids($2 / 1e6); next }
        $1 == "throttled_time" { forbids($2 / 1e9); next }
        FILENAME == "/proc/stat" && $1 == "cpu" {
            ran = ($2 + $3 + $4 + $7 + $8 + $9) / ticks; idle = ($5 + $6) / ticks }
        FILENAME == "/proc/stat" && /^cpu[0-9]/ { n++ }
        FILENAME == "/proc/uptime" { elapsed = $1 }
        FILENAME == ARGV[3] { for (i = 1; i <= NF; i++) own += s($i) }
        END { print own + 0, (idle > 0 ? elapsed * n - idle : ran) + forbidden, elapsed * n }
    ' /proc/stat /proc/uptime "$cpu_tmp" $cpu_quotas
}

# Per cent of the processors that others had from FROM, what cpu_now printed, to TO.
cpu_others() { # FROM TO
    echo "$1 $2" | awk \
        '{ all = $6 - $3; print (all > 0 ? int(100 * (($5 - $2) - ($4 - $1)) / all + 0.5) : 0) }'
}

patiently() {
    cpu_quiet=0 cpu_busy=0
    while [ $cpu_quiet -lt $CPU_TRIES ] && [ $cpu_busy -lt $CPU_TRIES ]; do
        cpu_now >"$cpu_tmp.from"
        cpu_said=$("$@")
        [ -n "$cpu_said" ] || break
        cpu_now >"$cpu_tmp.to"
        cpu_share=$(cpu_others "$(cat "$cpu_tmp.from")" "$(cat "$cpu_tmp.to")")
        if [ "$cpu_share" -ge $CPU_OTHERS ]; then cpu_busy=$((cpu_busy + 1)); else
            cpu_quiet=$((cpu_quiet + 1)) cpu_wrong=$cpu_said; fi
    done
    rm -f "$cpu_tmp.from" "$cpu_tmp.to"
    if [ $cpu_quiet -eq $CPU_TRIES ]; then
        echo "$cpu_wrong"
    elif [ -n "$cpu_said" ]; then
        echo "BUSY $cpu_share $cpu_said"
    fi
}
