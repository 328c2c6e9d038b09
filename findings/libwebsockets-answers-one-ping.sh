#!/usr/bin/env bash
# libwebsockets 4.1.6 (Debian 12: 4.1.6-3), its own test server: of several pings that arrive in one read only the first
# is answered. The others are dropped without a word: no pong comes later, and a ping sent on its own afterwards is
# answered as ever. A close frame behind them drops even the first one's pong. RFC 6455 (5.5.3) lets an endpoint answer
# only the most recent of several pings; here it is the oldest, so that the newest never gets its pong.
#
# Seen: one, two, three in one write       pong one
#       one; two; three, each on its own   pong one, pong two, pong three
#       four, five, close in one write     close
# A peer that sends a ping for each of its own layers, or at whose back a proxy gathers small writes, and that waits for
# the pong with its latest payload, takes a living connection for dead.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
server=
finish() { [ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"; }
trap finish EXIT
# The packages are unpacked, not installed, and apt keeps its lists in the folder, too.
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/root"
apt() { timeout 40 apt-get -q -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"; }
apt update > "$work/apt.log"
(cd "$work" && apt download libwebsockets17=4.1.6-3 libwebsockets-test-server=4.1.6-3 >> "$work/apt.log")
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/root"; done
library=$(dirname "$work"/root/usr/lib/*/libwebsockets.so.17)

port=$(python3 -c 'import socket; it = socket.socket(); it.bind(("127.0.0.1", 0)); print(it.getsockname()[1])')
LD_LIBRARY_PATH="$library" "$work/root/usr/bin/libwebsockets-test-server" --port="$port" > "$work/server.log" 2>&1 &
server=$!

cat > "$work/try.py" <<'PYTHON'
import base64, os, socket, struct, sys, time

PING, PONG, CLOSE = 9, 10, 8
names = {PONG: "pong", CLOSE: "close"}

def frame(kind, payload):
    mask = os.urandom(4)
    return bytes((0x80 | kind, 0x80 | len(payload))) + mask + bytes(it ^ mask[at % 4] for at, it in enumerate(payload))

class Peer:
    def __init__(self, port):
        for _ in range(50):
            try: self.socket = socket.create_connection(("127.0.0.1", port), timeout=5); break
            except ConnectionRefusedError: time.sleep(0.1)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET / HTTP/1.1\r\nHost: localhost:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                             "Sec-WebSocket-Protocol: lws-mirror-protocol\r\n\r\n").encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"): head += self.socket.recv(1)
        assert head.startswith(b"HTTP/1.1 101 "), head

    def send(self, *frames):
        self.socket.sendall(b"".join(frames))

    def hear(self, seconds):
        """The control frames that come within the time; none of the server's is longer than 125 bytes."""
        end, got, heard = time.monotonic() + seconds, b"", []
        while (left := end - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try: read = self.socket.recv(4096)
            except TimeoutError: break
            if not read: break
            got += read
        while got:
            kind, length = got[0] & 15, got[1]
            payload, got = got[2:2 + length], got[2 + length:]
            if kind in names: heard.append(names[kind] + (f" {payload.decode()}" if kind == PONG else ""))
        return heard

peer, other = Peer(int(sys.argv[1])), Peer(int(sys.argv[1]))
peer.send(frame(PING, b"one"), frame(PING, b"two"), frame(PING, b"three"))
together, apart = peer.hear(3), []
for word in (b"one", b"two", b"three"):
    peer.send(frame(PING, word))
    apart += peer.hear(1)
other.send(frame(PING, b"four"), frame(PING, b"five"), frame(CLOSE, struct.pack("!H", 1000)))
closing = other.hear(2)
print("one, two, three in one write      ", ", ".join(together))
print("one; two; three, each on its own  ", ", ".join(apart))
print("four, five, close in one write    ", ", ".join(closing))
right = (together, apart, closing) == (["pong one"], ["pong one", "pong two", "pong three"], ["close"])
sys.exit(0 if right else "Changed: which pings libwebsockets answers")
PYTHON
timeout 30 python3 "$work/try.py" "$port"
