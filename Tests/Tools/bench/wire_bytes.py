"""Builds the bytes of the load's messages."""


def handshake(port: int, role: str, token: str) -> bytes:
    return (
        f"GET /v1/{role} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: aGVsaW9ncmFwaCBiZW5jaA==\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Protocol: heliograph.v1\r\nAuthorization: Bearer {token}\r\n\r\n"
    ).encode()


def frame(text: bytes) -> bytes:
    """A frame with one text message. A mask of zeros is valid, and costs nothing to apply."""
    size = len(text)
    if size < 126:
        head = bytes([0x81, 0x80 | size])
    elif size < 1 << 16:
        head = bytes([0x81, 0xFE]) + size.to_bytes(2)
    else:
        head = bytes([0x81, 0xFF]) + size.to_bytes(8)
    return head + b"\0\0\0\0" + text
