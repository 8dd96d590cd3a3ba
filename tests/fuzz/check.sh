#!/bin/sh
# check.sh BUILD - each fuzz target survives its corpus and some seconds of mutations of it. One
# PASS or FAIL line a target. make fuzz runs them for longer.
build=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")/../.." || exit 1
command -v clang >/dev/null || { echo "SKIP fuzz/targets: no clang"; exit 0; }
if ! said=$(sh tests/fuzz/run.sh "$build" build 2>&1); then
    echo "FAIL fuzz/build: $(echo "$said" | grep -m1 error)"
    exit 1
fi
status=0
for target in prof files text; do
    said=$(sh tests/fuzz/run.sh "$build" check $target 2>&1)
    code=$? runs=$(echo "$said" | sed -n "s/^$target: \([0-9]*\) runs$/\1/p")
    if [ $code = 0 ] && [ "${runs:-0}" -gt 0 ]; then
        echo "PASS fuzz/$target"
    else
        echo "FAIL fuzz/$target: status $code, ${runs:-no} runs: $(echo "$said" | tail -3 |
            tr '\n' ' ')"
        status=1
    fi
done
exit $status
