# what: small interpreters: lua (popen, coroutines), php (subprocesses, pcntl's fork and signals where they are there)
# packages: lua5.4 php-cli
# needs: lua5.4 php
# quick: yes
lua5.4 -e 'local s = 0; for i = 1, 2000000 do s = s + i % 7 end; print(s); local p = io.popen("echo of a child; exit 3"); print(p:read("a"), p:close());
    local c = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end); print(c(), c(), c()); os.exit(4, true)'
echo "lua $?"
php -n -r '$s = 0; for ($i = 0; $i < 2000000; $i++) $s += $i % 7; echo "$s\n"; echo shell_exec("echo of a child");
    $p = proc_open(["sh", "-c", "cat; exit 3"], [["pipe", "r"], ["pipe", "w"]], $io); fwrite($io[0], "piped\n"); fclose($io[0]); echo stream_get_contents($io[1]), proc_close($p), "\n";
    if (function_exists("pcntl_fork")) { $k = pcntl_fork(); if (!$k) exit(7); pcntl_waitpid($k, $st); echo pcntl_wexitstatus($st), "\n"; }
    exit(5);'
echo "php $?"
