# what: worker_threads, child_process, cluster, the thread pool (crypto, zlib, fs), uncaught errors, process.exit in a worker
# packages: nodejs
# needs: node
# profile: node
# quick: yes
cat >n.js <<'END'
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { execFileSync, fork, spawnSync } = require('child_process');
const crypto = require('crypto'), zlib = require('zlib'), fs = require('fs'), util = require('util');
if (!isMainThread) {
    let s = 0;
    for (let i = 0; i < 1e6; i++) s = (s + i * workerData) % 1000003;
    parentPort.postMessage(s);
    if (workerData === 3) process.exit(3);
} else if (process.argv[2] === 'child') {
    process.on('message', m => { process.send(m * 2); process.disconnect(); });
} else (async () => {
    const runs = [1, 2, 3, 4].map(k => new Promise((ok, bad) => {
        const w = new Worker(__filename, { workerData: k });
        let got;
        w.on('message', m => got = m); w.on('error', bad); w.on('exit', c => ok([got, c]));
    }));
    console.log('workers', JSON.stringify(await Promise.all(runs)));
    const keys = await Promise.all([1, 2, 3, 4, 5, 6].map(k => util.promisify(crypto.pbkdf2)('secret', 'salt' + k, 5000, 16, 'sha256')));
    console.log('pool', keys.map(k => k.toString('hex')).join(' '));
    const z = await util.promisify(zlib.deflate)(Buffer.alloc(1e6, 'abc'));
    console.log('zlib', (await util.promisify(zlib.inflate)(z)).length);
    fs.writeFileSync('f', 'x'.repeat(1e5));
    console.log('fs', (await Promise.all([...Array(20)].map(() => fs.promises.readFile('f')))).reduce((a, b) => a + b.length, 0));
    const kid = fork(__filename, ['child']);
    kid.send(21);
    console.log('fork', await new Promise(ok => kid.on('message', ok)), await new Promise(ok => kid.on('exit', ok)));
    console.log('exec', execFileSync('echo', ['hello']).toString().trim(), spawnSync('sh', ['-c', 'kill -TERM $$']).signal);
    const t = new Worker('setInterval(() => {}, 1000)', { eval: true });
    console.log('terminate', await t.terminate());
    process.exitCode = 7;
})();
END
node n.js
echo "status $?"
node -e 'setTimeout(() => process.kill(process.pid, "SIGTERM"), 50); setInterval(() => {}, 1000)'
echo "SIGTERM $?"
node -e 'process.on("SIGINT", () => { console.log("handled"); process.exit(2) }); setTimeout(() => process.kill(process.pid, "SIGINT"), 50); setInterval(() => {}, 1000)'
echo "SIGINT $?"
node -e 'setTimeout(() => { throw new Error("uncaught") }, 10)' 2>&1 | grep -c 'Error: uncaught'
node --cpu-prof --cpu-prof-dir=cpu \
    -e 'let s = 0; for (let i = 0; i < 3e7; i++) s += i; console.log(s)' && ls cpu | wc -l
