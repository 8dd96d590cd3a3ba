# what: sandboxes: new namespaces, a cleared environment, no /proc, a read-only root, --die-with-parent
# packages: bubblewrap python3
# needs: bwrap /usr/bin/python3
# quick: yes
bwrap --ro-bind / / true 2>/dev/null || { echo "no namespaces here"; exit 0; }
p='import threading as t
def f(): print(sum(range(100000)))
a = t.Thread(target=f); a.start(); a.join()'
bwrap --ro-bind / / --unshare-pid --dev /dev /usr/bin/python3 -c "$p"; echo "$?"
bwrap --ro-bind / / --tmpfs /proc --unshare-all /usr/bin/python3 -c "$p"; echo "without proc $?"
bwrap --ro-bind / / --clearenv --setenv PATH /usr/bin /usr/bin/python3 -c "$p"; echo "$?"
bwrap --ro-bind / / --unshare-pid --as-pid-1 --proc /proc /usr/bin/python3 -c "$p"; echo "pid 1 $?"
bwrap --ro-bind / / --die-with-parent sh -c 'exit 7'; echo "$?"
