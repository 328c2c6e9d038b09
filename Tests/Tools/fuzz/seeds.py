"""The fuzz targets' initial inputs: real messages from the documentation and from the tests' recordings."""

import base64
import json
import re
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Integration"))
from samples import DECISION, DIGEST, FROM_CLIENT, FROM_HOST  # noqa: E402

HOOKS = "Tests/AgentClaudeTests/Fixtures"


def conversation(root: Path) -> Iterator[bytes]:
    """The messages in Protocol.md, of both directions."""
    page = (root / "Sources/HeliographServer/HeliographServer.docc/Protocol.md").read_text()
    block = re.search(r"```conversation\n(.*?)```", page, re.DOTALL)
    assert block, "Protocol.md has no conversation"
    messages: list[str] = []
    for line in block.group(1).splitlines():
        if re.match(r"([A-Z]>|<[A-Z]) ", line):
            messages.append(line[3:])
        elif line.startswith(" "):
            messages[-1] += line.strip()
    for message in messages:
        yield json.dumps(json.loads(message), ensure_ascii=False, separators=(",", ":")).encode()


def codec(root: Path) -> Iterator[bytes]:
    yield from conversation(root)
    for message in [*FROM_HOST.values(), *FROM_CLIENT.values()]:
        yield compact(json.dumps(message))
    yield compact(json.dumps({"type": "decision", "session": "s", "approval": "a", "digest": DIGEST, "decision": DECISION}))
    yield compact(json.dumps({"type": "hold", "everySession": True, "sessions": ["s1", "s2"]}))
    yield from (file.read_bytes().strip() for file in sorted((root / HOOKS).glob("*.json")) if file.stat().st_size < 8_192)
    yield b'["\\u0061\\ud83d\\ude00\\n", -0.5e-3, 1E400, {"": null, "a": {"b": [[]]}}]'


def assembly(_: Path) -> Iterator[bytes]:
    """Bytes for a message's limit and fragments, then kind, frames and pieces, in the format of AssemblyTarget."""
    yield bytes([64, 4, 0, 1, 5, 5]) + b"hello"
    yield bytes([64, 4, 0, 0, 2, 2]) + b"\xc3\x28" + bytes([1, 3, 1]) + b"x" + bytes([2]) + b"yz"
    yield bytes([2, 1, 1, 1, 9, 9]) + b"too long."
    yield bytes([255, 15, 1, 2]) + b"\x7f" + b"\xff" * 7 + bytes([1]) + b"x"


def profile(root: Path) -> Iterator[bytes]:
    for file in sorted((root / "Sources/ChannelAPNs/Embedded").glob("*.json")):
        yield file.read_bytes()
        # The compact form of a recording, because the fuzzer's single changes then stay close to valid inputs.
        yield json.dumps(json.loads(file.read_text()), ensure_ascii=False, separators=(",", ":")).encode()
    yield b'{"bundle":"a.b"}'


def hook(root: Path) -> Iterator[bytes]:
    """Lines in the format of HookTarget: recordings, with events between them."""
    singles = [compact(file.read_text()) for file in sorted((root / HOOKS).glob("*.json"))]
    for line in singles:
        yield b"l\n" + line + b"\na\nt\x10\x10\n"
    for file in sorted((root / HOOKS).glob("*.jsonl")):
        lines = [compact(json.dumps(json.loads(line)["input"])) for line in file.read_text().splitlines()]
        whole = b"l\n" + b"\n".join(lines)
        if len(whole) <= 24_000:
            yield whole
        asked = next((number for number, line in enumerate(lines) if b"PermissionRequest" in line), None)
        if asked is None:
            continue
        few = lines[max(0, asked - 2) : asked + 1]
        after = b"\n".join(lines[asked + 1 : asked + 3])
        for happens in (b"a", b"d no", b"A", b"k\nr\na", b"a\nk\nr", b"g\nt\x20\x20", b"L\nt\x40\x40", b"q x", b"h"):
            yield b"l\n" + b"\n".join(few) + b"\n" + happens + b"\n" + after
    yield b"l\n" + b"\n".join(singles[:4])


def compact(text: str) -> bytes:
    return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":")).encode()


