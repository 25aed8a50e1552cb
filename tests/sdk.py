"""The official MCP SDK and inspector, each in a place of its own: oracles, far too heavy to be dependencies."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parents[1] / ".run"
# The second is for the server of the benchmark, which reaches the daemon through our client.
SDK = ("mcp==2.3.0", "msgspec")
INSPECTOR = "@modelcontextprotocol/inspector@1.0.3"


def python_with_sdk() -> Path:
    """An interpreter that can import `mcp`; made once, about a minute."""
    venv = HOME / "mcp-sdk"
    python = venv / "bin" / "python"
    if not (venv / "ready").exists():
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *SDK], check=True)
        (venv / "ready").touch()
    return python


def inspector() -> Path | None:
    """The inspector's launcher, or None where there is no npm."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    home = HOME / "mcp-inspector"
    if not (home / "ready").exists():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        (home / "package.json").write_text("{}")
        environ = {**os.environ, "NODE_NO_WARNINGS": "1"}
        subprocess.run([npm, "install", "--ignore-scripts", "--silent", INSPECTOR], cwd=home, env=environ, check=True)
        (home / "ready").touch()
    return home / "node_modules" / ".bin" / "mcp-inspector"
