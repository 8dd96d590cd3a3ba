# memcheck.sh - a part of run.sh: the report and its like under valgrind. Other parts have the
# commands that they test.
profiles basic hostile bound wide longer paths
if [ -n "$vg" ]; then
    for kind in basic hostile wide longer; do
        status valgrind-$kind 0 $vg "$prof" report -m all --frames $kind.prof
        has_not valgrind-$kind-silent '^==' err
    done
    status valgrind-paths 0 $vg "$prof" report --paths --callers --lines paths.prof
    # adds nodes while it reads nodes
    ./gen large /nowhere/app 0 0x400000 0x500000 3000 2000 >grows.prof
    status valgrind-grows 0 $vg "$prof" report --paths grows.prof
    has_not valgrind-grows-silent '^==' err
    status valgrind-paths-json 0 $vg "$prof" report --json --paths paths.prof
    status valgrind-folded 0 $vg "$prof" export wide.prof
    status valgrind-json 0 $vg "$prof" report --json hostile.prof bound.prof
    ./gen dag 3 300 >dag.prof
    status valgrind-predict 0 $vg "$prof" predict -P 1,5,64 dag.prof
else
    skip valgrind "not installed, or prof has a sanitizer"
fi
