"""kore-memory over its HTTP API, served by uvicorn as it comes, but for its limits of requests a minute."""

import os
import socket
import subprocess
import sys
import time
from typing import Any

import httpx
from driving import drive, resident_mb

SERVER = """
import sys, uvicorn
from kore_memory import config
config.RATE_LIMITS.clear()
uvicorn.run("kore_memory.main:app", host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
"""


class Kore:
    batch = 100

    def __init__(self, home: str) -> None:
        port = _free_port()
        environ = {**os.environ, "KORE_DB_PATH": f"{home}/memory.db", "KORE_API_KEY": "bench"}
        if "PEER_MODEL" in environ:
            environ["KORE_EMBED_MODEL"] = environ["PEER_MODEL"]
        self._process = subprocess.Popen([sys.executable, "-c", SERVER, str(port)], env=environ, stdout=sys.stderr)
        self._http = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600)
        self._places: dict[str, dict[int, int]] = {}
        while not self._answers():
            time.sleep(0.01)

    def _answers(self) -> bool:
        try:
            return self._http.get("/health").status_code == 200
        except httpx.ConnectError:
            return False

    def store(self, space: dict[str, Any], first: int, texts: list[str]) -> None:
        as_agent = {"X-Agent-Id": space["name"], "X-Kore-Key": "bench"}
        # It takes nothing below three letters.
        drafts = [{"content": f"{text:<3}", "category": "general"} for text in texts]
        if len(texts) == 1:
            saved = [self._http.post("/save", json=drafts[0], headers=as_agent).raise_for_status().json()]
        else:
            batch = self._http.post("/save/batch", json={"memories": drafts}, headers=as_agent)
            saved = batch.raise_for_status().json()["saved"]
        places = self._places.setdefault(space["name"], {})
        places.update({one["id"]: first + at for at, one in enumerate(saved)})

    def ask(self, space: dict[str, Any], question: int, limit: int) -> list[int]:
        as_agent = {"X-Agent-Id": space["name"], "X-Kore-Key": "bench"}
        asked = {"q": space["questions"][question][:1000], "limit": limit}
        found = self._http.get("/search", params=asked, headers=as_agent).raise_for_status().json()["results"]
        return [self._places[space["name"]][one["id"]] for one in found]

    def resident_mb(self) -> float:
        found = resident_mb(self._process.pid)
        self._process.terminate()
        self._process.wait()
        return found


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


drive(Kore)
