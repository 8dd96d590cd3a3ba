# what: speed -multi (processes over pipes), digests, keys, a TLS server and client on a socket
# packages: openssl
# needs: openssl
# quick: yes
openssl speed -seconds 1 -multi 3 -bytes 1024 sha256 2>/dev/null | grep -c '^sha256'
head -c 3000000 /dev/zero | openssl sha512
head -c 100000 /dev/zero | openssl enc -aes-256-ctr -K 00 -iv 00 2>/dev/null | openssl sha256
openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -subj /CN=localhost \
    -days 2 2>/dev/null
sock=/tmp/libprof-hosts-$$.sock     # a socket's path has 107 bytes
trap 'rm -f "$sock"' EXIT
openssl s_server -unix "$sock" -key key -cert cert -rev -naccept 1 -quiet >/dev/null 2>&1 &
until [ -S "$sock" ]; do sleep 0.05; done
{ echo hello; sleep 1; echo CLOSE; } | timeout 100 openssl s_client -unix "$sock" -CAfile cert \
    -verify_return_error -quiet 2>/dev/null
echo "client $?"
wait $!
echo "server $?"
