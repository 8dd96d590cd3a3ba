# opening.sh - a part of run.sh: `prof view --open` and `prof run --view` start a browser where
# there is one, and name the page where not; `prof view --serve` answers.
profiles basic
cat >browser <<'SH'
#!/bin/sh
printf '%s|' "$@" >>opened
SH
chmod +x browser
opened() { # NAME EXPECTED: it is started in the background
    tries=0
    until [ -s opened ] || [ $tries = 600 ]; do sleep 0.05; tries=$((tries + 1)); done
    equal "$1" "$2" "$(cat opened)"
    rm -f opened
}
if has_page; then
    status open-browser 0 env BROWSER="$tmp/browser" "$prof" view --open basic.prof
    opened open-browser-page "$tmp/basic.html|"
    status open-browser-words 0 env BROWSER="$tmp/browser --new %s:nothing" "$prof" view --open \
        -o 'a b;$(touch hurt).html' basic.prof
    opened open-browser-words-page "--new|$tmp/a b;\$(touch hurt).html|"
    mkdir -p bin && cp browser bin/xdg-open
    status open-desktop 0 env -u BROWSER DISPLAY=:77 PATH="$tmp/bin:$PATH" "$prof" view --open \
        basic.prof
    opened open-desktop-page "$tmp/basic.html|"
    status open-none 0 env -u BROWSER -u DISPLAY -u WAYLAND_DISPLAY "$prof" view --open basic.prof
    has open-none-named 'basic.html is written' err
    has open-none-line 'there is no browser to open it in' err
    status open-serve 2 "$prof" view --open --serve basic.prof
    if command -v python3 >/dev/null; then
        python3 "$here/serve.py" "$prof" view --serve basic.prof >served.txt 2>err
        has serve-page '^page: HTTP/1.1 200 OK$' served.txt
        has serve-other '^other: HTTP/1.1 404 Not Found$' served.txt
        has serve-slow-client '^a byte each half second: closed$' served.txt
        has serve-no-descriptor \
            '^no descriptor: 2 prof: cannot serve the page any longer: Too many open files$' \
            served.txt
    else
        skip serve "no python3"
    fi
    status open-stdout 2 "$prof" view --open -o - basic.prof
    if [ -r "$build/libprof.so" ]; then
        rm -f ./*.prof.html
        status run-view 7 env BROWSER="$tmp/browser" "$prof" run --view --no-report -o viewed.prof \
            -- sh -c 'exit 7'
        opened run-view-page "$tmp/viewed.html|"
        [ -s viewed.html ] && pass run-view-written || fail run-view-written "$(head -3 err)"
    fi
else
    has open-without-page 'built without its page' err
fi
