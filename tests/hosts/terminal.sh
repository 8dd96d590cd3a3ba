# what: tmux with two windows, vim -es, less on a pipe, script: what runs in a terminal
# packages: tmux vim util-linux
# needs: tmux vim script
# quick: yes
export TERM=xterm
vim -Nu NONE -i NONE -es -c 'call setline(1, range(1, 100))' -c '%s/1/x/g' \
    -c 'echo system("echo from a shell")' -c 'w out' -c 'qa!' </dev/null
echo "vim $?"
cksum out
sock=/tmp/libprof-hosts-$$.tmux     # a socket's path has 107 bytes
t() { tmux -S "$sock" -f /dev/null "$@"; }
t new-session -d -x 80 -y 24 'sh -c "echo in a window; exec sleep 1000"'
t set-option -g remain-on-exit on
t new-window -d -n two 'sh -c "echo two >made; exit 3"'
until [ -s made ]; do sleep 0.05; done
t list-windows -F '#I #W' | cut -d' ' -f1
until t capture-pane -p | grep 'in a window'; do sleep 0.05; done
t kill-server
echo "tmux $?"
rm -f "$sock"
script -qec 'echo on a terminal; tty | cut -c1-8; exit 6' /dev/null | tr -d '\r'
script -qec 'exit 6' /dev/null
echo "script $?"
