#!/usr/bin/env bash
# hypercorn 0.18.0 and uvicorn 0.54.0 (PyPI), the same ASGI application with an open WebSocket, told to end by SIGTERM.
# uvicorn closes at once with 1012 (restart) and the application gets `websocket.disconnect`. hypercorn goes on serving
# the socket for its graceful timeout (3 s unless set), new messages are answered as ever and nothing tells the peer;
# then it closes with 1011 (internal error), and the application never gets `websocket.disconnect`: its `receive` ends by
# asyncio's CancelledError. Neither uses 1001 (going away), which the `websockets` package's own server sends.
#
# Seen, a message each second after the signal:
#       uvicorn    closed with 1012 before 1.0 s, echoes after the signal 0, the application: websocket.disconnect 1012
#       hypercorn  closed with 1011 before 4.0 s, echoes after the signal 3, the application: CancelledError
#       websockets closed with 1001 before 1.0 s, echoes after the signal 0
# Peers that back off after a server error and come back at once after a restart do the wrong thing at each deployment,
# and clean-up that waits for the disconnect event does not run.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 85 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-compile \
    uvicorn==0.54.0 hypercorn==0.18.0 websockets==17.4 wsproto==1.3.2

cat > "$work/echo.py" <<'PYTHON'
import asyncio, signal, sys

from websockets.asyncio.server import serve

async def app(scope, receive, send):
    if scope["type"] != "websocket": raise NotImplementedError
    await receive()
    await send({"type": "websocket.accept"})
    try:
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})
        print("application:", message["type"], message["code"], flush=True)
    except BaseException as error:
        print("application:", type(error).__name__, flush=True)
        raise

async def echo(client):
    async for message in client: await client.send(message)

async def main(port):
    async with serve(echo, "127.0.0.1", port) as server:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.close)
        await server.wait_closed()

if __name__ == "__main__": asyncio.run(main(int(sys.argv[1])))
PYTHON

cat > "$work/try.py" <<'PYTHON'
import asyncio, pathlib, signal, socket, subprocess, sys, time

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

work = pathlib.Path(sys.argv[1])
programs = work / "venv/bin"

async def attempt(name, *command):
    with socket.create_server(("127.0.0.1", 0)) as it: port = it.getsockname()[1]
    server = subprocess.Popen([str(part).format(port=port) for part in command], cwd=work, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for _ in range(150):
        try: client = await connect(f"ws://127.0.0.1:{port}", ping_interval=None)
        except OSError: await asyncio.sleep(0.1)  # the server has not started yet
        else: break
    await client.send("before")
    assert await client.recv() == "before"
    server.send_signal(signal.SIGTERM)
    begun, echoes = time.monotonic(), 0
    try:
        while True:
            await asyncio.sleep(1)
            await client.send("after")
            echoes += await asyncio.wait_for(client.recv(), 10) == "after"
    except ConnectionClosed: pass
    await client.wait_closed()
    out, _ = server.communicate(timeout=15)
    told = [line.removeprefix("application: ") for line in out.splitlines() if line.startswith("application: ")]
    print(f"{name:10} closed with {client.close_code} before {time.monotonic() - begun:.1f} s, "
          f"echoes after the signal {echoes}, the application: {', '.join(told)}")
    return client.close_code, echoes, told

async def main():
    ours = await attempt("uvicorn", programs / "uvicorn", "echo:app", "--port", "{port}")
    theirs = await attempt("hypercorn", programs / "hypercorn", "echo:app", "--bind", "127.0.0.1:{port}")
    plain = await attempt("websockets", programs / "python", "echo.py", "{port}")
    right = ours == (1012, 0, ["websocket.disconnect 1012"]) and plain == (1001, 0, [])
    right = right and theirs[0] == 1011 and theirs[1] > 0 and theirs[2] == ["CancelledError"]
    sys.exit(0 if right else "Changed: how a server that is told to end leaves its WebSockets")

asyncio.run(main())
PYTHON
timeout 60 "$work/venv/bin/python" "$work/try.py" "$work"
