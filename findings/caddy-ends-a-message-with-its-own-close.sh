#!/usr/bin/env bash
# Caddy 2.6.2 (Debian 12: 2.6.2-5) as a proxy of a WebSocket: when its configuration is loaded anew, or it is told to end,
# it writes a close frame of its own into each of the two streams, wherever they are, and hangs up. If half a message has
# passed by then, the frame's four bytes become part of it; and if those were all that was missing, the message is complete:
# the peer gets it as a valid one, with an end that nobody sent, and no close frame at all, so that it reports 1006.
#
# Seen, a binary message of ten bytes, six of which have been sent:
#       reload    client: message ABCDEF 88 02 03 e9, then 1006; server: 88 02 03 e9 (without the mask a client's frame has)
#       SIGTERM   the same
# A protocol of binary messages that has no checksum of its own takes the wrong bytes, and a text message ends in an
# encoding error that looks like the sender's fault.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 40 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir websockets==17.4
# The packages are unpacked, not installed, and apt keeps its lists in the folder, too.
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/root"
apt() { timeout 40 apt-get -q -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"; }
apt update > "$work/apt.log"
(cd "$work" && apt download caddy=2.6.2-5 >> "$work/apt.log" 2>&1)
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/root"; done

cat > "$work/try.py" <<'PYTHON'
import asyncio, base64, hashlib, json, os, pathlib, signal, socket, subprocess, sys, urllib.request

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

work = pathlib.Path(sys.argv[1])
heard: asyncio.Queue = asyncio.Queue()

def free():
    with socket.create_server(("127.0.0.1", 0)) as it: return it.getsockname()[1]

async def backend(reader, writer):
    """Sends the first six bytes of a message of ten, and waits for what comes."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    (key,) = (line.split(": ")[1] for line in head.split("\r\n") if line.lower().startswith("sec-websocket-key:"))
    accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
    writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n" + bytes((0x82, 10)) + b"ABCDEF")
    await heard.put(await reader.read())
    writer.close()

async def attempt(name):
    server = await asyncio.start_server(backend, "127.0.0.1", 0)
    port, admin = free(), free()
    def settings(word):
        proxy = {"handler": "reverse_proxy", "upstreams": [{"dial": "127.0.0.1:%d" % server.sockets[0].getsockname()[1]}]}
        mark = {"handler": "headers", "response": {"set": {"X-Version": [word]}}}
        return json.dumps({"admin": {"listen": f"127.0.0.1:{admin}"}, "apps": {"http": {"servers": {"it": {
            "listen": [f"127.0.0.1:{port}"], "automatic_https": {"disable": True},
            "routes": [{"handle": [mark, proxy]}]}}}}})
    (work / "first.json").write_text(settings("first"))
    caddy = subprocess.Popen([work / "root/usr/bin/caddy", "run", "--config", work / "first.json"],
                             env={"HOME": str(work), "PATH": os.environ["PATH"]}, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try: client = await connect(f"ws://127.0.0.1:{port}/", compression=None)
            except OSError: await asyncio.sleep(0.1)  # the server has not started yet
            else: break
        await asyncio.sleep(1)  # time for the six bytes to pass
        if name == "SIGTERM": caddy.send_signal(signal.SIGTERM)
        else:
            load = urllib.request.Request(f"http://127.0.0.1:{admin}/load", settings("second").encode(),
                                          {"Content-Type": "application/json"})
            await asyncio.to_thread(urllib.request.urlopen, load)
        message = await asyncio.wait_for(client.recv(), 10)
        try: await asyncio.wait_for(client.recv(), 10)
        except ConnectionClosed as closed: received = closed.rcvd
        server_heard = await asyncio.wait_for(heard.get(), 10)
    finally:
        caddy.kill()
        caddy.wait()
    print(f"{name:8} client: message {message}, close frame {received}; server: {server_heard.hex(' ')}")
    return message, received, server_heard

async def main():
    close = bytes.fromhex("880203e9")
    right = [await attempt(name) for name in ("reload", "SIGTERM")] == 2 * [(b"ABCDEF" + close, None, close)]
    sys.exit(0 if right else "Changed: how Caddy closes the WebSockets that pass it")

asyncio.run(main())
PYTHON
timeout 40 "$work/venv/bin/python" "$work/try.py" "$work"
