from reverie.protocol.results import NarrativePage, NarrativeView, Page
from unit.cli.samples import memory_view
from unit.client.peer import ok, refused
from unit.mcp.conftest import Talking
from unit.mcp.talking import Talk


def test_a_memory_is_read_by_its_address(talking: Talking) -> None:
    talk, peer = talking(lambda request: ok(request, memory_view(content="Ada\nprefers tea")))
    (content,) = talk.ask("resources/read", {"uri": "memory://12"})["result"]["contents"]
    assert content == {"uri": "memory://12", "mimeType": "text/plain", "text": "Ada\nprefers tea"}
    assert peer.asked[0]["memory"] == 12


def test_memories_are_listed_a_page_at_a_time(talking: Talking) -> None:
    talk, peer = talking(lambda request: ok(request, Page(memories=[memory_view(7)], next="7")))
    result = talk.ask("resources/list", {"cursor": "9"})["result"]
    assert [entry["uri"] for entry in result["resources"]] == ["memory://7"]
    assert result["nextCursor"] == "7"
    assert peer.asked[0]["before"] == 9


def test_the_first_page_begins_with_where_things_stand(talking: Talking) -> None:
    talk, _ = talking(lambda request: ok(request, Page(memories=[memory_view(7)], next=None)))
    result = talk.ask("resources/list")["result"]
    assert [entry["uri"] for entry in result["resources"]] == ["memory://narrative/latest", "memory://7"]


def test_the_latest_narrative_is_read_by_its_address(talking: Talking) -> None:
    told = NarrativeView(
        id=5, at=1, summary="Importer\ndone.", topic="import", memories=[], previous=None, trust="normal"
    )
    talk, peer = talking(lambda request: ok(request, NarrativePage(narratives=[told])))
    (content,) = talk.ask("resources/read", {"uri": "memory://narrative/latest"})["result"]["contents"]
    assert content["text"] == "Where things stood (import): Importer ⏎ done."
    assert (peer.asked[0]["op"], peer.asked[0].get("limit", 1)) == ("narratives", 1)


def test_the_template_says_how_addresses_are_made(talk: Talk) -> None:
    (template,) = talk.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert template["uriTemplate"] == "memory://{id}"


def test_what_is_not_there_has_the_code_of_its_generation(talking: Talking) -> None:
    talk, _ = talking(lambda request: refused(request, "not_found"))
    for uri in ("memory://9", "memory://latest", "file:///etc/passwd"):
        assert talk.ask("resources/read", {"uri": uri})["error"]["code"] == -32002
        assert talk.ask_modern("resources/read", uri=uri)["error"]["code"] == -32602


def test_bad_parameters_are_named(talk: Talk) -> None:
    assert talk.ask("resources/read", {})["error"]["data"] == {"field": "uri"}
    assert talk.ask("resources/list", {"cursor": "x"})["error"]["data"] == {"field": "cursor"}


def test_a_daemon_that_refuses_is_an_internal_error_with_its_code(talking: Talking) -> None:
    talk, _ = talking(lambda request: refused(request, "read_only", hint="restore a backup"))
    error = talk.ask("resources/list")["error"]
    assert error["code"] == -32603
    assert error["data"]["code"] == "read_only"
    assert "restore a backup" in error["message"]
