"""Pictures in prompts on the page: choosing, shrinking, sending and showing them, and errors."""

import sqlite3
import struct
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from page_screen import PHONE, Screen
from pictures import bring, named, png

NARROW = {"width": 320, "height": 640}
OFFER = {"actions": ["prompt", "interrupt", "mode"], "mode": "default", "modes": ["plan", "default"], "commands": ["/compact"], "pictures": True}


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop", capabilities=("steer",))
    for session in ("s1", "s2"):
        host.start_session(session, title="Fix the login", project="webshop")
        host.event(session, "steering.offered", OFFER if session == "s1" else OFFER | {"pictures": False})
        host.event(session, "status.changed", {"status": "idle"})
        host.wait_acked(session)
    return host


def opened(screen: Callable[..., Screen], session: str = "s1", **options: Any) -> Screen:
    one = screen(role="operator", **options)
    one.go(f"#/session/{session}")
    expect(one.page.get_by_label("Tell the agent")).to_be_visible()
    return one


def choose(one: Screen, file: bytes, name: str = "screen.png") -> None:
    one.page.locator("session-composer input[type=file]").set_input_files([{"name": name, "mimeType": "image/png", "buffer": file}])


def chosen(one: Screen) -> Locator:
    return one.page.get_by_role("list", name="Pictures that go with it").get_by_role("listitem")


def add(one: Screen) -> Locator:
    return one.page.get_by_role("button", name="Add a picture")


def send(one: Screen, text: str) -> None:
    one.page.get_by_label("Tell the agent").fill(text)
    one.page.get_by_role("button", name="Send", exact=True).click()


def problem(one: Screen) -> Locator:
    return one.page.locator("session-composer [role=alert]")


@pytest.mark.parametrize("size", [PHONE, NARROW], ids=["phone", "narrow"])
def test_a_picture_is_drawn_small_sent_and_shown_with_its_prompt(screen: Callable[..., Screen], host: Any, relay: Any, size: dict[str, int]) -> None:
    one = opened(screen, size=size)
    # A phone's photo, larger than the size that models use.
    photo = png(2400, 1200)
    choose(one, photo)
    expect(chosen(one)).to_have_count(1)
    expect(chosen(one).locator("canvas")).to_be_visible()
    one.expect_accessible()
    one.expect_no_overflow()
    send(one, "what is this?")
    prompt = host.wait_steered("prompt")
    assert len(prompt["pictures"]) == 1
    picture = prompt["pictures"][0]
    got = relay.get(f"/v1/pictures/{picture['digest']}", {"Authorization": f"Bearer {host.token}"})
    assert got.status == 200 and len(got.body) == picture["bytes"] and picture["type"] == "image/png"
    assert struct.unpack(">II", got.body[16:24]) == (1568, 784)
    expect(chosen(one)).to_have_count(0)
    expect(one.page.locator("waiting-prompts li")).to_contain_text("what is this?")
    host.steered(prompt, "taken")
    asked = one.timeline().locator('[data-kind="steering.requested"]')
    shown = asked.get_by_role("button", name="Picture")
    expect(shown.locator("canvas")).to_be_visible()
    one.expect_accessible()
    one.expect_no_overflow()
    shown.press("Enter")
    expect(shown).to_have_attribute("aria-expanded", "true")
    one.expect_no_overflow()
    # The agent's hook reports only the prompt's text; the picture stays with the prompt.
    host.event("s1", "message", {"role": "user"}, {"text": "what is this?"})
    said = one.timeline().locator("[data-kind=message][data-role=user]")
    expect(said.get_by_role("button", name="Picture").locator("canvas")).to_be_visible()
    expect(asked).to_be_hidden()
    # At the start of a session with a picture, the host sends it with the first message.
    host.event("s1", "message", {"role": "user"}, {"text": "started with this", "pictures": [picture]})
    started = one.timeline().locator("[data-kind=message][data-role=user]").last
    expect(started).to_contain_text("started with this")
    expect(started.get_by_role("button", name="Picture").locator("canvas")).to_be_visible()


