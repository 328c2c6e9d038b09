"""Wall clocks that jump, and simultaneous decisions of several clients."""

import os
import random
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from client import WireClient
from faketime import PREFIX, clock  # noqa: F401 (a fixture)
from follower import whole_log
from history import check_host
from host import ScriptedHost, now_ms
from relay import Relay

ROUNDS = int(os.environ.get("HELIOGRAPH_ROUNDS", "150"))
JUMPS = ["+1h", "-1h", "+10y", "-10y"]
HOUR_MS = 60 * 60 * 1000


@pytest.fixture
def jumping(tmp_path, clock) -> Iterator[Relay]:
    """A relay whose wall clock the test changes."""
    relay = Relay(tmp_path / "relay", prefix=PREFIX, environment=clock.environment)
    try:
        relay.start()
        yield relay
        relay.stop()
        relay.check_log()
    finally:
        relay.kill()


@pytest.fixture
def peers(jumping) -> Iterator[tuple[ScriptedHost, WireClient]]:
    host = ScriptedHost(jumping)
    host.start_session("s1")
    host.wait_acked("s1")
    phone = WireClient(jumping, "phone")
    phone.subscribe()
    phone.subscribe("s1")
    yield host, phone
    phone.close()
    host.close()
    phone.check()


def relay_time(host: ScriptedHost, phone: WireClient) -> int:
    """The relay's current time in ms, from the time stamp of a decision."""
    approval = host.request_approval("s1", "Bash", {"command": "date"})
    phone.wait_approval(approval, "pending")
    phone.decide("s1", approval, "allow")
    at = host.wait_decision(approval)["decision"]["at"]
    host.apply("s1", approval)
    phone.wait_approval(approval, "applied")
    return at


def offset_ms(jump: str) -> int:
    years = {"h": HOUR_MS, "y": 365 * 24 * HOUR_MS}
    return int(jump[:-1]) * years[jump[-1]]


@pytest.mark.parametrize("jump", JUMPS)
def test_the_wall_clock_jumps_while_the_relay_runs(jumping, clock, peers, jump):
    """Approvals do not expire early, events keep their order, and later approvals still have their whole time."""
    host, phone = peers
    open_for_an_hour = host.request_approval("s1", "Bash", {"command": "make"}, expiresAt=now_ms() + HOUR_MS)
    phone.wait_approval(open_for_an_hour, "pending")
    for number in range(10):
        host.event("s1", "message", {"role": "user"}, {"text": f"before {number}"})
    clock.jump(jump)
    shift = relay_time(host, phone) - now_ms()
    assert abs(shift - offset_ms(jump)) < HOUR_MS / 2, f"the clock did not jump: {shift} ms"
    for number in range(10):
        host.event("s1", "message", {"role": "user"}, {"text": f"after {number}"})
    after = host.request_approval("s1", "Bash", {"command": "make"}, expiresAt=now_ms() + HOUR_MS)
    phone.wait_approval(after, "pending")
    assert phone.decide("s1", open_for_an_hour, "allow")["stage"] == "decided"
    assert phone.decide("s1", after, "deny")["stage"] == "decided"
    host.wait_decision(after)
    host.wait_acked("s1")
    clock.jump("+0")
    log = whole_log(jumping, "s1")
    check_host(host, "s1", log)
    assert phone.kinds("s1") == [event["kind"] for event in log]
    assert "approval.expired" not in phone.kinds("s1")


def test_an_approval_ends_in_its_time_whatever_the_wall_clock_says(jumping, clock, peers):
    """Two approvals, each followed by a clock jump: both expire by the monotonic clock."""
    host, phone = peers
    asked = []
    for jump in ("-10y", "+10y"):
        asked.append(host.request_approval("s1", "Bash", {"command": jump}, expiresAt=now_ms() + 200))
        phone.wait_approval(asked[-1], "pending")
        clock.jump(jump)
    for approval in asked:
        phone.wait_approval(approval, "expired", timeout=20)


