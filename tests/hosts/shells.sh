# what: pipelines and job control of bash, dash and zsh: background jobs, wait, traps, stop and continue, co-processes, xargs -P, tar | gzip, timeout
# packages: bash dash zsh tar gzip findutils coreutils
# needs: bash dash zsh
# quick: yes
mkdir d; i=0; while [ $i -lt 50 ]; do echo $i >d/$i; i=$((i + 1)); done
tar cf - --sort=name --mtime=@0 --owner=0 --group=0 d | gzip -n | gzip -dc | tar tf - | wc -l
(cd d && ls | xargs -P 4 -n 5 cat) | awk 'NF' | tr -d '\n' | wc -c
for sh in bash dash zsh; do
    $sh -c 'for i in 1 2 3 4; do (exit $i) & p="$p $!"; done; for x in $(echo $p); do wait $x; echo -n "$? "; done; echo'
    $sh -c 'trap "echo trapped; exit 5" TERM; sleep 100 & kill -TERM $$; wait'; echo "$sh $?"
    $sh -c 'seq 100000 | head -1; echo a | (read x; echo $x$x); false | true; echo $?'
    $sh -c 'sleep 100 & kill -KILL $!; wait $!; echo $?' 2>/dev/null
    $sh -c 'trap "echo exit" EXIT; exit 4'; echo "$?"
done
# not zsh: its wait gives the status of the stop, or 255, in one of ten runs without libprof, too
for sh in bash dash; do
    $sh -c 'sleep 100 & kill -STOP $!; kill -CONT $!; kill -KILL $!; wait $!; echo $?' 2>/dev/null
done
bash -c 'set -m; coproc cat; echo to the coprocess >&${COPROC[1]}; read x <&${COPROC[0]}; echo $x; diff <(seq 3) <(seq 4); set -o pipefail; false | true; echo $?'
zsh -fc 'print -l ${(on)$(seq 5 -1 1)}; x=$(<d/7); print $x; { print multios } >a >b; cat a b'
timeout 0.2 sleep 100; echo "timeout $?"