def spool(_: Path) -> Iterator[bytes]:
    """Files in the format of SpoolTarget: their number, the number of records, and each record."""

    def number(value: int) -> bytes:
        return struct.pack(">q", value)

    event = bytes([6, 0, 1, 2]) + b"{}"
    session = bytes([4, 0]) + number(3) + number(1) + number(1)
    agreed = bytes([5, 0]) + number(1) + number(2) + number(4)
    yield bytes([0, 3]) + session + event + agreed
    yield bytes([1, 2]) + event + event + bytes([2]) + agreed + bytes([3, 0, 3]) + b"abc"
    yield bytes([0, 3]) + event + bytes([1, 4]) + event
    payload = b"\x01\x02s0" + struct.pack("<q", 7) + b"{}"
    record = struct.pack("<II", len(payload), zlib.crc32(payload)) + payload
    yield bytes([0, 2, 0, len(record)]) + record + bytes([2, len(payload)]) + payload


def answer(_: Path) -> Iterator[bytes]:
    """A letter for the answering service, then the answer."""
    yield b"H" + b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
    yield b"H" + b"HTTP/1.1 204 No Content\r\n\r\n"
    yield b"R" + b"HTTP/1.1 201 Created\r\nContent-Length: 44\r\n\r\n" + b'{"token":"hgt_abc","role":"host","name":"x"}'
    yield b"R" + b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    for link in (b"http://127.0.0.1:8787/#pair=abc", b"https://relay.example/below#host=abc", b"unix:/run/x.sock#host=abc", b"http://[::1]:80/#pair=a"):
        yield b"P" + link
    yield b"A" + b"410\n\n" + b'{"reason":"Unregistered","timestamp":1795178096000}'
    yield b"A" + b"429\n3\n" + b'{"reason":"TooManyRequests"}'
    yield b"1" + b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"
    yield b"1" + b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 -\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nok\r\n0\r\nx: y\r\n\r\n"
    yield b"W" + b"429\nSun, 06 Nov 1994 08:49:37 GMT\n" + b'{"code":429,"errno":201,"message":"slow down"}'
    yield b"W" + b"403\n60\n" + b'{"reason":"VapidPkHashMismatch"}'
    for address in (b"https://web.push.apple.com/QOG2x", b"https://push.example.org:8443/up?x=y", b"mailto:me@example.org"):
        yield b"E" + address
    yield b"T" + '{"model":{"display_name":"Opus"},"cost":{"total_cost_usd":0.02},"context_window":{"used_percentage":1}}'.encode()
    yield b"T" + "rm \u202e -rf ⟨ e\u0301\u0301\u0301\u0301\u0301 👩‍👩‍👧 аb".encode()


def nodes(_: Path) -> Iterator[bytes]:
    """A letter for the receiver, then a link's message; the pairs of bytes between contain a letter and a fact, in the format of NodesTarget."""

    def data(value: bytes) -> bytes:
        assert len(value) < 128
        return bytes([len(value)]) + value

    address = b"\0" + data(b"192.0.2.7")
    opening = data(bytes(32)) + b"\1" + data(b"https://relay.example") + address + b"\1" + address
    headers = b"\1" + data(b"host") + data(b"relay.example")
    call = data(b"POST") + data(b"/v1/pair") + b"\1" + data(b"a=b") + headers + data(b"{}") + b"\1" + b"\0\1"
    yield b"O" + b"\1\0" + opening + b"\2\0" + data(b'{"type":"hello"}') + b"\4\0\5\0\3\0"
    yield b"O" + b"\6\1" + call + b"\6\x80\x80\1" + call
    yield b"E" + b"\1\2\0\1" + data(b'{"type":"welcome"}') + b"\2\1\xa0\x1f" + data(b"restarting") + b"\3\0\4\0\5\0"
    yield b"E" + b"\6\1\xc8\1" + headers + data(b"{}")
    yield b"M" + b"oo\0\0c\0" + b"\5\0" + b"o\1t\1\1" + b"p"


