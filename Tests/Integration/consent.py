"""Signed consent and sealed content implemented independently from the page Security: keys, letters, statements and sealing, with the package
`cryptography` alone.
"""

import base64
import copy
import hashlib
import hmac
import json
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def domain(name: str) -> bytes:
    return b"heliograph/v1/" + name.encode() + b"\0"


def lp(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def u32(number: int) -> bytes:
    return number.to_bytes(4, "big")


def u64(number: int) -> bytes:
    return number.to_bytes(8, "big")


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def hkdf(secret: bytes, info: bytes) -> bytes:
    return HKDF(hashes.SHA256(), 32, salt=b"", info=info).derive(secret)


def key_id(point: bytes) -> bytes:
    return sha(domain("key") + point)[:16]


def point(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def is_signature(signer: bytes, signature: bytes, data: bytes) -> bool:
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), signer)
    encoded = utils.encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    try:
        public.verify(encoded, data, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True


class Shown:
    """An approval as its host showed it: the `shown` text of an `approval.requested` event."""

    def __init__(self, event: dict[str, Any]):
        assert list(event["body"]) == ["shown"], event
        self.text = event["body"]["shown"]
        parsed = json.loads(self.text)
        self.salt, self.host, self.session = unb64(parsed["salt"]), unb64(parsed["host"]), parsed["session"]
        self.event = parsed["event"]
        self.approval, self.digest = self.event["head"]["approval"], self.event["head"]["digest"]
        self.hash = sha(domain("shown") + self.text.encode())
        assert event["head"]["digest"] == self.digest and len(self.salt) == 16

    def but(self, **changes: Any) -> "Shown":
        """The text that a deceived device would see: with another `text`, `host` or `session`."""
        other = copy.copy(self)
        other.__dict__.update(changes)
        other.hash = sha(domain("shown") + other.text.encode())
        return other



def letter(body: bytes, signer: ec.EllipticCurvePrivateKey, tag: bytes = b"") -> bytes:
    return b"\1" + lp(body) + lp(tag) + lp(sign(signer, body))


def parts(data: bytes) -> list[bytes]:
    """Splits bytes into their length-prefixed parts."""
    found = []
    while data:
        size = int.from_bytes(data[:4], "big")
        assert len(data) >= 4 + size, "the bytes end before their part does"
        found.append(data[4 : 4 + size])
        data = data[4 + size :]
    return found


def read_letter(data: bytes) -> tuple[bytes, bytes, bytes]:
    """Parses a letter into body, tag and signature."""
    assert data[:1] == b"\1"
    body, tag, signature = parts(data[1:])
    return body, tag, signature


def body_parts(body: bytes, name: str) -> list[bytes]:
    assert body.startswith(domain(name)), body[:30]
    return parts(body[len(domain(name)) :])


def sign(key: ec.EllipticCurvePrivateKey, data: bytes) -> bytes:
    r, s = utils.decode_dss_signature(key.sign(data, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")



def detail(verdict: str, message: str | None = None, mode: str | None = None, offer: str | None = None, answers: Any = None, edit: str | None = None) -> bytes:
    content = b""
    if verdict == "answer":
        for answer in answers or []:
            content += lp(answer["question"].encode()) + u32(len(answer.get("choices", [])))
            content += b"".join(lp(choice.encode()) for choice in answer.get("choices", [])) + lp(answer.get("text", "").encode())
    elif edit is not None:
        content = lp(b"edit") + lp(edit.encode())
    elif verdict == "deny" and offer:
        content = b"\xff" + lp(b"offer") + lp(offer.encode()) + (lp(b"message") + lp(message.encode()) if message else b"")
    elif verdict == "deny":
        content = (message or "").encode()
    else:
        content = (lp(b"mode") + lp(mode.encode()) if mode else b"") + (lp(b"offer") + lp(offer.encode()) if offer else b"")
    return sha(content) if content else b""


class Device:
    """A device's keys, the secret of a scanned link, and its signatures."""

    def __init__(self, name: str = "Ada's phone"):
        self.name = name
        self.sign_key, self.box_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        self.id = key_id(point(self.sign_key))
        self.signer: Callable[[bytes], bytes] = lambda data: sign(self.sign_key, data)
        """R then S, of a statement."""
        self.count = 0
        self.boxes: dict[bytes, bytes] = {}
        """Box keys of the hosts that it has joined, by their ids."""

    def join(self, k: str, host: bytes | None = None) -> tuple[str, bytes, bytes]:
        """A `join` letter for the host or device of the secret, or for `host` if the secret is for a machine; with the letter's body and the key of
        its tag.
        """
        raw = unb64(k)
        if raw[0] == 2:
            assert host and len(raw) == 33
            secret = raw[1:]
        else:
            assert host is None and (raw[0] == 1 and len(raw) == 49 or raw[0] == 3 and len(raw) > 49)
            host, secret = raw[1:17], raw[17:49]
        pair_key = hkdf(secret, domain("pair") + host)
        body = (
            domain("join") + lp(host) + lp(point(self.sign_key)) + lp(point(self.box_key)) + lp(self.name.encode()) + lp(os.urandom(16))
        )
        return b64(letter(body, self.sign_key, hmac.digest(pair_key, body, "sha256"))), body, pair_key

    def admitted(self, answer: str, body: bytes, pair_key: bytes, host: bytes) -> bytes:
        """The signing key of the host, if the letter proves that its terminal showed the secret."""
        admit, tag, signature = read_letter(unb64(answer))
        join_hash, signer, box, nonce, name = body_parts(admit, "admit")
        assert join_hash == sha(body) and key_id(signer) == host and len(box) == 65 and len(nonce) == 16
        assert hmac.compare_digest(tag, hmac.digest(pair_key, admit, "sha256")), "whoever answers does not know the secret"
        assert is_signature(signer, signature, admit)
        self.boxes[host] = box
        return signer

    def vouch(self, host: bytes, newcomer: "Device", count: int | None = None, **changes: bytes) -> str:
        """A letter that vouches for another device; `changes` replace that device's `sign` and `box`, or this device's `id`."""
        keys = {"sign": point(newcomer.sign_key), "box": point(newcomer.box_key), "id": self.id} | changes
        body = (
            domain("vouch") + lp(host) + lp(keys["sign"]) + lp(keys["box"]) + lp(newcomer.name.encode())
            + u64(self.next_count() if count is None else count) + lp(keys["id"])
        )  # fmt: skip
        return b64(letter(body, self.sign_key))

    def text(self, number: int, statement: bytes) -> str:
        return f"1.{b64(self.id)}.{number}.{b64(self.signer(statement))}"

    def decide(self, shown: Shown, verdict: str, **said: Any) -> str:
        issued = time.time_ns() // 1_000_000
        statement = (
            domain("decision") + lp(shown.host) + lp(shown.session.encode()) + lp(shown.approval.encode()) + lp(shown.hash)
            + lp(bytes.fromhex(shown.digest)) + lp(verdict.replace("edit", "allow").encode()) + lp(detail(verdict, **said)) + u64(issued) + lp(self.id)
        )  # fmt: skip
        return self.text(issued, statement)

    def prompt(self, host: bytes, session: str, command: str, text: str, count: int | None = None, pictures: Sequence[Any] = ()) -> str:
        count = self.next_count() if count is None else count
        content = text.encode()
        if pictures:
            named = b"".join(lp(bytes.fromhex(picture["digest"])) + lp(picture["type"].encode()) for picture in pictures)
            content = b"\xff" + lp(content) + b"\0" + lp(b"queue") + u32(len(pictures)) + named
        statement = domain("prompt") + lp(host) + lp(session.encode()) + lp(command.encode()) + lp(sha(content)) + u64(count) + lp(self.id)
        return self.text(count, statement)

    def keys(self, host: bytes, session: str, command: str, keys: bytes, seen: str, count: int | None = None) -> str:
        """Signs typed keys. `seen` is the screen that was shown when they were pressed."""
        count = self.next_count() if count is None else count
        return self.text(count, domain("keys") + lp(host) + lp(session.encode()) + lp(command.encode()) + lp(seen.encode()) + lp(sha(keys)) + u64(count) + lp(self.id))

    def steer(self, host: bytes, session: str, command: str, kind: str, *texts: str) -> str:
        """Signs a command whose detail consists of texts."""
        count = self.next_count()
        statement = (
            domain("steer") + lp(host) + lp(session.encode()) + lp(command.encode()) + lp(kind.encode()) + lp(sha(b"".join(lp(text.encode()) for text in texts))) + u64(count)
            + lp(self.id)
        )  # fmt: skip
        return self.text(count, statement)

    def next_count(self) -> int:
        self.count += 1
        return self.count



class Opener:
    """A trusted device's access to sealed content: its epoch keys, with opening and sealing."""

    def __init__(self, device: Device, host: bytes):
        self.device, self.host = device, host
        box = device.boxes[host]
        shared = device.box_key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), box))
        self._wrap_key = hkdf(shared, domain("wrap") + lp(host) + lp(device.id) + lp(box) + lp(point(device.box_key)))
        self.epochs: dict[int, bytes] = {}

    def learn(self, offer: dict[str, Any]) -> None:
        """Learns the epoch keys in the offer of the session that represents the host."""
        for wrap in offer["wraps"]:
            if unb64(wrap["device"]) == self.device.id:
                nonce, sealed = unb64(wrap["wrap"])[:12], unb64(wrap["wrap"])[12:]
                self.epochs[wrap["epoch"]] = AESGCM(self._wrap_key).decrypt(nonce, sealed, domain("epoch") + lp(self.host) + lp(self.device.id) + u32(wrap["epoch"]))

    def _key(self, session: str, epoch: int) -> AESGCM:
        return AESGCM(hkdf(self.epochs[epoch], domain("session") + lp(self.host) + lp(session.encode()) + u32(epoch)))

    def _numbered(self, name: str, session: str, text: str, more: bytes = b"") -> tuple[int, Any]:
        data = unb64(text)
        assert data[0] == 1
        epoch, number = int.from_bytes(data[1:5], "big"), int.from_bytes(data[5:13], "big")
        bound = domain(name) + lp(self.host) + lp(session.encode()) + u32(epoch) + u64(number) + more
        return number, json.loads(self._key(session, epoch).decrypt(data[13:25], data[25:], bound))

    def event(self, session: str, event: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Opens an event. Returns the host's number, and the event as an unsealed host would have sent it."""
        assert list(event["body"]) == ["sealed"], event
        number, opened = self._numbered("body", session, event["body"]["sealed"], lp(event["kind"].encode()))
        assert opened["kind"] == event["kind"]
        return number, opened

    def line(self, session: str, text: str) -> dict[str, str]:
        return self._numbered("line", session, text)[1]

    def _bytes(self, form: int, name: str, session: str, of: str, text: str) -> bytes:
        assert text.startswith("sealed."), text
        data = unb64(text.removeprefix("sealed."))
        assert data[0] == form
        epoch = int.from_bytes(data[1:5], "big")
        bound = domain(name) + lp(self.host) + lp(session.encode()) + u32(epoch) + lp(of.encode())
        return self._key(session, epoch).decrypt(data[5:17], data[17:], bound)

    def live(self, session: str, of: str, text: str) -> str:
        """Opens a piece of live text, without its position."""
        return self._bytes(2, "live", session, of, text)[8:].decode()

    def words(self, session: str, of: str, text: str) -> str:
        return self._bytes(3, "words", session, of, text).decode()

    def sealed_words(self, session: str, to: str, text: str) -> str:
        """Seals a text for the command with that id, or for an approval."""
        epoch, nonce = max(self.epochs), os.urandom(12)
        bound = domain("words") + lp(self.host) + lp(session.encode()) + u32(epoch) + lp(to.encode())
        return "sealed." + b64(b"\3" + u32(epoch) + nonce + self._key(session, epoch).encrypt(nonce, text.encode(), bound))

    def sealed_picture(self, session: str, picture: bytes) -> bytes:
        epoch, nonce = max(self.epochs), os.urandom(12)
        bound = domain("picture") + lp(self.host) + lp(session.encode()) + u32(epoch)
        return b"\4" + u32(epoch) + nonce + self._key(session, epoch).encrypt(nonce, picture, bound)

    def picture(self, session: str, sealed: bytes) -> bytes:
        assert sealed[0] == 4
        epoch = int.from_bytes(sealed[1:5], "big")
        bound = domain("picture") + lp(self.host) + lp(session.encode()) + u32(epoch)
        return self._key(session, epoch).decrypt(sealed[5:17], sealed[17:], bound)

    def alias(self, name: str) -> str:
        key = hkdf(self.epochs[max(self.epochs)], domain("alias") + lp(self.host))
        return "~" + b64(hmac.digest(key, name.encode(), "sha256")[:9])
