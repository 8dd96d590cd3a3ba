# numbers.sh - sourced by check.sh: -n is the numbers of workers, as for make and mpirun, -t that of
# trials. One release also takes -P and -n, as they were.
numbers() { # NAME OPTIONS...: the numbers of workers and of rounds of the trials
    name=$1
    shift
    "$prof" bench "$@" --control none --json -- true >numbers.json 2>err
    jq -c '[([.trials[] | .p] | unique | map(select(. != null))),
        ([.trials[] | .round] | unique | length)]' numbers.json
}
equal numbers-new '[[1,2,3],1]' "$(numbers new -n 2,3 -t 1)"
equal numbers-new-quiet '' "$(grep -e '-P' -e 'trials' err)"
equal numbers-long '[[1,2],2]' "$(numbers long --workers 1-2 --trials 2)"
equal numbers-old '[[1,2],1]' "$(numbers old -P 1,2 -n 1)"
has numbers-old-line '^prof: -P goes with the next release: ' err
equal numbers-old-order '[[1,2],2]' "$(numbers order -n 2 --processors 1,2)"
equal numbers-one '[[1,2],5]' "$(numbers one -n 2)"
has numbers-one-line '^prof: -n is the number of workers, -t that of trials (5)$' err
status numbers-old-trials 2 "$prof" bench -P 1 -n 1,2 true
has numbers-old-trials-line '^prof: --trials 1,2: ' err
