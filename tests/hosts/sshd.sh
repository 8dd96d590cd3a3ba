# what: sshd: a daemon that forks, closes descriptors and drops rights; a client with a command, a pipe, a failing command
# packages: openssh-server openssh-client socat
# needs: /usr/sbin/sshd ssh ssh-keygen socat
[ "$(id -u)" = 0 ] || { echo "not root"; exit 0; }
[ -d /run/sshd ] || mkdir /run/sshd
chmod 755 .
ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 -N '' -f key
# one connection on a pipe: no port is opened
cat >conf <<END
HostKey $PWD/host
AuthorizedKeysFile $PWD/key.pub
StrictModes no
UsePAM no
PidFile none
END
s() { ssh -F none -i key -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no \
    -o LogLevel=ERROR -o ProxyCommand="/usr/sbin/sshd -i -f $PWD/conf -E $PWD/log" \
    "$(id -un)@host" "$@"; }
s 'echo over ssh; exit 5'
echo "status $?"
seq 10000 | s 'sort -n | tail -1'
s 'kill -KILL $$'
echo "killed $?"
