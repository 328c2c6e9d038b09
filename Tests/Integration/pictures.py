"""Pictures for tests: small ones of one colour, and large ones of noise, which cannot be compressed."""

import hashlib
import random
import struct
import zlib
from typing import Any

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png(width: int = 8, height: int = 8, seed: int | None = None, text: str = "") -> bytes:
    """A PNG; with a seed its pixels are noise. `text` is stored in it as metadata."""
    noise = random.Random(seed)
    rows = b"".join(b"\0" + (noise.randbytes(3 * width) if seed is not None else b"\xff\x40\x00" * width) for _ in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    words = chunk(b"iTXt", b"Comment\0\0\0\0\0" + text.encode()) if text else b""
    return SIGNATURE + chunk(b"IHDR", head) + words + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def named(picture: bytes) -> dict[str, Any]:
    kind = "image/png" if picture.startswith(SIGNATURE) else "application/x-heliograph-sealed"
    return {"digest": hashlib.sha256(picture).hexdigest(), "type": kind, "bytes": len(picture)}


def bring(relay: Any, token: str, session: str, picture: bytes) -> Any:
    return relay.request("POST", f"/v1/pictures?session={session}", picture, {"Authorization": f"Bearer {token}"})
