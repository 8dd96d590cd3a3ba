# serve.py COMMAND... - `prof view --serve`, asked as a browser asks it, then slowly, then without a
# descriptor for the connection. Prints a line for each.
import resource
import socket
import subprocess
import sys
import time

prof = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
address = prof.stdout.readline().strip()
port = int(address.split(":")[2].split("/")[0])


def connection():
    return socket.create_connection(("127.0.0.1", port))


def ask(path):
    with connection() as s:
        s.sendall(f"GET {path} HTTP/1.1\r\n\r\n".encode())
        text = b""
        while part := s.recv(1 << 16):
            text += part
    return text.split(b"\r\n")[0].decode()


print("page:", ask(address.split(str(port))[1]))
print("other:", ask("/"))
slow = connection()
slow.settimeout(0.5)
closed = False
end = time.monotonic() + 60
while not closed and time.monotonic() < end:
    try:
        slow.sendall(b"G")
        closed = slow.recv(1) == b""
    except TimeoutError:
        pass
    except OSError:
        closed = True
print("a byte each half second:", "closed" if closed else "kept")
# The call that waits now has its descriptor.
resource.prlimit(prof.pid, resource.RLIMIT_NOFILE, (3, 3))
connection().close()
waiting = connection()
try:
    print("no descriptor:", prof.wait(60), prof.stderr.read().splitlines()[-1])
except subprocess.TimeoutExpired:
    prof.kill()
    print("no descriptor: it goes on")
