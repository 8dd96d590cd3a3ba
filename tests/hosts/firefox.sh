# what: a headless browser whose content processes filter their system calls by syscall(): scripts, workers; the picture of the page
# packages: firefox-esr
# needs: firefox-esr
# profile: firefox-esr
cat >page.html <<'END'
<html><body style="background: rgb(10, 200, 30)"><p id=a></p><script>
let s = 0;
for (let i = 0; i < 5e6; i++) s = (s + i * i) % 1000003;
const u = URL.createObjectURL(new Blob(["let t = 0; for (let i = 0; i < 1e6; i++) t = (t + i) % 97; postMessage(t)"]));
const w = new Worker(u);
w.onmessage = e => { document.body.style.background = e.data + s > 0 ? 'rgb(10, 20, 230)' : 'red'; };
</script></body></html>
END
# what it says on stderr depends on the bus, the GPU and the time
timeout 120 firefox-esr --headless --profile "$PWD" --screenshot "$PWD/shot.png" \
    --window-size=200,200 "file://$PWD/page.html" 2>log
echo "status $?"
head -c 4 shot.png | tail -c 3; echo
grep -c 'exited on signal' log
! grep -i -e libprof -e 'symbol lookup' log
