"""An independent WebSocket server. usage: websocket_server.py SCENARIO [SOCKET_PATH]

Prints {"port": N} when it listens, then a line of JSON for each event.
"""

import asyncio
import json
import os
import sys

from websockets.asyncio.server import serve, unix_serve
from websockets.exceptions import ConnectionClosed


def say(**facts):
    print(json.dumps(facts), flush=True)


async def echo(connection):
    request = connection.request
    say(
        path=request.path,
        authorization=request.headers.get("Authorization"),
        host=request.headers.get("Host"),
        subprotocol=connection.subprotocol,
    )
    try:
        async for message in connection:
            await connection.send(message)
    except ConnectionClosed:
        pass
    say(code=connection.close_code, reason=connection.close_reason)


async def close_4001(connection):
    await connection.close(4001, "go away")


async def close_1013(connection):
    await connection.close(1013, "later")


async def vanish(connection):
    await connection.recv()
    os._exit(0)


async def fragments(connection):
    async def parts():
        for part in ["frag", "", "men", "ted"]:
            yield part

    await connection.send(parts())
    await connection.wait_closed()


async def large(connection):
    await connection.send(b"x" * 100_000)
    await connection.wait_closed()


async def invalid_text(connection):
    await connection.send(b"\xff\xfe", text=True)
    await connection.wait_closed()
    say(code=connection.close_code)


async def silent(connection):
    await asyncio.sleep(600)


async def main():
    name = sys.argv[1]
    handler = globals().get(name, echo)

    def refuse(connection, request):
        if name == "unauthorized":
            return connection.respond(401, "no token\n")
        if name == "busy":
            response = connection.respond(429, "too many\n")
            response.headers["Retry-After"] = "7"
            return response
        if name == "redirect":
            response = connection.respond(302, "elsewhere\n")
            response.headers["Location"] = "http://127.0.0.1:1/"
            return response

    options = dict(compression=None, max_size=None, ping_interval=None, process_request=refuse)
    options["select_subprotocol"] = lambda connection, offered: "test.v1" if "test.v1" in offered else None
    if len(sys.argv) > 2:
        server = await unix_serve(handler, sys.argv[2], **options)
        say(port=0)
    else:
        server = await serve(handler, "127.0.0.1", 0, **options)
        say(port=server.sockets[0].getsockname()[1])
    await server.serve_forever()


asyncio.run(main())
