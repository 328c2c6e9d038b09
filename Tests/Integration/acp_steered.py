"""A session of an ACP agent behind `heliograph acp` that a phone steers: the model's requests, and the updates that the editor was shown."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from acp_agents import Agent
from acp_peers import Editor
from client import WireClient
from daemon import Daemon, paired
from relay import Relay
from steered import Steered
from waits import wait_until


class Proxied(Steered):
    patience = 30

    def __init__(self, agent: Agent, phone: WireClient, session: str):
        super().__init__(phone, f"local-{session}", agent.api)
        self.agent, self.name = agent, session
        self.offered("prompt")
        phone.subscribe(self.session)

    def asked(self, text: str) -> int:
        """Number of requests to the model with this text in the newest prompt."""
        return sum(1 for told in map(self._newest, self.agent.api.requests) if told and text in told)

    def wait_asked(self, text: str) -> None:
        wait_until(lambda: self.asked(text), 20, lambda: f"the model to be told {text!r}")

    @staticmethod
    def _newest(request: dict[str, Any]) -> str | None:
        if not request.get("tools"):
            return None
        told = [json.dumps(message["content"], ensure_ascii=False) for message in request["messages"] if message["role"] == "user"]
        return told[-1] if told else None


@pytest.fixture
def daemon(agent: Agent, relay: Relay) -> Iterator[Daemon]:
    with paired(agent.home.parent, relay) as daemon:
        yield daemon


@pytest.fixture
def editor(agent: Agent) -> Iterator[Editor]:
    editor = Editor(agent.command, agent.environment, agent.project)
    yield editor
    editor.kill()


@pytest.fixture
def steered(agent: Agent, daemon: Daemon, phone: WireClient, editor: Editor) -> Proxied:
    return Proxied(agent, phone, editor.open_session())


def shown(editor: Editor, kind: str) -> list[str]:
    """The texts of the editor's updates of one kind."""
    updates = [message["params"]["update"] for message in editor.messages if message.get("method") == "session/update"]
    return [update["content"]["text"] for update in updates if update["sessionUpdate"] == kind]


def strangers(editor: Editor) -> list[Any]:
    """Responses at the editor to requests that it never made."""
    return [message for message in editor.messages if "method" not in message and not isinstance(message["id"], int)]
