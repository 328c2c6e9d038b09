"""References in the documentation are valid: links, the index, the list of modules."""

import re
from pathlib import Path

import pytest

import capabilities
from relay import ROOT as TOP

CATALOGUE = TOP / "Sources/HeliographServer/HeliographServer.docc"
PAGES = sorted([TOP / "README.md", *CATALOGUE.rglob("*.md"), *(TOP / "deploy").rglob("*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
README_LINES_MAX = 120


def without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(TOP)) for page in PAGES])
def test_links_lead_to_files(page: Path) -> None:
    targets = [target.split("#")[0] for target in LINK.findall(without_code(page.read_text()))]
    broken = [target for target in targets if target and not re.match(r"\w+:", target) and not (page.parent / target).exists()]
    assert broken == []


def test_index_names_every_page() -> None:
    named = set(re.findall(r"<doc:([^>]+)>", (CATALOGUE / "HeliographServer.md").read_text()))
    assert named == {page.stem for page in CATALOGUE.rglob("*.md")} - {"HeliographServer"}


def test_references_in_pages_are_pages() -> None:
    pages = {page.stem for page in CATALOGUE.rglob("*.md")}
    assert {name for page in PAGES for name in re.findall(r"<doc:([^>]+)>", page.read_text())} <= pages


def test_list_of_modules_is_complete() -> None:
    rows = re.findall(r"^\| (`.*?) \|", (CATALOGUE / "Modules.md").read_text(), flags=re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    product = {folder.name for folder in (TOP / "Sources").iterdir() if folder.is_dir()}
    tools = re.search(r"^TOOLS := (.*)$", (TOP / "Makefile").read_text(), flags=re.MULTILINE)[1].split()
    assert listed == product | set(tools)


def test_readme_is_read_to_the_end() -> None:
    assert len((TOP / "README.md").read_text().splitlines()) <= README_LINES_MAX


def test_table_of_agents_is_what_the_tests_show() -> None:
    text = capabilities.PAGE.read_text()
    assert capabilities.BEGIN in text and capabilities.page(text) == text, "write it again: python Tests/Integration/capabilities.py"
    assert {capability for _, capability, _ in capabilities.marks()} == set(capabilities.CAPABILITIES)
