"""The bridge before the clients that everybody uses: the official SDK's and the inspector's."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import sdk
from reverie.mcp.eras import RESOURCE_NOT_FOUND
from reverie.mcp.tools import TOOLS
from running import RunningDaemon

BRIDGE = [sys.executable, "-m", "reverie.cli", "mcp"]


@pytest.mark.parametrize(
    ("mode", "version", "no_resource"), [("auto", "2026-07-28", -32602), ("legacy", "2025-11-25", RESOURCE_NOT_FOUND)]
)
def test_the_sdks_client_lists_calls_and_gets_typed_errors(
    mode: str, version: str, no_resource: int, daemon: RunningDaemon
) -> None:
    program = Path(__file__).with_name("mcp_sdk_client.py")
    ran = subprocess.run(
        [sdk.python_with_sdk(), program, mode, *BRIDGE], env=daemon.environ, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    seen = json.loads(ran.stdout)
    id_ = seen["saved"][1]["id"]
    assert seen["version"] == version
    assert seen["tools"] == [tool.name for tool in TOOLS]
    assert [name for name, reads in seen["hints"].items() if reads] == [tool.name for tool in TOOLS if tool.reads]
    assert seen["saved"] == [False, {"id": id_, "outcome": "stored", "notes": []}]
    assert not any(is_error for is_error, _ in seen["texts"].values()), seen["texts"]
    assert seen["texts"]["memory_search"][1].startswith(f"[id:{id_}] ")
    assert "heron 43" in seen["texts"]["memory_context"][1]
    assert seen["bad_input"] == [True, "limit"]
    assert seen["missing"] == [True, "not_found"]
    assert seen["resource"] == "The gate code is heron 43"
    assert seen["resources"] == ["memory://narrative/latest", f"memory://{id_}"]
    assert seen["templates"] == ["memory://{id}"]
    assert "open the gate" in seen["prompt"]
    assert (seen["no_tool"], seen["no_resource"], seen["no_prompt"]) == (-32602, no_resource, -32602)
    assert seen["at_once"] == 50
    assert seen["forgot"] == f"[id:{id_}] deleted"


def test_the_inspector_lists_calls_and_gets_errors(daemon: RunningDaemon) -> None:
    launcher = sdk.inspector()
    if launcher is None:
        pytest.skip("there is no npm here")

    def inspect(*words: str) -> Any:
        passed = [
            part for name in ("REVERIE_SOCKET", "REVERIE_DATA") for part in ("-e", f"{name}={daemon.environ[name]}")
        ]
        ran = subprocess.run(
            [launcher, "--cli", *passed, *BRIDGE, *words],
            env={**os.environ, "NODE_NO_WARNINGS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        return json.loads(ran.stdout) if ran.returncode == 0 else ran.stderr

    assert [tool["name"] for tool in inspect("--method", "tools/list")["tools"]] == [tool.name for tool in TOOLS]
    call = ("--method", "tools/call", "--tool-name")
    saved = inspect(*call, "memory_save", "--tool-arg", "content=The gate code is heron 42")
    assert saved["structuredContent"]["outcome"] == "stored"
    found = inspect(*call, "memory_search", "--tool-arg", "query=gate code")
    assert found["structuredContent"]["memories"][0]["content"] == "The gate code is heron 42"
    bad = inspect(*call, "memory_search", "--tool-arg", "query=x", "--tool-arg", "limit=0")
    assert bad["isError"] is True
    assert inspect("--method", "resources/read", "--uri", "memory://1")["contents"][0]["text"].endswith("heron 42")
    assert inspect("--method", "prompts/list")["prompts"][0]["name"] == "with_memory"
    assert "there is no resource" in inspect("--method", "resources/read", "--uri", "memory://999")
