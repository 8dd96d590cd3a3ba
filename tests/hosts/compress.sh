# what: xz -T4, zstd -T4 --long, pigz -p4 through pipes; damaged input; SIGPIPE in the middle
# packages: xz-utils zstd pigz
# needs: xz zstd pigz
# profile: xz zstd pigz
# quick: yes
awk 'BEGIN { for (i = 0; i < 600000; i++) print i, (i * 7919) % 1000003 }' >f
xz -T4 --block-size=1MiB -1 -c f >f.xz && cksum <f.xz && xz -T4 -dc f.xz | cmp - f && echo xz
zstd -q -T4 --long=24 -c f >f.zst && cksum <f.zst && zstd -q -dc f.zst | cmp - f && echo zstd
pigz -p 4 -n -c f >f.gz && cksum <f.gz && pigz -dc f.gz | cmp - f && echo pigz
tar cf - f | pigz -p 3 | (gzip -dc | tar xOf -) | cksum
head -c 300000 f.xz >g.xz; xz -T4 -dc g.xz >/dev/null; echo "xz $?"
head -c 300000 f.zst | zstd -q -T2 -dc >/dev/null; echo "zstd $?"
head -c 300000 f.gz | pigz -dc 2>/dev/null >/dev/null; echo "pigz $?"
for tool in "xz -T4 -1" "zstd -q -T4" "pigz -p4"; do { $tool -c <f; echo \
    "$tool: $?" >status; } | head -c 1000 | wc -c; cat status; done
(ulimit -f 100; xz -T4 -kf f; echo "limited $?"; zstd -q -T4 -f f -o h.zst; echo \
    "limited $?") 2>/dev/null
