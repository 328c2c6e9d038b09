"""A device that a host trusts vouches for another one: terminals and pages with a real host, and a malicious relay between them."""

import asyncio
import hmac
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from client import WireClient
from consent import Device, b64, body_parts, domain, hkdf, letter, lp, point, read_letter, sha, u64, unb64
from daemon import Daemon, paired
from own_agent import Asking, end, question
from page_screen import PHONE, Screen
from relay import BINARY, Relay, plain_environment
from signed_host import short_code
from steered import phone  # noqa: F401 (a fixture)
from test_consent import Terminal, asked
from test_consent_relay import Host, host  # noqa: F401 (a fixture)
from test_page_trusted import allow
from test_web_push_firefox import Stage, on_stage
from trusting import devices, joined, trust_client, trust_page, trusting
from trusting import shown_link as shown_at_host
from waits import patient


def start(environment: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(BINARY), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


class Vouching:
    """Starts `heliograph trust --vouch --json`, which waits for a device."""

    def __init__(self, environment: dict[str, str]):
        self.process = start(environment, "trust", "--vouch", "--json")
        self.link: str = self.line()["link"]
        self.k = self.link.split("k=")[1]

    def line(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, f"nothing more is said: {self.process.communicate()}"
        return json.loads(line)

    def say(self, word: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()


def told_code(process: subprocess.Popen[str]) -> str:
    """The code that the new device's terminal shows while it waits."""
    assert process.stderr
    for line in process.stderr:
        if "Confirm it at the other device" in line:
            return line.rstrip()[-19:]
    raise AssertionError(f"no code was shown: {process.communicate()}")


@pytest.fixture
def terminals(tmp_path: Path, relay: Relay) -> Callable[[str], Terminal]:
    return lambda name: Terminal(tmp_path / "terminals", relay, name)


def test_a_terminal_brings_another_one_which_then_decides_and_brings_nobody(
    daemon: Daemon, phone: WireClient, terminals: Callable[[str], Terminal], relay: Relay
) -> None:  # fmt: skip
    one, other = terminals("laptop"), terminals("tablet")
    own = one.join(daemon)
    vouching = Vouching(plain_environment(one.home))
    joining = start(plain_environment(other.home), "trust", vouching.link, "--name", "tablet", "--json")
    code = told_code(joining)
    newcomer = vouching.line()["newcomer"]
    assert newcomer["name"] == "tablet" and newcomer["code"] == code, "both screens show the same"
    assert [entry["id"] for entry in devices(daemon)["devices"]] == [own["id"]], "nothing happens before a person says so"
    vouching.say("y")
    status, out, error = end(vouching.process)
    assert status == 0 and json.loads(out)["name"] == "laptop", error
    status, out, error = end(joining)
    assert status == 0 and json.loads(out)["code"] == code, error
    brought = devices(daemon)["devices"][-1]
    assert (brought["name"], brought["by"]) == ("tablet", own["id"]) and set(brought["may"]) == {"allow", "answer", "prompt"}
    assert '"a device is trusted"' in daemon.log_text() and code in daemon.log_text()
    assert vouching.k.encode() not in relay.files_text() and unb64(vouching.k)[17:49] not in relay.files_text()

    asking = Asking(daemon, question("s1", "q1"))
    status, _, error = other.run("approvals", "allow", asked(phone, "q1")["approval"], "--yes")
    assert status == 0, error
    assert asking.answer()[1]["decision"] == "allow"

    third = terminals("third")
    vouching = Vouching(plain_environment(other.home))
    joining = start(plain_environment(third.home), "trust", vouching.link)
    vouching.line()
    vouching.say("y")
    status, _, error = end(vouching.process)
    assert status == 1 and "laptop does not let this terminal bring others" in error, error
    status, _, error = end(joining)
    assert status == 1 and "did not let this terminal in" in error, error
    assert len(devices(daemon)["devices"]) == 2


def test_a_person_who_sees_another_code_lets_nobody_in(daemon: Daemon, terminals: Callable[[str], Terminal]) -> None:
    one, other = terminals("laptop"), terminals("tablet")
    one.join(daemon)
    vouching = Vouching(plain_environment(one.home))
    joining = start(plain_environment(other.home), "trust", vouching.k)
    vouching.line()
    late = terminals("late").run("trust", vouching.link)
    assert late[0] == 1 and "Another device has already used this link" in late[2], late
    vouching.say("n")
    status, _, error = end(vouching.process)
    assert status == 1 and "another device has this link, too" in error and "nobody was let in" in error, error
    assert "did not let this terminal in" in end(joining)[2]
    assert len(devices(daemon)["devices"]) == 1
    status, _, error = other.run("trust", "--vouch")
    assert status == 5 and "no host trusts this terminal" in error, error


def shown_link(one: Screen) -> str:
    one.go("#/link")
    one.page.get_by_role("button", name="Pair another device").click()
    code = one.page.get_by_role("dialog").locator("code")
    expect(code).to_contain_text("#pair=")
    return code.inner_text()


def pair(one: Screen, link: str, name: str) -> None:
    one.page.goto(link)
    field = one.page.get_by_label("Name of this device")
    expect(field).not_to_have_value("")
    field.fill(name)
    one.page.get_by_role("button", name="Pair this device").click()
    one.expect_live()


def test_a_page_brings_a_page_and_the_others_are_told(daemon: Daemon, screen: Callable[..., Screen]) -> None:
    one, witness = screen(role="operator"), screen(name="Bob's phone", role="operator")
    own = trust_page(daemon, one)
    trust_page(daemon, witness)
    one.page.locator("trust-note").get_by_role("button", name="Close").click()
    link = shown_link(one)
    dialog = one.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Once you have compared its code here, laptop does what it signs, too.")
    other = screen(paired=False, size=PHONE)
    said: list[str] = []
    for page in (one.page, other.page):
        page.on("request", lambda request: said.append(f"{request.url} {request.post_data or ''}"))
        page.on("websocket", lambda socket: socket.on("framesent", lambda text: said.append(str(text))))
    pair(other, link, "Ada's tablet")
    note = other.page.locator("trust-note")
    expect(note).to_contain_text("Confirm it on the device that shows the link.")
    expect(dialog).to_contain_text("Ada's tablet wants to decide for your machines, too.")
    code = note.locator(".trust-code").inner_text()
    expect(dialog.locator(".trust-code")).to_have_text(code)
    one.expect_accessible()
    one.expect_no_overflow()
    other.expect_accessible()
    assert len(devices(daemon)["devices"]) == 2, "nothing happens before a person says so"
    dialog.get_by_role("button", name="Let it in").click()
    expect(dialog).to_contain_text("laptop trusts Ada's tablet now.")
    expect(note).to_contain_text("laptop trusts this browser now. The device that brought it shows the same code:")
    expect(note.locator(".trust-code")).to_have_text(code)
    brought = devices(daemon)["devices"][-1]
    assert (brought["name"], brought["by"]) == ("Ada's tablet", own["id"]) and "vouch" not in brought["may"]
    assert code in daemon.log_text()
    secret = b64(unb64(link.split("k=")[1])[17:49])
    assert said and not any(secret[2:-2] in text or link.split("k=")[1] in text for text in said)
    expect(witness.page.locator("trust-note")).to_contain_text(f"Ada's tablet ({code}) is now trusted by laptop, brought by Ada's phone.")

    dialog.get_by_role("button", name="Done").click()
    expect(one.page.locator("trust-note")).to_be_hidden()
    note.get_by_role("button", name="Close").click()
    asking = Asking(daemon, question("s1", "q1"))
    allow(other)
    assert asking.answer()[1]["decision"] == "allow"
    # A device that was vouched for cannot vouch, so its link only pairs with the relay.
    assert "k=" not in shown_link(other)


def test_a_page_turns_a_device_away_and_brings_a_terminal(daemon: Daemon, screen: Callable[..., Screen], terminals: Callable[[str], Terminal]) -> None:
    one, terminal = screen(role="operator"), terminals("laptop")
    trust_page(daemon, one)
    link = shown_link(one)
    dialog = one.page.get_by_role("dialog")
    other = screen(paired=False)
    pair(other, link, "Mallory's phone")
    dialog.get_by_role("button", name="Do not").click()
    expect(dialog).to_contain_text("Mallory's phone was not let in.")
    expect(other.page.locator("trust-note")).to_contain_text("The device that shows the link did not let this browser in.")
    dialog.get_by_role("button", name="Done").click()

    k = shown_link(one).split("k=")[1]
    joining = start(plain_environment(terminal.home), "trust", k, "--name", "laptop")
    expect(dialog.locator(".trust-code")).to_have_text(told_code(joining))
    dialog.get_by_role("button", name="Let it in").click()
    status, out, error = end(joining)
    assert status == 0 and "laptop trusts this terminal" in out, error
    assert [entry["name"] for entry in devices(daemon)["devices"]] == ["Ada's phone", "laptop"]


def test_firefox_brings_a_terminal(tmp_path: Path, short_path: Path) -> None:
    async def travel(stage: Stage) -> None:
        firefox = stage.firefox
        with paired(short_path, stage.relay) as daemon:
            witness = await asyncio.to_thread(WireClient, stage.relay, "witness", role="operator")
            await asyncio.to_thread(trust_client, daemon, witness)
            machine = await asyncio.to_thread(trusting, daemon)
            await firefox.open(await asyncio.to_thread(shown_at_host, machine))
            await firefox.press("Trust")
            await firefox.expect_text("laptop trusts this browser now")
            own = await asyncio.to_thread(joined, machine)
            await firefox.press("Close")
            # A page vouches only once the host has reported its trusted devices.
            await firefox.run("void (location.hash = '#/devices')")
            await firefox.expect_text("let in at the terminal")
            await firefox.run("void (location.hash = '#/link')")
            await firefox.press("Pair another device")
            link = "document.querySelector('dialog[open] code')?.innerText ?? ''"
            await firefox.until(f"({link}).includes('k=')", "a link with a secret")
            k = (await firefox.run(link)).split("k=")[1]
            terminal = await asyncio.to_thread(Terminal, tmp_path / "terminals", stage.relay, "laptop")
            joining = await asyncio.to_thread(start, plain_environment(terminal.home), "trust", k, "--name", "laptop")
            await firefox.expect_text(await asyncio.to_thread(told_code, joining))
            await firefox.press("Let it in")
            status, out, error = await asyncio.to_thread(end, joining)
            assert status == 0 and "laptop trusts this terminal" in out, error
            assert [(entry["name"], entry["by"]) for entry in devices(daemon)["devices"][2:]] == [("laptop", own["id"])]
            await asyncio.to_thread(witness.close)

    on_stage(tmp_path, travel)



def send(host: Host, text: str, client: str = "c1") -> tuple[str, bytes]:
    """Sends a letter to the host; returns the kind of its answer, and the reason of a refusal."""
    answers = len(host.relay.letters)
    host.relay.letter(text, client)
    body, _, _ = read_letter(unb64(host.relay.wait(lambda: host.relay.letters[answers:], "an answer")[0]["bytes"]))
    kind = body.split(b"\0")[0].removeprefix(b"heliograph/v1/").decode()
    return kind, body_parts(body, kind)[2] if kind == "refusal" else b""


def pinned(host: Host) -> list[str]:
    return [entry["name"] for entry in devices(host.daemon)["devices"]]


def test_a_bad_relay_brings_no_device_by_forged_replayed_or_swapped_vouches(host: Host) -> None:
    device, tablet, thief, stranger = Device(), Device("tablet"), Device("thief"), Device("stranger")
    host.trust(device)
    keys = {"sign": point(thief.sign_key), "box": point(thief.box_key)}
    genuine = device.vouch(host.key, tablet)
    body, _, signature = read_letter(unb64(genuine))
    swapped = body.replace(point(tablet.sign_key), keys["sign"]).replace(point(tablet.box_key), keys["box"])
    forged = {
        "signed by the thief in the device's name": thief.vouch(host.key, thief, 99, id=device.id),
        "signed by a device that is not trusted": stranger.vouch(host.key, stranger),
        "other keys under the device's signature": b64(b"\1" + lp(swapped) + lp(b"") + lp(signature)),
        "another name under it": b64(b"\1" + lp(body.replace(b"tablet", b"laptop")) + lp(b"") + lp(signature)),
        "for another host": device.vouch(stranger.id, thief, 98),
    }
    for what, text in forged.items():
        kind, reason = send(host, text)
        assert kind == "refusal" and reason in (b"badSignature", b"notTrusted", b"notForThis"), (what, reason)
    assert pinned(host) == ["Ada's phone"]
    assert send(host, genuine) == ("receipt", b"")
    assert send(host, genuine, "c9") == ("receipt", b""), "again, from wherever: it has one effect"
    assert pinned(host) == ["Ada's phone", "tablet"]
    # A device that was vouched for cannot vouch, and an old vouch does not admit a device again.
    assert send(host, tablet.vouch(host.key, thief)) == ("refusal", b"notTrusted")
    assert send(host, device.vouch(host.key, thief, 1)) == ("refusal", b"oldCount")
    done = subprocess.run([str(BINARY), "host", "distrust", b64(tablet.id)], capture_output=True, text=True, env=host.daemon.environment, timeout=patient(20))
    assert done.returncode == 0, done.stderr
    assert send(host, genuine) == ("refusal", b"distrusted")
    host.daemon.kill()
    host.daemon.start()
    host.daemon.wait_link()
    assert send(host, genuine) == ("refusal", b"distrusted")
    assert pinned(host) == ["Ada's phone"]


def test_a_bad_relay_between_two_devices_lets_itself_in_nowhere(host: Host, tmp_path: Path) -> None:
    """Two real terminals: one that the host trusts, and one that it vouches for. The relay sees their letters, but not the secret."""
    relay = host.relay

    def environment(name: str) -> dict[str, str]:
        home = tmp_path / name
        home.mkdir()
        return plain_environment(home) | {"HELIOGRAPH_RELAY": relay.url, "HELIOGRAPH_TOKEN": name}

    def letters(name: str, **fields: str) -> list[str]:
        with relay.lock:
            return [message["bytes"] for sender, message in relay.client_letters if sender == name and fields.items() <= message.items()]

    def carry(sender: str, **receiver: str) -> str:
        return relay.wait(lambda: letters(sender, **receiver), f"a letter of {sender}")[-1]

    # The relay behaves correctly until the host trusts the first terminal.
    process, secret = host.trusting()
    one = environment("one")
    joining = start(one, "trust", secret)
    answers = len(relay.letters)
    relay.letter(carry("one"), "one")
    relay.tell("one", relay.wait(lambda: relay.letters[answers:], "an answer")[0]["bytes"], **{"from": b64(host.key)})
    assert end(joining)[0] == 0 and end(process)[0] == 0

    # Links that would make the new device's browser send the secret to the relay.
    for link in (f"{relay.url}/r?c=CODE", f"{relay.url}/r?c=#pair=CODE&x=", f"{relay.url}/#pair=CODE&x="):
        relay.pairing_link = link
        status, out, error = end(start(one, "trust", "--vouch", "--json"))
        assert status != 0 and out == "" and "does not fit" in error, (link, out, error)
    relay.pairing_link = ""
    vouching = Vouching(one)
    assert "#k=" in vouching.link
    raw = unb64(vouching.k)
    voucher, client = raw[1:17], raw[49:].decode()
    assert client == "one"
    joining = start(environment("two"), "trust", vouching.link)
    code = told_code(joining)
    join = carry("two", client="one")
    body, tag, _ = read_letter(unb64(join))
    # The relay poses as the new device: with its own keys and secrets, and with letters that it has seen.
    thief = Device("two")
    _, sign, box, _, _ = body_parts(body, "join")
    swapped = body.replace(sign, point(thief.sign_key)).replace(box, point(thief.box_key))
    guessed = b64(b"\3" + voucher + os.urandom(32) + b"one")
    for forged in (
        letter(swapped, thief.sign_key, tag),
        letter(swapped, thief.sign_key, hmac.digest(hkdf(os.urandom(32), domain("pair") + voucher), swapped, "sha256")),
        unb64(thief.join(guessed)[0]),
    ):
        relay.tell("one", b64(forged), client="two")
    relay.tell("one", join, client="two")
    assert vouching.line()["newcomer"]["code"] == code, "the first that knows the secret is the one that was shown it"
    # The relay poses as the vouching device: it introduces its own host without the secret, or in reply to another join.
    introduction = domain("introduce") + lp(sha(body)) + lp(point(thief.sign_key)) + lp(point(thief.sign_key)) + lp(point(thief.box_key)) + lp(b"laptop") + u64(1)
    refusal = domain("refusal") + lp(point(thief.sign_key)) + lp(sha(body)) + lp(b"notTrusted") + lp(bytes(16))
    for forged in (letter(introduction, thief.sign_key, tag), letter(introduction, thief.sign_key, os.urandom(32)), letter(refusal, thief.sign_key)):
        relay.tell("two", b64(forged), client="one")
    vouching.say("y")
    vouches = lambda: [text for text in letters("one", to=b64(host.key)) if domain("vouch") in unb64(text)]  # noqa: E731
    vouch = relay.wait(vouches, "a vouch")[-1]
    # A forged receipt, followed by the host's own answer.
    relay.tell("one", b64(letter(domain("receipt") + lp(point(thief.sign_key)) + lp(sha(read_letter(unb64(vouch))[0])), thief.sign_key)), **{"from": b64(host.key)})
    assert not letters("one", client="two"), "nobody is introduced before the host has said yes"
    answers = len(relay.letters)
    relay.letter(vouch, "one")
    relay.tell("one", relay.wait(lambda: relay.letters[answers:], "an answer")[0]["bytes"], **{"from": b64(host.key)})
    introduced = carry("one", client="two")
    assert end(vouching.process)[0] == 0
    assert joining.poll() is None
    altered = bytearray(unb64(introduced))
    altered[-80] ^= 1
    relay.tell("two", b64(bytes(altered)), client="one")
    relay.tell("two", introduced, client="one")
    status, out, error = end(joining)
    assert status == 0 and code in out and error.count("was ignored") >= 3, (out, error)
    assert [short_code(unb64(entry["id"])) for entry in devices(host.daemon)["devices"]][1:] == [code]
    # The letters that the relay saw are useless for another device, because the link was for one.
    known = json.loads((tmp_path / "two/.config/heliograph/hosts.json").read_text())
    assert [unb64(entry["id"]) for entry in known["hosts"]] == [host.key]
