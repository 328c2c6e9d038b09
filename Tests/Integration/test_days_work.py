"""A day's work by phone: the real Claude Code run at home, and a person with the page in a phone-sized window, who signs every command."""

import json
import re
import subprocess
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from claude import MODEL, Machine, claude_program
from page_screen import PHONE, Screen
from relay import BINARY
from trusting import trust_page
from waits import patient, wait_until

pytestmark = pytest.mark.agent

PLAN = "# The plan\n\n1. Write `greet.py`.\n2. Run it.\n"
QUESTION = {
    "question": "In which language?", "header": "Language", "multiSelect": False,
    "options": [{"label": "English", "description": "hello"}, {"label": "German", "description": "hallo"}],
}
SECONDS = 30_000
"""Time limit for an agent's actions, in milliseconds."""

Turn = list[dict[str, Any]] | Callable[[dict[str, Any]], list[dict[str, Any]]]


class Model:
    """A scripted model that gives its turns even if one was interrupted, and then a single word."""

    def __init__(self, api: Any):
        self.turns: deque[Turn] = deque()
        self.api = api
        api.turn = self._turn

    def will(self, *turns: Turn) -> None:
        self.turns.extend(turns)

    def _turn(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        turn: Turn = self.turns.popleft() if self.turns else [{"text": "Done."}]
        return turn(request) if callable(turn) else turn


def writes_the_plan(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The model writes the plan into the file that Claude Code names."""
    path = re.search(r'[^ "]*/plans/[^ "\\]*\.md', json.dumps(request))
    assert path, "no file for a plan was named"
    return [{"tool": "Write", "input": {"file_path": path[0], "content": PLAN}}]


def shell(command: str, about: str) -> dict[str, Any]:
    return {"tool": "Bash", "input": {"command": command, "description": about}}


@pytest.fixture
def at_home(machine: Machine) -> Iterator[subprocess.Popen[bytes]]:
    """The agent, started at home before the person leaves."""
    command = [str(BINARY), "run", "--", str(claude_program()), "--model", MODEL, "--permission-mode", "manual"]
    with (machine.folder / "run.log").open("wb") as log:
        program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=machine.project, env=machine.environment)
    yield program
    if program.poll() is None:
        program.terminate()
        program.wait(patient(20))


class Phone:
    def __init__(self, one: Screen):
        self.one, self.page = one, one.page

    def opens_the_session(self) -> None:
        row = self.page.locator("session-row a").first
        expect(row).to_be_visible(timeout=patient(SECONDS))
        row.tap()
        expect(self.page.get_by_label("Tell the agent")).to_be_visible(timeout=patient(SECONDS))

    def tells(self, text: str) -> None:
        self.page.get_by_label("Tell the agent").fill(text)
        send = self.page.get_by_role("button", name="Send", exact=True)
        expect(send).to_be_enabled(timeout=patient(SECONDS))
        send.tap()
        said = self.one.timeline().locator("[data-kind=message][data-role=user]", has_text=text)
        expect(said).to_contain_text("You, from here", timeout=patient(SECONDS))

    def panel(self) -> Locator:
        panel = self.page.get_by_role("group", name="Mode, model and commands")
        if not panel.is_visible():
            self.page.get_by_role("button", name="Mode, model and commands").tap()
        expect(panel).to_be_visible()
        return panel

    def waiting(self, words: str) -> Locator:
        """The pending card in its session."""
        card = self.one.timeline().locator("approval-card[data-stage=pending]", has_text=words)
        expect(card).to_be_visible(timeout=patient(SECONDS))
        foot = card.locator(".card-foot")
        expect(foot).to_be_visible(timeout=patient(SECONDS))
        foot.scroll_into_view_if_needed()
        return card

    def taps(self, card: Locator, name: str, *, exact: bool = True) -> None:
        button = card.get_by_role("button", name=name, exact=exact)
        expect(button).to_be_enabled(timeout=patient(SECONDS))
        button.tap()

    def decides(self, card: Locator, name: str) -> None:
        """Waits until the card is settled; its text may appear in the next question as well, because a plan names its steps."""
        self.taps(card, name)
        expect(card).to_have_count(0, timeout=patient(SECONDS))

    def reads(self, text: str) -> None:
        expect(self.one.timeline()).to_contain_text(text, timeout=patient(SECONDS))

    def sees_it_rest(self) -> None:
        expect(self.page.locator(".now")).to_have_attribute("data-status", "idle", timeout=patient(SECONDS))

    def checks_the_screen(self) -> None:
        self.one.expect_no_overflow()
        self.one.expect_accessible()


@pytest.mark.shows("Claude Code, `heliograph run`", "questions answered by a client", "the model is told the answers")
@pytest.mark.shows("Claude Code, `heliograph run`", "always allow, by the agent's own offer", "the rule in its settings, and no second question")
def test_a_day_of_work_from_a_phone(machine: Machine, screen: Callable[..., Screen], at_home: subprocess.Popen[bytes]) -> None:
    model, phone = Model(machine.api), Phone(screen(size=PHONE, role="operator"))
    trust_page(machine, phone.one)
    greet = machine.project / "greet.py"

    # Plan mode first, which takes one tap, because it gives the agent less freedom.
    phone.opens_the_session()
    panel = phone.panel()
    panel.get_by_label("Mode", exact=True).select_option("plan")
    panel.get_by_role("button", name="Change", exact=True).first.tap()
    phone.reads("Mode plan")
    expect(panel).to_be_hidden()
    model.will(writes_the_plan, [{"tool": "ExitPlanMode", "input": {}}])
    phone.tells("Plan a greeting, please")
    plan = phone.waiting("Go ahead with this plan")
    expect(plan.locator("ol li")).to_have_count(2)
    phone.checks_the_screen()

    # The plan and three approvals follow.
    content = "print('hello')\n"
    model.will(
        [{"tool": "Write", "input": {"file_path": str(greet), "content": content}}],
        [{"tool": "Edit", "input": {"file_path": str(greet), "old_string": "hello", "new_string": "hello, world"}}],
        [shell("python3 greet.py > out.txt", "Run it")],
        [{"text": "It says **hello**."}],
    )
    phone.decides(plan, "Allow, ask before each edit")
    phone.decides(phone.waiting("Write greet.py"), "Allow")
    wait_until(greet.exists, 30, "the file to be written")
    phone.decides(phone.waiting("Change greet.py"), "Allow")
    phone.decides(phone.waiting("python3 greet.py > out.txt"), "Allow")
    assert machine.wait_file("out.txt", 30) == "hello, world\n"
    phone.reads("It says hello.")
    phone.sees_it_rest()

    # With "Allow always" Claude Code adds its suggested rule, and does not ask about this command again.
    model.will([shell("npm test", "Run the tests")], [shell("npm test", "Run the tests again")], [{"text": "They ran twice."}])
    phone.tells("Run the tests, twice")
    tests = phone.waiting("npm test")
    phone.taps(tests, "Always allow …")
    tests.get_by_role("radio").first.check()
    expect(tests).to_contain_text("Bash(npm test *)")
    phone.checks_the_screen()
    phone.decides(tests, "Allow, and this too")
    phone.reads("They ran twice.")
    phone.sees_it_rest()
    expect(phone.one.timeline().locator("[data-kind='approval.requested']", has_text="npm test")).to_have_count(1)
    settings = machine.project / ".claude/settings.local.json"
    assert json.loads(settings.read_text())["permissions"]["allow"] == ["Bash(npm test *)"]

    # Claude Code asks a question.
    model.will([{"tool": "AskUserQuestion", "input": {"questions": [QUESTION]}}], [{"text": "German it is."}])
    phone.tells("Ask me what you need to know")
    question = phone.waiting("In which language?")
    question.get_by_role("radio", name="German").check()
    phone.decides(question, "Answer")
    phone.reads("German it is.")
    assert any("German" in result for result in machine.api.tool_results())
    phone.sees_it_rest()

    # A command that takes too long is interrupted; the next prompt is accepted.
    model.will([shell("tail -f /dev/null", "Wait for ever")])
    phone.tells("Now wait")
    waits = phone.waiting("tail -f /dev/null")
    expect(phone.page.get_by_role("button", name="Interrupt", exact=True)).to_be_hidden()
    phone.decides(waits, "Allow")
    running = phone.one.timeline().locator('.event[data-state="running"]', has_text="tail -f")
    expect(running).to_be_visible(timeout=patient(SECONDS))
    phone.page.get_by_role("button", name="Interrupt", exact=True).tap()
    expect(phone.one.timeline().locator("[data-action=interrupt]")).to_contain_text("The agent took it", timeout=patient(SECONDS))
    phone.sees_it_rest()
    expect(running).to_have_count(0)
    model.turns.clear()
    model.will([{"tool": "Edit", "input": {"file_path": str(greet), "old_string": "hello, world", "new_string": "hallo, Welt"}}], [{"text": "In German now."}])
    phone.tells("Never mind. In German, please")
    phone.decides(phone.waiting("Change greet.py"), "Allow")
    phone.reads("In German now.")
    phone.sees_it_rest()
    assert greet.read_text() == "print('hallo, Welt')\n"

    # The changes show the plan's own file, and one file made in three edits as a single diff.
    phone.page.get_by_role("link", name="Changes").tap()
    files = phone.page.locator("session-changes")
    expect(files).to_contain_text("2 files")
    made = files.get_by_role("listitem").filter(has=phone.page.locator(".changes-path", has_text=re.compile(r"^greet\.py$")))
    expect(made).to_contain_text("3 edits in one.")
    assert made.locator(".diff-line").evaluate_all("lines => lines.map((line) => line.dataset.sign + line.lastChild.textContent.trimEnd())") == ["+print('hallo, Welt')"]
    phone.checks_the_screen()
    phone.page.get_by_role("link", name="Conversation").tap()

    # The person ends the session.
    phone.panel().get_by_role("button", name="End the session …").tap()
    phone.page.get_by_role("button", name="End it").tap()
    expect(phone.page.locator("session-composer")).to_contain_text("This session has ended.", timeout=patient(SECONDS))
    assert at_home.wait(patient(30)) == 0
