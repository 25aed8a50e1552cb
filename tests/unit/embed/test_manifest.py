"""What is read off a model's directory, and what is refused."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from reveried.embed.errors import ModelRefused
from reveried.embed.manifest import MINILM, MINILM_WEIGHTS, NAME, Manifest, check_files, hash_of, manifest_of
from reveried.embed.resolve import carried_models


def model_directory(path: Path, **files: dict[str, Any]) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    (path / "model.safetensors").write_bytes(b"weights")
    described = {"config": {"hidden_size": 8, "vocab_size": 30_522, "max_position_embeddings": 512}, **files}
    for name, settings in described.items():
        file = path / f"{name.replace('__', '/')}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(settings))
    return path


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ({}, "mean"),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False, "include_prompt": True}, "cls"),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}, "other"),
        ({"pooling_mode_max_tokens": True}, "other"),
        ({"pooling_mode": "cls"}, "cls"),
        ({"pooling_mode": "lasttoken"}, "other"),
    ],
)
def test_pooling_is_read_off_the_directory(tmp_path: Path, pooling: dict[str, Any], expected: str) -> None:
    assert manifest_of(model_directory(tmp_path, **{"1_Pooling__config": pooling})).pooling == expected


def test_prompts_become_templates(tmp_path: Path) -> None:
    prompts = {"prompts": {"query": "query: ", "passage": "passage: "}}
    found = manifest_of(model_directory(tmp_path, config_sentence_transformers=prompts))
    assert (found.query_template, found.text_template) == ("query: {}", "passage: {}")


def test_a_last_dense_layer_decides_the_dimension(tmp_path: Path) -> None:
    found = manifest_of(model_directory(tmp_path, **{"2_Dense__config": {"out_features": 5}}))
    assert (found.dimension, found.pooling) == (5, "other")


def test_a_large_vocabulary_is_taken_for_many_scripts(tmp_path: Path) -> None:
    assert manifest_of(model_directory(tmp_path / "one")).scripts == "latin"
    assert manifest_of(model_directory(tmp_path / "two", config={"vocab_size": 250_002})).scripts == "all"


@pytest.mark.parametrize(
    "changed",
    [
        {"sentence_bert_config": {"max_seq_length": 64}},
        {"1_Pooling__config": {"pooling_mode": "cls"}},
        {"config_sentence_transformers": {"prompts": {"query": "query: "}}},
        {"tokenizer": {"version": "other"}},
    ],
)
def test_whatever_changes_the_vectors_changes_the_id(tmp_path: Path, changed: dict[str, Any]) -> None:
    plain = manifest_of(model_directory(tmp_path / "a" / "model"))
    assert manifest_of(model_directory(tmp_path / "b" / "model")).id == plain.id, "where it lies does not matter"
    assert manifest_of(model_directory(tmp_path / "c" / "model", **changed)).id != plain.id


def test_the_same_weights_are_the_same_model_whatever_runs_them(tmp_path: Path) -> None:
    like_minilm = {"config": {"hidden_size": 384}, "sentence_bert_config": {"max_seq_length": 256}}
    found = manifest_of(model_directory(tmp_path, **like_minilm), digest=lambda _: MINILM_WEIGHTS)
    assert found.id == MINILM.id
    shorter = {**like_minilm, "sentence_bert_config": {"max_seq_length": 128}}
    assert manifest_of(model_directory(tmp_path, **shorter), digest=lambda _: MINILM_WEIGHTS).id != MINILM.id


def test_a_directory_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelRefused, match="holds no model") as refused:
        manifest_of(tmp_path)
    assert "model.safetensors" in str(refused.value.hint)


def test_a_directory_may_bring_its_own_manifest(tmp_path: Path) -> None:
    own = Manifest(name="mine", id="mine@1", dimension=3, max_tokens=9, query_template="ask: {}")
    (tmp_path / NAME).write_bytes(msgspec.json.encode(own))
    assert manifest_of(tmp_path) == own


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"dimension": "many"}, "dimension"),
        ({"query_template": "query: "}, "query_template must hold {} once"),
        ({"files": {"../../secret": "00"}}, "outside the model's directory"),
        ({"pooling": "max"}, "pooling"),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(tmp_path: Path, wrong: dict[str, Any], told: str) -> None:
    (tmp_path / NAME).write_text(json.dumps({"name": "m", "id": "m@1", "dimension": 3, "max_tokens": 9, **wrong}))
    with pytest.raises(ModelRefused) as refused:
        manifest_of(tmp_path)
    assert told in refused.value.message


def test_a_file_that_is_missing_or_not_the_right_one_is_named(tmp_path: Path) -> None:
    weights = model_directory(tmp_path) / "model.safetensors"
    manifest = Manifest(name="m", id="m@1", dimension=8, max_tokens=9, files={weights.name: hash_of(weights)})
    check_files(manifest, tmp_path)
    weights.write_bytes(b"weighty")
    with pytest.raises(ModelRefused, match=r"model\.safetensors is not the file"):
        check_files(manifest, tmp_path)
    weights.unlink()
    with pytest.raises(ModelRefused, match=r"model\.safetensors is missing"):
        check_files(manifest, tmp_path)


def test_the_installed_model_is_the_one_that_is_pinned() -> None:
    (carried, *_) = carried_models()
    assert manifest_of(carried) == MINILM
    check_files(MINILM, carried)
