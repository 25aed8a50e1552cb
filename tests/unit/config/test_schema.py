"""The schema explains itself, and its bounds fit what surrounds it."""

import msgspec
import pytest
from msgspec.structs import fields, replace

from reverie.protocol.limits import MAX_FRAME, MAX_PAGE
from reveried.config.keys import every_key, meta_of, section_of
from reveried.config.schema import Config, StoragePolicy
from reveried.domain.policies import ContentLimits, RecallPolicy


def upper_bound(policy, name):
    return next(meta_of(field).le for field in fields(policy) if field.name == name)


@pytest.mark.parametrize("key", every_key().values(), ids=lambda key: key.name)
def test_every_key_says_what_it_means_and_what_it_takes(key):
    assert key.description
    assert key.accepts


@pytest.mark.parametrize("field", fields(Config), ids=lambda field: field.name)
def test_every_section_is_frozen_and_knows_its_own_keys_only(field):
    section = section_of(field)
    assert section.__struct_config__.frozen
    assert section.__struct_config__.forbid_unknown_fields
    assert meta_of(field).description


def test_the_defaults_are_valid_by_their_own_schema():
    assert msgspec.convert(msgspec.to_builtins(Config()), Config) == Config()


def test_the_defaults_are_the_documented_ones():
    config = Config()
    assert (config.feedback.reinforce, config.feedback.demote) == (3, -1)
    assert (config.recall.limit, config.recall.token_budget, config.recall.candidates) == (5, 2000, 50)
    assert (config.recall.hebbian_score_weight, config.recall.hebbian_recency_rate) == (0.2, 0.01)
    assert (config.content.max_content, config.content.max_metadata) == (100_000, 65_536)
    assert (config.server.max_connections, config.server.max_in_flight) == (128, 16)


def test_a_memory_at_every_upper_bound_still_fits_one_frame():
    def bound(name):
        return upper_bound(ContentLimits, name)

    bytes_per_character = 4
    overhead = 4096
    text = bound("max_content") + bound("max_tag") * bound("max_tags")
    assert text * bytes_per_character + bound("max_metadata") + overhead <= MAX_FRAME


def test_a_default_limit_cannot_exceed_a_page():
    assert upper_bound(RecallPolicy, "limit") <= MAX_PAGE


def test_storage_sizes_are_also_given_in_bytes():
    storage = replace(StoragePolicy(), min_free="1 MiB", wal_limit=5000)
    assert storage.min_free_bytes == 1_048_576
    assert storage.wal_limit_bytes == 5000
