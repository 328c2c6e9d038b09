"""An attacker with all of a relay's data, who searches it for content."""

import base64
import json
import re
import socket
import subprocess
import tempfile
import threading
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from postgres import PostgresServer
from relay import Relay, free_port
from waits import patient


def spellings(mark: str) -> set[bytes]:
    """A mark in all encodings that programs use: plain, escaped, in two-byte characters, in hexadecimal, and in base64 at any offset."""
    text = mark.encode()
    found = {text, json.dumps(mark)[1:-1].encode(), quote(mark).encode(), mark.encode("utf-16-le"), mark.encode("utf-16-be"), text.hex().encode(), text.hex().upper().encode()}
    for before in range(3):
        # Base64 characters that depend on the neighbouring bytes are left out.
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            found.add(encode(b"\0" * before + text)[(0, 2, 3)[before] :].rstrip(b"=")[:-1])
    return found


PACKED = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]")


def unpacked(blob: bytes) -> Iterator[bytes]:
    """The uncompressed content of gzip or zlib data."""
    for place in PACKED.finditer(blob):
        packer = zlib.decompressobj(zlib.MAX_WBITS | 32)
        try:
            yield packer.decompress(blob[place.start() :], 16 << 20)
        except zlib.error:
            continue


def found_in(blobs: dict[str, bytes], marks: Iterable[str], pieces: dict[str, bytes] | None = None) -> dict[str, list[str]]:
    """The places of all found marks; `pieces` are named byte strings that are searched for unencoded."""
    marks_of = {pattern: mark for mark in marks for pattern in spellings(mark)} | {piece: name for name, piece in (pieces or {}).items()}
    assert not any(b"\n" in pattern for pattern in marks_of), "grep's patterns are lines"
    places: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        patterns, file = Path(folder) / "patterns", Path(folder) / "blob"
        patterns.write_bytes(b"\n".join(marks_of) + b"\n")
        for name, blob in blobs.items():
            file.write_bytes(b"\n".join([blob, *unpacked(blob)]))
            # grep searches hundreds of megabytes for thousands of patterns at once.
            done = subprocess.run(["grep", "-aoFf", patterns, file], capture_output=True, env={"LC_ALL": "C"}, timeout=patient(60))
            assert done.returncode in (0, 1), done.stderr
            for mark in {marks_of[pattern] for pattern in marks_of if pattern in done.stdout}:
                places.setdefault(mark, []).append(name)
    return places


class Wiretap:
    """A proxy between a host and its relay that passes everything on and records the messages."""

    def __init__(self, relay: Relay):
        self.relay = relay
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._kept: list[bytearray] = []
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.relay.port))
            except OSError:
                near.close()
                continue
            self._open += [near, far]
            for source, target, is_up in ((near, far, True), (far, near, False)):
                kept = bytearray()
                self._kept.append(kept)
                threading.Thread(target=self._pass, args=(source, target, kept, is_up), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, kept: bytearray, is_up: bool) -> None:
        try:
            while data := source.recv(1 << 16):
                if is_up and not kept:
                    # Compression is switched off, so that the recorder need not decompress; an attacker could.
                    data = re.sub(rb"(?i)sec-websocket-extensions:[^\r]*\r\n", b"", data)
                kept += data
                target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def recording(self) -> bytes:
        return b"\n".join(part for kept in list(self._kept) for part in (bytes(kept), *payloads(bytes(kept))))

    def close(self) -> None:
        self._listener.close()
        for one in self._open:
            one.close()


def payloads(data: bytes) -> Iterator[bytes]:
    """The unmasked payloads of all WebSocket frames after an HTTP head. Fragments of a message are joined."""
    _, _, rest = data.partition(b"\r\n\r\n")
    message = b""
    while len(rest) >= 2:
        size, place = rest[1] & 127, 2
        if size >= 126:
            width = 2 if size == 126 else 8
            size, place = int.from_bytes(rest[2 : 2 + width], "big"), 2 + width
        mask = rest[place : place + 4] if rest[1] & 128 else b""
        place += len(mask)
        payload = rest[place : place + size]
        if mask:
            key = (mask * (len(payload) // 4 + 1))[: len(payload)]
            payload = (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(len(payload), "big")
        message += payload
        if rest[0] & 128:
            yield message
            message = b""
        rest = rest[place + size :]


def memory(process: int) -> bytes:
    """The process's memory as in a core dump: all readable regions that are not mapped from a file."""
    parts: list[bytes] = []
    with open(f"/proc/{process}/mem", "rb", buffering=0) as file:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            area, rights, _, _, node, *name = line.split(maxsplit=5)
            if not rights.startswith("r") or node != "0" or name and name[0] in ("[vvar]", "[vsyscall]", "[vvar_vclock]"):
                continue
            start, end = (int(place, 16) for place in area.split("-"))
            file.seek(start)
            while start < end:
                try:
                    part = file.read(min(end - start, 1 << 20))
                except OSError:
                    break
                if not part:
                    break
                parts.append(part)
                start += len(part)
    return b"".join(parts)


def dump(server: PostgresServer, database: str) -> bytes:
    """The output of `pg_dump`, and the raw write-ahead log."""
    command = [str(server.psql.with_name("pg_dump")), "-h", str(server.folder), "-U", "heliograph", database]
    written = b"".join(file.read_bytes() for file in sorted((server.folder / "data/pg_wal").iterdir()) if file.is_file())
    dumped = subprocess.run(command, capture_output=True, check=True, timeout=patient(60)).stdout
    # `pg_dump` writes bytes in hexadecimal.
    return b"\n".join([dumped, *(bytes.fromhex(found[1].decode()) for found in re.finditer(rb"\\\\x((?:[0-9a-f]{2})+)", dumped)), written])


def files_of(relay: Relay) -> dict[str, bytes]:
    """The relay's raw files, with a backup and the audit log."""
    backup = relay.folder / "backup.sqlite"
    relay.run("backup", str(backup), "--data", str(relay.data))
    blobs = {file.name: file.read_bytes() for file in sorted(relay.data.rglob("*")) if file.is_file()}
    assert any(name.endswith("-wal") for name in blobs) and any(len(blob) > 10_000 for blob in blobs.values()), list(blobs)
    return blobs | {"backup": backup.read_bytes(), "audit": relay.run("audit", "export", "--data", str(relay.data)).stdout.encode()}


def loot(relay: Relay, tap: Wiretap, server: PostgresServer | None, more: dict[str, Any]) -> dict[str, bytes]:
    """All data of a running relay: its files, its memory, log and metrics, and the traffic of its host. `more`: data that others received."""
    return (files_of(relay) if server is None else {"dump": dump(server, "postgres")}) | {
        "memory": memory(relay.process.pid),
        "log": relay.log.read_bytes(),
        "metrics": relay.get("/metrics").body,
        "traffic": tap.recording(),
        **{name: json.dumps(said, ensure_ascii=False).encode() for name, said in more.items()},
    }