@pytest.mark.parametrize("jump", JUMPS)
def test_a_restart_with_another_clock_keeps_order_and_positions(jumping, clock, peers, jump):
    host, phone = peers
    for number in range(10):
        host.event("s1", "message", {"role": "user"}, {"text": f"before {number}"})
    host.wait_acked("s1")
    phone.wait_event("s1", lambda event: event.get("body") == {"text": "before 9"})
    position = phone.position("s1")
    jumping.stop()
    clock.jump(jump)
    jumping.start()
    host.wait_connected()
    for number in range(10):
        host.event("s1", "message", {"role": "user"}, {"text": f"after {number}"})
    host.wait_acked("s1")
    again = WireClient(jumping, "phone", phone.token)
    again.subscribe("s1", after=position)
    again.wait_event("s1", lambda event: event.get("body") == {"text": "after 9"})
    assert [event["body"]["text"] for event in again.logs["s1"]] == [f"after {number}" for number in range(10)]
    again.check()
    again.close()
    check_host(host, "s1", whole_log(jumping, "s1"))


def test_an_open_approval_ends_after_a_restart_with_a_clock_ahead(jumping, clock, peers):
    host, phone = peers
    approval = host.request_approval("s1", "Bash", {"command": "make"}, expiresAt=now_ms() + 300)
    host.wait_acked("s1")
    jumping.kill()
    clock.jump("+10y")
    jumping.start()
    late = WireClient(jumping, "late")
    late.subscribe()
    late.wait_approval(approval, "expired", timeout=20)
    late.close()


def test_an_open_approval_ends_after_a_restart_with_a_clock_behind(jumping, clock, peers):
    """The host states its total waiting time, so after a restart the remaining time cannot be longer."""
    host, phone = peers
    approval = host.request_approval("s1", "Bash", {"command": "make"}, expiresAt=now_ms() + 300)
    host.wait_acked("s1")
    jumping.kill()
    clock.jump("-1h")
    jumping.start()
    late = WireClient(jumping, "late")
    late.subscribe()
    try:
        late.wait_approval(approval, "expired", timeout=20)
    finally:
        late.close()



def test_simultaneous_decisions_are_one_register(relay, scripted_host, client):
    """A write-once register (Wing and Gong): some order of the calls, each within its own interval, has to explain every answer."""
    host = scripted_host(relay)
    host.start_session("s1")
    dice = random.Random(7)
    devices = [client(relay, f"device-{number}") for number in range(4)]
    for device in devices:
        device.subscribe()
    for round in range(ROUNDS):
        approval = host.request_approval("s1", "Bash", {"command": f"echo {round}"})
        for device in devices:
            device.wait_approval(approval)
        verdicts = [dice.choice(["allow", "deny"]) for _ in devices]
        calls: list[dict[str, Any]] = [{} for _ in devices]
        gate = threading.Barrier(len(devices))

        def decide(device: WireClient, verdict: str, call: dict[str, Any]) -> None:
            gate.wait()
            call["began"] = time.monotonic()
            call["reply"] = device.decide("s1", approval, verdict, id=f"{round}-{device.name}")
            call["ended"] = time.monotonic()

        threads = [threading.Thread(target=decide, args=one) for one in zip(devices, verdicts, calls)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        winner = host.wait_decision(approval)["decision"]
        check_register(devices, verdicts, calls, winner)
        host.apply("s1", approval)
    host.wait_acked("s1")
    assert len(host.decisions) == ROUNDS


def check_register(devices: list[WireClient], verdicts: list[str], calls: list[dict[str, Any]], winner: dict[str, Any]) -> None:
    by_name = {device.name: call for device, call in zip(devices, calls)}
    won = by_name[winner["by"]["name"]]
    # The winning decision must come before every answer, so no call may have ended before the winning one began.
    assert won["began"] <= min(call["ended"] for call in calls), f"{winner} began after another was answered"
    for device, verdict, call in zip(devices, verdicts, calls):
        if verdict == winner["decision"]:
            assert "error" not in call["reply"], call["reply"]
        else:
            assert call["reply"]["error"]["winner"] == winner, f"{device.name} was told {call['reply']}, the host {winner}"
