"""Any file is either a whole configuration or one refusal that says where and why."""

import os
import re
import time
from typing import Annotated, Literal, get_args, get_origin

import msgspec
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import NODEFAULT
from msgspec.structs import fields

from reveried.config.document import MAX_BYTES
from reveried.config.keys import every_key, meta_of, section_of
from reveried.config.loader import MAX_PROBLEMS, load, load_file
from reveried.config.schema import Config
from reveried.errors import ConfigInvalid


def refusal(text):
    with pytest.raises(ConfigInvalid) as caught:
        load(text, "config.yaml")
    return caught.value


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "~", "{}", "storage:\nlog:\n", "\ufeff"])
def test_what_is_not_set_keeps_its_default(text):
    assert load(text, "config.yaml") == Config()


def test_a_value_is_read_into_its_section_and_the_rest_keeps_its_default():
    config = load("storage:\n  min_free: 1 GiB\nserver: {body_timeout: 3}\nlog:\n  level: debug\n", "config.yaml")
    assert config.storage.min_free_bytes == 2**30
    assert config.server.body_timeout == 3.0
    assert config.log.level == "debug"
    assert config.storage.max_lag == 2000


@pytest.mark.parametrize(
    ("text", "message", "field"),
    [
        ("storage:\n  max_lag: soon\n", "storage.max_lag: expected int, got str (line 2)", "storage.max_lag"),
        ("storage: {max_lag: 1.0}", "storage.max_lag: expected int, got float (line 1)", "storage.max_lag"),
        ("storage: {max_lag: yes}", "storage.max_lag: expected int, got bool (line 1)", "storage.max_lag"),
        ("storage: {max_lag: }", "storage.max_lag: expected int, got null (line 1)", "storage.max_lag"),
        ("storage: {max_lag: [1]}", "storage.max_lag: expected int, got array (line 1)", "storage.max_lag"),
        ("storage: {max_lag: 0}", "storage.max_lag: expected int >= 1 (line 1)", "storage.max_lag"),
        ("feedback:\n\n  demote: 1", "feedback.demote: expected int <= 0 (line 3)", "feedback.demote"),
        ("storage: {max_lag: 010}", "storage.max_lag: expected a decimal number (line 1)", "storage.max_lag"),
        ("storage: {max_lag: 1:30}", "storage.max_lag: expected a decimal number (line 1)", "storage.max_lag"),
        ("server: {body_timeout: .inf}", "expected a decimal number (line 1)", "server.body_timeout"),
        ("storage: {min_free: 5XB}", "storage.min_free: expected a size such as 64MB", "storage.min_free"),
        ("log: {level: loud}", "log.level: expected one of debug, info, warning, error (line 1)", "log.level"),
        ("recall: {profile: Best One}", "recall.profile: expected a profile's name", "recall.profile"),
        ('recall: {profile: "\\ud800"}', "recall.profile: cannot be read as str", "recall.profile"),
        ("storage: [1]", "storage: expected a section of keys, got a list (line 1)", "storage"),
        ("just words", "expected a section of keys, got str (line 1)", None),
        ("log: {level: info}\nlog: {level: debug}", "log: stands twice (line 2)", "log"),
        ("log:\n  level: info\n  level: info", "log.level: stands twice (line 3)", "log.level"),
        ("log:\n  <<: {level: info}", "log.<<: unknown key (line 2)", "log.<<"),
        ("? [a]\n: 1", "a key must be a word (line 1)", None),
        ("x: 1\n---\ny: 2", "expected a single document", None),
        ("log: {level: info", "expected ',' or '}'", None),
        ("log:\n  a: &x 1\n", "anchors and aliases are not allowed (line 2)", None),
        ("log:\n\n  a: *x\n", "anchors and aliases are not allowed (line 3)", None),
        ("log: !!python/object/apply:os.getcwd []", "this tag is not allowed (line 1)", None),
        ("log: !mine {}", "this tag is not allowed (line 1)", None),
        ("a\nb: \x00", "a character that YAML does not allow (line 2)", None),
        ('log: "\\UFFFFFFFF"', "out of range (line 1)", None),
        ("%YAML 1." + "9" * 5000 + "\n---\n", "out of range (line 1)", None),
        ("#" * (MAX_BYTES + 1), "larger than 256 KiB", None),
        ("#" + "é" * (MAX_BYTES // 2), "larger than 256 KiB", None),
    ],
)
def test_a_problem_names_file_key_and_line(text, message, field):
    error = refusal(text)
    assert error.message.startswith("config.yaml: ")
    assert message in error.message
    assert error.field == field


@pytest.mark.parametrize(
    ("text", "field", "hint"),
    [
        ("storage:\n  max_lga: 5", "storage.max_lga", "did you mean storage.max_lag?"),
        ("storge:\n  max_lag: 5", "storge", "did you mean storage?"),
        ("max_content: 5", "max_content", "did you mean content.max_content?"),
        ("log: {min_fre: 5}", "log.min_fre", "did you mean storage.min_free?"),
        ("zzzzzz: 5", "zzzzzz", None),
    ],
)
def test_an_unknown_key_comes_with_the_nearest_valid_name(text, field, hint):
    error = refusal(text)
    assert f"{field}: unknown key" in error.message
    assert (error.field, error.hint) == (field, hint)


def test_all_problems_are_told_at_once():
    error = refusal("storage:\n  max_lga: 5\n  max_lag: x\nlog: {level: loud}\n")
    for part in ("storage.max_lga: unknown key (line 2)", "got str (line 3)", "log.level: expected one of"):
        assert part in error.message
    assert error.field == "storage.max_lga"


def test_problems_are_told_up_to_a_bound():
    error = refusal("".join(f"k{n}: 1\n" for n in range(1000)))
    assert error.message.count("unknown key") == MAX_PROBLEMS


def test_a_key_cannot_forge_a_line_of_the_log():
    error = refusal('"a\\nb\\e[31m": 1')
    assert "\n" not in error.message
    assert "\x1b" not in error.message


HOSTILE = {
    "brackets": "[" * 20_000,
    "braces": "{" * 20_000,
    "dashes": "- " * 20_000,
    "question marks": "? " * 20_000,
    "lines of brackets": "[\n" * 20_000,
    "stairs": "".join(" " * step + "a:\n" for step in range(600)),
    "a long list": "[" + "1," * 130_000 + "]",
    "many keys": "{" + "a: 1, " * 40_000 + "}",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_file_built_to_exhaust_the_parser_is_refused_early(text):
    started = time.process_time()
    assert any(words in refusal(text).message for words in ("nested deeper than 32", "more than 10000"))
    assert time.process_time() - started < 3.0


def test_thirty_two_levels_are_the_last_that_are_read():
    assert "unknown key" in refusal("a: " + "[" * 31 + "]" * 31).message
    assert "nested deeper" in refusal("a: " + "[" * 32 + "]" * 32).message


def test_a_missing_file_is_all_defaults(tmp_path):
    assert load_file(tmp_path / "config.yaml") == Config()


def test_a_file_is_read_and_named_in_its_refusal(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("log: {level: error}\n")
    assert load_file(path).log.level == "error"
    path.write_text("log: {level: no}\n")
    with pytest.raises(ConfigInvalid, match=r"mine\.yaml: log\.level"):
        load_file(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"# fine\n\xff\xfe: 1\n", r"not UTF-8 \(line 2\)"),
        (b"\xff\xfea\x00", "not UTF-8"),
        (b"#" + "é".encode() * MAX_BYTES, "larger than 256 KiB"),
        (b"#" + b"\xff" * MAX_BYTES, "larger than 256 KiB"),
    ],
)
def test_bytes_that_are_no_configuration_are_refused(tmp_path, data, message):
    path = tmp_path / "config.yaml"
    path.write_bytes(data)
    with pytest.raises(ConfigInvalid, match=message):
        load_file(path)


def test_a_file_that_cannot_be_read_is_refused_with_the_reason(tmp_path):
    with pytest.raises(ConfigInvalid, match="cannot be read: Is a directory"):
        load_file(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused_with_the_reason(tmp_path):
    path = tmp_path / "config.yaml"
    path.touch(mode=0o000)
    with pytest.raises(ConfigInvalid, match="cannot be read: Permission denied"):
        load_file(path)


def bare(field):
    return get_args(field.type)[0] if get_origin(field.type) is Annotated else field.type


def values_of(field):
    meta = meta_of(field)
    if field.name == "level":
        return st.sampled_from(["debug", "info", "warning", "error"])
    if field.name == "profile":
        return st.sampled_from(["hebbian", "adaptive", "balanced"])
    if field.name == "profiles":
        weights = st.dictionaries(st.sampled_from(["semantic", "recency"]), st.floats(0.1, 1), min_size=1)
        return st.dictionaries(st.sampled_from(["null", "yes", "e1", "y", "a-b_c", "x" * 64]), weights, max_size=3)
    if field.name in ("model", "rerank"):
        return st.sampled_from(["", "null", "yes", "1e1", "/models/tiny", "x" * 64])
    if field.name in ("url", "api_key_env", "api_key_file"):
        return st.sampled_from(["", "http://127.0.0.1:11434/v1"] if field.name == "url" else ["", "SOME_KEY"])
    if get_origin(bare(field)) is Literal:
        return st.sampled_from(get_args(bare(field)))
    if isinstance(field.default, str) and "* *" in field.default:
        return st.sampled_from(["0 4 * * *", "*/5 0-6 1,15 jan-mar mon", "never"])
    if isinstance(field.default, bool):
        return st.booleans()
    if isinstance(field.default, float):
        return st.floats(meta.gt if meta.ge is None else meta.ge, meta.le or 0.999, exclude_min=meta.ge is None)
    if isinstance(field.default, int):
        return st.integers(meta.ge, 10**6 if meta.le is None else meta.le)
    if isinstance(field.default, tuple):
        return st.tuples(*[st.floats(0.25, 1)] * len(field.default)).map(list)
    if field.default is NODEFAULT:
        return st.dictionaries(st.sampled_from(["ours", "theirs"]), st.floats(0, 1))
    if field.name == "max_size":
        return st.builds("{}{}".format, st.integers(0, 10**5), st.sampled_from(["KB", " MiB", "GB"]))
    return st.integers(0, 10**15 - 1) | st.builds("{}{}".format, st.integers(0, 10**6), st.sampled_from(["KB", " MiB"]))


def mappings_of(shape):
    parts = {
        field.name: mappings_of(section) if (section := section_of(field)) else values_of(field)
        for field in fields(shape)
    }
    return st.fixed_dictionaries({}, optional=parts)


@settings(deadline=None)
@given(mappings_of(Config))
def test_any_valid_mapping_comes_back_as_it_was(mapping):
    try:
        expected = msgspec.convert(mapping, Config)
    except msgspec.ValidationError as error:  # each value is right, and together they contradict each other
        with pytest.raises(ConfigInvalid, match=re.escape(str(error).partition(" - at ")[0])):
            load(yaml.safe_dump(mapping), "config.yaml")
    else:
        assert load(yaml.safe_dump(mapping), "config.yaml") == expected


WORDS = st.sampled_from([
    "content", "log", "level", "info", "storage", "max_lag", ": ", ":\n  ", "\n", "- ", "[", "]", "{", "}", ",", "&a ",
    "*a", "!!str ", "!!int ", "!!bool ", "!x ", "? ", "| ", ">", '"', "'", "\\x", "\\U", "%YAML 1.1\n", "---", "...",
    "<<", "=", "0x1f", "010", "1:30", "~", "yes", ".nan", "-.inf", "2020-01-01", "\t", "\x00", "\ud800", "\x85",
    "\u2028", "#",
])  # fmt: skip


def read_or_refusal(read, *arguments):
    try:
        return read(*arguments)
    except ConfigInvalid as error:
        return error.message


@settings(deadline=None)
@given(st.text(st.characters()) | st.lists(WORDS, max_size=30).map("".join))
@example('log: {level: !!bool "maybe"}')
@example("log: {level: !!int words}")
@example("log: !!map [1]")
@example("storage: {max_lag: !!float 1_0}")
@example("storage: {max_lag: " + "9" * 5000 + "}")
def test_any_text_is_a_configuration_or_one_kind_of_refusal(text):
    outcome = read_or_refusal(load, text, "config.yaml")
    if isinstance(outcome, Config):
        assert msgspec.convert(msgspec.to_builtins(outcome), Config) == outcome
    else:
        assert outcome.startswith("config.yaml: ")


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_configuration_or_one_kind_of_refusal(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "bytes.yaml"
    path.write_bytes(data)
    outcome = read_or_refusal(load_file, path)
    assert isinstance(outcome, Config) or outcome.startswith(f"{path}: ")


def test_every_key_can_be_set_by_its_dotted_name():
    for name, key in every_key().items():
        mapping = key.default
        for part in reversed(name.split(".")):
            mapping = {part: mapping}
        loaded = load(yaml.safe_dump(mapping), "config.yaml")
        assert loaded == Config()


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("jobs: {decay: every hour}", "jobs.decay"),
        ("jobs: {prune: '61 4 * * *'}", "jobs.prune"),
        ("jobs: {purge: '0 0 30 2 *'}", "jobs.purge"),
        ("jobs: {sleep: '* * * *'}", "jobs.sleep"),
    ],
)
def test_a_schedule_that_is_none_is_refused_by_name(text, field):
    assert refusal(text).field == field


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("recall: {profiles: {mine: {sematic: 1.0}}}", "recall.profiles.mine.sematic"),
        ("recall: {profiles: {mine: {}}}", "recall.profiles.mine"),
        ("recall: {profiles: {mine: {semantic: 0}}}", "recall.profiles.mine"),
        ("recall: {profiles: {hebbian: {keyword: 1.0}}}", "recall.profiles.hebbian"),
        ("recall: {profiles: {Mine: {keyword: 1.0}}}", "recall.profiles.Mine"),
        ("recall: {profiles: {mine: {keyword: much}}}", "recall.profiles"),
        ("recall: {profile: mine}", "recall.profile"),
    ],
)
def test_a_profile_that_makes_no_sense_is_refused_by_name(text, field):
    assert refusal(text).field == field


def test_a_profile_of_ones_own_is_taken_and_can_be_the_default():
    config = load("recall: {profile: mine, profiles: {mine: {semantic: 0.7, recency: 0.3}}}", "config.yaml")
    assert config.recall.profiles["mine"] == {"semantic": 0.7, "recency": 0.3}


def test_however_many_profiles_are_wrong_only_the_first_are_named():
    wrong = refusal("recall: {profiles: {" + ", ".join(f"p{number}: {{}}" for number in range(50)) + "}}")
    assert wrong.message.count("needs a weight") == 10


def test_settings_that_contradict_each_other_are_refused_with_their_section():
    wrong = refusal("forgetting: {stale_below: 0.1, archive_below: 0.2}")
    assert (wrong.field, "must not increase" in wrong.message) == ("forgetting", True)
