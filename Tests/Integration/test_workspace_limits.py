"""Limits of single workspaces: changed while the relay runs, with both stores, and reported to peers that exceed them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from client import WireClient
from daemon import paired as paired_daemon
from faketime import PREFIX, JumpingClock, clock  # noqa: F401 (a fixture)
from host import ScriptedHost
from own_agent import Asking, event, post, question
from postgres import store  # noqa: F401 (a fixture)
from relay import Relay
from schema import assert_valid
from waits import wait_until
from wire import Message

OTHER = "Their own"
TRIM_SECONDS_MAX = 30


def run(relay: Relay, *words: str, check: bool = True) -> Any:
    return relay.run(*words, "--data", str(relay.data), check=check)


def limits(relay: Relay, *words: str) -> dict[str, int]:
    shown: dict[str, int] = json.loads(run(relay, "workspace", *words, "--json").stdout)["limits"]
    return shown


def tells(limit: str) -> Callable[[Message], bool]:
    return lambda message: message["type"] == "notice" and message["code"] == "tooMany" and message.get("limit") == limit


def test_a_quota_holds_at_once_and_is_told(
    store: list[str], make_relay: Callable[..., Relay], client: Callable[..., WireClient], tmp_path: Path
) -> None:
    relay = make_relay(*store)
    run(relay, "workspace", "add", OTHER)
    theirs = ScriptedHost(relay, "their laptop", relay.token("host", "their laptop", OTHER))
    ours = ScriptedHost(relay, "our laptop", relay.token("host", "our laptop", "default"))
    try:
        phone = client(relay, "their phone", token=relay.token("operator", "their phone", OTHER))
        phone.subscribe()
        assert limits(relay, "quota", OTHER) == {}
        data = relay.data
        if store:
            # The command runs on another machine; the relay reads the change from the database.
            data = tmp_path / "elsewhere"
            data.mkdir(mode=0o700)
            shutil.copy(relay.data / "store.url", data)
        said = relay.run("workspace", "quota", OTHER, "--sessions", "1", "--connections", "3", "--data", str(data)).stdout
        assert "sessions            1\n" in said and "megabytes           default\n" in said, said
        assert limits(relay, "quota", OTHER) == {"sessions": 1, "connections": 3}
        # The relay checks the database once a second.
        wait_until(lambda: turned_away(relay, phone), 30, "connections to be counted by the new limit")
        assert phone.wait(tells("connections"), what="word of the refused connection")["message"]

        theirs.start_session("s1")
        theirs.wait_acked("s1")
        theirs.start_session("s2")
        phone.wait(tells("sessions"), what="word of the refused session")
        notice = wait_until(lambda: next((message for message in theirs.received if message["type"] == "notice"), None), 10, "the host's notice")
        assert notice["code"] == "tooMany" and notice["session"] == "s2"
        for session in ("s1", "s2"):
            ours.start_session(session)
            ours.wait_acked(session)
        assert list(phone.summaries) == ["s1"]
        assert_valid("relay-to-client", phone.messages, each_type_max=100)
        log = [json.loads(line) for line in relay.log_text().splitlines() if "one too many" in line]
        assert [entry["metadata"]["limit"] for entry in log] == ["limits.sessionsPerWorkspace"]

        assert limits(relay, "quota", OTHER, "--sessions", "default") == {"connections": 3}
        # Repeats refused events until they are accepted, like a real host.
        theirs.disconnect()
        theirs.reconnect()
        theirs.wait_acked("s2", timeout=30)
    finally:
        for host in (theirs, ours):
            host.close()


def fill(host: ScriptedHost, session: str) -> int:
    """Asks and withdraws until the relay records no more; returns how often."""
    for number in range(1_000):
        if number % 20 == 0:
            wait_until(lambda: host.notices() or host.through.get(session, 0) >= 1 + 2 * number, 10, "an answer")
        if host.notices():
            return number
        host.cancel(session, host.request_approval(session, "Bash", {"command": "ls"}, title="x" * 1_000, approval=f"a{number}"))
    raise AssertionError("the relay takes everything")


def test_what_is_asked_without_end_fills_no_disk(store: list[str], make_relay: Callable[..., Relay], client: Callable[..., WireClient]) -> None:
    """No retention makes room for the audit log, so a workspace adds so much in a day; what is open is decided all the same."""
    relay = make_relay("--limits-record-megabytes-per-day-per-workspace", "1", *store)
    run(relay, "workspace", "add", OTHER)
    theirs = ScriptedHost(relay, "their laptop", relay.token("host", "their laptop", OTHER))
    try:
        phone = client(relay, "their phone", token=relay.token("operator", "their phone", OTHER))
        phone.subscribe()
        for session in ("s1", "s2"):
            theirs.start_session(session)
        stays = theirs.request_approval("s1", "Bash", {"command": "ls"})
        theirs.wait_acked("s1")
        fill(theirs, "s2")
        refused = theirs.notices()[0]
        assert refused["session"] == "s2"
        wait_until(lambda: theirs.through["s2"] == refused["seq"] - 1, 10, lambda: f"all before {refused}: {theirs.through}")
        phone.wait(tells("recordsPerDay"), what="word of the refused approval")
        audit = run(relay, "audit", "export", "--workspace", OTHER).stdout.splitlines()
        assert 100 < sum('"approval.requested"' in line for line in audit) < 600
        assert sum(len(line) for line in audit) < 1_200_000
        phone.subscribe("s1")
        assert phone.decide("s1", stays, "allow")["type"] == "reply"
        assert theirs.wait_decision(stays)
    finally:
        theirs.close()


def test_what_is_not_recorded_is_asked_at_the_agents_own_prompt(make_relay: Callable[..., Relay], short_path: Path) -> None:
    relay = make_relay("--limits-record-megabytes-per-day-per-workspace", "1")
    other = ScriptedHost(relay, "server")
    try:
        with paired_daemon(short_path, relay) as daemon:
            post(daemon.socket, "events", event("s1", "status.changed", {"status": "running"}))
            daemon.wait_delivered()
            other.start_session("s2")
            fill(other, "s2")
            # The answer comes long before the two minutes for which a question would wait.
            assert Asking(daemon, question("s1")).answer() == (204, None)
            post(daemon.socket, "events", event("s1", "message", {"role": "assistant"}, {"text": "goes on"}))
            daemon.wait_delivered()
    finally:
        other.close()


def turned_away(relay: Relay, phone: WireClient) -> bool:
    """Opens up to four connections; returns true once one is refused."""
    opened: list[WireClient] = []
    try:
        for _ in range(3):
            opened.append(WireClient(relay, "their phone", phone.token))
    except InvalidStatus as refused:
        assert refused.response.status_code == 503, refused
        return True
    finally:
        for one in opened:
            one.close()
    return False


@pytest.mark.parametrize("words", [["--sessions", "0"], ["--megabytes", "-1"], ["--pushes", "many"], ["--connections", "1000001"]])
def test_what_is_no_limit_is_refused(relay: Relay, words: list[str]) -> None:
    refused = run(relay, "workspace", "quota", "default", *words, check=False)
    assert refused.returncode == 2 and words[0] in refused.stderr, refused.stderr
    assert run(relay, "workspace", "retention", "default", "--days", "36501", check=False).returncode == 2
    assert run(relay, "workspace", "quota", "absent", "--sessions", "5", check=False).returncode != 0
    assert limits(relay, "quota", "default") == {}


def test_a_workspace_keeps_its_sessions_for_its_own_time(store: list[str], tmp_path: Path, clock: JumpingClock) -> None:
    """After ten days, a workspace with seven days of retention on a relay that keeps a month."""
    relay = Relay(tmp_path / "relay", ["--keep-days", "30", *store], prefix=PREFIX, environment=clock.environment)
    relay.start()
    run(relay, "workspace", "add", OTHER)
    tokens = {name: [relay.token(role, f"{name} {role}", name) for role in ("host", "operator")] for name in ("default", OTHER)}
    for name, (of_host, _) in tokens.items():
        host = ScriptedHost(relay, name, of_host)
        host.start_session("s1")
        host.event("s1", "message", {"role": "user"}, {"text": "launch the missiles"})
        host.event("s1", "session.ended", {})
        host.wait_acked("s1")
        host.close()
    assert limits(relay, "retention", OTHER, "--days", "7") == {"keepDays": 7}
    relay.stop()
    clock.jump("+10d")
    relay.start()
    run(relay, "clock", "--confirm")
    wait_until(lambda: relay.metric("heliograph_sessions") == 1, TRIM_SECONDS_MAX, "one session to go")
    for name, (_, of_client) in tokens.items():
        phone = WireClient(relay, "phone", of_client)
        phone.subscribe()
        assert list(phone.summaries) == (["s1"] if name == "default" else [])
        phone.close()
    relay.stop()
    relay.check_log()
