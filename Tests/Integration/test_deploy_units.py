"""The systemd units of deploy/: what systemd itself says of them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from deploy_files import UNITS, unit
from relay import BINARY

EXPOSURE_MAX = 2.0
"""Of systemd-analyze's ten; what is left is that they use the network."""


def installed(folder: Path) -> list[Path]:
    """The units as on a machine that has the binary, the template with an account's name."""
    made = []
    for path in UNITS:
        made.append(folder / path.name.replace("@.", "@alice."))
        made[-1].write_text(path.read_text().replace("/usr/bin/heliograph", str(BINARY)))
    return made


def test_systemd_finds_nothing_wrong(tmp_path: Path) -> None:
    # `man:` pages are looked up, too, and ours is not installed here.
    result = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *installed(tmp_path)],
        capture_output=True, text=True, env=os.environ | {"SYSTEMD_LOG_LEVEL": "warning"},
    )  # fmt: skip
    ours = [line for line in result.stderr.splitlines() if "heliograph" in line]
    assert result.returncode == 0 and not ours, result.stderr


def test_a_word_that_systemd_does_not_know_is_found(tmp_path: Path) -> None:
    """The check above can fail."""
    path = tmp_path / "heliograph.service"
    path.write_text(installed(tmp_path)[-1].read_text().replace("ProtectHome=", "ProtectHomes="))
    result = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True)
    assert "ProtectHomes" in result.stderr


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_little_is_left_open(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    shutil.copy(path, copy)
    # With a threshold it ends with 1 where the unit is more open than that, in tenths.
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={int(EXPOSURE_MAX * 10)}", copy]
    result = subprocess.run(command, capture_output=True, text=True)
    overall = re.search(r"Overall exposure level for \S+: ([\d.]+)", result.stdout)
    assert overall and result.returncode == 0 and float(overall.group(1)) <= EXPOSURE_MAX, result.stdout + result.stderr


def test_every_option_in_a_unit_is_one_of_the_binary(relay) -> None:
    for path in UNITS:
        (start,) = unit(path.name)["ExecStart"]
        program, command, *arguments = start.split()
        assert program == "/usr/bin/heliograph"
        text = relay.run(command, "--help").stdout
        for option in (word for word in arguments if word.startswith("--")):
            assert f"{option} " in text, f"{path.name}: {option}"
