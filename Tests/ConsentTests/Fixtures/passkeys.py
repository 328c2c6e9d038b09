"""Makes passkeys.json: a passkey's letter, and its proof for the allow in vectors.json, written independently from record 0124 and WebAuthn. By hand:
passkeys.py > passkeys.json
"""

import base64
import hashlib
import json
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text())
ORIGIN = "https://relay.example"
COUNT = 7


def raw(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def b64(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def lp(value: bytes) -> bytes:
    return len(value).to_bytes(4, "big") + value


def sha(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()


key = ec.derive_private_key(int.from_bytes(sha(b"a passkey"), "big"), ec.SECP256R1())
point = key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
letter = b"heliograph/v1/passkey\0" + lp(raw(VECTORS["hostID"])) + lp(point) + lp(ORIGIN.encode()) + COUNT.to_bytes(8, "big") + lp(raw(VECTORS["deviceID"]))
client = json.dumps({"type": "webauthn.get", "challenge": b64(sha(raw(VECTORS["decision"]["allow"]))), "origin": ORIGIN, "crossOrigin": False}, separators=(",", ":")).encode()
authenticator = sha(b"relay.example") + bytes([0x05]) + (9).to_bytes(4, "big")
der = key.sign(authenticator + sha(client), ec.ECDSA(hashes.SHA256()))
r, s = utils.decode_dss_signature(der)
signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
plain = VECTORS["decision"]["allowWire"]
print(json.dumps({
    "origin": ORIGIN, "count": COUNT, "public": b64(point), "private": b64(key.private_numbers().private_value.to_bytes(32, "big")), "letter": b64(letter),
    "authenticator": b64(authenticator), "client": b64(client), "der": b64(der), "signature": b64(signature),
    "wire": f"2{plain[1:]}.{b64(authenticator)}.{b64(client)}.{b64(signature)}",
}, indent=1))  # fmt: skip
