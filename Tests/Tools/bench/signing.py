"""The time from a decision to the waiting agent, at a host that requires a device's signature and at one that does not."""

import ctypes
import ctypes.util
import json
import socket
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import rows
from client import WireClient
from consent import Device, Shown
from cryptography.hazmat.primitives import serialization
from daemon import Daemon, paired
from own_agent import connect, post, question, send
from peer import compact
from relay import Relay
from servers import RelayServer
from trusting import trust_client
from wire import Message
from wire_bytes import frame, handshake

ROUNDS = 5
DECISIONS = 200
"""Of each kind in a round: one costs about a millisecond, and the medians are compared, round by round."""
WARM = 50
"""Rounds that are not counted."""
GOAL = 1.15
NAMES = ("open", "signed")
READ_BYTES = 1 << 20


class Signer:
    """Signs by OpenSSL with a prepared key, like terminals and apps: the tests' own module takes three times as long."""

    def __init__(self, device: Device):
        name = ctypes.util.find_library("crypto")
        assert name, "there is no libcrypto"
        library = ctypes.CDLL(name)
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        for function, result, *arguments in (
            ("d2i_AutoPrivateKey", pointer, pointer, pointer, ctypes.c_long), ("EVP_sha256", pointer), ("EVP_MD_CTX_new", pointer), ("EVP_MD_CTX_free", None, pointer),
            ("EVP_MD_CTX_copy_ex", ctypes.c_int, pointer, pointer), ("EVP_DigestSignInit", ctypes.c_int, *[pointer] * 5), ("EVP_DigestSign", ctypes.c_int, pointer, ctypes.c_char_p, pointer, ctypes.c_char_p, size),
        ):  # fmt: skip
            getattr(library, function).restype, getattr(library, function).argtypes = result, arguments
        encoded = device.sign_key.private_bytes(serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        key = library.d2i_AutoPrivateKey(None, ctypes.byref(ctypes.c_char_p(encoded)), len(encoded))
        self._library, self._ready, self._size, self._encoded = library, library.EVP_MD_CTX_new(), size(), ctypes.create_string_buffer(80)
        assert library.EVP_DigestSignInit(self._ready, None, library.EVP_sha256(), None, key) == 1, "OpenSSL does not take the key"

    def __call__(self, data: bytes) -> bytes:
        """Returns R followed by S."""
        library, encoded = self._library, self._encoded
        self._size.value = len(encoded)
        context = library.EVP_MD_CTX_new()
        is_done = library.EVP_MD_CTX_copy_ex(context, self._ready) == 1 and library.EVP_DigestSign(context, encoded, ctypes.byref(self._size), data, len(data)) == 1
        library.EVP_MD_CTX_free(context)
        assert is_done, "OpenSSL does not sign"
        second = 4 + encoded.raw[3]
        numbers = encoded.raw[4:second], encoded.raw[second + 2 : self._size.value]
        return b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in numbers)


class Phone:
    """A client that reads messages only on request, so that its reading is not part of the measured time."""

    def __init__(self, relay: Relay, token: str):
        self._socket = socket.create_connection(("127.0.0.1", relay.port))
        self._read = b""
        self._socket.sendall(handshake(relay.port, "client", token))
        while b"\r\n\r\n" not in self._read:
            self._read += self._socket.recv(READ_BYTES)
        answer, _, self._read = self._read.partition(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 101"), answer
        self.send({"type": "hello", "version": 1, "software": "bench"})
        self.send({"type": "subscribe", "id": "all"})

    def send(self, message: Message) -> None:
        self._socket.sendall(frame(compact(message)))

    def _take(self, count: int) -> bytes:
        while len(self._read) < count:
            more = self._socket.recv(READ_BYTES)
            assert more, "the relay has closed"
            self._read += more
        taken, self._read = self._read[:count], self._read[count:]
        return taken

    def _message(self) -> bytes:
        message = b""
        while True:
            first, size = self._take(2)
            if size >= 126:
                size = int.from_bytes(self._take(2 if size == 126 else 8))
            part = self._take(size)
            if first & 0x0F == 9:
                self._socket.sendall(bytes([0x8A, 0x80 | size]) + b"\0\0\0\0" + part)
            elif first & 0x0F < 2:
                message += part
                if first & 0x80:
                    return message
            else:
                raise ConnectionError("the relay has closed")

    def card(self, call: str) -> Message:
        """The pending approval of a tool call."""
        while True:
            text = self._message()
            if text.startswith(b'{"type":"approval"') and (card := json.loads(text)["approval"])["stage"] == "pending" and card["request"]["head"].get("call") == call:
                return card

    def close(self) -> None:
        self._socket.close()


def one(host: Daemon, phone: Phone, device: Device | None, name: str, call: str) -> float:
    """Milliseconds from a person's decision on a shown card to the agent."""
    agent = connect(host.socket)
    try:
        send(agent, "ask", question(name, call))
        card = phone.card(call)
        shown = Shown(card["request"]) if device else None
        message = {"type": "decide", "id": call, "session": card["session"], "approval": card["approval"], "digest": card["request"]["head"]["digest"], "decision": "allow"}
        start = time.perf_counter()
        phone.send(message | ({"signature": device.decide(shown, "allow")} if device and shown else {}))
        answer = agent.getresponse()
        took = (time.perf_counter() - start) * 1000
        content = json.loads(answer.read())
        assert answer.status == 200 and content["decision"] == "allow", content
    finally:
        agent.close()
    post(host.socket, "settled", {"session": name, "approval": call, "outcome": "ran"})
    return took


def signing(bench: rows.Bench) -> Iterator[str | rows.Ratio]:
    """Alternates between two hosts at one relay, so that other load of the machine affects both."""
    size = DECISIONS // (4 if bench.quick else 1)
    times: dict[str, list[float]] = {name: [] for name in NAMES}
    with RelayServer() as server, tempfile.TemporaryDirectory(prefix="hg-", ignore_cleanup_errors=True) as folder:
        homes = {name: Path(folder) / name for name in NAMES}
        for home in homes.values():
            home.mkdir()
        with paired(homes["open"], server.relay) as open_host, paired(homes["signed"], server.relay) as signed_host:
            joining = WireClient(server.relay, "bench", role="operator")
            joining.subscribe()
            trust_client(signed_host, joining)
            joining.close()
            device = joining.device
            assert device
            device.signer = Signer(device)
            phone = Phone(server.relay, joining.token)
            try:
                for number in range(WARM + size * ROUNDS):
                    times["open"].append(one(open_host, phone, None, "open", f"open-{number}"))
                    times["signed"].append(one(signed_host, phone, device, "signed", f"signed-{number}"))
            finally:
                phone.close()
    for name, found in times.items():
        found = sorted(found[WARM:])
        yield f"{name:<7} p50 {statistics.median(found):.2f} ms, p99 {found[len(found) * 99 // 100]:.2f} ms of {len(found)} decisions"
    rounds = [{name: statistics.median(found[WARM + size * number : WARM + size * (number + 1)]) for name, found in times.items()} for number in range(ROUNDS)]
    ratios = sorted(medians["signed"] / medians["open"] for medians in rounds)
    yield f"p50 signed / open of each round: {', '.join(f'{ratio:.2f}' for ratio in ratios)}"
    yield rows.Ratio(f"p50 signed / open, the median of {ROUNDS}", statistics.median(ratios), GOAL, True)
