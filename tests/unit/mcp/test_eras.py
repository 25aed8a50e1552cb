import pytest

from reverie import __version__
from reverie.mcp import eras
from unit.mcp.talking import ENVELOPE, Talk


@pytest.mark.parametrize("version", eras.HANDSHAKE)
def test_a_handshake_is_answered_in_the_version_it_asks_for(talk: Talk, version: str) -> None:
    result = talk.ask("initialize", {"protocolVersion": version, "capabilities": {}})["result"]
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["version"] == __version__
    assert set(result["capabilities"]) == {"tools", "resources", "prompts"}


@pytest.mark.parametrize("version", ["1999-01-01", "2026-07-28", "later"])
def test_a_handshake_in_another_version_is_offered_the_newest(talk: Talk, version: str) -> None:
    assert talk.ask("initialize", {"protocolVersion": version})["result"]["protocolVersion"] == eras.HANDSHAKE[-1]


def test_a_handshake_without_a_version_is_refused(talk: Talk) -> None:
    assert talk.ask("initialize", {})["error"]["code"] == -32602


def test_discovery_names_the_modern_versions_and_carries_the_envelope(talk: Talk) -> None:
    result = talk.ask_modern("server/discover")["result"]
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["resultType"] == "complete"
    assert result["cacheScope"] == "private"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "reverie"


def test_an_unknown_modern_version_is_told_which_there_are(talk: Talk) -> None:
    envelope = ENVELOPE | {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    error = talk.ask("tools/list", {"_meta": envelope})["error"]
    assert error["code"] == eras.UNSUPPORTED_VERSION
    assert error["data"] == {"supported": ["2026-07-28"], "requested": "2031-01-01"}


def test_results_of_the_handshake_generation_stay_plain(talk: Talk) -> None:
    assert set(talk.ask("tools/list")["result"]) == {"tools"}
    assert talk.ask("ping")["result"] == {}


def test_a_client_may_probe_first_and_shake_hands_afterwards(talk: Talk) -> None:
    assert "result" in talk.ask_modern("server/discover")
    assert "result" in talk.ask("initialize", {"protocolVersion": "2025-06-18"})
    assert "resultType" in talk.ask_modern("prompts/list")["result"]
