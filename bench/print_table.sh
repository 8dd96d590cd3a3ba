# print_table.sh - sourced by the other scripts of this folder. They print markdown tables for
# docs/FIGURES.md: first the machine, the date and the command, then the rows.
script=$(basename "$0")${*:+ $*}
table() { # COLUMN...
    printf '%s, %s CPUs, Linux %s, load %s. %s. `bench/%s`\n\n' \
        "$(awk -F ': *' '/^cpu family/ { f = $2 } /^model\t/ { m = $2 }
        /^model name/ { print $2 " (family " f ", model " m ")"; exit }' /proc/cpuinfo)" \
        "$(nproc --all)" \
        "$(uname -r | cut -d- -f1)" "$(cut -d' ' -f1 /proc/loadavg)" "$(date -u +%Y-%m-%d)" \
        "$script"
    row "$@"
    printf '|'
    for column; do printf '%s' '---|'; done
    echo
}
row() { # CELL...
    printf '|'
    for cell; do printf ' %s |' "$cell"; done
    echo
}
