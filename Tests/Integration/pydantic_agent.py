"""An agent made with pydantic-ai behind pydantic-acp, run by the Python of its own environment with a model's address as argument."""

import sys
from pathlib import Path

from pydantic_acp import run_acp
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

agent = Agent(OpenAIChatModel("fake-model", provider=OpenAIProvider(base_url=sys.argv[1], api_key="x")), name="scribe")


@agent.tool_plain(requires_approval=True)
def write_file(path: str, text: str) -> str:
    """Writes a file."""
    Path(path).write_text(text)
    return "written"


run_acp(agent)
