"""Signed consent with real processes: a host, a correct relay, and terminals with and without the host's trust."""

import json
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from client import WireClient
from consent import Shown, unb64
from daemon import Daemon
from own_agent import Asking, connect, end, post, question
from relay import BINARY, Relay, plain_environment
from steered import phone  # noqa: F401 (a fixture)
from trusting import devices, joined, restore_pins, shown_link, trusting
from waits import patient

OFFER = {"actions": ["prompt", "interrupt", "stop"]}
SESSION = "local-s1"


class Terminal:
    """A person's machine without relay or host, paired with the relay."""

    def __init__(self, folder: Path, relay: Relay, name: str):
        self.home = folder / name
        self.home.mkdir(parents=True)
        self.name = name
        code, _, error = self.run("login", relay.pair_link("operator"), "--name", name)
        assert code == 0, error

    def run(self, *arguments: str, input: str = "") -> tuple[int, str, str]:
        done = subprocess.run(
            [str(BINARY), *arguments], capture_output=True, text=True, input=input, timeout=patient(40), env=plain_environment(self.home)
        )
        return done.returncode, done.stdout, done.stderr

    def join(self, daemon: Daemon) -> dict[str, Any]:
        """Makes the host trust this terminal. Returns the output of the host's terminal."""
        process = trusting(daemon)
        code, out, error = self.run("trust", shown_link(process), "--name", self.name, "--json")
        assert code == 0, error
        device = joined(process)
        assert device["code"] == json.loads(out)["code"] and len(device["code"]) == 19, "both screens show the same"
        return device


@pytest.fixture
def terminal(tmp_path: Path, relay: Relay) -> Terminal:
    return Terminal(tmp_path / "terminals", relay, "laptop")


def asked(phone: WireClient, approval: str) -> dict[str, Any]:
    return phone.wait_card(lambda card: card["stage"] == "pending" and card["request"]["head"].get("call") == approval)


def settled(phone: WireClient, card: dict[str, Any]) -> str:
    end = phone.wait_card(lambda now: now["approval"] == card["approval"] and now["stage"] in ("stale", "applied", "cancelled"))
    return f"{end['stage']} {end.get('reason') or end.get('outcome')}"


def test_a_terminal_that_the_host_trusts_allows_and_nobody_else_does(daemon: Daemon, phone: WireClient, terminal: Terminal, tmp_path: Path, relay: Relay) -> None:
    before = Asking(daemon, question("s1", "open"))
    phone.decide(SESSION, asked(phone, "open")["approval"], "allow")
    assert before.answer()[1]["decision"] == "allow", "an open host takes the relay's word"
    terminal.join(daemon)

    asking = Asking(daemon, question("s1", "q1"))
    card = asked(phone, "q1")
    shown = Shown(card["request"])
    assert shown.event["body"]["input"] == {"to": "production"} and shown.session == SESSION
    code, out, error = terminal.run("approvals", "show", card["approval"])
    assert code == 0 and "production" in out and "not trusted" not in error
    code, _, error = terminal.run("approvals", "allow", card["approval"], "--yes")
    assert code == 0, error
    assert asking.answer()[1]["decision"] == "allow"

    asking = Asking(daemon, question("s1", "q2"))
    card = asked(phone, "q2")
    phone.decide(SESSION, card["approval"], "allow")
    assert asking.answer()[0] != 200, "its own prompt stays"
    assert settled(phone, card) == "stale unsigned"

    other = Terminal(tmp_path / "terminals", relay, "other")
    asking = Asking(daemon, question("s1", "q3"))
    card = asked(phone, "q3")
    code, _, error = other.run("approvals", "allow", card["approval"], "--yes")
    assert code == 1 and "not trusted by laptop yet" in error and "heliograph host trust" in error, error
    code, _, error = other.run("approvals", "deny", card["approval"], "-m", "no")
    assert code == 1 and "not trusted" in error
    code, _, error = other.run("approvals", "deny", card["approval"])
    assert code == 0, error
    assert asking.answer()[1]["decision"] == "deny"


