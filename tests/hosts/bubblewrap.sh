# what: sandboxes: new namespaces, a cleared environment, no /proc, a read-only root, --die-with-parent
# packages: bubblewrap python3
# needs: bwrap /usr/bin/python3
# quick: yes
w=$(dirname "${PROF_OUTPUT:-$PWD/x}")       # profiles go where the sandbox lets them
b() { bwrap --ro-bind / / --bind "$w" "$w" "$@"; }
bwrap --ro-bind / / true 2>/dev/null || { echo "no namespaces here"; exit 0; }
p='import threading as t
def f(): print(sum(range(100000)))
a = t.Thread(target=f); a.start(); a.join()'
b --unshare-pid --dev /dev /usr/bin/python3 -c "$p"; echo "$?"
b --tmpfs /proc --unshare-all /usr/bin/python3 -c "$p"; echo "without proc $?"
b --clearenv --setenv PATH /usr/bin /usr/bin/python3 -c "$p"; echo "$?"
b --unshare-pid --as-pid-1 --proc /proc /usr/bin/python3 -c "$p"; echo "pid 1 $?"
b --die-with-parent sh -c 'exit 7'; echo "$?"
