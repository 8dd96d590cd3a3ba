# run.sh - sourced by check.sh: what prof run adds. Exit status and signals pass, and the program
# keeps its output. If there is nothing to report, prof run prints why.
wants run-status &&
    found "$(cd "$tmp"; "$prof" run --no-report -o "$tmp/r.prof" -- "$victim" normal 42 \
    >"$tmp/out"; s=$?
    [ $s = 42 ] || echo "status $s"; printf 'hello normal\n' | cmp - "$tmp/out")"
wants run-signal &&
    found "$(cd "$tmp"; "$prof" run --no-report -o "$tmp/r.prof" -- "$victim" abort \
    >/dev/null 2>&1; s=$?; [ $s = 134 ] || echo "status $s")"
wants run-forwards &&
    found "$(cd "$tmp"; "$prof" run --no-report -o "$tmp/r.prof" -- "$victim" sleep \
    >"$tmp/out" 2>/dev/null & pid=$!
    i=0; while [ $i -lt 600 ] && ! grep -q hello "$tmp/out" 2>/dev/null; do sleep 0.1
    i=$((i + 1)); done
    kill -TERM $pid; wait $pid; s=$?; [ $s = 143 ] || echo "status $s"
    pgrep -f "$victim sleep" >/dev/null && echo 'the program still runs')"
wants run-stops &&
    found "$("$prof" run --no-report -o "$tmp/r.prof" -- sleep 200 2>/dev/null & pid=$!
    state() { ps -o stat= -p $pid --ppid $pid | cut -c1 | tr -d '\n'; }
    until_is() { i=0; while [ $i -lt 600 ] && [ "$(state)" != $1 ]; do sleep 0.1; i=$((i + 1)); done
    [ "$(state)" = $1 ] || echo "state $(state), not $1"; }
    # (the kernel does not stop a program of an orphaned process group, because nothing could
    # continue it)
    sleep 200 & native=$!; kill -TSTP $native; i=0; stopped=
    while [ $i -lt 50 ] && [ "$stopped" != T ]; do sleep 0.1
    stopped=$(ps -o stat= -p $native | cut -c1); i=$((i + 1)); done; kill -9 $native
    until_is SS; kill -TSTP $pid; until_is T$stopped; kill -CONT $pid; until_is SS; kill -TERM $pid
    wait $pid)"
wants run-missing && found "$("$prof" run -- /nonexistent/program 2>"$tmp/err"; s=$?
    [ $s = 127 ] || echo "status $s"; grep -v "^prof: /nonexistent" "$tmp/err")"
wants run-not-executable &&
    found "$(echo >"$tmp/text"; "$prof" run -- "$tmp/text" 2>"$tmp/err"; s=$?
    [ $s = 126 ] || echo "status $s")"
wants run-static && found "$(cd "$tmp"; "$prof" run -o "$tmp/none.prof" -- "$tmp/static" normal 3 \
    >"$tmp/out" 2>"$tmp/err"; s=$?
    [ $s = 3 ] || echo "status $s"; grep -q 'statically linked' "$tmp/err" || cat "$tmp/err")"
wants run-report &&
    found "$(cd "$tmp"; "$prof" run --full -c virtual -o "$tmp/r.prof" -- "$victim" normal \
    2>"$tmp/err" >/dev/null; grep -q 'Parallelism profile' "$tmp/err" || cat "$tmp/err")"
wants run-nothing &&
    found "$(cd "$tmp"; "$prof" run -o "$tmp/n.prof" -- "$victim" nothing >/dev/null \
    2>"$tmp/err"; grep -q 'No tasks were seen' "$tmp/err" || cat "$tmp/err")"
wants run-script && found "$(cd "$tmp"; rm -rf s; mkdir s; cd s
    printf '#!/bin/sh\nls\n%s normal\n%s normal\n' "$victim" "$victim" >s.sh; chmod +x s.sh
    "$prof" run --full -c virtual -o a.prof -- ./s.sh >/dev/null 2>"$tmp/err"
    [ "$(ls a.prof* | wc -l)" = 3 ] || echo "files: $(ls)"
    grep -q 'Work  *16' "$tmp/err" || cat "$tmp/err"
        grep -q 'wrote 2 profiles' "$tmp/err" || echo 'no word of the other')"
wants run-killed-early &&
    found "$(cd "$tmp"; "$prof" run -- sh -c 'kill -KILL $$' 2>"$tmp/err"; s=$?
    [ $s = 137 ] || echo "status $s"; grep -q 'before its first checkpoint' "$tmp/err" ||
    cat "$tmp/err")"

# LD_PRELOAD takes no path with a blank or a colon: prof run gives it one through a link, which
# nobody else can change, and removes the link.
mkdir "$tmp/links" "$tmp/open" "$tmp/with blank" "$tmp/with:colon" && chmod 755 "$tmp/links" &&
    chmod 777 "$tmp/open"
for path in "with blank" with:colon; do cp "$prof" "$so" "$tmp/$path/"; done
in_blank() { # TMPDIR ARGUMENTS...: prof of the folder with a blank
    (cd "$tmp" && TMPDIR=$1 && shift && export TMPDIR && "$tmp/with blank/prof" "$@")
}
for path in "with blank" with:colon; do
    wants "run-$(echo "$path" | tr ' :' -)" && found "$(cd "$tmp"; rm -f b.prof
        TMPDIR=$tmp/links "$tmp/$path/prof" run --no-report -c virtual -o b.prof -- "$victim" \
            normal 42 >out 2>err; s=$?
        [ $s = 42 ] || echo "status $s"
        grep -v '^prof: wrote b.prof$' err; printf 'hello normal\n' | cmp - out; ls links
        "$prof" report --json b.prof | jq .program.work_ns | grep -vx 16
        "$prof" report b.prof 2>&1 | grep "$tmp/links")"
done
link=$(in_blank "$tmp/links" run --no-report -- \
    sh -c 'p=${LD_PRELOAD%/*}; stat -c "%A $LD_PRELOAD" "${p%/*}"' 2>/dev/null)
case $link in "drwx--x--x $tmp/links/prof."??????/lib/libprof.so) link= ;; esac
result run-link-is-private "$link"
link=$(in_blank "$tmp/open" run --no-report -- sh -c 'echo "$LD_PRELOAD"' 2>/dev/null)
case $link in /tmp/prof.??????/lib/libprof.so) link= ;; esac
result run-link-not-in-open-folder "$link"
wants run-link-removed &&
    found "$(in_blank "$tmp/links" run --no-report -- "$victim" abort >/dev/null 2>&1
    in_blank "$tmp/links" run --no-report -- /nonexistent >/dev/null 2>&1
    ls -A "$tmp/links"; ls -A "$tmp/open")"
