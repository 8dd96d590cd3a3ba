# locked.sh - a part of run.sh: strands that keep each other out. Neither a dag nor a span has
# their waits, so no words may promise what they forbid.
if gcc -O2 -g -fopenmp "$here/locked.c" -o locked -pthread 2>gcc.log; then
    "$prof" run --dag -o locked.prof -- ./locked >out 2>err || fail locked-run "$(head -3 err)"
    json locked-alias '[.functions[].function] | [index("spin") != null,
        any(startswith("__GI_"))]' '[true,false]' locked.prof
    COLUMNS=300 "$prof" predict -P 2,64 locked.prof >out 2>err
    has locked-predict '! strands waited .* to enter .*, longest in main.*, critical): no pred' out
    json_waits=$("$prof" predict --json locked.prof | jq '.waits_ns > 0')
    equal locked-predict-json true "$json_waits"
    # what a prediction leaves out comes before its table: here more than half of the time
    "$prof" run --dag -o blocked.prof -- ./locked threads >out 2>err ||
        fail locked-threads "$(head -3 err)"
    COLUMNS=300 "$prof" predict -P 2,64 blocked.prof >out 2>err
    equal locked-predict-first '  ! Waits for locks and other threads' \
        "$(sed -n '1,/work stealing/p' out | grep -o '  ! Waits for locks and other threads')"
    COLUMNS=300 "$prof" whatif -t 2.5 -- ./locked threads >out 2>err
    tr -s '\n ' ' ' <out >words
    # threads waited for each other: no figure of it is more than a bound
    has locked-whatif-bound 'Parallelism is at most .* (a lower bound). The target is 2.5' words
    has_not locked-whatif-promise 'the target is reached[.]' out
else
    fail locked-build "$(head -3 gcc.log)"
fi
