# damage.sh - a part of run.sh: profiles that were cut, or have one flipped bit, are refused.
profiles bound
./gen dag 3 300 >dag.prof
damage cut-at-sections -50 bound.prof sections "$prof" report
damage cut-every-97 -50 bound.prof truncate 97 "$prof" report
damage flip -50 bound.prof flip 2000 "$prof" report
damage flip-dag dag.prof flip 500 "$prof" predict
damage cut-dag dag.prof sections "$prof" predict
damage flip-json -50 bound.prof flip 200 "$prof" report --json
if [ -n "$vg" ]; then
    damage valgrind-sections -50 bound.prof sections $vg "$prof" report
    damage valgrind-flip -50 bound.prof flip 25 $vg "$prof" report
fi
