"""The functions of the Swift libraries for apps, with the real relay: pairing, sessions, approvals, presence."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app import App

COLOURS = [{"id": "q0", "text": "Which color?", "choices": [{"label": "Red"}, {"label": "Blue"}]}]


@pytest.fixture
def make_app() -> Iterator[Callable[[str], App]]:
    made: list[App] = []

    def make(link: str) -> App:
        made.append(App(link))
        return made[-1]

    yield make
    for one in made:
        one.end()


@pytest.fixture
def host(relay: Any, scripted_host: Any) -> Any:
    host = scripted_host(relay)
    host.start_session("s1", title="Clean up")
    host.wait_acked("s1")
    return host


@pytest.fixture
def app(relay: Any, make_app: Any) -> App:
    app = make_app(relay.pair_link())
    assert app.wait_answers(1) == "Ada's phone"
    return app


def live(app: App) -> dict[str, Any]:
    app.wish("foreground")
    return app.wait_state(lambda state: state["link"] == "live" and state["isComplete"])


def asked(app: App, host: Any, tool: str = "Bash", **head: Any) -> str:
    approval = host.request_approval("s1", tool, {"command": "rm -rf build\u200b"}, **head)
    app.wait_state(lambda state: [one["id"] for one in state["approvals"]] == [approval])
    return approval


def test_a_link_pairs_once(relay: Any, make_app: Any) -> None:
    link = relay.pair_link()
    assert make_app(link).wait_answers(1) == "Ada's phone"
    assert make_app(link).wait_answers(1).startswith("notFound:")
    assert make_app(relay.pair_link("host")).wait_answers(1).startswith("badLink:")
    assert [one["kind"] for one in relay.tokens() if one["name"] == "Ada's phone"] == ["app"]


def test_it_shows_sessions_and_allows_exactly_what_it_showed(relay: Any, host: Any, app: App) -> None:
    state = live(app)
    assert [(one["session"], one["title"], one["host"]) for one in state["sessions"]] == [("s1", "Clean up", "laptop")]
    approval = asked(app, host)
    shown = app.state["approvals"][0]
    # Invisible characters are shown as their code points.
    assert shown["canAllow"] and shown["input"]["command"].startswith("rm -rf build") and "200B" in shown["input"]["command"]
    assert "decided" in app.wish("allow", approval)
    sent = host.wait_decision(approval)
    assert sent["decision"]["decision"] == "allow" and sent["digest"] == host.digests[approval]
    app.wait_state(lambda state: not state["approvals"])


def test_what_is_not_whole_is_denied_but_never_allowed(host: Any, app: App) -> None:
    live(app)
    approval = asked(app, host, cut=True)
    assert not app.state["approvals"][0]["canAllow"]
    assert app.wish("allow", approval).startswith("refused:")
    assert "decided" in app.wish("deny", approval)
    assert host.wait_decision(approval)["decision"]["message"] == "not now"


def test_who_was_first_is_named(relay: Any, host: Any, app: App, client: Any) -> None:
    live(app)
    other = client(relay, "the laptop")
    other.subscribe()
    approval = asked(app, host)
    other.wait_approval(approval, "pending")
    app.wish("background")
    other.decide("s1", approval, "deny")
    assert app.wish("allow", approval).startswith("unreachable:")
    live(app)
    app.wait_state(lambda state: not state["approvals"])


def test_a_question_is_answered(host: Any, app: App) -> None:
    live(app)
    approval = host.request_approval("s1", "AskUserQuestion", {"questions": COLOURS}, kind="question", questions=COLOURS)
    app.wait_state(lambda state: state["approvals"])
    assert app.state["approvals"][0]["questions"] == {"q0": ["Red", "Blue"]}
    assert "decided" in app.wish("answer", approval, "q0", "1")
    assert host.wait_decision(approval)["decision"]["answers"] == [{"question": "q0", "choices": ["Blue"], "indexes": [1]}]


def test_a_session_is_followed_across_a_restart_of_the_relay(relay: Any, host: Any, app: App) -> None:
    live(app)
    app.wish("show", "s1")
    host.event("s1", "message", {"role": "assistant"}, {"text": "one"})
    app.wait_state(lambda state: state["events"] and state["events"][-1].get("text") == "one")
    relay.kill()
    app.wait_state(lambda state: state["link"].startswith("waiting"))
    relay.start()
    host.event("s1", "message", {"role": "assistant"}, {"text": "two"})
    app.wait_state(lambda state: state["events"][-1:] and state["events"][-1].get("text") == "two")
    numbers = [one["number"] for one in app.state["events"]]
    assert numbers == list(range(1, len(numbers) + 1))


def test_its_device_is_registered_and_present_while_somebody_looks(relay: Any, host: Any, app: App, client: Any) -> None:
    assert app.wish("register", "ab" * 32, "cd" * 40) == "done"
    watcher = client(relay, "watcher")

    def device() -> dict[str, Any]:
        (one,) = watcher.command("devices")["devices"]
        return one

    assert device()["device"]["alertToken"] is True and device()["device"]["startToken"] is True and not device()["present"]
    live(app)
    assert app.wish("show", "s1") == "done"
    app.wait_state(lambda state: state["events"])
    assert device()["present"]
    app.wish("background")
    assert not device()["present"]


def test_a_revoked_app_is_told_to_pair_again(relay: Any, app: App) -> None:
    live(app)
    relay.revoke(relay.token_id("Ada's phone"))
    assert "mustPair: true" in app.wait_state(lambda state: state["link"].startswith("over"))["link"]
