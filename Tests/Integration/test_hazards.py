"""The page of hazards names existing tests only, and has every row."""

import re

import pytest

from relay import ROOT

PAGE = ROOT / "Sources/HeliographServer/HeliographServer.docc/Hazards.md"
ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+?) \| (.*?) ?\|$", re.MULTILINE)
# The numbers of all hazards in the list.
NUMBERS = list(range(1, 87))


def rows() -> list[tuple[str, str, str, str]]:
    return ROW.findall(PAGE.read_text())


def test_every_hazard_has_its_row():
    assert [int(row[0]) for row in rows()] == NUMBERS


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"hazard {row[0]}")
def test_a_row_is_answered_or_says_that_it_is_not(row):
    _, _, behaviour, tests = row
    named = [name for name in re.findall(r"`([^`]+)`", tests) if not name.startswith("make ")]
    assert named or behaviour.startswith("Not yet"), "neither a test nor an honest word"
    for name in named:
        assert exists(name), f"there is no test {name!r}"
    gaps = [name for name in named if "::" in name and expects_failure(name)]
    assert bool(gaps) == ("Known gap" in behaviour), f"the row and its tests disagree about a known gap: {gaps}"


def exists(name: str) -> bool:
    if "::" in name:
        file, test = name.split("::")
        return re.search(rf"^ *def {test}\(", (ROOT / "Tests/Integration" / file).read_text(), re.MULTILINE) is not None
    file, test = name.split(": ", 1)
    found = list((ROOT / "Tests").glob(f"*/**/{file}.swift"))
    return any(f'"{test}"' in path.read_text() or f"`{test}`" in path.read_text() for path in found)


def expects_failure(name: str) -> bool:
    file, test = name.split("::")
    text = (ROOT / "Tests/Integration" / file).read_text()
    decorators = re.search(rf"((?:^@.*\n)*)^ *def {test}\(", text, re.MULTILINE)
    return decorators is not None and "pytest.mark.xfail" in decorators.group(1)