def test_after_a_kill_the_terminal_is_still_trusted_and_its_signature_still_fits(daemon: Daemon, phone: WireClient, terminal: Terminal) -> None:
    device = terminal.join(daemon)
    asking = Asking(daemon, question("s1", "q1"))
    card = asked(phone, "q1")
    daemon.kill()
    assert asking.answer()[0] == 0
    daemon.start()
    daemon.wait_link()
    assert [entry["id"] for entry in devices(daemon)["devices"]] == [device["id"]]
    again = Asking(daemon, question("s1", "q1"))
    code, _, error = terminal.run("approvals", "allow", card["approval"], "--yes")
    assert code == 0, error
    assert again.answer()[1]["decision"] == "allow"


def test_prompts_are_signed_and_those_of_others_refused(daemon: Daemon, phone: WireClient, terminal: Terminal) -> None:
    terminal.join(daemon)
    assert post(daemon.socket, "steering", {"session": "s1", "offer": OFFER, "standing": "idle"}) == (200, {})
    phone.wait_summary(SESSION, lambda summary: summary.get("steering", {}).get("consent"))
    waiting = Asking(daemon, {"session": "s1"}, "steering/next")
    process = subprocess.Popen(
        [str(BINARY), "prompt", SESSION, "go on"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=plain_environment(terminal.home),
    )  # fmt: skip
    status, given = waiting.answer()
    assert status == 200 and given["text"] == "go on"
    post(daemon.socket, "steered", {"session": "s1", "client": given["by"]["id"], "command": given["id"], "stage": "taken"})
    assert end(process)[0] == 0

    phone.subscribe(SESSION)
    post(daemon.socket, "steering", {"session": "s1", "offer": OFFER, "standing": "idle"})
    phone.command("prompt", id="forged", session=SESSION, text="rm -rf /", busy="queue")
    event = phone.wait_event(SESSION, lambda event: event["kind"] == "steering.changed" and event["head"]["command"] == "forged")
    assert event["head"]["stage"] == "refused" and "signature" in event["head"]["reason"]


def test_a_device_that_is_distrusted_allows_nothing_more(daemon: Daemon, phone: WireClient, terminal: Terminal) -> None:
    device = terminal.join(daemon)
    done = subprocess.run([str(BINARY), "host", "distrust", device["code"]], capture_output=True, text=True, env=daemon.environment, timeout=patient(20))
    assert done.returncode == 0 and "trusted no more" in done.stdout, done.stderr
    asking = Asking(daemon, question("s1", "q1"))
    card = asked(phone, "q1")
    terminal.run("approvals", "allow", card["approval"], "--yes", "--wait", "2")
    assert asking.answer()[0] != 200
    assert settled(phone, card) == "stale notTrusted"
    done = subprocess.run([str(BINARY), "host", "distrust", device["code"]], capture_output=True, text=True, env=daemon.environment, timeout=patient(20))
    assert done.returncode == 1 and "no such device" in done.stderr


def test_a_terminal_sees_whom_its_host_trusts_and_ends_the_trust_in_another(daemon: Daemon, terminal: Terminal, tmp_path: Path, relay: Relay) -> None:
    own = terminal.join(daemon)
    lost = Terminal(tmp_path / "terminals", relay, "lost")
    device = lost.join(daemon)
    code, out, error = terminal.run("trust", "--devices", "--json")
    assert code == 0, error
    said = json.loads(out)
    assert (said["name"], said["count"]) == ("laptop", 2) and [one["code"] for one in said["devices"]] == [device["code"], own["code"]]
    code, out, error = terminal.run("trust", "--devices")
    assert code == 0 and f"{own['code']}  laptop  let in at its terminal" in out and "this terminal" in out, error
    code, out, error = terminal.run("trust", "--distrust", device["code"])
    assert code == 0 and "laptop trusts lost no more" in out, error
    assert [entry["id"] for entry in devices(daemon)["devices"]] == [own["id"]]
    code, _, error = terminal.run("trust", "--distrust", device["code"])
    assert code == 5 and "no host that is there trusts such a device" in error
    assert lost.run("trust", "--devices")[0] == 6, "who is gone is told nothing"


def test_a_link_works_once_and_not_after_its_command_has_ended(daemon: Daemon, terminal: Terminal, tmp_path: Path, relay: Relay) -> None:
    asking, waiting = connect(daemon.socket), connect(daemon.socket)
    asking.request("POST", "/v1/trust", b"{}")
    secret = json.loads(asking.getresponse().read())["secret"]
    waiting.request("GET", "/v1/trust")
    devices(daemon)
    waiting.close()
    code, _, error = terminal.run("trust", secret)
    assert code == 1 and "does not know this code" in error, error
    process = trusting(daemon)
    link = shown_link(process)
    assert terminal.run("trust", link)[0] == 0
    end(process)
    code, _, error = Terminal(tmp_path / "terminals", relay, "late").run("trust", link)
    assert code == 1 and "already been used" in error, error
    assert len(devices(daemon)["devices"]) == 1


def test_what_is_secret_is_the_owner_s_alone_and_the_relay_never_has_it(daemon: Daemon, terminal: Terminal, relay: Relay) -> None:
    process = trusting(daemon)
    link = shown_link(process)
    assert terminal.run("trust", link)[0] == 0
    end(process)
    folder = daemon.home / ".config/heliograph"
    for path in (folder / "identity.json", folder / "devices.json", terminal.home / ".config/heliograph/terminal-keys.json"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    kept = relay.files_text()
    for secret in (link.split("k=")[1], json.loads((folder / "identity.json").read_text())["sign"]):
        assert secret.encode() not in kept and unb64(secret) not in kept
        assert secret not in daemon.log_text()
    assert json.loads((folder / "host.json").read_text())["consent"] == "signed"


def test_consent_is_lowered_at_the_host_alone_and_remembered(daemon: Daemon, terminal: Terminal, phone: WireClient) -> None:
    terminal.join(daemon)
    daemon.stop()
    daemon.launch("--consent", "open")
    daemon.start()
    daemon.wait_link()
    asking = Asking(daemon, question("s1", "q1"))
    phone.decide(SESSION, asked(phone, "q1")["approval"], "allow")
    assert asking.answer()[1]["decision"] == "allow"
    daemon.stop()
    daemon.start()
    assert devices(daemon)["consent"] == "open" and len(devices(daemon)["devices"]) == 1


def test_restored_files_suspend_their_devices(daemon: Daemon, terminal: Terminal, phone: WireClient) -> None:
    """A backup of the pins contains old counts, so commands that a device sent later could be replayed."""
    terminal.join(daemon)
    restore_pins(daemon)
    assert devices(daemon)["devices"][0]["suspended"] is True
    asking = Asking(daemon, question("s1", "q1"))
    card = asked(phone, "q1")
    terminal.run("approvals", "allow", card["approval"], "--yes", "--wait", "2")
    assert asking.answer()[0] != 200
    assert settled(phone, card) == "stale restored"
    code, out, error = terminal.run("trust", "--renew")
    assert code == 0 and "takes what this terminal signs" in out, error
    asking = Asking(daemon, question("s1", "q2"))
    code, _, error = terminal.run("approvals", "allow", asked(phone, "q2")["approval"], "--yes")
    assert code == 0, error
    assert asking.answer()[1]["decision"] == "allow"


def test_the_largest_input_is_shown_whole_and_allowed_as_on_an_open_host(daemon: Daemon, phone: WireClient, terminal: Terminal) -> None:
    """A `shown` text takes twice the event's bytes, because quotes and backslashes are escaped once more."""
    terminal.join(daemon)
    text = '"' * 85_000
    asking = Asking(daemon, question("s1", "large", input={"text": text}))
    card = asked(phone, "large")
    shown = Shown(card["request"])
    assert len(json.dumps(card["request"])) > 256 << 10
    assert shown.event["body"]["input"] == {"text": text} and not shown.event["head"].get("cut")
    code, _, error = terminal.run("approvals", "allow", card["approval"], "--yes")
    assert code == 0, error
    assert asking.answer()[1]["decision"] == "allow"