def test_what_cannot_be_sent_is_said_and_where_none_is_taken_there_is_no_button(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    choose(one, b"no picture at all", name="notes.png")
    expect(problem(one)).to_contain_text("cannot read this picture")
    choose(one, png() + b"\0" * 5_000_000)
    expect(problem(one)).to_contain_text("more than 5 MB")
    expect(chosen(one)).to_have_count(0)
    for count in range(1, 5):
        choose(one, png(8, 8 + count))
        expect(chosen(one)).to_have_count(count)
    expect(problem(one)).to_be_empty()
    expect(add(one)).to_be_disabled()
    chosen(one).first.get_by_role("button", name="Remove the picture").click()
    expect(chosen(one)).to_have_count(3)
    expect(add(one)).to_be_focused()
    # A command cannot have pictures.
    one.page.get_by_label("Tell the agent").fill("/compact")
    one.page.get_by_label("Run it as the agent's command /compact").check()
    expect(add(one)).to_be_hidden()
    expect(chosen(one)).to_have_count(0)
    one.page.get_by_label("Tell the agent").fill("look")
    expect(chosen(one)).to_have_count(3)
    one.go("#/session/s2")
    expect(one.page.get_by_label("Tell the agent")).to_be_visible()
    expect(add(one)).to_be_hidden()
    expect(chosen(one)).to_have_count(0)


def test_a_small_file_that_is_a_huge_picture_is_not_decoded(screen: Callable[..., Screen], host: Any, relay: Any) -> None:
    huge = bytearray(png())
    huge[16:24] = struct.pack(">II", 30_000, 30_000)
    one = opened(screen)
    one.page.evaluate("() => { window.made = 0; const own = window.createImageBitmap; window.createImageBitmap = (...given) => { window.made += 1; return own(...given); } }")
    choose(one, bytes(huge))
    expect(problem(one)).to_contain_text("30000 × 30000 pixels, which is too many")
    expect(chosen(one)).to_have_count(0)
    assert bring(relay, relay.token("operator", "Ben's terminal"), "s1", bytes(huge)).status == 415
    # Simulates a relay that stores a huge picture.
    one.page.route(f"**/v1/pictures/{named(bytes(huge))['digest']}", lambda route: route.fulfill(body=bytes(huge), content_type="image/png"))
    assert bring(relay, relay.token("operator", "Ben's other"), "s1", png()).status == 200
    host.event("s1", "message", {"role": "user"}, {"text": "look", "pictures": [named(bytes(huge)), named(png())]})
    frames = one.timeline().locator(".picture")
    expect(frames.first).to_have_text("This picture has 30000 × 30000 pixels, which is too many to show.")
    expect(frames.last.locator("canvas")).to_be_visible()
    assert one.page.evaluate("() => window.made") == 1


def test_without_the_relay_nothing_is_sent_and_what_is_gone_has_a_placeholder(screen: Callable[..., Screen], host: Any, relay: Any) -> None:
    one = opened(screen)
    # The browser logs the failed responses.
    one.forgiven = (*one.forgiven, "status of 503", "status of 404")
    choose(one, png())
    expect(chosen(one)).to_have_count(1)
    one.page.route("**/v1/pictures*", lambda route: route.fulfill(status=503, json={"error": {"code": "unavailable", "message": "the relay's store does not answer"}}))
    send(one, "look")
    expect(problem(one)).to_contain_text("Not sent, without its picture: the relay's store does not answer.")
    assert not [message for message in host.received if message["type"] == "prompt"]
    one.page.unroute("**/v1/pictures*")
    one.page.get_by_role("button", name="Send", exact=True).click()
    prompt = host.wait_steered("prompt")
    host.steered(prompt, "refused", "the picture is not there any more")
    failed = one.page.locator("waiting-prompts li")
    expect(failed).to_contain_text("the picture is not there any more")
    failed.get_by_role("button", name="Send again").click()
    expect(chosen(one)).to_have_count(1)
    # A picture that the relay has deleted, on a page that has not fetched it before.
    with sqlite3.connect(relay.data / "heliograph.sqlite") as database:
        assert database.execute("DELETE FROM pictures").rowcount == 1
    host.event("s1", "message", {"role": "user"}, {"text": "unlike that"})
    one.page.reload()
    gone = one.page.get_by_role("button", name="This picture is no longer kept.", include_hidden=True)
    expect(gone.first).to_contain_text("This picture is no longer kept.")
