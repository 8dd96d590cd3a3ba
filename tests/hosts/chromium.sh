# what: a headless browser with its zygote, renderers and GPU process: scripts, workers, WebAssembly; the page as it is then
# packages: chromium fonts-dejavu-core
# needs: chromium
# profile: chromium
cat >page.html <<'END'
<html><body><p id=a></p><p id=b></p><script>
let s = 0;
for (let i = 0; i < 5e6; i++) s = (s + i * i) % 1000003;
document.getElementById('a').textContent = 'sum ' + s;
const u = URL.createObjectURL(new Blob(["let t = 0; for (let i = 0; i < 1e6; i++) t = (t + i) % 97; postMessage(t)"]));
let left = 4, all = 0;
for (let k = 0; k < 4; k++) { const w = new Worker(u); w.onmessage = e => { all += e.data; if (!--left) document.getElementById('b').textContent = 'workers ' + all; }; }
</script></body></html>
END
# what it says on stderr depends on the bus, the GPU and the time
b() { timeout 250 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/user" \
    --virtual-time-budget=10000 "$@" 2>log; echo "status $?"; }
b --dump-dom "file://$PWD/page.html" | grep -e '<p' -e status
b --dump-dom 'data:text/html,<p>of a data: page</p>'
b --window-size=200,200 --screenshot=shot.png "file://$PWD/page.html"
head -c 4 shot.png | tail -c 3; echo
! grep -i -e libprof -e 'symbol lookup' log
