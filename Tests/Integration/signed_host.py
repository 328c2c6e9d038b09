"""A fake host that accepts only commands signed by a trusted device, implemented independently from the protocol document: keys, letters, checks."""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Iterator
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from host import ScriptedHost, input_digest, now_ms
from waits import wait_until
from wire import Message

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def domain(name: str) -> bytes:
    return f"heliograph/v1/{name}\0".encode()


def lp(part: bytes | str) -> bytes:
    data = part.encode() if isinstance(part, str) else part
    return len(data).to_bytes(4, "big") + data


def parts(data: bytes) -> list[bytes]:
    found = []
    while data:
        length = int.from_bytes(data[:4], "big")
        found.append(data[4 : 4 + length])
        data = data[4 + length :]
    return found


def point(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def key_id(sign: bytes) -> bytes:
    return hashlib.sha256(domain("key") + sign).digest()[:16]


def short_code(id: bytes) -> str:
    bits = int.from_bytes(id[:10], "big")
    letters = "".join(CROCKFORD[bits >> shift & 31] for shift in range(75, -1, -5))
    return "-".join(letters[at : at + 4] for at in range(0, 16, 4))


def is_signed(sign: bytes, signature: bytes, statement: bytes) -> bool:
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sign)
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    try:
        key.verify(utils.encode_dss_signature(r, s), statement, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return len(signature) == 64


def detail_of(decision: Message) -> bytes:
    """The hash of a verdict's content, field by field."""
    content = b""
    match decision["decision"]:
        case "allow":
            content = b"".join(lp(name) + lp(decision[name]) for name in ("mode", "offer") if name in decision)
        case "edit":
            content = lp("edit") + lp(decision["edit"])
        case "deny" if "offer" in decision:
            content = b"\xff" + b"".join(lp(name) + lp(decision[name]) for name in ("offer", "message") if name in decision)
        case "deny":
            content = decision.get("message", "").encode()
        case "answer":
            for answer in decision["answers"]:
                content += lp(answer["question"]) + len(answer["choices"]).to_bytes(4, "big") + b"".join(map(lp, answer["choices"])) + lp(answer.get("text", ""))
    return hashlib.sha256(content).digest() if content else b""


class SignedHost(ScriptedHost):
    def __init__(self, relay: Any, name: str = "laptop", **options: Any):
        self.sign, self.box = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        self.id = key_id(point(self.sign))
        self.secret = secrets.token_bytes(32)
        self.devices: dict[bytes, tuple[bytes, str]] = {}
        """Signing point and name of each that it trusts, by id."""
        self.joins: list[bytes] = []
        """Joins that it accepted."""
        self.shown: dict[str, str] = {}
        """Shown texts, by approval."""
        self.refusing: str | None = None
        """The reason it gives for not trusting anybody."""
        super().__init__(relay, name, key=b64(self.id), capabilities=("steer",), **options)

    @property
    def k(self) -> str:
        return b64(b"\x01" + self.id + self.secret)

    @property
    def machine_k(self) -> str:
        return b64(b"\x02" + self.secret)

    def link(self, code: str | None = None, k: str | None = None) -> str:
        """The link that `heliograph host trust` shows."""
        return f"{self.relay.url}/#{f'pair={code}&' if code else ''}k={k or self.k}"

    def start_session(self, session: str, **facts: Any) -> None:
        super().start_session(session, **facts)
        self.event(session, "steering.offered", {"actions": ["prompt", "interrupt", "mode", "stop"], "mode": "default", "modes": ["plan", "default", "acceptEdits"], "consent": b64(self.id)})

    def ask(self, session: str, tool: str, input: Any, approval: str = "a1", **head: Any) -> str:
        """Requests an approval whose head for the relay has less than the shown text."""
        body = head.pop("body", {"input": input})
        salt = secrets.token_bytes(16)
        inner = bytes.fromhex(input_digest(tool, input))
        digest = hashlib.sha256(domain("input") + salt + lp(tool) + inner).hexdigest()
        facts = {"approval": approval, "kind": "tool", "tool": tool, "title": str(input.get("command", tool)), **head, "digest": digest}
        event = {"kind": "approval.requested", "at": now_ms(), "head": facts, "body": body}
        text = json.dumps({"salt": b64(salt), "host": b64(self.id), "session": session, "event": event}, ensure_ascii=False)
        self.shown[approval] = text
        self.digests[approval] = digest
        self.event(session, "approval.requested", facts | {"title": "as the relay says"}, {"shown": text})
        return approval

    def signer_of(self, text: str, statement: Any) -> str | None:
        """The name of the trusted device that signed; None without a valid signature.

        `statement` makes the bytes from the count and the device's id.
        """
        form, id, number, signature = text.split(".")
        held = self.devices.get(unb64(id))
        if form != "1" or held is None:
            return None
        return held[1] if is_signed(held[0], unb64(signature), statement(int(number).to_bytes(8, "big"), unb64(id))) else None

    def who_decided(self, message: Message) -> str | None:
        decision, approval = message["decision"], message["approval"]
        shown = hashlib.sha256(domain("shown") + self.shown[approval].encode()).digest()
        return "signature" in decision and self.signer_of(decision["signature"], lambda number, device: domain("decision") + lp(self.id) + lp(message["session"]) + lp(approval)
            + lp(shown) + lp(bytes.fromhex(self.digests[approval])) + lp(decision["decision"].replace("edit", "allow")) + lp(detail_of(decision)) + number + lp(device)) or None  # fmt: skip

    def who_prompted(self, message: Message) -> str | None:
        """The device that signed a plain prompt, a mode, or a start without pictures; None without a valid signature."""
        def statement(count: bytes, device: bytes) -> bytes:
            if message["type"] == "prompt":
                return domain("prompt") + lp(self.id) + lp(message["session"]) + lp(message["id"]) + lp(hashlib.sha256(message["text"].encode()).digest()) + count + lp(device)
            content = lp(message["mode"]) if message["type"] == "mode" else lp(message["project"]) + lp(message["agent"]) + b"".join(
                b"\1" + lp(message[name]) if name in message else b"\0" for name in ("past", "mode", "model", "text")) + bytes(4)  # fmt: skip
            detail = hashlib.sha256(content).digest()
            return domain("steer") + lp(self.id) + lp(message["session"]) + lp(message["id"]) + lp(message["type"]) + lp(detail) + count + lp(device)

        return "signature" in message and self.signer_of(message["signature"], statement) or None

    @property
    def _pair_key(self) -> bytes:
        return HKDF(hashes.SHA256(), 32, salt=b"", info=domain("pair") + self.id).derive(self.secret)

    def _signed(self, body: bytes, tag: bytes = b"") -> bytes:
        r, s = utils.decode_dss_signature(self.sign.sign(body, ec.ECDSA(hashes.SHA256())))
        return b"\x01" + lp(body) + lp(tag) + lp(r.to_bytes(32, "big") + s.to_bytes(32, "big"))

    def answer(self, letter: bytes) -> bytes | None:
        """The host's answer to a `join` letter."""
        body, tag, signature = parts(letter[1:])
        assert body.startswith(domain("join"))
        host, sign, box, name, _ = parts(body[len(domain("join")) :])
        asked = hashlib.sha256(body).digest()
        if not is_signed(sign, signature, body) or host != self.id:
            return None
        reason = self.refusing
        if not hmac.compare_digest(tag, hmac.digest(self._pair_key, body, "sha256")):
            reason = "unknownSecret"
        elif self.joins and letter not in self.joins:
            reason = "usedSecret"
        if reason:
            return self._signed(domain("refusal") + lp(point(self.sign)) + lp(asked) + lp(reason) + lp(bytes(16)))
        self.joins.append(letter)
        self.devices[key_id(sign)] = (sign, name.decode())
        admit = domain("admit") + lp(asked) + lp(point(self.sign)) + lp(point(self.box)) + lp(secrets.token_bytes(16)) + lp(self.name)
        return self._signed(admit, hmac.digest(self._pair_key, admit, "sha256"))

    def _receive(self, message: Message) -> None:
        super()._receive(message)
        if message["type"] == "letter" and (said := self.answer(unb64(message["bytes"]))):
            self.connection.send({"type": "letter", "to": message["from"]["id"], "bytes": b64(said)})

    def wait_trusts(self, name: str) -> bytes:
        """Waits until the host trusts the device with that name; returns its id."""
        def found() -> Iterator[bytes]:
            return (id for id, (_, known) in self.devices.items() if known == name)

        wait_until(lambda: next(found(), None), 10, lambda: f"{name!r} to join; there are {self.devices}")
        return next(found())
