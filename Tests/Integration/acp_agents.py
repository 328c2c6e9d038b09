"""Real agents from PyPI that speak the Agent Client Protocol, each in a virtual environment of its own, with a scripted model on loopback."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from relay import ROOT, plain_environment

sys.path.insert(0, str(ROOT / "Tests/Tools"))
from scripted_openai_api import ScriptedOpenAIAPI  # noqa: E402

VIBE = "mistral-vibe==3.0.2"
OPENHANDS = "openhands==1.16.0"
PYDANTIC = ("pydantic-acp==1.10.0", "pydantic-ai-slim[openai]==2.52.0")


def python() -> str:
    """The path of a Python 3.12, the only version that all agents support."""
    places = [*sorted((Path.home() / ".pyenv/versions").glob("3.12.*/bin/python3.12")), shutil.which("python3.12")]
    for place in places:
        # pyenv's shim has the name `python3.12` even if no such version is installed.
        if place and subprocess.run([place, "-c", "import venv"], capture_output=True).returncode == 0:
            return str(place)
    pytest.skip("there is no Python 3.12, which the agents need")


def install(requirement: str, *beside: str) -> Path:
    """Installs an agent once for all runs; returns the folder of its programs."""
    folder = ROOT / ".build/agents" / requirement.replace("==", "-")
    done = folder / "installed"
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Test processes that run in parallel may install the same agent.
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            begun = time.monotonic()
            shutil.rmtree(folder, ignore_errors=True)
            # uv from this Python's environment: it takes a quarter of pip's time, because it compiles modules only when they are imported.
            uv = str(Path(sys.executable).with_name("uv"))
            subprocess.run([uv, "venv", "--quiet", "--python", python(), str(folder)], check=True)
            subprocess.run([uv, "pip", "install", "--quiet", "--python", str(folder), requirement, *beside], check=True)
            done.write_text(f"{time.monotonic() - begun:.0f} s\n")
            print(f"{requirement} was installed in {done.read_text().strip()}")
    return folder / "bin"


class Agent:
    """A temporary home with a project in it, and the agent's `command` and `environment`."""

    def __init__(self, folder: Path):
        self.home = folder / "home"
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        self.home.mkdir(parents=True)
        self.api = ScriptedOpenAIAPI()
        self.api.start()
        self.environment = plain_environment(self.home) | {"FAKE_KEY": "x"}
        self.command: list[str] = []

    @property
    def socket(self) -> Path:
        return self.home / ".local/state/heliograph/host.sock"

    def close(self) -> None:
        self.api.stop()


def vibe(folder: Path) -> Agent:
    agent = Agent(folder)
    agent.command = [str(install(VIBE) / "vibe-acp")]
    settings = agent.home / ".vibe/config.toml"
    settings.parent.mkdir()
    settings.write_text(f"""
active_model = "fake"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false
[[providers]]
name = "fake"
api_base = "{agent.api.url}"
api_key_env_var = "FAKE_KEY"
api_style = "openai"
backend = "generic"
[[models]]
name = "fake-model"
provider = "fake"
alias = "fake"
supports_images = true
input_price = 0.4
output_price = 2.0
[[models]]
name = "other-model"
provider = "fake"
alias = "other"
""")
    return agent


def openhands(folder: Path) -> Agent:
    agent = Agent(folder)
    agent.command = [str(install(OPENHANDS) / "openhands"), "acp"]
    agent.environment |= {
        "LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENHANDS_SUPPRESS_BANNER": "1", "SHELL": os.environ.get("SHELL", "/bin/bash"),
        # OpenHands clones its public skills whatever its settings say; without this the clone would wait for the network.
        "GIT_ALLOW_PROTOCOL": "file",
    }  # fmt: skip
    settings: dict[str, Any] = {
        "kind": "Agent",
        "llm": {"model": "openai/fake-model", "api_key": "x", "base_url": agent.api.url, "usage_id": "agent", "num_retries": 0},
        "tools": [{"name": name, "params": {}} for name in ("terminal", "file_editor", "task_tracker")],
        # Public skills would be fetched from GitHub.
        "agent_context": {"skills": [], "load_user_skills": False, "load_public_skills": False},
    }
    path = agent.home / ".openhands/agent_settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps(settings))
    return agent


def pydantic(folder: Path) -> Agent:
    """A minimal agent made with pydantic-ai, whose only tool asks for permission."""
    agent = Agent(folder)
    agent.command = [str(install(*PYDANTIC) / "python"), str(Path(__file__).with_name("pydantic_agent.py")), agent.api.url]
    return agent
