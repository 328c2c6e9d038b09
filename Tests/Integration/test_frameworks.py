"""The documented code for agent frameworks runs with the real framework and a scripted model."""

import re
import subprocess
from typing import Any

import pytest

from acp_agents import install
from daemon import Daemon
from own_agent import environment
from relay import ROOT
from waits import patient

PAGE = (ROOT / "Sources/HeliographServer/HeliographServer.docc/Agents.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
POST = next(block for block in PYTHON if "def post" in block).split("question =")[0]
PYDANTIC = next(block for block in PYTHON if "pydantic_ai" in block)
OPENAI = next(block for block in PYTHON if "from agents import" in block)

OF_PYDANTIC = '''
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

def model(messages, info):
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart("deploy", {"to": "production"}, tool_call_id="c1")])
    return ModelResponse(parts=[TextPart(f"heard: {messages[-1].parts[0].content}")])

agent = Agent(FunctionModel(model), output_type=[str, DeferredToolRequests])

@agent.tool_plain(requires_approval=True)
def deploy(to: str) -> str:
    return f"deployed to {to}"

print(run(agent, "please deploy"))
'''

OF_OPENAI = '''
from agents import Agent, Model, ModelResponse, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

class Scripted(Model):
    async def get_response(self, system_instructions, input, *others, **more):
        if isinstance(input, str) or len(input) == 1:
            item = ResponseFunctionToolCall(type="function_call", call_id="c1", name="deploy", arguments='{"to": "production"}')
        else:
            text = ResponseOutputText(type="output_text", text=f"heard: {input[-1]['output']}", annotations=[])
            item = ResponseOutputMessage(type="message", id="m1", role="assistant", status="completed", content=[text])
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *others, **more):
        raise NotImplementedError

@function_tool(needs_approval=True)
def deploy(to: str) -> str:
    return f"deployed to {to}"

set_tracing_disabled(True)
print(run(Agent("deployer", model=Scripted(), tools=[deploy]), "please deploy"))
'''

FRAMEWORKS = {"pydantic-ai-slim==2.68.0": PYDANTIC + OF_PYDANTIC, "openai-agents==0.24.0": OPENAI + OF_OPENAI}


@pytest.mark.parametrize("verdict", ["allow", "deny", "no host"])
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_an_agent_of_a_framework_goes_on_with_what_a_person_decided(daemon: Daemon, phone: Any, framework: str, verdict: str) -> None:
    program = daemon.project / "agent.py"
    program.write_text(POST + FRAMEWORKS[framework])
    python = install(framework) / "python"
    if verdict == "no host":
        daemon.stop()
    agent = subprocess.Popen([python, str(program)], env=environment(daemon), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        if verdict != "no host":
            card = phone.wait_card(timeout=40)
            assert card["request"]["head"]["tool"] == "deploy" and card["request"]["body"] == {"input": {"to": "production"}}
            phone.decide(card["session"], card["approval"], verdict, **({"message": "not today"} if verdict == "deny" else {}))
        out, error = agent.communicate(timeout=patient(60))
    finally:
        agent.kill()
    if verdict == "no host":
        assert agent.returncode != 0 and "heard" not in out, "nothing was deployed"
    else:
        assert (agent.returncode, out) == (0, {"allow": "heard: deployed to production\n", "deny": "heard: not today\n"}[verdict]), error
