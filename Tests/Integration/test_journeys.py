from journeys import ROOT, code_of


def test_comments_are_no_change_and_code_is() -> None:
    for name, one, other, same in [
        ("a.swift", "/// Says.\nlet a = 1\n", "    // Other.\nlet a = 1\n", True),
        ("a.swift", "let a = 1\n", "let a = 2\n", False),
        ("a.py", '"""Says."""\na = 1  # why\n', "a = 1\n", True),
        ("a.py", 'def f():\n    """Says."""\n    return "a"\n', 'def f():\n    return "a"\n', True),
        ("a.py", 'a = "one"\n', 'a = "two"\n', False),
        ("a.txt", "# one\n", "# two\n", False),
    ]:
        assert (code_of(name, one) == code_of(name, other)) == same, (name, one, other)
    source = (ROOT / "Tests/Integration/journeys.py").read_text()
    assert code_of("journeys.py", source) != code_of("journeys.py", source.replace("OF_ALL", "OF_SOME"))
