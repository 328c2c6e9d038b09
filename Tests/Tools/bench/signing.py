"""From a decision to the agent that waits for it, where the host takes only what a device has signed, and where it takes everything."""

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import rows
from client import WireClient
from consent import Device, Shown
from daemon import paired
from own_agent import Asking, post, question
from servers import RelayServer
from trusting import trust_client
from wire import Message

ROUNDS = 5
DECISIONS = 100
"""Of each kind in a round: one costs a few milliseconds, and the medians are compared, round by round."""
WARM = 20
"""Not counted."""
GOAL = 1.15
NAMES = ("open", "signed")


def asked(message: Message, call: str) -> Message | None:
    """The card, if the message is one of this call that waits."""
    card = message["approval"] if message["type"] == "approval" else None
    return card if card and card["stage"] == "pending" and card["request"]["head"].get("call") == call else None


def decide(card: Message, id: str, device: Device | None) -> Message:
    signed = {"signature": device.decide(Shown(card["request"]), "allow")} if device else {}
    approval, digest = card["approval"], card["request"]["head"]["digest"]
    return {"type": "decide", "id": id, "session": card["session"], "approval": approval, "digest": digest, "decision": "allow"} | signed


def signing(bench: rows.Bench) -> Iterator[str | rows.Ratio]:
    """Two hosts at one relay, in turn: what else the machine does is in both."""
    count = DECISIONS // (4 if bench.quick else 1) * ROUNDS
    times: dict[str, list[float]] = {name: [] for name in NAMES}
    with RelayServer() as server, tempfile.TemporaryDirectory(prefix="hg-", ignore_cleanup_errors=True) as folder:
        homes = {name: Path(folder) / name for name in NAMES}
        for home in homes.values():
            home.mkdir()
        phone = WireClient(server.relay, "bench", role="operator")
        phone.subscribe()
        try:
            with paired(homes["open"], server.relay) as open_host, paired(homes["signed"], server.relay) as signed_host:
                trust_client(signed_host, phone)
                devices = {"open": None, "signed": phone.device}
                for number in range(WARM + count):
                    for name, host in (("open", open_host), ("signed", signed_host)):
                        call = f"{name}-{number}"
                        since = len(phone.messages)
                        asking = Asking(host, question(name, call))
                        card = phone.wait(lambda message, call=call: asked(message, call), what="the question", since=since)["approval"]
                        start = time.perf_counter()
                        # Without its reply, which is looked for every few milliseconds.
                        phone.connection.send(decide(card, call, devices[name]))
                        status, said = asking.answer()
                        times[name].append((time.perf_counter() - start) * 1000)
                        assert status == 200 and said["decision"] == "allow", said
                        post(host.socket, "settled", {"session": name, "approval": call, "outcome": "ran"})
        finally:
            phone.close()
    for name, found in times.items():
        found = sorted(found[WARM:])
        yield f"{name:<7} p50 {statistics.median(found):.2f} ms, p99 {found[len(found) * 99 // 100]:.2f} ms of {len(found)} decisions"
    size = count // ROUNDS
    rounds = [{name: statistics.median(found[WARM + size * number : WARM + size * (number + 1)]) for name, found in times.items()} for number in range(ROUNDS)]
    ratios = sorted(medians["signed"] / medians["open"] for medians in rounds)
    yield f"p50 signed / open of each round: {', '.join(f'{ratio:.2f}' for ratio in ratios)}"
    yield rows.Ratio(f"p50 signed / open, the median of {ROUNDS}", statistics.median(ratios), GOAL, True)
