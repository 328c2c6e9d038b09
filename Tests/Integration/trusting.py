"""A machine whose agents accept only commands signed by a trusted device: `heliograph host trust`, and the devices that scan its link."""

import json
import subprocess
from typing import Any

from playwright.sync_api import expect

from client import WireClient
from consent import Device, Opener, b64, unb64
from own_agent import end
from page_screen import Screen
from relay import BINARY
from waits import patient, wait_until


def trusting(machine: Any) -> subprocess.Popen[str]:
    """Starts `heliograph host trust` on anything with an `environment`. Its first line of output has the link; it ends once a device has joined."""
    return subprocess.Popen(
        [str(BINARY), "host", "trust", "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=machine.environment,
    )  # fmt: skip


def shown_link(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    line = process.stdout.readline()
    assert line, f"no link was shown: {process.communicate()}"
    return json.loads(line)["link"]


def joined(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The machine's terminal output about the device that joined."""
    code, out, error = end(process)
    assert code == 0, error
    return json.loads(out.splitlines()[-1])["device"]


def devices(machine: Any) -> dict[str, Any]:
    done = subprocess.run([str(BINARY), "host", "devices", "--json"], capture_output=True, text=True, env=machine.environment, timeout=patient(20))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def restore_pins(machine: Any) -> None:
    """Replaces the pins by a backup from two starts before, which has older counts of devices' commands."""
    file = machine.home / ".config/heliograph/devices.json"
    backup = file.read_bytes()
    for _ in range(2):
        machine.stop()
        machine.start()
    machine.stop()
    file.write_bytes(backup)
    machine.start()
    machine.wait_link()


def trust_page(machine: Any, one: Screen) -> dict[str, Any]:
    """Makes the machine trust the page: the page opens the link, and its person compares the codes."""
    process = trusting(machine)
    # The machine may use another address of the relay than the page.
    one.page.goto(one.relay.url + "/#" + shown_link(process).partition("#")[2])
    note = one.page.locator("trust-note")
    note.get_by_role("button", name="Trust").click()
    expect(note).to_contain_text("trusts this browser now")
    device = joined(process)
    expect(note.locator(".trust-code")).to_have_text(device["code"])
    note.get_by_role("button", name="Close").click()
    return device


def trust_client(machine: Any, client: WireClient) -> None:
    """Makes the client a trusted device, which then signs its decisions."""
    process = trusting(machine)
    client.device = join(client, shown_link(process).split("k=")[1])
    assert joined(process)["name"] == client.name

    def is_told() -> bool:
        return all("consent" in summary["steering"] for summary in client.summaries.values() if "steering" in summary and "endedAt" not in summary)

    wait_until(is_told, 20, "its sessions to say that prompts are to be signed")


def opener_of(client: WireClient, host: bytes) -> Opener:
    """Opens and seals content for a trusted client, once the host has given it keys."""
    device = client.device
    assert device

    def offer() -> Any:
        desks = [summary.get("steering", {}) for session, summary in client.summaries.items() if session.startswith("heliograph-")]
        return next((offer for offer in desks if any(unb64(wrap["device"]) == device.id for wrap in offer.get("wraps", []))), None)

    opener = Opener(device, host)
    opener.learn(wait_until(offer, 20, "keys for the client"))
    return opener


def join(client: WireClient, k: str, host: bytes | None = None) -> Device:
    """Joins by the secret of one host, or by that of a machine at the host with this key."""
    device = Device(client.name)
    text, body, pair_key = device.join(k, host)
    host = host or unb64(k)[1:17]
    since = len(client.messages)
    reply = client.command("letter", to=b64(host), bytes=text)
    assert "error" not in reply, reply
    answer = client.wait(lambda message: message["type"] == "letter" and message["from"] == b64(host), what="the host's answer", since=since)
    device.admitted(answer["bytes"], body, pair_key, host)
    return device
