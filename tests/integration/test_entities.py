"""Who and what is known, asked over the socket and on the command line."""

import json
import subprocess
import sys

import pytest

from reverie.errors import InvalidField
from running import RunningDaemon

NOTES = (
    "Ada Lovelace works at Siemens in Berlin.",
    "Ada Lovelace manages Bob.",
    "We asked whether Ada Lovelace manages Bob; she does.",
    "Bob uses PostgreSQL at home.",
    "Nothing happened on Monday.",
)


@pytest.fixture
def told(daemon: RunningDaemon) -> RunningDaemon:
    with daemon.client() as client:
        client.store_many(NOTES, wait="projected")
    return daemon


def test_entities_are_summed_up_over_the_memories(told: RunningDaemon) -> None:
    with told.client() as client:
        found = {entity.name: entity for entity in client.entities().entities}
        assert found.keys() == {"Ada Lovelace", "Bob", "Siemens", "Berlin", "PostgreSQL"}
        ada = found["Ada Lovelace"]
        assert (ada.type, ada.mentions, ada.memories) == ("person", 3, 3)
        assert [entity.name for entity in client.entities(type="location").entities] == ["Berlin"]
        assert [entity.name for entity in client.entities(name="love").entities] == ["Ada Lovelace"]
        assert len(client.entities(limit=2).entities) == 2
        with pytest.raises(InvalidField):
            client.entities(type="planet")


def test_relations_are_seen_from_both_ends_and_grow_with_what_says_so(told: RunningDaemon) -> None:
    with told.client() as client:
        of_ada = {relation.relation: relation for relation in client.relations("ada lovelace").relations}
        assert (of_ada["manages"].other, of_ada["manages"].count) == ("Bob", 2)
        assert (of_ada["works_at"].other, of_ada["works_at"].inverse) == ("Siemens", False)
        assert of_ada["manages"].strength > of_ada["works_at"].strength
        of_bob = {relation.relation: relation for relation in client.relations("Bob").relations}
        assert of_bob["reports_to"].other == "Ada Lovelace"
        (of_siemens,) = client.relations("Siemens").relations
        assert (of_siemens.relation, of_siemens.other, of_siemens.inverse) == ("works_at", "Ada Lovelace", True)
        assert client.relations("nobody").relations == []
        client.erase(of_siemens.memories[0])
        assert client.relations("Siemens").relations == []
        assert client.verify().ok


def test_another_namespace_knows_nobody(told: RunningDaemon) -> None:
    with told.client(namespace="theirs") as client:
        assert client.entities().entities == []
        assert client.relations("Ada Lovelace").relations == []


def test_the_command_line_shows_both(told: RunningDaemon) -> None:
    def typed(*arguments: str) -> str:
        command = [sys.executable, "-m", "reverie.cli", *arguments]
        return subprocess.run(command, env=told.environ, capture_output=True, text=True, check=True).stdout

    assert "Ada Lovelace  person · 3 mentions in 3 memories" in typed("entities", "--type", "person")
    assert "Ada Lovelace works_at Siemens" in typed("relations", "Siemens")
    assert json.loads(typed("relations", "Bob", "--json"))["relations"][0]["other"] == "Ada Lovelace"


def test_relations_that_a_caller_gives_are_shown_kept_and_erased_with_their_memory(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        told = [("Ada", "manages", "Siemens"), ("Quillfeather", "knows", "Ada")]
        id_ = client.store("Ada works at Siemens.", relations=told).id
        assert [list(one) for one in client.get(id_).relations] == [list(one) for one in told]
        assert {entity.name for entity in client.entities().entities} == {"Ada", "Siemens", "Quillfeather"}
        (of_siemens,) = client.relations("Siemens").relations
        assert (of_siemens.relation, of_siemens.other) == ("reports_to", "Ada")
        (of_quillfeather,) = client.relations("quillfeather").relations
        assert (of_quillfeather.other, of_quillfeather.memories) == ("Ada", [id_])
        for wrong in (("Ada", "manges", "Bob"), ("Ada", "manages", " "), ("A" * 257, "manages", "Bob")):
            with pytest.raises(InvalidField) as refused:
                client.store("Ada and Bob.", relations=[wrong])
            assert refused.value.field == "relations"
        client.erase(id_)
        assert (client.entities().entities, client.relations("Quillfeather").relations) == ([], [])
        assert client.verify().ok
    assert not [path for path in daemon.data.rglob("*.db*") if b"uillfeather" in path.read_bytes()]
