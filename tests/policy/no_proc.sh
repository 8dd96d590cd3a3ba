# no_proc.sh - sourced by check.sh: where /proc is not mounted, as in some containers. An empty file
# system stands in its place.
without_proc() { # COMMAND...
    unshare --mount --propagation private sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@"
}
bare=$tmp/bare
mkdir -p "$bare/bin" "$bare/out"
if [ "$(id -u)" = 0 ] && without_proc true 2>/dev/null; then
    bare_report() { # ARGUMENTS: the only profile has them, and the report the program's names
        "$prof" report --json "$bare"/out/*.prof >"$bare/json" 2>"$tmp/err" || cat "$tmp/err"
        got=$(jq -r '.program | .exe, .cmdline' "$bare/json" | tr '\n' ' ')
        [ "$got" = "$victim $1 " ] || echo "exe and arguments: $got"
        jq -r '.sites[].function' "$bare/json" | grep -qx threads || echo 'no function names'
        without_proc "$prof" report --full "$bare"/out/*.prof >"$bare/text" 2>&1 ||
            echo "no report without /proc: $(head -1 "$bare/text")"
        head -1 "$bare/text" | grep -q "^libprof: .*victim" || head -1 "$bare/text"
        grep -q 'note: no /proc' "$bare/text" || echo 'the report does not name it'
        rm -f "$bare"/out/*
    }
    # prof run finds libprof.so beside itself, by whatever path prof was started.
    ln -sf "$prof" "$bare/bin/linked"
    wants no-proc-run && found "$(cd "$build" && without_proc ./prof run -o "$bare/out/a.prof" -- \
        "$victim" normal >"$tmp/out" 2>&1 || head -3 "$tmp/out"; bare_report "$victim normal")"
    wants no-proc-link &&
        found "$(cd "$tmp" && PATH=$bare/bin:$PATH without_proc linked run --no-report \
        -o "$bare/out/a.prof" -- ./victim normal >"$tmp/out" 2>&1 || head -3 "$tmp/out"
        bare_report './victim normal')"
    # The program is a script's interpreter.
    printf '#!%s normal\n' "$victim" >"$bare/bin/script" && chmod +x "$bare/bin/script"
    wants no-proc-script && found "$(PROF_OUTPUT=$bare/out/%e.prof LD_PRELOAD=$so without_proc \
        "$bare/bin/script" >"$tmp/out" 2>&1 || head -3 "$tmp/out"
        bare_report "$victim normal $bare/bin/script")"
    # It says what is missing, if it cannot find the library, and what doctor can say.
    cp "$prof" "$bare/bin/prof"
    wants no-proc-library &&
        found "$(without_proc "$bare/bin/prof" run -- "$victim" normal >"$tmp/out" \
        2>"$tmp/err" && echo 'it passes'; grep -q 'libprof.so was not found beside' "$tmp/err" ||
        cat "$tmp/err")"
    wants no-proc-doctor && found "$(without_proc "$prof" doctor "$victim" >"$tmp/out" 2>&1 ||
        cat "$tmp/out"; grep -q '^\[--\] /proc: not mounted' "$tmp/out" || cat "$tmp/out")"
else
    echo "SKIP policy/no-proc: needs to mount a tmpfs"
fi