def consent(root: Path) -> Iterator[bytes]:
    """A letter for the kind, then the bytes: letters, signatures, secrets and files made from the test vectors, in the format of ConsentTarget."""
    vectors = json.loads((root / "Tests/ConsentTests/Fixtures/vectors.json").read_text())

    def raw(text: str) -> bytes:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))

    def text(value: bytes) -> str:
        return base64.urlsafe_b64encode(value).rstrip(b"=").decode()

    def part(value: bytes) -> bytes:
        return len(value).to_bytes(4, "big") + value

    def domain(name: str) -> bytes:
        return b"heliograph/v1/" + name.encode() + b"\0"

    keys, pair = vectors["keys"], vectors["pair"]
    host, device, signature = raw(vectors["hostID"]), raw(vectors["deviceID"]), raw(vectors["decision"]["allowSignature"])
    host_sign, sign, box = (raw(keys[name]["public"]) for name in ("hostSign", "deviceSign", "deviceBox"))
    zeros, count = bytes(16), (7).to_bytes(8, "big")
    for name in ("join", "admit"):
        yield b"L\1" + part(raw(pair[name])) + part(raw(pair[f"{name}Tag"])) + part(raw(pair[f"{name}Signature"]))
    introduction = domain("introduce") + part(bytes(32)) + part(sign) + part(host_sign) + part(box) + part("Ada’s laptop".encode()) + count
    yield b"L\1" + part(introduction) + part(raw(pair["joinTag"])) + part(signature)
    for body in (
        domain("vouch") + part(host) + part(sign) + part(box) + part("Ada’s tablet".encode()) + count + part(device),
        domain("distrust") + part(host) + part(device) + count + part(device),
        domain("bump") + part(host) + part(zeros) + (2**53 - 1).to_bytes(8, "big") + part(device),
        domain("receipt") + part(host_sign) + part(bytes(32)),
        domain("ask") + part(host) + part(zeros) + part(device),
        domain("roll") + part(host_sign) + part(bytes(32)) + count + part(device) + part("Ada’s tablet".encode()) + count + part(host),
        domain("roll") + part(host_sign) + part(bytes(32)) + count + part(device) + part("Ada’s tablet".encode()) + count + part(b""),
        domain("refusal") + part(host_sign) + part(bytes(32)) + part(b"usedSecret") + part(zeros),
    ):
        yield b"L\1" + part(body) + part(b"") + part(signature)
    yield b"S" + vectors["decision"]["allowWire"].encode()
    yield b"K" + vectors["link"]["k"].encode()
    yield b"K" + text(b"\2" + raw(vectors["link"]["secret"])).encode()
    yield b"K" + text(b"\3" + device + raw(vectors["link"]["secret"]) + b"c_phone").encode()
    points = {"id": vectors["deviceID"], "sign": keys["deviceSign"]["public"], "box": keys["deviceBox"]["public"], "name": "Ada's phone"}
    pin = points | {"since": 1, "by": "terminal", "may": ["allow", "answer", "prompt", "vouch"], "count": 41, "suspended": True}
    former = {"id": vectors["hostID"], "sign": keys["hostSign"]["public"], "count": 3}
    used = {"secret": text(bytes(32)), "join": text(bytes(32))}
    pins = {"version": 1, "generation": text(zeros), "next": text(zeros), "restored": True, "devices": [pin], "distrusted": [former], "used": [used]}
    yield b"P" + json.dumps(pins, separators=(",", ":")).encode()
    yield b"H" + json.dumps({"version": 1, "count": 41, "hosts": [points | {"since": 1}]}, separators=(",", ":")).encode()
    sealing = json.loads((root / "Tests/ConsentTests/Fixtures/sealing.json").read_text())
    epochs = {"version": 1, "epochs": [{"epoch": 3, "key": sealing["epochKey"]}], "devices": [{"id": sealing["deviceID"], "from": 3}]}
    yield b"E" + json.dumps(epochs, separators=(",", ":")).encode()
    for form in (sealing["sealed"]["bytes"], sealing["line"]["bytes"], sealing["line"]["plain"], sealing["live"]["text"], sealing["words"]["text"]):
        yield b"B" + form.encode()
    head = {"approval": "a1", "kind": "tool", "tool": "Bash", "title": "npm test", "digest": vectors["decision"]["digest"]}
    event = {"kind": "approval.requested", "at": 5, "head": head, "body": {"input": {"command": "npm test"}}}
    shown = {"salt": text(zeros), "host": vectors["hostID"], "session": "s1", "event": event}
    yield b"T" + json.dumps(shown, separators=(",", ":")).encode()


SEEDS: dict[str, Callable[[Path], Iterator[bytes]]] = {
    "answer": answer,
    "assembly": assembly,
    "codec": codec,
    "consent": consent,
    "hook": hook,
    "nodes": nodes,
    "profile": profile,
    "spool": spool,
}
