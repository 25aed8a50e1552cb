"""A reload can say exactly what it changed."""

import msgspec
import pytest

from reveried.config.changes import changed, needs_restart
from reveried.config.keys import every_key
from reveried.config.loader import load
from reveried.config.schema import Config


def test_equal_configurations_have_no_changes():
    assert changed(Config(), load("log: {level: info}", "config.yaml")) == {}


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("log: {level: debug}", {"log.level": ["info", "debug"]}),
        ("storage: {min_free: 5}", {"storage.min_free": ["64MB", 5]}),
        (
            "recall: {limit: 9}\nfeedback: {demote: -2}",
            {"feedback.demote": [-1, -2], "recall.limit": [5, 9]},
        ),
    ],
)
def test_each_changed_key_is_named_with_its_old_and_new_value(text, changes):
    new = load(text, "config.yaml")
    assert changed(Config(), new) == changes
    assert changed(new, Config()) == {name: pair[::-1] for name, pair in changes.items()}


def test_changes_can_be_written_into_an_event():
    changes = changed(Config(), load("server: {body_timeout: 2}", "config.yaml"))
    assert msgspec.json.decode(msgspec.json.encode(changes)) == {"server.body_timeout": [10.0, 2.0]}


def test_only_keys_marked_so_need_a_restart():
    assert needs_restart(["log.level", "storage.checkpoint_pages", "server.max_connections"]) == [
        "storage.checkpoint_pages"
    ]
    assert needs_restart([]) == []
    assert needs_restart(every_key()) == [
        "recall.graph_from",
        "server.max_queue",
        "storage.checkpoint_pages",
        "storage.wal_limit",
    ]
