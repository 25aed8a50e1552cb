"""The adapters in the hands of the real LangGraph store interface and the real OpenAI Agents SDK."""

import subprocess
from pathlib import Path

from running import RunningDaemon

PROGRAM = Path(__file__).with_name("frameworks.py")


def test_real_frameworks_take_the_adapters_for_their_own(framework_python: str, daemon: RunningDaemon) -> None:
    ran = subprocess.run([framework_python, PROGRAM], env=daemon.environ, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "both frameworks are served" in ran.stdout
