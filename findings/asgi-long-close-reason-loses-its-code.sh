#!/usr/bin/env bash
# The same ASGI application on four WebSocket implementations (PyPI: uvicorn 0.54.0, hypercorn 0.18.0). It closes with
# code 4001 and a reason of 140 bytes. ASGI calls the reason "any string" and names no limit; a close frame holds 123
# bytes of it. uvicorn with the `websockets` package raises an error in the application and drops the connection, so that
# the peer hears neither code nor reason (it reports 1006). With wsproto, and in hypercorn, the reason is cut and the code
# arrives. Which of them uvicorn takes depends on what else is installed: `websockets`, if there is any.
#
# Seen: uvicorn, websockets         no close frame (1006)   the application: ProtocolError
#       uvicorn, websockets-sansio  no close frame (1006)   the application: ProtocolError
#       uvicorn, wsproto            4001, reason 123 bytes  the application: no error
#       hypercorn                   4001, reason 123 bytes  the application: no error
# Code 4001 means "do not come back" or "sign in again" to a client; 1006 means "try again at once". An exception's text
# as a reason makes the difference.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 85 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-compile \
    uvicorn==0.54.0 hypercorn==0.18.0 websockets==17.4 wsproto==1.3.2

cat > "$work/try.py" <<'PYTHON'
import asyncio, logging, socket, sys, warnings

import hypercorn.asyncio, hypercorn.config, uvicorn
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
errors = []

async def app(scope, receive, send):
    await receive()
    await send({"type": "websocket.accept"})
    try: await send({"type": "websocket.close", "code": 4001, "reason": 140 * "x"})
    except Exception as error: errors.append(type(error).__name__)

async def attempt(name, serving, stop, port):
    errors.clear()
    for _ in range(100):
        try: client = await connect(f"ws://127.0.0.1:{port}")
        except OSError: await asyncio.sleep(0.1)  # the server has not started yet
        else: break
    try: await asyncio.wait_for(client.recv(), 10)
    except ConnectionClosed as closed: seen = (closed.rcvd.code, len(closed.rcvd.reason)) if closed.rcvd else None
    stop()
    await serving
    print(f"{name:27} {seen}, the application: {', '.join(errors) or 'no error'}")
    return seen, list(errors)

def free():
    with socket.create_server(("127.0.0.1", 0)) as it: return it.getsockname()[1]

async def main():
    outcomes = []
    for kind in "websockets", "websockets-sansio", "wsproto":
        port = free()
        server = uvicorn.Server(uvicorn.Config(app, port=port, ws=kind, lifespan="off", log_config=None))
        stop = lambda: setattr(server, "should_exit", True)
        outcomes.append(await attempt(f"uvicorn, {kind}", asyncio.create_task(server.serve()), stop, port))
    port, ended = free(), asyncio.Event()
    config = hypercorn.config.Config.from_mapping(bind=[f"127.0.0.1:{port}"], errorlog=None)
    serving = asyncio.create_task(hypercorn.asyncio.serve(app, config, shutdown_trigger=ended.wait))
    outcomes.append(await attempt("hypercorn", serving, ended.set, port))
    right = outcomes == 2 * [(None, ["ProtocolError"])] + 2 * [((4001, 123), [])]
    sys.exit(0 if right else "Changed: what a close reason of 140 bytes becomes")

asyncio.run(main())
PYTHON
timeout 40 "$work/venv/bin/python" "$work/try.py" "$work"
