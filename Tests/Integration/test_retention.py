"""Retention in a real relay: real files, a real restart."""

import json
import time

from faketime import PREFIX, clock  # noqa: F401 (a fixture)
from host import ScriptedHost
from relay import Relay
from schema import assert_valid
from waits import wait_until

KEPT_MEGABYTES = 1
TEXT = "x" * 4000
EVENTS = 200  # each session's events have about 800 kB
BATCH = 50
TRIM_SECONDS_MAX = 30


def fill(host, session: str, ended: bool) -> None:
    host.start_session(session)
    for _ in range(EVENTS // BATCH):
        host.events(session, [("message", {"role": "assistant", "summary": TEXT})] * BATCH)
    if ended:
        host.event(session, "session.ended", {})
    host.wait_acked(session)


def test_ended_sessions_go_first_and_positions_stay_honest(make_relay, scripted_host, client):
    """Above its limit of a megabyte a workspace loses its ended sessions, oldest first; a client with a position in one gets a reset."""
    relay = make_relay()
    host = scripted_host(relay)
    for session in ("first", "second", "third"):
        fill(host, session, ended=session != "third")
    relay.stop()
    relay.arguments += ["--keep-megabytes", str(KEPT_MEGABYTES)]
    relay.start()
    phone = client(relay)
    phone.subscribe()
    for session in ("first", "second"):
        phone.wait(
            lambda message: message["type"] == "removed" and message["session"] == session,
            timeout=TRIM_SECONDS_MAX, what=f"{session} to be removed",
        )  # fmt: skip
    removed = [message["session"] for message in phone.messages if message["type"] == "removed"]
    assert removed == ["first", "second"]
    welcome = next(message for message in phone.messages if message["type"] == "welcome")
    position = {"epoch": welcome["epoch"], "seq": 3}
    assert phone.command("subscribe", session="first", after=position)["error"]["code"] == "notFound"

    # Its host continues a removed session with the next numbers; the missing events before are reported.
    host.wait_connected()
    number = host.event("first", "session.started", {"agent": {"name": "claude-code"}})
    host.wait_acked("first")
    phone.subscribe("first", after=position)
    reset = phone.wait(lambda message: message["type"] == "reset", what="reset")
    assert reset["reason"] == "trimmed"
    snapshot = phone.wait(lambda message: message["type"] == "snapshot" and message.get("session") == "first", what="a snapshot")
    assert snapshot["first"] == snapshot["seq"] == snapshot["summary"]["first"] == number == EVENTS + 3
    assert_valid("relay-to-client", phone.messages, each_type_max=100)


def test_a_start_with_a_clock_ahead_removes_nothing_until_somebody_confirms_it(tmp_path, clock):
    """With a clock 400 days ahead nothing is removed, and log, doctor and a metric give the reason; once a person confirms the clock, old sessions
    are removed and counted.
    """
    relay = Relay(tmp_path / "relay", ["--keep-days", "30"], prefix=PREFIX, environment=clock.environment)
    relay.start()
    host = ScriptedHost(relay)
    sessions = [f"s{number}" for number in range(20)]
    for session in sessions:
        host.start_session(session)
        host.event(session, "session.ended", {})
        host.wait_acked(session)
    host.close()
    relay.stop()
    clock.jump("+400d")
    relay.start()
    assert "the clock has jumped" in relay.log_text()
    assert relay.metric("heliograph_clock_believed") == 0
    doctor = relay.run("doctor", "--data", str(relay.data), check=False).stdout
    assert "400 days ahead" in doctor and "heliograph clock --confirm" in doctor, doctor
    assert "400 days ahead" in relay.run("clock", "--data", str(relay.data)).stdout
    # Retention runs five seconds after a start.
    time.sleep(7)
    assert relay.metric("heliograph_sessions") == len(sessions)
    assert relay.metric('heliograph_sessions_removed_total{reason="age"}') == 0

    confirmed = relay.run("clock", "--confirm", "--data", str(relay.data)).stdout
    assert "is believed" in confirmed, confirmed
    wait_until(
        lambda: relay.metric('heliograph_sessions_removed_total{reason="age"}') == len(sessions), TRIM_SECONDS_MAX, "what is old to be removed"
    )
    assert relay.metric('heliograph_events_removed_total{reason="age"}') == 2 * len(sessions)
    told = [json.loads(line) for line in relay.log_text().splitlines() if "removed history" in line]
    assert len(told) == 1
    assert told[0]["metadata"]["reason"] == "age" and told[0]["metadata"]["sessions"] == "20" and "oldest" in told[0]["metadata"]
    relay.stop()
    relay.check_log()
