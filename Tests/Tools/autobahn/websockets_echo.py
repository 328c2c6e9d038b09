"""websockets_echo.py serve | client PORT AGENT: Python's websockets as what the Autobahn test suite talks to, for comparison."""

import asyncio
import sys

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed, InvalidMessage

# The largest message of the suite, in its cases 9.*.
BYTES_MAX = 16 << 20


async def echo(connection) -> None:
    try:
        async for message in connection:
            await connection.send(message)
    except ConnectionClosed:
        pass


async def server() -> None:
    async with serve(echo, "127.0.0.1", 0, max_size=BYTES_MAX, ping_interval=None) as listening:
        print(listening.sockets[0].getsockname()[1], flush=True)
        await listening.serve_forever()


async def client(port: str, agent: str) -> None:
    site = f"ws://127.0.0.1:{port}"
    async with connect(f"{site}/getCaseCount") as connection:
        count = int(await connection.recv())
    for number in range(1, count + 1):
        url = f"{site}/runCase?case={number}&agent={agent}"
        try:
            async with connect(url, max_size=BYTES_MAX, ping_interval=None) as connection:
                await echo(connection)
        except (ConnectionClosed, InvalidMessage, OSError):
            continue
    async with connect(f"{site}/updateReports?agent={agent}") as connection:
        await connection.wait_closed()


match sys.argv[1:]:
    case ["serve"]:
        asyncio.run(server())
    case ["client", port, agent]:
        asyncio.run(client(port, agent))
    case _:
        sys.exit(__doc__)
