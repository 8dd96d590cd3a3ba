# beside.sh - sourced by check.sh: what a region's threads do beside the chunks and tasks that it
# hands out has other figures than these.
rules() { # PROGRAM: the chunks are 25 of 2 ms; a thread's half of the static loop is none of them
    run "$1" rules
    says '.sites[] | select(.construct | startswith("parallel")) | .handed_out |
        .chunks >= 25 and .work_ns > 30e6 and .work_ns < 100e6 and .longest_ns < 20e6' \
        "chunks $(jq -c '[.sites[].handed_out]' p.json)"
}

for cc in gcc clang; do
    [ -x openmp-$cc ] || continue
    result beside-rules-$cc "$(patiently rules ./openmp-$cc)"
done
