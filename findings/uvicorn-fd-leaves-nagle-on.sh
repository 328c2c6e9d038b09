#!/usr/bin/env bash
# uvicorn 0.54.0 (PyPI) on a socket that it was handed (`--fd`, as for systemd's socket activation): it takes any such
# socket for a Unix socket, so the event loop does not switch Nagle's algorithm off, as it does on every TCP connection
# of a port that uvicorn opened itself. Everything else works, and addresses are reported rightly, but the second of two
# small WebSocket messages waits until the peer has acknowledged the first: some 40 ms on loopback, a round trip elsewhere.
#
# Seen (times differ by run), three messages of ten bytes in a row, the slowest of 30 rounds:
#       --port   family AF_INET  TCP_NODELAY 1   under 5 ms
#       --fd     family AF_UNIX  TCP_NODELAY 0   40 to 55 ms
# A relay that is started on demand by its socket answers slower than the same program started by hand. NoDelay=true in
# the .socket unit mends it, for accepted sockets inherit the option.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 85 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-compile \
    uvicorn==0.54.0 websockets==17.4

cat > "$work/try.py" <<'PYTHON'
import asyncio, gc, socket, sys, time

import uvicorn
from websockets.asyncio.client import connect

seen = []

async def app(scope, receive, send):
    peer = tuple(scope["client"])
    for it in gc.get_objects():  # an ASGI application does not see its own socket
        if type(it).__name__ == "_SelectorSocketTransport" and it.get_extra_info("peername") == peer:
            connection = it.get_extra_info("socket")
            seen.append((connection.family.name, connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
    await receive()
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        for _ in range(3): await send({"type": "websocket.send", "text": "0123456789"})

async def attempt(name, port=None, **where):
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off", loop="asyncio", **where))
    serving = asyncio.create_task(server.serve())
    while not server.started: await asyncio.sleep(0.05)
    rounds = []
    async with connect(f"ws://127.0.0.1:{port or server.servers[0].sockets[0].getsockname()[1]}") as client:
        for _ in range(30):
            await asyncio.sleep(0.01)
            begun = time.perf_counter()
            await client.send("go")
            for _ in range(3): await client.recv()
            rounds.append(1000 * (time.perf_counter() - begun))
    server.should_exit = True
    await serving
    family, no_delay = seen.pop()
    print(f"{name:8} family {family}  TCP_NODELAY {no_delay}   slowest {max(rounds):.1f} ms, median {sorted(rounds)[15]:.1f} ms")
    return family, no_delay, sorted(rounds)

async def main():
    opened = await attempt("--port", port=None, **{})
    handed = socket.create_server(("127.0.0.1", 0))
    given = await attempt("--fd", handed.getsockname()[1], fd=handed.fileno())
    right = opened[:2] == ("AF_INET", 1) and given[:2] == ("AF_UNIX", 0) and given[2][-1] > 35 and opened[2][15] < 35
    sys.exit(0 if right else "Changed: Nagle's algorithm on a socket that uvicorn is handed")

asyncio.run(main())
PYTHON
timeout 40 "$work/venv/bin/python" "$work/try.py" "$work"
