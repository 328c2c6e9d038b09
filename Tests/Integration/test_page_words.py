"""Agents' texts and requests as a person reads them: Markdown, commands, inputs in words, warnings."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from page_screen import DESK, LOOKS, PHONE, Screen
from waits import patient

RLO = "\u202e"
HTML = '<img src=x onerror="window.pwned = true"><script>window.pwned = true</script>'
TEXT = f"""# What I found

The **cookie** is *stale*. See [the docs](https://docs.example.com/a?b=1), [more](javascript:window.pwned=1) and [mine](https://docs.example.com@evil.example/).

### Steps
1. Read `src/login.ts`
   - twice
2. Run {HTML} {RLO}txt

```ts
const a = "{HTML}"
```

| File | Lines |
|------|------:|
| a.ts | 42 |

![logo](https://images.example/l.png)
"""


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop")
    host.start_session("s1", title="Fix the login", project="webshop", cwd="/home/ada/webshop")
    return host



@LOOKS
def test_markdown_is_drawn_and_harmless(screen: Callable[..., Screen], host: Any, size: dict[str, int], scheme: str) -> None:
    one = screen(size=size, scheme=scheme)
    asked: list[str] = []
    one.page.on("request", lambda request: asked.append(request.url))
    host.event("s1", "message", {"role": "thought"}, {"text": "- look\n- mend"})
    host.event("s1", "message", {"role": "assistant"}, {"text": TEXT})
    approval = host.request_approval("s1", "ExitPlanMode", {"plan": TEXT, "planFilePath": "/home/ada/.claude/plans/wise-otter.md"})
    one.go("#/session/s1")
    message = one.timeline().locator("[data-role=assistant] .markdown")
    expect(message.get_by_role("heading", name="What I found")).to_be_visible()
    expect(message.locator("strong")).to_have_text("cookie")
    expect(message.locator("ol li ul li")).to_have_text("twice")
    expect(message.locator("pre")).to_have_text(f'const a = "{HTML}"')
    expect(message.get_by_role("cell", name="42")).to_be_visible()
    expect(one.timeline().locator("[data-role=thought] li")).to_have_count(2)
    # Only one address becomes a link, with its host shown; the others stay text.
    links = message.get_by_role("link")
    expect(links).to_have_text(["the docs", "Image: logo"])
    expect(links.first).to_have_attribute("rel", "noopener noreferrer")
    expect(message.locator(".link-host").first).to_have_text("docs.example.com")
    expect(message).to_contain_text("[more](javascript:window.pwned=1)")
    expect(message).to_contain_text("[mine](https://docs.example.com@evil.example/)")
    expect(message).to_contain_text(f"Run {HTML} ⟨U+202E⟩txt")
    one.expect_accessible()
    one.go(f"#/approvals/s1/{approval}")
    card = one.card(approval)
    expect(card.get_by_role("heading", name="Go ahead with this plan?")).to_be_visible()
    expect(card.get_by_role("heading", name="What I found")).to_be_visible()
    expect(card).to_contain_text("/home/ada/.claude/plans/wise-otter.md")
    card.get_by_text("The plan as it was written").first.click()
    assert (card.locator("details pre").text_content() or "").replace("⟨U+202E⟩", RLO) == TEXT
    one.expect_accessible()
    one.expect_no_overflow()
    assert one.page.evaluate("() => window.pwned") is None
    assert not [url for url in asked if not url.startswith(one.relay.url)], "nothing of it may be fetched"


def test_a_message_that_grows_is_drawn_as_the_one_that_follows(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    host.event("s1", "message", {"role": "user"}, {"text": "**my** words"})
    one.go("#/session/s1")
    expect(one.timeline().locator("[data-role=user]")).to_contain_text("**my** words")
    host.deltas("s1", "m1", "A **bold** w")
    growing = one.timeline().locator("[data-unfinished] .markdown")
    expect(growing.locator("strong")).to_have_text("bold")
    before = growing.bounding_box()
    host.event("s1", "message", {"role": "assistant", "message": "m1"}, {"text": "A **bold** word"})
    done = one.timeline().locator("[data-role=assistant]:not([data-unfinished]) .markdown")
    expect(done).to_have_text("A bold word")
    after = done.bounding_box()
    assert before and after and before["height"] == after["height"]


def test_a_hostile_text_does_not_hold_the_page(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    one.go("#/session/s1")
    for text in ("*a **b ", "[", "> ", "- ", "`", "|"):
        host.event("s1", "message", {"role": "assistant"}, {"text": text * (100_000 // len(text))})
    rows = one.timeline().locator("[data-role=assistant]")
    expect(rows).to_have_count(6, timeout=patient(20_000))
    more = one.timeline().get_by_role("button", name="Show all")
    for left in range(6, 0, -1):
        expect(more).to_have_count(left)
        more.first.click()
    assert one.page.evaluate("() => new Promise((done) => setTimeout(() => done(true), 0))")



LINES = """(element) => [...element.querySelectorAll(".argument, .brief")].map((one) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  return [one.textContent, new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size];
})"""


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_no_line_ends_inside_an_argument(screen: Callable[..., Screen], host: Any, width: int) -> None:
    one = screen(size={"width": width, "height": 780})
    address = "https://releases.example.com/downloads/2026/some-very-long-artifact-name-that-fits-on-no-line-of-any-screen-at-all-" + "x-" * 60
    command = f"find . -name '*.pyc' -print0 | xargs -0 ls && git push --force-with-lease origin fix-the-login && curl -fsSL {address} -o /tmp/x-y.tar.gz"
    approval = host.request_approval("s1", "Bash", {"command": command})
    one.go(f"#/approvals/s1/{approval}")
    block = one.card(approval).locator("pre")
    expect(block).to_have_text(command)
    broken = {text: lines for text, lines in block.evaluate(LINES) if lines > 1}
    assert set(broken) == {address}, broken
    # A long argument continues after a bar, inside its box.
    long = block.locator(".argument", has_text="releases.example.com")
    assert long.evaluate("element => element.getBoundingClientRect().right <= element.closest('pre').getBoundingClientRect().right + 1")
    assert "gradient" in long.evaluate("element => getComputedStyle(element).backgroundImage")
    one.expect_no_overflow()


def test_what_destroys_looks_different_from_what_lists(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    calm, wild = host.request_approval("s1", "Bash", {"command": "ls -la"}), host.request_approval(
        "s1", "Bash", {"command": "cd x && sudo rm -rf build"},
        risks=["Runs with the rights of the administrator.", "Deletes folders with all that is in them."],
    )  # fmt: skip
    file = {"file_path": "/home/ada/.ssh/authorized_keys", "content": "key\n"}
    outside = host.request_approval("s1", "Write", file, risks=["Outside the session's folder, /home/ada/webshop."])
    one.go("#/approvals")
    note = one.card(wild).get_by_role("note", name="Look twice")
    expect(note).to_contain_text("Deletes folders with all that is in them.")
    expect(note).to_contain_text("administrator")
    expect(one.card(calm).get_by_role("note")).to_have_count(0)
    expect(one.card(outside).get_by_role("note")).to_contain_text("Outside the session's folder, /home/ada/webshop.")
    colours = [one.card(each).locator(".card").evaluate("element => getComputedStyle(element).borderTopColor") for each in (calm, wild)]
    assert colours[0] != colours[1]
    for each in (calm, wild):
        expect(one.card(each).get_by_role("button", name="Allow", exact=True)).to_be_enabled()


def test_inputs_are_told_in_words(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(size=DESK)
    asked = {
        "Change src/login.ts?": ("Edit", {"file_path": "/home/ada/webshop/src/login.ts", "old_string": "a\n", "new_string": "b\n", "replace_all": False}),
        "Fetch from docs.example.com?": ("WebFetch", {"url": "https://docs.example.com/x", "prompt": "What does it say?"}),
        "Use create_issue of github?": ("mcp__github__create_issue", {"title": "Login fails", "labels": ["bug"], "assignee": {"login": "ada", "notify": True}}),
        "Read /etc/hosts?": ("Read", {"file_path": "/etc/hosts", "limit": 20}),
        "Search in src?": ("Grep", {"pattern": "login", "path": "/home/ada/webshop/src", "-i": True}),
    }
    approvals = {title: host.request_approval("s1", tool, value) for title, (tool, value) in asked.items()}
    one.go("#/approvals")
    for title, approval in approvals.items():
        card = one.card(approval)
        expect(card.locator(".card-title")).to_have_text(title)
        expect(card).not_to_contain_text(re.compile(r"replace_all|\{|characters|false|true"))
        expect(card).not_to_contain_text("mcp__", use_inner_text=True)
    expect(one.card(approvals["Change src/login.ts?"])).to_contain_text("Every occurrence")
    expect(one.card(approvals["Search in src?"])).to_contain_text("Upper and lower case alike")
    one.expect_accessible()
    for call, tool, operation in (("c1", "mcp__github__create_issue", "Using create issue (github)"), ("c2", "ExitPlanMode", "Proposing a plan"), ("c4", "AskUserQuestion", "Which colour?"), ("c3", "Bash", "make")):
        host.event("s1", "tool.started", {"call": call, "tool": tool, "operation": operation}, {"input": {}})
    one.go("#/session/s1")
    for said in ("Using create issue (github)", "Proposing a plan", "Which colour?", "Bash make"):
        expect(one.timeline()).to_contain_text(re.compile(re.escape(said).replace(r"\ ", r"\s+")), use_inner_text=True)
    expect(one.timeline()).not_to_contain_text(re.compile("mcp__|ExitPlanMode|AskUserQuestion"), use_inner_text=True)


def test_numbers_are_shown_with_the_digits_that_they_were_sent_with(screen: Callable[..., Screen], host: Any) -> None:
    """JavaScript's own numbers would be shown as 9007199254740992, 12345678901234567000 and 1."""
    one = screen(size=DESK)
    value = {"amount": 9007199254740993, "to": {"account": 12345678901234567891}, "list": [1.0, 18446744073709551615]}
    digits = ("9007199254740993", "12345678901234567891", "1.0", "18446744073709551615")
    host.event("s1", "tool.started", {"call": "c1", "tool": "mcp__bank__pay", "operation": "pay"}, {"input": value})
    host.event("s1", "tool.finished", {"call": "c1", "tool": "mcp__bank__pay", "ok": True}, {"output": value})
    host.cancel("s1", host.request_approval("s1", "mcp__bank__pay", value))
    approval = host.request_approval("s1", "mcp__bank__pay", value)
    one.go("#/approvals")
    card = one.card(approval)
    for number in digits:
        expect(card).to_contain_text(number)
    expect(card.get_by_role("button", name="Allow", exact=True)).to_be_enabled()
    one.go("#/session/s1")
    asked = one.timeline().locator("[data-kind='approval.requested'] .fold").first
    called = one.timeline().locator("[data-kind='tool.started'] .fold").first
    for fold in (asked, called):
        fold.locator("summary").click()
        for number in digits:
            expect(fold).to_contain_text(number)
    for number in digits:
        expect(called.get_by_label("Output")).to_contain_text(number)
    # The digits stay after the whole log was loaded again, and in the session's own card.
    one.page.reload()
    expect(one.timeline().locator("approval-card")).to_contain_text(digits[0])



# The beginning and end of each right-to-left word: the position of its first and last letter in the order of the text.
PLACES = """(element) => {
  const places = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const match of node.data.matchAll(/[\\u0590-\\u08FF]+/g)) {
      const at = (from) => {
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, from + 1);
        const [box] = range.getClientRects();
        return [box.left, box.top];
      };
      places.push({ word: match[0], first: at(match.index), last: at(match.index + match[0].length - 1) });
    }
  }
  return places;
}"""


def expect_order(places: list[dict[str, Any]], words: list[str]) -> None:
    """Checks that each word runs from right to left, and that words follow each other from left to right."""
    assert [place["word"] for place in places] == words
    for place in places:
        assert place["first"][1] != place["last"][1] or place["first"][0] > place["last"][0], f"spelled backwards: {place}"
    for one, other in zip(places, places[1:]):
        if abs(one["first"][1] - other["first"][1]) < 4:
            assert one["first"][0] < other["last"][0], f"{one} and {other} have changed places"


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_words_from_the_right_stand_in_the_order_of_what_is_allowed(screen: Callable[..., Screen], host: Any, width: int) -> None:
    one = screen(size={"width": width, "height": 780})
    run = host.request_approval("s1", "Bash", {"command": "rm -rf /home/אבג/דהו && echo 'שלום עולם'"}, title="Running rm -rf /home/אבג/דהו")
    write = host.request_approval("s1", "Write", {"file_path": "/home/דוד/שלום.txt", "content": "אחת שתיים 1 שלוש\nمرحبا يا عالم\n"})
    one.go(f"#/approvals/s1/{run}")
    card = one.card(run)
    expect_order(card.locator("pre").evaluate(PLACES), ["אבג", "דהו", "שלום", "עולם"])
    expect(card.locator(".warning")).to_contain_text("Look closely. Underlined below:")
    expect(card.locator(".warning")).to_contain_text("in the order in which they are sent")
    one.go(f"#/approvals/s1/{write}")
    card = one.card(write)
    expect_order(card.locator(".card-title").evaluate(PLACES), ["דוד", "שלום"])
    expect_order(card.locator(".fields").evaluate(PLACES), ["דוד", "שלום"])
    expect_order(card.locator(".diff").evaluate(PLACES), ["אחת", "שתיים", "שלוש", "مرحبا", "يا", "عالم"])
    expect(card.locator(".warning")).to_contain_text("Look closely")
    one.expect_accessible()
    one.expect_no_overflow()
    host.event("s1", "file.changed", {"path": "src/אבג/דהו.ts", "added": 1, "removed": 0}, {"diff": "@@ -0,0 +1 @@\n+שלום עולם"})
    one.go("#/session/s1")
    row = one.timeline().locator("[data-kind='file.changed']")
    expect_order(row.locator(".path-name").evaluate(PLACES) + row.locator(".path-folder").evaluate(PLACES), ["דהו", "אבג"])


def test_a_message_from_the_right_begins_there_and_the_one_beside_it_does_not(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    hebrew = "שלום עולם, הנה מה שמצאתי"
    host.event("s1", "message", {"role": "user"}, {"text": hebrew})
    host.event("s1", "message", {"role": "assistant"}, {"text": f"{hebrew}\n\nAn English sentence.\n\n- {hebrew}\n- {hebrew}"})
    host.event("s1", "message", {"role": "assistant"}, {"text": "Only English."})
    one.go("#/session/s1")
    expect(one.timeline()).to_contain_text("Only English.")
    host.deltas("s1", "m9", hebrew)
    edges = """(element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const [text] = range.getClientRects();
      const box = element.getBoundingClientRect();
      return [text.left - box.left, box.right - text.right];
    }"""
    at_the_right = [
        one.timeline().locator("[data-role=user] .words"), one.timeline().locator("[data-role=assistant] .words p").first,
        one.timeline().locator("[data-role=assistant] .words li p").first, one.timeline().locator("[data-unfinished] .words p"),
    ]
    for words in at_the_right:
        expect(words).to_contain_text("שלום")
        left, right = words.evaluate(edges)
        assert right < 20 < left, words
    for words in (one.timeline().get_by_text("An English sentence."), one.timeline().get_by_text("Only English.")):
        left, right = words.evaluate(edges)
        assert left < 2 < right, words
    assert one.timeline().locator("[data-role=assistant] ul").evaluate("element => getComputedStyle(element).direction") == "rtl"
    assert [one.timeline().locator(".words").nth(place).get_attribute("dir") for place in range(4)] == ["auto"] * 4
    one.expect_no_overflow()


def test_a_sentence_from_the_right_reads_as_its_language_does(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    asked = host.request_approval("s1", "AskUserQuestion", {}, kind="question", questions=[{"id": "q0", "text": "איזה צבע תרצה", "choices": [{"label": "כחול כהה"}, {"label": "אדום"}]}])
    one.go(f"#/approvals/s1/{asked}")
    first, *_, last = one.card(asked).locator("legend").evaluate(PLACES)
    assert first["first"][0] > last["first"][0], "the first word stands at the right"


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_what_is_read_along_is_coloured_folded_and_copied(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    one = screen(size=size)
    one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    code = 'const a = "x"; // why'
    output = "\n".join([*(f"compiling {number}" for number in range(60)), "src/a.ts: error TS2304", *(f"linking {number}" for number in range(40))])
    host.event("s1", "message", {"role": "assistant"}, {"text": f"```ts\n{code}\n```"})
    host.event("s1", "tool.started", {"call": "c1", "tool": "Bash", "operation": "make"}, {"input": {"command": "make"}})
    host.event("s1", "tool.finished", {"call": "c1", "tool": "Bash", "ok": False, "exit": 2}, {"output": output})
    host.event("s1", "file.changed", {"path": "a.ts", "added": 1, "removed": 1}, {"diff": "@@ -1,1 +1,1 @@\n-if (cookies.session) {\n+if (await isValid(cookies.session)) {"})
    one.go("#/session/s1")
    block = one.timeline().locator(".markdown-code")
    expect(block.locator("pre")).to_have_text(code)
    for kind, text in (("keyword", "const"), ("string", '"x"'), ("comment", "// why")):
        expect(block.locator(f".code-{kind}")).to_have_text(text)
    block.get_by_role("button", name="Copy").click()
    expect(block.get_by_role("button", name="Copied")).to_be_visible()
    assert one.page.evaluate("() => navigator.clipboard.readText()") == code
    for fold in one.timeline().locator("summary:visible").all():
        fold.click()
    shown = one.timeline().get_by_role("group", name="Output", exact=True)
    expect(shown).to_contain_text("src/a.ts: error TS2304")
    expect(shown).not_to_contain_text("compiling 30")
    shown.get_by_role("button", name="55 lines more").click()
    expect(shown).to_contain_text("compiling 30")
    changed = one.timeline().locator(".changed")
    expect(changed).to_have_text(["await isValid(", ")"])
    one.expect_accessible()
    one.expect_no_overflow()
