"""An independent WebSocket client. usage: websocket_client.py SCENARIO URL_OR_PORT [ARGUMENT…]

Prints one JSON object and exits 0; an assertion that fails exits 1 with its text.
"""

import asyncio
import base64
import collections
import json
import os
import select
import socket
import struct
import sys

import websockets
from websockets.asyncio.client import connect, unix_connect
from websockets.exceptions import ConnectionClosed, InvalidStatus


def options(**more):
    return dict(compression=None, max_size=None, ping_interval=None, open_timeout=20, close_timeout=10, **more)


async def closed_with(connection):
    try:
        while True:
            await asyncio.wait_for(connection.recv(), 20)
    except ConnectionClosed as error:
        frame = error.rcvd
        return {"code": frame.code if frame else None, "reason": frame.reason if frame else None}


async def echo_sizes(url, *sizes):
    async with connect(url, **options()) as connection:
        for size in map(int, sizes):
            for message in ["ä" * (size // 2) + "x" * (size % 2), os.urandom(size)]:
                await connection.send(message)
                assert await asyncio.wait_for(connection.recv(), 20) == message, size
    return {"echoed": len(sizes) * 2}


async def unix_echo(path):
    async with unix_connect(path, **options()) as connection:
        await connection.send("over a socket file")
        return {"text": await connection.recv()}


async def fragments_with_pings(url):
    async with connect(url, **options()) as connection:

        async def parts():
            for part in ["frag", "", "men", "ted"]:
                yield part

        pongs = [await connection.ping(b"before")]
        sending = asyncio.create_task(connection.send(parts()))
        pongs.append(await connection.ping(b"between"))
        await sending
        text = await asyncio.wait_for(connection.recv(), 20)
        answered = 0
        for pong in pongs:
            try:
                await asyncio.wait_for(pong, 3)
                answered += 1
            except asyncio.TimeoutError:
                pass
        return {"text": text, "pongs": answered}


async def send_size(url, size):
    async with connect(url, **options()) as connection:
        try:
            await connection.send(b"x" * int(size))
        except ConnectionClosed:
            pass
        return await closed_with(connection)


async def close_with(url, code, reason):
    connection = await connect(url, **options())
    await connection.close(int(code), reason)
    return {"code": connection.close_code}


async def read_until_closed(url):
    async with connect(url, **options()) as connection:
        messages = []
        try:
            while True:
                messages.append(len(await asyncio.wait_for(connection.recv(), 20)))
        except ConnectionClosed as error:
            frame = error.rcvd
            return {
                "messages": len(messages),
                "code": frame.code if frame else None,
                "reason": frame.reason if frame else None,
            }


async def negotiate(url, *subprotocols):
    try:
        async with connect(url, subprotocols=list(subprotocols) or None, **options()) as connection:
            headers = connection.response.headers
            return {"subprotocol": connection.subprotocol, "header": headers.get("Sec-WebSocket-Protocol")}
    except InvalidStatus as error:
        return {"status": error.response.status_code, "body": (error.response.body or b"").decode()}


async def open_and_wait(url):
    """Stays connected until it is killed or suspended, as a half-open peer."""
    async with connect(url, **options()):
        print(json.dumps({"open": True}), flush=True)
        await asyncio.sleep(600)


async def open_and_vanish(url):
    connection = await connect(url, **options())
    connection.transport.abort()
    return {}


async def latency_beside(url, count):
    """Measures round trips while other connections are slow."""
    async with connect(url, **options()) as connection:
        for index in range(int(count)):
            await connection.send(f"m{index}")
            assert await asyncio.wait_for(connection.recv(), 10) == f"m{index}"
    return {"echoed": int(count)}


# Raw sockets, for violations that a library would not send


def raw_connect(port):
    connection = socket.create_connection(("127.0.0.1", int(port)), timeout=20)
    return connection


def handshake_bytes(overrides=None, path="/", method="GET", version="HTTP/1.1"):
    headers = {
        "Host": "localhost",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        "Sec-WebSocket-Version": "13",
    }
    lines = [f"{method} {path} {version}"]
    headers.update(overrides or {})
    for name, value in headers.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                lines.append(f"{name}: {one}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def read_head(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(1)
        if not piece:
            break
        data += piece
    return data


def raw_open(port):
    connection = raw_connect(port)
    connection.sendall(handshake_bytes())
    head = read_head(connection)
    assert head.startswith(b"HTTP/1.1 101 "), head
    return connection


def frame(opcode, payload, final=True, mask=True, reserved=0):
    head = bytes([(0x80 if final else 0) | reserved | opcode])
    flag = 0x80 if mask else 0
    if len(payload) < 126:
        head += bytes([flag | len(payload)])
    elif len(payload) < 65536:
        head += bytes([flag | 126]) + struct.pack(">H", len(payload))
    else:
        head += bytes([flag | 127]) + struct.pack(">Q", len(payload))
    if not mask:
        return head + payload
    key = os.urandom(4)
    return head + key + bytes(byte ^ key[index & 3] for index, byte in enumerate(payload))


def read_frame(connection):
    def exactly(count):
        data = b""
        while len(data) < count:
            piece = connection.recv(count - len(data))
            if not piece:
                return None
            data += piece
        return data

    try:
        head = exactly(2)
        if head is None:
            return None
        count = head[1] & 127
        if count == 126:
            count = struct.unpack(">H", exactly(2))[0]
        elif count == 127:
            count = struct.unpack(">Q", exactly(8))[0]
        return head[0] & 15, exactly(count)
    except ConnectionResetError:
        return None


async def raw_frames(port, *specs):
    """Each argument is opcode:final:mask:reserved:payload-in-hex; all frames are sent at once, then everything is read until the end."""
    connection = raw_open(port)
    sent = b""
    for spec in specs:
        opcode, final, mask, reserved, payload = spec.split(":")
        sent += frame(int(opcode), bytes.fromhex(payload), final == "1", mask == "1", int(reserved))
    try:
        connection.sendall(sent)
    except (BrokenPipeError, ConnectionResetError):
        pass
    frames = []
    while True:
        got = read_frame(connection)
        if got is None:
            break
        frames.append([got[0], got[1].hex()])
        if got[0] == 8:
            break
        if got[0] in (1, 2):
            connection.sendall(frame(8, struct.pack(">H", 1000)))
    return {"frames": frames}


async def many_fragments(port, count):
    connection = raw_open(port)
    try:
        connection.sendall(frame(2, b"x", final=False))
        for _ in range(int(count)):
            connection.sendall(frame(0, b"x", final=False))
    except (BrokenPipeError, ConnectionResetError):
        pass
    got = read_frame(connection)
    return {"code": struct.unpack(">H", got[1][:2])[0] if got and got[0] == 8 else None}


async def wrong_handshake(port, name):
    key = "Sec-WebSocket-Key"
    wrong = {
        "POST": dict(method="POST", overrides={"Content-Length": "0"}),
        "HTTP/1.0": dict(version="HTTP/1.0"),
        "version 8": dict(overrides={"Sec-WebSocket-Version": "8"}),
        "no version": dict(overrides={"Sec-WebSocket-Version": None}),
        "no key": dict(overrides={key: None}),
        "short key": dict(overrides={key: base64.b64encode(b"123").decode()}),
        "key of 18 bytes": dict(overrides={key: base64.b64encode(b"123456789012345678").decode()}),
        "key not base64": dict(overrides={key: "!" * 22 + "=="}),
        "two keys": dict(overrides={key: [base64.b64encode(os.urandom(16)).decode()] * 2}),
        "two hosts": dict(overrides={"Host": ["a", "b"]}),
        "no host": dict(overrides={"Host": None}),
        "a body": dict(overrides={"Content-Length": "5"}),
        "h2c": dict(overrides={"Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAARAAAAAAAIAAAAA"}),
        "other upgrade": dict(overrides={"Upgrade": "tls/1.0"}),
    }[name]
    connection = raw_connect(port)
    connection.sendall(handshake_bytes(**wrong))
    try:
        head = read_head(connection)
    except ConnectionResetError:
        head = b""
    return {"status": int(head.split()[1]) if head else None}


async def slow_handshake(port):
    connection = raw_connect(port)
    sent = 0
    try:
        for byte in handshake_bytes(path="/" + "x" * 2000):
            connection.sendall(bytes([byte]))
            sent += 1
            await asyncio.sleep(0.05)
    except (BrokenPipeError, ConnectionResetError):
        return {"cut": True}
    return {"cut": False}


async def silent_connections(port, count, closed):
    """Opens silent connections and waits until `closed` of them have been closed without a byte; then checks that a request beside the remaining ones
    is answered.
    """
    connections = [raw_connect(port) for _ in range(int(count))]
    gone = 0
    while gone < int(closed):
        ready, _, _ = select.select(connections, [], [], 20)
        assert ready, f"only {gone} were hung up on"
        for connection in ready:
            assert connection.recv(4096) == b""
            connections.remove(connection)
            gone += 1
    asking = raw_connect(port)
    asking.sendall(handshake_bytes())
    return {"kept": len(connections), "status": int(read_head(asking).split()[1])}


async def begun_messages(port, count, size):
    """Begins `count` messages of this size without finishing any, and answers every ping; prints the number of closed connections by close code."""
    connections = [raw_open(port) for _ in range(int(count))]
    begun = frame(1, b"x" * int(size), final=False)
    for connection in connections:
        connection.sendall(begun)
    print(json.dumps({"begun": len(connections)}), flush=True)
    codes = collections.Counter()
    told = asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    while not told.done():
        await asyncio.sleep(0)
        for connection in select.select(connections, [], [], 0.05)[0]:
            got = read_frame(connection)
            if got is not None and got[0] == 9:
                connection.sendall(frame(10, got[1]))
                continue
            codes[str(got and int.from_bytes(got[1][:2], "big"))] += 1
            connections.remove(connection)
            connection.close()
    for connection in connections:
        connection.sendall(frame(0, b"."))
    answered = sum(read_frame(connection)[1] == b"x" * int(size) + b"." for connection in connections)
    return {"codes": codes, "answered": answered}


async def storm(port, count):
    """Opens many connections at once, each with an immediate request; prints the answers."""
    connections = [raw_connect(port) for _ in range(int(count))]
    for connection in connections:
        connection.sendall(handshake_bytes())
    return {"statuses": collections.Counter(read_head(connection).split()[1].decode() for connection in connections)}


async def idle(port, count):
    """Opens many connections, then checks that each still answers."""
    connections = [raw_open(port) for _ in range(int(count))]
    print(json.dumps({"open": len(connections)}), flush=True)
    sys.stdin.readline()
    for connection in connections:
        connection.sendall(frame(1, b"still here"))
    for connection in connections:
        got = read_frame(connection)
        while got is not None and got[0] == 9:
            connection.sendall(frame(10, got[1]))
            got = read_frame(connection)
        assert got == (1, b"still here"), got
    return {"answered": len(connections)}


async def hear(port, count):
    """Opens many connections; prints what each received until its `end` or a close, and then again for the remaining ones."""
    connections = [raw_open(port) for _ in range(int(count))]
    print(json.dumps({"open": len(connections)}), flush=True)
    for _ in range(2):
        sys.stdin.readline()
        heard = collections.Counter()
        left = []
        for connection in connections:
            words = []
            while not words or words[-1] not in ("end", "closed", "gone"):
                frame = read_frame(connection)
                words.append("gone" if frame is None else "closed" if frame[0] == 8 else frame[1].decode())
            heard[" ".join(words)] += 1
            if words[-1] == "end":
                left.append(connection)
        connections = left
        print(json.dumps(heard), flush=True)
    return {}


async def stall(port):
    """Opens a connection with a small receive window and never reads."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", int(port)))
    connection.sendall(handshake_bytes(path="/stall"))
    read_head(connection)
    print(json.dumps({"open": True}), flush=True)
    await asyncio.sleep(600)


async def trickle(port, total):
    """Reads slowly with a small receive window and answers no ping; prints the number of received bytes."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", int(port)))
    connection.sendall(handshake_bytes(path="/trickle"))
    read_head(connection)
    print(json.dumps({"open": True}), flush=True)
    got = 0
    while got < int(total) and (piece := connection.recv(2048)):
        got += len(piece)
        await asyncio.sleep(0.04)
    return {"got": got}


async def read_in_order(port, count):
    """Reads numbered messages slowly with a small receive window, while sending pings and answering them."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(60)
    connection.connect(("127.0.0.1", int(port)))
    connection.sendall(handshake_bytes())
    assert read_head(connection).startswith(b"HTTP/1.1 101 ")
    number, pings, pongs = 0, 0, 0
    while number < int(count):
        if number % 50 == 0:
            connection.sendall(frame(9, b"%d" % number))
        got = read_frame(connection)
        assert got, f"hung up on after {number} messages"
        opcode, payload = got
        if opcode == 9:
            pings += 1
            connection.sendall(frame(10, payload))
        elif opcode == 10:
            assert int(payload) <= number, payload
            pongs += 1
        else:
            assert opcode == 1 and int(payload[:8]) == number and set(payload[8:]) <= {0x78}, (number, opcode, payload[:20])
            number += 1
            if number % 20 == 0:
                await asyncio.sleep(0.001)
    return {"messages": number, "pings": pings, "pongs": pongs}


async def main():
    name, *arguments = sys.argv[1:]
    result = await globals()[name](*arguments)
    print(json.dumps(result), flush=True)


asyncio.run(main())
